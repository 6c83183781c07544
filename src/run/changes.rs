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
//! 5. A wait for background migrations that turns out not to make it before its deadline: once, and again only after it
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

/// What became of the feed, if it is news: that it broke, and why, and that it is back. A first connection is none, and
/// neither is the end of a recording.
pub fn feed_change(before: &FeedState, after: &FeedState, time: Timestamp) -> Option<RunChange> {
    let text = match (before, after) {
        (FeedState::Stale { .. }, FeedState::Stale { .. }) => return None,
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
        let told = |earlier| failed_count_rose(earlier, step) || turned_too_late(earlier, step);
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

fn step_change(run: &Run, step: &Step, from: Option<&'static str>, time: Timestamp) -> RunChange {
    let words = match &step.body {
        StepBody::Gate(gate) => gate_words(gate),
        StepBody::Rollout(rollout) => match &rollout.state {
            RolloutState::Blocked { workload, message } => blocked_words(rollout, workload, message),
            state => state.word().to_owned(),
        },
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
mod tests {
    use super::*;
    use crate::gate::{Ending, GateState, LastFailure, StartFault};
    use crate::run::{Hop, Verdict, sample};

    fn at() -> Timestamp {
        sample::time("15:20:24")
    }

    fn texts(before: &[Run], after: &[Run]) -> Vec<(Option<&'static str>, &'static str, String)> {
        changes(before, after, at()).into_iter().map(|change| (change.from, change.to, change.text)).collect()
    }

    fn run_with(state: GateState, restarts: u32) -> Run {
        let mut run = sample::run();
        let gate = sample::gate(state, restarts);
        run.steps[2].body = StepBody::Gate(Box::new(gate));
        run
    }

    fn retrying() -> GateState {
        GateState::Retrying { next_restart: None }
    }

    #[test]
    fn what_did_not_change_is_no_news() {
        let run = run_with(retrying(), 3);
        assert_eq!(texts(std::slice::from_ref(&run), std::slice::from_ref(&run)), []);
    }

    #[test]
    fn a_retry_tells_its_attempts_and_what_failed() {
        let [before, after] = [run_with(GateState::Running { finishing: false }, 0), run_with(retrying(), 1)];
        let changed = changes(&[before], &[after], at());
        let [change] = changed.as_slice() else { panic!("{changed:?}") };
        assert_eq!(
            change.text,
            "Full migrations: retrying, 1 of 6 failed, 5 left: migrations exited 1 (Error): PG::LockNotAvailable: ERROR: canceling statement due to lock timeout"
        );
        assert_eq!((change.from, change.to, change.subject.word()), (Some("running"), "retrying", "post-migrations"));
        assert_eq!(change.attempts.map(|attempts| attempts.restarts.failed), Some(1));
    }

    #[test]
    fn a_failed_count_that_rises_is_news_and_one_that_falls_is_none() {
        let [two, three] = [run_with(retrying(), 2), run_with(retrying(), 3)];
        let rose = texts(std::slice::from_ref(&two), std::slice::from_ref(&three));
        assert_eq!(rose.len(), 1);
        assert_eq!((rose[0].0, rose[0].1), (Some("retrying"), "retrying"));
        assert_eq!(texts(&[three], &[two]), []);
    }

    #[test]
    fn a_pod_that_failed_is_news_although_its_restarts_went_with_it() {
        let [before, mut after] = [run_with(retrying(), 2), run_with(retrying(), 0)];
        if let StepBody::Gate(gate) = &mut after.steps[2].body {
            gate.job.as_mut().unwrap().attempts = Attempts::new(0, 1, 6, true);
        }
        assert_eq!(texts(&[before], &[after]).len(), 1);
    }

    #[test]
    fn counts_of_two_jobs_are_not_compared() {
        let [before, mut after] = [run_with(retrying(), 1), run_with(retrying(), 2)];
        if let StepBody::Gate(gate) = &mut after.steps[2].body {
            gate.job.as_mut().unwrap().uid = crate::cluster::Uid("another".into());
        }
        assert_eq!(texts(&[before], &[after]), []);
    }

    #[test]
    fn a_failure_names_the_reason_and_what_failed_last_and_comes_before_the_verdict() {
        let before = run_with(retrying(), 6);
        let mut after = run_with(GateState::Failed(sample::exhausted()), 6);
        after.verdict = Verdict::Failed;
        let texts: Vec<_> = texts(&[before], &[after]).into_iter().map(|(_, _, text)| text).collect();
        assert_eq!(
            texts,
            [
                "Full migrations: failed: BackoffLimitExceeded: Job has reached the specified backoff limit, 6 of 6 failed, none left, last: migrations exited 1 (Error): PG::LockNotAvailable: ERROR: canceling statement due to lock timeout",
                "Failed at Full migrations (job/gitlab-migrations-5f2c9a1e)"
            ]
        );
    }

    #[test]
    fn a_block_tells_whether_it_can_clear_by_itself() {
        let fault = sample::image_fault();
        let lasting = run_with(GateState::Blocked(fault.clone()), 0);
        let passing = run_with(GateState::Blocked(StartFault { permanent: false, ..fault }), 0);
        let before = run_with(GateState::Running { finishing: false }, 0);
        let text = |run| texts(std::slice::from_ref(&before), &[run])[0].2.clone();
        assert_eq!(text(lasting), "Full migrations: blocked, cannot clear by itself: ErrImagePull: not found");
        assert_eq!(text(passing), "Full migrations: blocked, may clear by itself: ErrImagePull: not found");
    }

    #[test]
    fn a_new_run_gives_what_has_begun_and_its_verdict_from_nothing() {
        let changed = changes(&[], &[sample::run()], at());
        let told: Vec<_> = changed.iter().map(|change| (change.subject.word(), change.from, change.to)).collect();
        assert_eq!(
            told,
            [
                ("pre-migrations", None, "done"),
                ("rails-rollout", None, "done"),
                ("post-migrations", None, "running"),
                ("upgrade", None, "upgrading")
            ]
        );
    }

    #[test]
    fn the_steps_of_a_new_hop_start_from_pending() {
        let before = sample::run();
        let mut after = sample::run();
        after.course.hop = Some(Hop { version: "18.11.0".into(), number: 2, of: 2 });
        after.steps[1].body = before.steps[4].body.clone();
        after.steps[2].body = before.steps[4].body.clone();
        assert_eq!(
            texts(&[before], &[after]),
            [
                (Some("pending"), "done", "Pre-deployment migrations: done".into()),
                (Some("upgrading"), "upgrading", "Hop 2 of 2 (18.11.0) begins".into())
            ]
        );
    }

    #[test]
    fn a_run_that_is_deleted_is_gone() {
        assert_eq!(texts(&[sample::run()], &[]), [(Some("upgrading"), GONE, "The GitLabCore is gone".into())]);
    }

    #[test]
    fn a_message_of_many_lines_is_one_line_that_is_not_too_long() {
        let mut run = run_with(retrying(), 1);
        if let StepBody::Gate(gate) = &mut run.steps[2].body {
            let failure = LastFailure::Known(crate::gate::Failure {
                ending: Ending::Pod { reason: "Evicted".into() },
                message: "one\n\n two ".repeat(100),
                ..sample::failure()
            });
            gate.job.as_mut().unwrap().last_failure = Some(failure);
        }
        let before = run_with(GateState::Running { finishing: false }, 0);
        let text = texts(&[before], &[run])[0].2.clone();
        assert!(text.contains("pod failed (Evicted): one two one two"), "{text}");
        assert!(text.ends_with('…') && text.chars().count() < 300, "{text}");
    }

    #[test]
    fn a_wait_that_turns_out_not_to_make_it_is_news_once_and_again_after_it_turned_back() {
        let running = || sample::gate(GateState::Running { finishing: false }, 0);
        let run = |backlog| {
            let mut run = sample::run();
            let mut gate = running();
            gate.job.as_mut().unwrap().backlog = backlog;
            run.steps[4].body = StepBody::Gate(Box::new(gate));
            run
        };
        let [unknown, in_time, late, later] = [
            run(None),
            run(Some(sample::backlog(&[12, 9, 6]))),
            run(Some(sample::backlog(&[7, 7, 7]))),
            run(Some(sample::backlog(&[7, 7, 7, 7]))),
        ];
        let told = texts(std::slice::from_ref(&in_time), std::slice::from_ref(&late));
        let text = "Background migrations: running, 7 pending, has not moved for 20m00s; deadline 16:00Z: will not make it unless it moves";
        assert_eq!(told, [(Some("running"), "running", text.into())]);
        assert_eq!(texts(std::slice::from_ref(&late), &[later]), []);
        assert_eq!(texts(std::slice::from_ref(&late), std::slice::from_ref(&in_time)), []);
        assert_eq!(texts(&[unknown], std::slice::from_ref(&late)).len(), 1);
        let mut another = late;
        if let StepBody::Gate(gate) = &mut another.steps[4].body {
            gate.job.as_mut().unwrap().uid = crate::cluster::Uid("another".into());
        }
        assert_eq!(texts(&[in_time], &[another]), []);
    }

    #[test]
    fn a_feed_that_breaks_and_comes_back_is_news_and_a_first_connection_is_none() {
        let live = FeedState::Live { since: at() };
        let stale = FeedState::Stale { since: at(), error: "connection\nrefused".into() };
        let text = |before, after| feed_change(before, after, at()).map(|change| change.text);
        assert_eq!(text(&FeedState::Connecting, &live), None);
        assert_eq!(text(&live, &stale).as_deref(), Some("The cluster does not answer: connection refused"));
        assert_eq!(text(&stale, &stale), None);
        assert_eq!(text(&stale, &live).as_deref(), Some("The cluster answers again"));
        assert_eq!(text(&live, &FeedState::Ended), None);
    }
}
