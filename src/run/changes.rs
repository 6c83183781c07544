//! What became of the runs: one entry for each change of state, in words. `wait` prints them, the journal keeps them.
//!
//! A change is news; that something was listed anew is not, so equal runs give no entry. The rules:
//! 1. A step whose state has another word than before, and a gate whose failed count rose in one of its two counts.
//!    Both at once are one entry. A count that falls, as it does when a pod and its restarts go, is no news.
//! 2. A verdict that is another, and a hop that follows another. The steps of a new hop start from pending: that those
//!    of the hop before were done is no news. It begins before its steps do, also where that is heard at once.
//! 3. A run that was not there yet gives its verdict and the steps that are neither pending nor skipped, from nothing.
//!    Who keeps a journal over a restart leaves the entries without `from` out.
//! 4. A run that is no longer there gives one entry, to [`GONE`].
//! 5. A plain Job that another of its name took the place of is told of as it stands, also where that is the same word.
//! 6. A wait for background migrations that turns out not to make it before its deadline: once, and again only after it
//!    was in time between.
//! 7. A failure that a pod failure policy ignores: no count rises by it.
//! 8. What holds the rollout of a workload up, where it is something else than before.
//! 9. A component of a stage whose state has another word than before.

use std::fmt;

use jiff::Timestamp;

use super::held::{Held, held_words};
use super::words::{gate_words, ignored_words, one_line, verdict_words};
use super::{Rollout, RolloutState, Run, Source, Step, StepBody, StepId, Verdict};
use crate::cluster::{ClusterName, FeedState};
use crate::gate::{Attempts, GateState, Outlook};

/// What a verdict changes to when the resource of its run is deleted.
pub const GONE: &str = "gone";

/// One change of state, or of a failed count.
#[derive(Clone, Debug, PartialEq)]
pub struct RunChange {
    /// When it was heard.
    pub time: Timestamp,
    /// The cluster that it is about, where several are watched.
    pub cluster: Option<ClusterName>,
    /// The run; absent where the feed changed.
    pub run: Option<RunName>,
    /// What changed.
    pub subject: Subject,
    /// The state before, in one word; absent where it was not there before.
    pub from: Option<&'static str>,
    /// The state now, in one word; the same as before where a failed count rose, or where an outlook turned.
    pub to: &'static str,
    /// The attempts, where it is a gate that has a Job.
    pub attempts: Option<Attempts>,
    /// All of it in one line for a person.
    pub text: String,
}

/// Which run it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunName {
    /// The cluster that it is in, where several are watched.
    pub cluster: Option<ClusterName>,
    /// What kind of thing it is.
    pub source: Source,
    /// The namespace of its resource.
    pub namespace: String,
    /// The name of its resource.
    pub name: String,
}

impl fmt::Display for RunName {
    /// `namespace/name`; the name alone where a dump left the namespace out. Of several clusters, its name stands before.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(cluster) = &self.cluster {
            write!(out, "{cluster} ")?;
        }
        match self.namespace.as_str() {
            "" => out.write_str(&self.name),
            namespace => write!(out, "{namespace}/{}", self.name),
        }
    }
}

/// What changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A step of a run.
    Step(StepId),
    /// A run as a whole: its verdict or its hop.
    Upgrade,
    /// The feed.
    Feed,
}

impl Subject {
    /// The subject as the report names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Step(step) => step.word(),
            Self::Upgrade => "upgrade",
            Self::Feed => "feed",
        }
    }
}

/// Every word that the state of a subject can have in an entry.
pub fn state_words() -> impl Iterator<Item = &'static str> {
    let states = [GateState::WORDS, RolloutState::WORDS, Verdict::WORDS, FeedState::WORDS, &[GONE]];
    let of_others =
        [Source::GluesyncPlatform, Source::Job].map(|source| Verdict::ALL.map(|of| source.verdict_word(of)));
    states.into_iter().flatten().copied().chain(of_others.into_iter().flatten())
}

impl Run {
    /// The run's verdict as an entry that tells how it stands at `time`, without anything having changed.
    pub fn standing(&self, time: Timestamp) -> RunChange {
        let word = self.verdict.word();
        self.upgrade_change(Some(word), word, verdict_words(self), time)
    }

    /// Which run it is, in words.
    pub fn full_name(&self) -> RunName {
        RunName {
            cluster: self.cluster.clone(),
            source: self.source,
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }

    fn upgrade_change(&self, from: Option<&'static str>, to: &'static str, text: String, time: Timestamp) -> RunChange {
        RunChange {
            time,
            cluster: self.cluster.clone(),
            run: Some(self.full_name()),
            subject: Subject::Upgrade,
            from,
            to,
            attempts: None,
            text,
        }
    }
}

/// What became of the runs `before` by the time they were those `after`: for each run that its hop begins, its steps in their
/// order, then its verdict.
pub fn changes(before: &[Run], after: &[Run], time: Timestamp) -> Vec<RunChange> {
    let mut changes = Vec::new();
    for run in after {
        match before.iter().find(|earlier| earlier.is(run)) {
            Some(earlier) => compare(earlier, run, time, &mut changes),
            None => appear(run, time, &mut changes),
        }
    }
    for run in before {
        if !after.iter().any(|later| later.is(run)) {
            let text = format!("The {} is gone", run.source.word());
            changes.push(run.upgrade_change(Some(run.verdict.word()), GONE, text, time));
        }
    }
    changes
}

/// What became of the feed, of one of several clusters where it is one, if it is news: that it broke, or a right was withdrawn,
/// and why, and that it is back. A first connection is none, and neither is the end of a recording.
pub fn feed_change(
    cluster: Option<&ClusterName>,
    before: &FeedState,
    after: &FeedState,
    time: Timestamp,
) -> Option<RunChange> {
    let text = match (before, after) {
        (FeedState::Stale { .. }, FeedState::Stale { .. }) => return None,
        (FeedState::Withdrawn { .. }, FeedState::Withdrawn { .. }) => return None,
        (_, FeedState::Withdrawn { message, .. }) => format!("A right is withdrawn: {}", one_line(message)),
        (FeedState::Withdrawn { .. }, FeedState::Live { .. }) => "What was withdrawn is seen again".into(),
        (_, FeedState::Stale { error, .. }) => format!("The cluster does not answer: {}", one_line(error)),
        (FeedState::Stale { .. }, FeedState::Live { .. }) => "The cluster answers again".into(),
        _ => return None,
    };
    let (from, to) = (Some(before.word()), after.word());
    Some(RunChange {
        time,
        cluster: cluster.cloned(),
        run: None,
        subject: Subject::Feed,
        from,
        to,
        attempts: None,
        text,
    })
}

fn appear(run: &Run, time: Timestamp, changes: &mut Vec<RunChange>) {
    let begun = run.steps.iter().filter(|step| !matches!(step.word(), "pending" | "skipped"));
    changes.extend(begun.map(|step| step_change(run, step, None, time)));
    changes.push(run.upgrade_change(None, run.verdict.word(), verdict_words(run), time));
}

fn compare(earlier: &Run, run: &Run, time: Timestamp, changes: &mut Vec<RunChange>) {
    let next_hop = match (&earlier.course.hop, &run.course.hop) {
        (Some(earlier), Some(hop)) if earlier.version != hop.version => Some(hop),
        _ => None,
    };
    let verdict = |text| run.upgrade_change(Some(earlier.verdict.word()), run.verdict.word(), text, time);
    let same_verdict = earlier.verdict == run.verdict;
    let begins = next_hop.filter(|_| same_verdict).map(|hop| format!("Hop {hop} begins"));
    changes.extend(begins.map(verdict));
    for step in &run.steps {
        let same = earlier.steps.iter().find(|other| other.id == step.id);
        let was = same.filter(|_| next_hop.is_none()).map_or("pending", Step::word);
        let same = same.filter(|_| next_hop.is_none());
        let ignored = same.and_then(|earlier| newly_ignored(earlier, step));
        let told =
            |earlier| failed_count_rose(earlier, step) || turned_too_late(earlier, step) || held_up_anew(earlier, step);
        let told = |earlier| told(earlier) || run.source == Source::Job && made_again(earlier, step);
        let told = |earlier| told(earlier) || component_turned(earlier, step);
        if was != step.word() || same.is_some_and(told) {
            let change = step_change(run, step, Some(was), time);
            let ignored = ignored.map(|ignored| format!("; {ignored}")).unwrap_or_default();
            changes.push(RunChange { text: change.text + &ignored, ..change });
        } else if let Some(ignored) = ignored {
            let text = format!("{}: {}, {ignored}", step.id.title(), step.word());
            changes.push(RunChange { text, ..step_change(run, step, Some(was), time) });
        }
    }
    if !same_verdict {
        changes.push(verdict(verdict_words(run)));
    }
}

/// Whether another Job took the place of the one before it.
fn made_again(before: &Step, after: &Step) -> bool {
    let uid = |step: &Step| step.gate().and_then(|gate| gate.job.as_ref()).map(|job| job.uid.clone());
    uid(before) != uid(after)
}

/// Whether the failed count of a gate rose. Only the same Job's counts can be compared.
fn failed_count_rose(before: &Step, after: &Step) -> bool {
    let job = |step: &Step| step.gate().and_then(|gate| gate.job.as_ref()).map(|job| (job.uid.clone(), job.attempts));
    let states = [before, after].map(|step| step.gate().map(|gate| &gate.state));
    let gave_up = states.iter().all(|state| matches!(state, Some(GateState::Failing(_) | GateState::Failed(_))));
    match (job(before), job(after)) {
        (Some((before_uid, before)), Some((uid, after))) => {
            // What still ran when the Job gave up counts as failed, too: that is its end, and no attempt that failed.
            let rose = if gave_up { after.tally().failed > before.tally().failed } else { after.rose(&before) };
            before_uid == uid && rose
        }
        _ => false,
    }
}

/// What failed since in the same Job and is ignored, in words.
fn newly_ignored(before: &Step, after: &Step) -> Option<String> {
    let (before, after) = (before.gate()?.job.as_ref()?, after.gate()?.job.as_ref()?);
    let more = after.ignored().count() > before.ignored().count() && before.uid == after.uid;
    let (_, ending, counting) = after.ignored().next_back().filter(|_| more)?;
    Some(ignored_words(ending, counting))
}

/// Whether a wait turned out not to make it: the same Job's, as the next one begins anew.
fn turned_too_late(before: &Step, after: &Step) -> bool {
    let job = |step: &Step| {
        let job = step.gate().and_then(|gate| gate.job.as_ref())?;
        Some((job.uid.clone(), job.backlog.as_ref().is_some_and(|backlog| backlog.outlook == Outlook::TooLate)))
    };
    match (job(before), job(after)) {
        (Some((before, false)), Some((after, true))) => before == after,
        _ => false,
    }
}

/// Whether something else holds the rollout of a workload up than before. Between the gates of an
/// upgrade that is told once it makes no progress.
fn held_up_anew(before: &Step, after: &Step) -> bool {
    let held = |step: &Step| step.rollout().filter(|_| step.id == StepId::Rollout).and_then(Held::of);
    let now = held(after);
    now.is_some() && now != held(before)
}

/// Whether a component of a stage is in another state than before.
fn component_turned(before: &Step, after: &Step) -> bool {
    let components = |step: &Step| -> Vec<(String, &'static str)> {
        let components = step.stage().map(|stage| stage.components.as_slice()).unwrap_or_default();
        components.iter().map(|component| (component.name.clone(), component.state.word())).collect()
    };
    let before = components(before);
    let turned = |(name, word): &(String, &'static str)| before.iter().any(|(of, was)| of == name && was != word);
    components(after).iter().any(turned)
}

fn step_change(run: &Run, step: &Step, from: Option<&'static str>, time: Timestamp) -> RunChange {
    let words = match &step.body {
        StepBody::Gate(gate) => gate_words(gate),
        StepBody::Rollout(rollout) => match &rollout.state {
            RolloutState::Blocked { workload, message } => blocked_words(rollout, workload, message),
            RolloutState::Unknown(unseen) => format!("{}: {unseen}", rollout.state.word()),
            RolloutState::Running if step.id == StepId::Rollout => match held_words(rollout) {
                Some(held) => format!("{}, {held}", rollout.state.word()),
                None => rollout.state.word().to_owned(),
            },
            state => state.word().to_owned(),
        },
        StepBody::Stage(stage) => {
            let told = [stage.message.as_str(), stage.said.as_str()].into_iter().filter(|told| !told.is_empty());
            let told = told.map(|told| format!(": {}", one_line(told))).collect::<String>();
            stage.state.word().to_owned() + &told
        }
    };
    RunChange {
        time,
        cluster: run.cluster.clone(),
        run: Some(run.full_name()),
        subject: Subject::Step(step.id),
        from,
        to: step.word(),
        attempts: step.gate().and_then(|gate| gate.job.as_ref()).map(|job| job.attempts),
        text: format!("{}: {words}", step.id.title()),
    }
}

/// A rollout that makes no progress: which Deployment, and which of its pods is stuck on what.
fn blocked_words(rollout: &Rollout, workload: &str, message: &str) -> String {
    let stuck =
        rollout.stuck().map(|(_, replica, stuck)| format!("; pod {}: {}", replica.pod, one_line(&stuck.to_string())));
    format!("blocked: {workload}: {}{}", one_line(message), stuck.unwrap_or_default())
}

#[cfg(test)]
mod tests;
