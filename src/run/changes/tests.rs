//! What is news of runs, and what is none.

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
fn two_contexts_of_one_cluster_do_not_tell_of_each_other() {
    let of = |cluster: &str, run: Run| Run { cluster: Some(cluster.into()), ..run };
    let runs = [of("admin", run_with(retrying(), 3)), of("viewer", run_with(retrying(), 2))];
    assert_eq!(texts(&runs, &runs), []);
    let [(.., of_gone)] = texts(&runs, &runs[..1]).try_into().unwrap();
    assert_eq!(of_gone, "The GitLabCore is gone");
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
fn what_still_ran_when_a_job_gave_up_counts_as_failed_and_is_no_news() {
    let failing = |restarts, pods| {
        let mut run = run_with(GateState::Failing(sample::exhausted()), 6);
        if let StepBody::Gate(gate) = &mut run.steps[2].body {
            gate.job.as_mut().unwrap().attempts = Attempts::new(restarts, pods, 6, true);
        }
        run
    };
    assert_eq!(texts(&[failing(6, 0)], &[failing(6, 1)]), []);
    assert_eq!(texts(&[failing(5, 0)], &[failing(6, 1)]).len(), 1, "one more run failed before it ended");
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
            (Some("upgrading"), "upgrading", "Hop 2 of 2 (18.11.0) begins".into()),
            (Some("pending"), "done", "Pre-deployment migrations: done".into())
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
    let text = |before, after| feed_change(None, before, after, at()).map(|change| change.text);
    assert_eq!(text(&FeedState::Connecting, &live), None);
    assert_eq!(text(&live, &stale).as_deref(), Some("The cluster does not answer: connection refused"));
    assert_eq!(text(&stale, &stale), None);
    assert_eq!(text(&stale, &live).as_deref(), Some("The cluster answers again"));
    assert_eq!(text(&live, &FeedState::Ended), None);
    let withdrawn = FeedState::Withdrawn { since: at(), message: "jobs is forbidden".into() };
    assert_eq!(text(&live, &withdrawn).as_deref(), Some("A right is withdrawn: jobs is forbidden"));
    assert_eq!(text(&withdrawn, &withdrawn), None);
    assert_eq!(text(&withdrawn, &live).as_deref(), Some("What was withdrawn is seen again"));
}

#[test]
fn every_word_of_an_entry_is_one_of_a_state() {
    let stale = FeedState::Stale { since: at(), error: "reset".into() };
    let mut told = changes(&[], &[run_with(retrying(), 1)], at());
    told.extend(changes(&[run_with(GateState::Suspended, 0)], &[], at()));
    told.extend(
        [FeedState::Connecting, FeedState::Ended].iter().filter_map(|before| feed_change(None, before, &stale, at())),
    );
    let words: Vec<&str> = told.iter().flat_map(|change| change.from.into_iter().chain([change.to])).collect();
    for word in ["retrying", "done", "gone", "connecting", "ended", "stale"] {
        assert!(words.contains(&word), "{words:?}");
    }
    for word in words {
        assert!(state_words().any(|known| known == word), "{word}");
    }
}

/// A run whose gate is that.
fn run_at(gate: crate::gate::Gate) -> Run {
    let mut run = sample::run();
    run.steps[2].body = StepBody::Gate(Box::new(gate));
    run
}

#[test]
fn a_failure_that_the_policy_ignores_is_news_although_no_count_rises() {
    let after = run_at(sample::policed());
    let mut gate = sample::policed();
    let job = gate.job.as_mut().unwrap();
    job.history.retain(|attempt| attempt.index != Some(3));
    let before = run_at(gate);
    let ignored = "Full migrations: retrying, a pod failed, ignored by rule 2: DisruptionTarget (eviction API)";
    let told = texts(std::slice::from_ref(&before), std::slice::from_ref(&after));
    assert_eq!(told, [(Some("retrying"), "retrying", ignored.into())]);
    assert_eq!(texts(&[after], &[before]), [], "an older state is none");
}

#[test]
fn a_failure_that_counts_and_one_that_is_ignored_are_one_entry() {
    let before = run_at({
        let mut gate = sample::policed();
        let job = gate.job.as_mut().unwrap();
        job.history.clear();
        job.attempts = Attempts::new(0, 1, 6, false);
        gate
    });
    let told = texts(&[before], &[run_at(sample::policed())]);
    assert_eq!(told.len(), 1);
    assert!(told[0].2.ends_with("; a pod failed, ignored by rule 2: DisruptionTarget (eviction API)"), "{told:?}");
}

#[test]
fn an_index_that_failed_and_the_one_nearest_its_limit_are_told() {
    let told = texts(&[], &[run_at(sample::policed())]);
    let words = "Full migrations: retrying, 0 of 4 done, index 2: 1 of 3 failed, 2 left, 1 of 2 indexes failed: ";
    assert!(told.iter().any(|(.., text)| text.starts_with(words)), "{told:?}");
}

#[test]
fn a_job_that_its_policy_fails_tells_the_rule() {
    let told = texts(&[], &[run_at(sample::failed_by_policy())]);
    let words =
        "Full migrations: failing: PodFailurePolicy by rule 3: Container migrations for pod gitlab/mig-2 failed";
    assert!(told.iter().any(|(.., text)| text.starts_with(words)), "{told:?}");
}
