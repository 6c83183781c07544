//! What became of the runs: one entry for each change of state, in words. `wait` prints them, the journal keeps them.
//!
//! A change is news; that something was listed anew is not, so equal runs give no entry. The rules:
//! 1. A step whose state has another word than before, and a gate whose failed count rose in one of its two counts.
//!    Both at once are one entry. A count that falls, as it does when a pod and its restarts go, is no news.
//! 2. A verdict that is another, and a hop that follows another. The steps of a new hop start from pending: that those
//!    of the hop before were done is no news.
//! 3. A run that was not there yet gives its verdict and the steps that are neither pending nor skipped, from nothing.
//!    Who keeps a journal over a restart leaves the entries without `from` out.
//! 4. A run that is no longer there gives one entry, to [`GONE`].
//! 5. A component of a stage whose state has another word than before.
//! 6. A wait for background migrations that turns out not to make it before its deadline: once, and again only after it
//!    was in time between.

use std::fmt;

use jiff::Timestamp;

use super::words::{gate_words, one_line, verdict_words};
use super::{Rollout, RolloutState, Run, Step, StepBody, StepId};
use crate::cluster::FeedState;
use crate::gate::{Attempts, Outlook};

/// What a verdict changes to when the resource of its run is deleted.
pub const GONE: &str = "gone";

/// One change of state, or of a failed count.
#[derive(Clone, Debug, PartialEq)]
pub struct RunChange {
    /// When it was heard.
    pub time: Timestamp,
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
    /// The namespace of its resource.
    pub namespace: String,
    /// The name of its resource.
    pub name: String,
}

impl fmt::Display for RunName {
    /// `namespace/name`; the name alone where a dump left the namespace out.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
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

impl Run {
    /// The run's verdict as an entry that tells how it stands at `time`, without anything having changed.
    pub fn standing(&self, time: Timestamp) -> RunChange {
        let word = self.verdict.word();
        self.upgrade_change(Some(word), word, verdict_words(self), time)
    }

    /// Which run it is, in words.
    pub fn full_name(&self) -> RunName {
        RunName { namespace: self.namespace.clone(), name: self.name.clone() }
    }

    fn upgrade_change(&self, from: Option<&'static str>, to: &'static str, text: String, time: Timestamp) -> RunChange {
        RunChange { time, run: Some(self.full_name()), subject: Subject::Upgrade, from, to, attempts: None, text }
    }
}

/// What became of the runs `before` by the time they were those `after`: for each run its steps in their order, then
/// its verdict.
pub fn changes(before: &[Run], after: &[Run], time: Timestamp) -> Vec<RunChange> {
    let mut changes = Vec::new();
    for run in after {
        match before.iter().find(|earlier| earlier.uid == run.uid) {
            Some(earlier) => compare(earlier, run, time, &mut changes),
            None => appear(run, time, &mut changes),
        }
    }
    for run in before {
        if !after.iter().any(|later| later.uid == run.uid) {
            let text = format!("The {} is gone", run.source.word());
            changes.push(run.upgrade_change(Some(run.verdict.word()), GONE, text, time));
        }
    }
    changes
}

/// What became of the feed, if it is news: that it broke, or a right was withdrawn, and why, and that it is back. A first
/// connection is none, and neither is the end of a recording.
pub fn feed_change(before: &FeedState, after: &FeedState, time: Timestamp) -> Option<RunChange> {
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
    Some(RunChange { time, run: None, subject: Subject::Feed, from, to, attempts: None, text })
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
    for step in &run.steps {
        let same = earlier.steps.iter().find(|other| other.id == step.id);
        let was = same.filter(|_| next_hop.is_none()).map_or("pending", Step::word);
        let told = |earlier| {
            failed_count_rose(earlier, step) || turned_too_late(earlier, step) || component_turned(earlier, step)
        };
        let told = next_hop.is_none() && same.is_some_and(told);
        if was != step.word() || told {
            changes.push(step_change(run, step, Some(was), time));
        }
    }
    if earlier.verdict != run.verdict || next_hop.is_some() {
        let text = match next_hop {
            Some(hop) if earlier.verdict == run.verdict => format!("Hop {hop} begins"),
            _ => verdict_words(run),
        };
        changes.push(run.upgrade_change(Some(earlier.verdict.word()), run.verdict.word(), text, time));
    }
}

/// Whether the failed count of a gate rose. Only the same Job's counts can be compared.
fn failed_count_rose(before: &Step, after: &Step) -> bool {
    let job = |step: &Step| step.gate().and_then(|gate| gate.job.as_ref()).map(|job| (job.uid.clone(), job.attempts));
    match (job(before), job(after)) {
        (Some((before_uid, before)), Some((uid, after))) => {
            let rose = after.restarts.failed > before.restarts.failed || after.pods.failed > before.pods.failed;
            before_uid == uid && rose
        }
        _ => false,
    }
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
