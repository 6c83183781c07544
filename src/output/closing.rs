//! What a wait ends with for people, below its last line: where it stands, why, and what to do. In the log of a pipeline, that
//! is all that somebody has.

use jiff::Timestamp;

use super::details::{Depth, details};
use super::headline::headline;
use super::style::{BOLD, painted};
use super::text::{WIDTH, lines, wrap};
use crate::gate::Target;
use crate::run::{Run, Verdict};

/// The step that each of these runs stands at, with what failed last and the end of its log; empty where there is nothing to
/// tell.
pub fn closing(runs: &[&Run], time: Timestamp, target: &Target) -> String {
    let of_run = |run: &Run| {
        let step = run.to_look_at();
        let mut text = step.map(|step| details(run, step, time, target, Depth::WithLog)).unwrap_or_default();
        if text.is_empty() && run.verdict == Verdict::Failed {
            text = operator(run);
        }
        match runs.len() > 1 && !text.is_empty() {
            true => format!("\n{}\n{text}", painted(&headline(run), BOLD)),
            false => text,
        }
    };
    runs.iter().copied().map(of_run).collect()
}

/// What the operator says of a failure of which no Job tells any more.
fn operator(run: &Run) -> String {
    let Some(operator) = &run.operator else { return String::new() };
    let words = format!("The operator says: {}: {}", operator.reason, operator.message);
    format!("\n{}", lines(wrap(&words, WIDTH)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gate::{Gate, GateState, LastFailure};
    use crate::run::{StepBody, sample};

    fn told(runs: &[&Run]) -> String {
        let told = closing(runs, sample::time("15:20:24"), &Target::default());
        anstream::adapter::strip_str(&told).to_string()
    }

    fn failed() -> Run {
        let mut run = sample::run();
        let mut gate = sample::gate(GateState::Failed(sample::exhausted()), 6);
        let job = gate.job.as_mut().unwrap();
        job.last_failure = Some(LastFailure::Known(sample::logged_failure()));
        job.advice = Some("Mend the cause.".into());
        let retrying = sample::gate(GateState::Retrying { next_restart: None }, 1);
        job.command = retrying.job.unwrap().command;
        run.steps[2].body = StepBody::Gate(Box::new(gate));
        run.verdict = Verdict::Failed;
        run
    }

    #[test]
    fn a_failure_ends_with_gate_cause_log_and_command() {
        let told = told(&[&failed()]);
        let places = [
            "\nFull migrations, job/gitlab-migrations-5f2c9a1e\n",
            "  Failed        BackoffLimitExceeded: ",
            "  Last failure  migrations exited 1 (Error), 2m16s ago\n",
            "  Log           its last 20 lines\n    line 10\n",
            "  To do ",
            "\n\n  kubectl -n gitlab ",
        ]
        .map(|part| told.find(part).unwrap_or_else(|| panic!("{part:?} in {told}")));
        assert!(places.is_sorted() && told.ends_with('\n'), "{told}");
    }

    #[test]
    fn of_several_each_is_named() {
        let (failed, mut other) = (failed(), failed());
        other.name = "other".into();
        let told = told(&[&failed, &other]);
        for headline in ["\ngitlab/gitlab: failed, ", "\ngitlab/other: failed, "] {
            assert!(told.contains(headline), "{told}");
        }
    }

    #[test]
    fn where_no_job_is_left_the_operator_tells() {
        let mut run = failed();
        run.steps
            .iter_mut()
            .for_each(|step| step.body = StepBody::Gate(Box::new(Gate::without_job(GateState::Pending))));
        let operator = run.operator.as_mut().unwrap();
        (operator.reason, operator.message) = ("MigrationsJobFailed".into(), "Job x failed".into());
        assert_eq!(told(&[&run]), "\nThe operator says: MigrationsJobFailed: Job x failed\n");
    }
}
