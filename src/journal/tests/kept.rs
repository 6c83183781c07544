//! What the journal makes of what was kept, of what is not known yet, and of what another program kept.

use super::*;
use crate::cluster::{Log, LogEnd, LogLine, Via};
use crate::gate::Attempts;
use crate::run::sample::run_log;

#[test]
fn half_a_cluster_is_no_news_either_while_the_answer_is_awaited() {
    let mut program = Program { feed: Some(FeedState::Connecting), ..Program::default() };
    let mut unlisted = running();
    unlisted.steps[2].body = unlisted.steps[4].body.clone();
    program.see(&[unlisted]);
    program.feed = Some(live());
    program.see(&[running()]);
    program.recall(None);
    assert_eq!(program.told(), FOUND);
}

#[test]
fn an_outage_that_was_noted_before_the_answer_comes_is_told_as_it_was_seen() {
    let mut program = Program::start(None, running());
    program.hear(stale(3));
    let mut again = Program { feed: Some(FeedState::Connecting), ..Program::default() };
    again.see(&[running()]);
    assert_eq!(again.hear(stale(5)).changed, [], "it is not known yet what was kept");
    again.hear(live());
    again.recall(Some(program.kept()));
    assert_eq!(again.told()[4..], ["Seen feed live stale", "Seen feed connecting stale", "Seen feed stale live"]);
}

#[test]
fn what_was_kept_is_taken_in_once() {
    let kept = Program::start(None, running()).kept();
    let mut again = Program::start(Some(kept.clone()), running());
    again.see(&[retrying(1)]);
    let told = again.told();
    again.recall(Some(kept));
    assert_eq!(again.told(), told);
}

#[test]
fn pods_that_failed_while_nobody_watched_are_told_and_seen_to_fail_stir_somebody() {
    let failed = |pods| {
        let mut run = retrying(0);
        if let StepBody::Gate(gate) = &mut run.steps[2].body {
            gate.job.as_mut().unwrap().attempts = Attempts::new(0, pods, 6, false);
        }
        run
    };
    let mut program = Program::start(None, failed(1));
    assert_eq!(program.see(&[failed(2)]).news.len(), 1);
    let again = Program::start(Some(program.kept()), failed(3));
    assert_eq!(again.told()[5..], ["Meanwhile post-migrations retrying retrying 3 of 7 failed"]);
}

#[test]
fn the_journals_of_runs_that_are_gone_are_bounded() {
    let mut program = Program::default();
    for number in 0..60 {
        program.see(&[named(&format!("run-{number}"), running())]);
    }
    program.see(&[]);
    let gone = program.told().iter().filter(|told| told.ends_with("gone")).count();
    assert_eq!(gone, 50);
}

/// A gate whose Job waits for background migrations, of which so many were pending each time.
fn waiting(counts: &[u64]) -> Run {
    let mut run = running();
    if let StepBody::Gate(gate) = &mut run.steps[2].body {
        gate.job.as_mut().unwrap().backlog = (!counts.is_empty()).then(|| sample::backlog(counts));
    }
    run
}

#[test]
fn that_a_deadline_will_be_missed_is_told_once_also_over_a_restart() {
    let mut program = Program::start(None, waiting(&[12, 9, 6]));
    program.see(&[waiting(&[7, 7, 7])]);
    let told = program.told();
    assert_eq!(told[4..], ["Seen post-migrations running running"]);
    // The log is read anew only after everything was listed.
    let mut again = Program::start(Some(program.kept()), waiting(&[]));
    assert!(again.see(&[waiting(&[7, 7, 7])]).news.is_empty());
    assert_eq!(again.told(), told);
    again.see(&[waiting(&[12, 9, 6])]);
    again.see(&[waiting(&[7, 7, 7])]);
    assert_eq!(again.told()[5..], ["Seen post-migrations running running"], "it was in time between");
    let third = Program::start(Some(Program::start(None, running()).kept()), waiting(&[7, 7, 7]));
    assert_eq!(third.told()[4..], ["Meanwhile post-migrations running running"]);
}

#[test]
fn what_two_programs_saw_of_one_run_is_told_once_and_in_its_order() {
    let kept = Program::start(None, running()).kept();
    let [mut awake, mut stopped] = [(); 2].map(|()| Program::start(Some(kept.clone()), running()));
    for restarts in [1, 2] {
        awake.see(&[retrying(restarts)]);
    }
    awake.see(&[running()]);
    awake.see(&[retrying(3)]);
    let all = awake.told();
    stopped.seconds = 60;
    stopped.see(&[retrying(3)]);
    let both = |one: Journal, other: Journal| {
        let mut program = Program::start(Some(one.and(other)), retrying(3));
        program.seconds = 99;
        program.told()
    };
    assert_eq!(both(awake.kept(), stopped.kept()), all);
    let mut theirs = all.clone();
    theirs[7] = "Seen post-migrations running retrying 3 of 6 failed".into();
    assert_eq!(both(stopped.kept(), awake.kept()), theirs);
    assert_eq!(both(awake.kept(), awake.kept()), all);
}

#[test]
fn a_log_is_something_new_to_keep_when_it_ends_and_not_while_it_grows() {
    let mut log = Log::new(Via::Followed);
    let logged = |log: &Log| {
        let mut run = retrying(1);
        if let StepBody::Gate(gate) = &mut run.steps[2].body {
            gate.job.as_mut().unwrap().logs = vec![run_log(log.clone())];
        }
        run
    };
    let mut program = Program::start(None, logged(&log));
    for _ in 0..3 {
        log.push(LogLine::printed(b"line"));
        assert_eq!(program.see(&[logged(&log)]), Seen::default());
    }
    log.close(LogEnd::Complete);
    assert_eq!(program.see(&[logged(&log)]).changed.len(), 1);
}

#[test]
fn a_failure_that_is_ignored_while_nobody_watches_is_told_once() {
    let with = |gate: crate::gate::Gate| {
        let mut run = retrying(0);
        run.steps[2].body = StepBody::Gate(Box::new(gate));
        run
    };
    let mut before = crate::run::sample::policed();
    before.job.as_mut().unwrap().history.retain(|attempt| attempt.index != Some(3));
    let mut program = Program::start(None, with(before));
    let told = program.told().len();
    let again = Program::start(Some(program.kept()), with(crate::run::sample::policed()));
    assert_eq!(
        again.told()[told..],
        ["Meanwhile post-migrations retrying retrying index 2: 1 of 3 failed"],
        "and no count rose"
    );
    assert_eq!(program.see(&[with(crate::run::sample::policed())]).news.len(), 0, "it stirs nobody");
    let same = Program::start(Some(again.kept()), with(crate::run::sample::policed()));
    assert_eq!(same.told().len(), again.told().len(), "it was told");
}
