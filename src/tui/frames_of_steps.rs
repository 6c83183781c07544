//! The frames of rollouts, and of a step in every detail.

use ratatui::crossterm::event::KeyCode;

use super::fixture::{self, COLOUR, shown};
use super::frames::{compare, drawn, every_size, every_way, pressed, text};
use super::model::Model;
use super::theme::Theme;
use crate::gate::{Gate, GateState, LastFailure, Unseen};
use crate::run::{RolloutState, Run, StepBody, sample};

/// The detail of the step to look at.
fn opened(run: Run, theme: Theme, size: (u16, u16)) -> Model {
    pressed(shown(run, theme, size), &[KeyCode::Enter])
}

#[test]
fn a_rollout() {
    every_size("rolling", |theme, size| shown(fixture::rolling(), theme, size));
}

#[test]
fn a_rollout_replica_by_replica() {
    every_size("replacing", |theme, size| shown(fixture::replacing(), theme, size));
    every_size("replacing-detail", |theme, size| opened(fixture::replacing(), theme, size));
}

#[test]
fn a_rollout_with_a_replica_that_is_stuck() {
    every_way("stuck", |theme, size| shown(fixture::stuck(), theme, size));
    every_way("stuck-detail", |theme, size| opened(fixture::stuck(), theme, size));
}

#[test]
fn a_stateful_set_that_waits_for_a_registry_says_what_was_tried_and_when_next() {
    every_size("registry", |theme, size| shown(fixture::waiting_for_a_registry(), theme, size));
    every_size("registry-detail", |theme, size| opened(fixture::waiting_for_a_registry(), theme, size));
    let narrow = text(&drawn(&shown(fixture::waiting_for_a_registry(), COLOUR, (60, 15))));
    for said in ["i/o timeout", "pulling failed 3 times, last 40s ago", "in about 35s"] {
        assert!(narrow.contains(said), "{said}: {narrow}");
    }
}

#[test]
fn a_rollout_past_its_progress_deadline() {
    every_size("past-deadline", |theme, size| shown(fixture::past_deadline(), theme, size));
}

#[test]
fn a_rollout_that_is_paused_and_one_that_should_not_be() {
    let paused = fixture::paused(RolloutState::Running);
    compare("paused-100x30", text(&drawn(&shown(paused, COLOUR, (100, 30)))));
    let narrow = text(&drawn(&shown(fixture::paused(RolloutState::Running), COLOUR, (60, 15))));
    assert!(narrow.contains(" ‖") && !narrow.contains('✖'), "nothing failed: {narrow}");
    let pending = shown(fixture::paused(RolloutState::Pending), COLOUR, (100, 30));
    compare("paused-pending-100x30", text(&drawn(&pressed(pending, &[KeyCode::Char('j')]))));
}

#[test]
fn the_evidence_of_a_gate() {
    every_way("evidence", |theme, size| opened(fixture::evidence(), theme, size));
    let end = |theme, size| pressed(opened(fixture::evidence(), theme, size), &[KeyCode::Char('G')]);
    every_size("evidence-end", end);
}

#[test]
fn a_gate_whose_job_was_deleted_tells_what_failed_and_not_what_was_left() {
    let mut run = fixture::tried(2);
    if let StepBody::Gate(gate) = &mut run.steps[2].body {
        gate.state = GateState::Unknown(Unseen::Deleted);
        gate.job.as_mut().unwrap().gone = true;
    }
    let shown = text(&drawn(&shown(run, COLOUR, (100, 30))));
    for told in ["unknown", "2 of 6 failed", "Its Job was deleted before it ended."] {
        assert!(shown.contains(told), "{told}\n{shown}");
    }
    assert!(!shown.contains("4 left"), "{shown}");
}

#[test]
fn what_the_operator_recorded_of_a_failure_that_nobody_saw_is_told_once() {
    let mut run = fixture::failed();
    if let StepBody::Gate(gate) = &mut run.steps[2].body {
        gate.job.as_mut().unwrap().last_failure = Some(LastFailure::Lost);
    }
    let recorded = "container migrations exited 1";
    run.operator.iter_mut().for_each(|report| report.message = recorded.into());
    let frame = text(&drawn(&opened(run, COLOUR, (100, 60))));
    assert_eq!(frame.matches(recorded).count(), 1, "{frame}");
}

#[test]
fn of_a_failure_that_nobody_saw_what_the_operator_recorded_of_its_error_is_in_sight() {
    let mut run = fixture::failed();
    if let StepBody::Gate(gate) = &mut run.steps[2].body {
        gate.job.as_mut().unwrap().last_failure = Some(LastFailure::Lost);
    }
    let recorded = "Job a failed: BackoffLimitExceeded. Last failure: rake aborted!\n\
        PG::DiskFull: ERROR: no space\nTasks: TOP => db:migrate. Run kubectl describe job/a.";
    run.operator.iter_mut().for_each(|report| report.message = recorded.into());
    let frame = text(&drawn(&shown(run.clone(), COLOUR, (60, 15))));
    assert!(frame.contains("Operator says PG::DiskFull: ERROR: no space"), "{frame}");
    let whole = text(&drawn(&opened(run, COLOUR, (100, 60))));
    assert!(whole.contains("Last failure: rake aborted!") && whole.contains("Tasks: TOP"), "{whole}");
}

#[test]
fn a_curve_is_readable_from_the_first_counts_on() {
    let frame = text(&drawn(&opened(fixture::waiting(&[41, 25, 12, 2]), COLOUR, (100, 60))));
    let lowest = frame.lines().find(|line| line.starts_with("                 0 ")).unwrap_or_default();
    let counted = lowest.chars().filter(|cell| "▁▂▃▄▅▆▇█".contains(*cell)).count();
    assert!((20..=28).contains(&counted), "a third of it: {counted}\n{frame}");
    assert!(!frame.contains(" deadline\n"), "it is far off: {frame}");
}

#[test]
fn the_detail_of_a_gate() {
    every_way("detail", |theme, size| pressed(shown(fixture::failed(), theme, size), &[KeyCode::Enter]));
}

/// A dashboard whose second gate is that one.
fn at_gate(gate: Gate) -> Run {
    let mut run = fixture::retrying();
    run.steps[2].body = StepBody::Gate(Box::new(gate));
    run
}

#[test]
fn a_gate_with_a_policy_and_a_limit_per_index() {
    every_size("policed", |theme, size| shown(at_gate(sample::policed()), theme, size));
    every_size("policed-detail", |theme, size| opened(at_gate(sample::policed()), theme, size));
    let end = |theme, size| pressed(opened(at_gate(sample::policed()), theme, size), &[KeyCode::Char('G')]);
    every_size("policed-detail-end", end);
}

#[test]
fn a_gate_that_its_policy_fails_names_the_rule() {
    let frame = text(&drawn(&shown(at_gate(sample::failed_by_policy()), COLOUR, (100, 30))));
    assert!(frame.contains("PodFailurePolicy by rule 3"), "{frame}");
}

#[test]
fn the_limits_of_another_controller_are_not_ours_to_tell() {
    let frame = text(&drawn(&opened(at_gate(sample::managed()), COLOUR, (100, 60))));
    for told in ["counted by example.com/queue", "no limit", "2 pods failed"] {
        assert!(frame.contains(told), "{told}\n{frame}");
    }
    assert!(!frame.contains("of 7"), "{frame}");
}
