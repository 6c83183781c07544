//! What the journal tells, and that it tells it once.

use jiff::{SignedDuration, Timestamp};

use super::*;
use crate::cluster::{FeedState, Uid};
use crate::fixture::feed_in;
use crate::gate::GateState;
use crate::run::{Hop, RolloutState, Run, StepBody, Verdict, sample};

mod kept;

fn at(seconds: i64) -> Timestamp {
    sample::time("15:20:00") + SignedDuration::from_secs(seconds)
}

fn live() -> FeedState {
    FeedState::Live { since: at(0) }
}

fn stale(seconds: i64) -> FeedState {
    FeedState::Stale { since: at(seconds), error: "connection refused".into() }
}

fn run_with(state: GateState, restarts: u32) -> Run {
    let mut run = sample::run();
    run.steps[2].body = StepBody::Gate(Box::new(sample::gate(state, restarts)));
    run
}

fn running() -> Run {
    run_with(GateState::Running { finishing: false }, 0)
}

fn retrying(restarts: u32) -> Run {
    run_with(GateState::Retrying { next_restart: None }, restarts)
}

fn failed() -> Run {
    Run { verdict: Verdict::Failed, ..run_with(GateState::Failed(sample::exhausted()), 6) }
}

fn named(name: &str, run: Run) -> Run {
    Run { name: name.into(), uid: Uid(name.into()), ..run }
}

/// The program, from one start to the next.
#[derive(Default)]
struct Program {
    journals: Journals,
    runs: Vec<Run>,
    feed: Option<FeedState>,
    seconds: i64,
}

impl Program {
    /// Starts with what was kept.
    fn start(kept: Option<Journal>, run: Run) -> Self {
        let mut program = Self::default();
        program.see(&[run]);
        program.recall(kept);
        program
    }

    fn recall(&mut self, kept: Option<Journal>) -> Seen {
        let uid = self.runs[0].uid.clone();
        self.journals.recall(&uid, kept);
        self.see(&self.runs.clone())
    }

    fn see(&mut self, runs: &[Run]) -> Seen {
        self.seconds += 1;
        let feed = self.feed.clone().unwrap_or_else(live);
        let seen = self.journals.see(&self.runs, runs, &feed_in(&feed), at(self.seconds));
        self.runs = runs.to_vec();
        seen
    }

    fn hear(&mut self, feed: FeedState) -> Seen {
        self.feed = Some(feed);
        self.see(&self.runs.clone())
    }

    /// What is kept of the first run, through a file.
    fn kept(&self) -> Journal {
        let journal = self.journals.of(&self.runs[0].uid).unwrap();
        serde_json::from_str(&serde_json::to_string(journal).unwrap()).unwrap()
    }

    fn told(&self) -> Vec<String> {
        let told = |entry: &Entry| {
            let from = entry.from.as_deref().unwrap_or("-");
            format!("{:?} {} {from} {} {}", entry.how, entry.subject.word(), entry.to, entry.tally())
                .trim_end()
                .to_owned()
        };
        self.journals.entries(None).into_iter().map(|(_, entry)| told(entry)).collect()
    }
}

const FOUND: [&str; 4] = [
    "Found pre-migrations - done",
    "Found rails-rollout - done",
    "Found post-migrations - running",
    "Found upgrade - upgrading",
];

#[test]
fn a_journal_begins_with_what_was_found_and_tells_each_change_once() {
    let mut program = Program::start(None, running());
    assert_eq!(program.told(), FOUND);
    for restarts in [1, 1, 2, 2] {
        program.see(&[retrying(restarts)]);
    }
    let told =
        ["Seen post-migrations running retrying 1 of 6 failed", "Seen post-migrations retrying retrying 2 of 6 failed"];
    assert_eq!(program.told()[4..], told);
}

#[test]
fn kube_1844_a_reconnect_or_a_relist_tells_nothing_again() {
    let mut program = Program::start(None, retrying(1));
    let before = program.told().len();
    for feed in [stale(5), FeedState::Connecting, stale(5), live(), live()] {
        program.hear(feed);
    }
    let told = ["Seen feed live stale", "Seen feed stale live"];
    assert_eq!(program.told()[before..], told);
}

#[test]
fn half_a_cluster_is_no_news() {
    let mut program = Program { feed: Some(FeedState::Connecting), ..Program::default() };
    let mut unlisted = running();
    unlisted.steps[2].body = unlisted.steps[4].body.clone();
    assert_eq!(program.see(&[unlisted]).asked, [running().uid]);
    program.recall(Some(Program::start(None, running()).kept()));
    assert!(program.told().is_empty());
    program.feed = Some(live());
    let seen = program.see(&[running()]);
    assert_eq!(program.told(), FOUND);
    assert_eq!((seen.asked.len(), seen.changed.len(), seen.news.len()), (0, 1, 0));
}

#[test]
fn a_restart_of_ours_tells_nothing_again() {
    let mut program = Program::start(None, running());
    program.see(&[retrying(1)]);
    let told = program.told();
    let mut kept = program.kept();
    for _ in 0..3 {
        let again = Program::start(Some(kept), retrying(1));
        assert_eq!(again.told(), told);
        kept = again.kept();
    }
}

#[test]
fn what_happened_while_nobody_watched_is_told_as_that_and_stirs_nobody() {
    let mut program = Program::start(None, running());
    program.see(&[retrying(1)]);
    let mut again = Program::default();
    again.see(&[retrying(3)]);
    let seen = again.recall(Some(program.kept()));
    assert_eq!(again.told()[5..], ["Meanwhile post-migrations retrying retrying 3 of 6 failed"]);
    assert!(seen.news.is_empty());
    let last = Program::start(Some(again.kept()), failed());
    let told = ["Meanwhile post-migrations retrying failed 6 of 6 failed", "Meanwhile upgrade upgrading failed"];
    assert_eq!(last.told()[6..], told);
}

#[test]
fn what_changes_before_the_answer_comes_follows_what_was_kept() {
    let kept = Program::start(None, running()).kept();
    let mut again = Program::default();
    again.see(&[running()]);
    assert_eq!(again.see(&[retrying(1)]).news.len(), 1, "a failure is news also then");
    again.recall(Some(kept));
    assert_eq!(again.told()[..4], FOUND);
    assert_eq!(again.told()[4..], ["Seen post-migrations running retrying 1 of 6 failed"]);
}

#[test]
fn there_is_nothing_to_keep_before_it_is_known_what_was() {
    let mut program = Program::default();
    program.see(&[running()]);
    assert_eq!(program.see(&[retrying(1)]).changed, []);
    assert_eq!(program.journals.of(&running().uid), None);
    assert_eq!(program.recall(None).changed, [running().uid]);
    assert!(program.journals.of(&running().uid).is_some());
}

#[test]
fn an_outage_that_ended_while_nobody_watched_is_told() {
    let mut program = Program::start(None, running());
    program.hear(stale(3));
    let again = Program::start(Some(program.kept()), running());
    assert_eq!(again.told()[4..], ["Seen feed live stale", "Meanwhile feed stale live"]);
    let third = Program::start(Some(again.kept()), running());
    assert_eq!(third.kept(), again.kept());
}

#[test]
fn a_count_that_falls_is_none_and_one_that_rises_again_is_one_also_over_a_restart() {
    let mut program = Program::start(None, retrying(3));
    let before = program.told().len();
    let fell = program.see(&[retrying(0)]);
    assert_eq!(program.told().len(), before);
    assert_eq!(fell.changed.len(), 1, "or it would be held against the higher count");
    let again = Program::start(Some(program.kept()), retrying(1));
    assert_eq!(again.told()[before..], ["Meanwhile post-migrations retrying retrying 1 of 6 failed"]);
    program.see(&[retrying(1)]);
    assert_eq!(program.told()[before..], ["Seen post-migrations retrying retrying 1 of 6 failed"]);
}

#[test]
fn the_steps_of_the_next_hop_start_from_pending_over_a_restart_too() {
    let kept = Program::start(None, running()).kept();
    let mut next = running();
    next.course.hop = Some(Hop { version: "18.11.0".into(), number: 2, of: 2 });
    next.steps[1].body = sample::rollout(RolloutState::Pending);
    let job = |run: &mut Run, step: usize, uid: &str| {
        if let StepBody::Gate(gate) = &mut run.steps[step].body {
            gate.job.as_mut().unwrap().uid = Uid(uid.into());
        }
    };
    job(&mut next, 0, "another");
    next.steps[2].body = next.steps[4].body.clone();
    let again = Program::start(Some(kept), next);
    let told = ["Meanwhile pre-migrations pending done", "Meanwhile upgrade upgrading upgrading"];
    assert_eq!(again.told()[4..], told);
}

#[test]
fn a_new_job_of_the_same_hop_is_not_held_against_the_old_one() {
    let mut program = Program::start(None, running());
    program.see(&[failed()]);
    let before = program.told().len();
    let mut rerun = retrying(1);
    if let StepBody::Gate(gate) = &mut rerun.steps[2].body {
        gate.job.as_mut().unwrap().uid = Uid("rerun".into());
    }
    let again = Program::start(Some(program.kept()), rerun);
    let told = ["Meanwhile post-migrations pending retrying 1 of 6 failed", "Meanwhile upgrade failed upgrading"];
    assert_eq!(again.told()[before..], told);
}

#[test]
fn two_instances_have_a_journal_each_and_the_feed_is_told_once() {
    let mut program = Program::default();
    let both = |one: Run| [named("one", one), named("two", running())];
    program.see(&both(running()));
    for uid in ["one", "two"] {
        program.journals.recall(&Uid(uid.into()), None);
    }
    program.see(&both(running()));
    program.see(&both(retrying(1)));
    program.feed = Some(stale(9));
    let seen = program.see(&both(retrying(2)));
    assert_eq!(seen.changed, ["one", "two"].map(|uid| Uid(uid.into())));
    assert_eq!(seen.news.len(), 2);
    let count = |uid: &str| program.journals.of(&Uid(uid.into())).unwrap().entries().len();
    assert_eq!((count("one"), count("two")), (7, 5));
    assert_eq!(program.told().len(), 4 + 4 + 2 + 1);
}

#[test]
fn an_instance_that_is_deleted_is_gone_and_its_journal_stays() {
    let mut program = Program::start(None, running());
    program.see(&[]);
    program.see(&[]);
    assert_eq!(program.told()[4..], ["Seen upgrade upgrading gone"]);
    program.see(&[running()]);
    assert_eq!(program.told()[5..], ["Meanwhile upgrade gone upgrading"]);
}

#[test]
fn failed_attempts_and_jobs_are_worth_more_than_the_rest() {
    let mut program = Program::start(None, running());
    let worth = |seen: Seen| seen.news.iter().map(|(news, _, entry)| (*news, entry.to.clone())).collect::<Vec<_>>();
    assert_eq!(worth(program.see(&[retrying(1)])), [(News::Failure, "retrying".into())]);
    assert_eq!(worth(program.see(&[running()])), []);
    let stuck = Run { verdict: Verdict::Stuck, ..run_with(GateState::Blocked(sample::image_fault()), 0) };
    assert_eq!(worth(program.see(&[stuck])), [(News::Notable, "stuck".into())]);
    assert_eq!(worth(program.see(&[failed()])), [(News::Failure, "failed".into())]);
    let settled = Run { verdict: Verdict::Settled, ..run_with(GateState::Done, 6) };
    assert_eq!(worth(program.see(&[settled])), [(News::Notable, "settled".into())]);
}

#[test]
fn the_oldest_entries_go_first() {
    let mut program = Program::start(None, running());
    for _ in 0..=MOST_ENTRIES / 2 {
        program.see(&[retrying(1)]);
        program.see(&[running()]);
    }
    let journal = program.kept();
    assert_eq!(journal.entries().len(), MOST_ENTRIES);
    assert!(journal.entries().all(|entry| entry.how == How::Seen));
    // What stands is known although the entry that told it is gone.
    assert_eq!(Program::start(Some(journal), running()).told().len(), MOST_ENTRIES);
}

#[test]
fn an_attempt_that_ended_is_something_new_to_keep() {
    let mut program = Program::start(None, retrying(1));
    assert!(program.see(&[retrying(1)]).changed.is_empty());
    let mut ended = retrying(1);
    if let StepBody::Gate(gate) = &mut ended.steps[2].body {
        gate.job.as_mut().unwrap().history = vec![crate::gate::Attempt {
            pod: "a".into(),
            run: None,
            index: None,
            node: None,
            started: None,
            ended: None,
            outcome: crate::gate::Outcome::Succeeded,
        }];
    }
    assert_eq!(program.see(&[ended]).changed.len(), 1);
}

#[test]
fn the_detail_says_nothing_that_the_title_and_the_word_say() {
    let mut program = Program::start(None, running());
    program.see(&[retrying(1)]);
    let kept = program.kept();
    let last = kept.entries().next_back().unwrap();
    assert!(last.detail().starts_with("1 of 6 failed, 5 left: migrations exited 1 (Error)"), "{}", last.detail());
    assert_eq!(kept.entries().next().unwrap().detail(), "");
}
