//! The details of the step that a run is at, and the command to run next.

use std::fmt::Write;

use jiff::Timestamp;

use super::text::{WIDTH, duration, wrap};
use crate::gate::{Failure, Gate, GateJob, GateState, JobFailure, LastFailure, StartFault, Target};
use crate::run::{Rollout, RolloutState, Run, Step, StepBody, Stuck};

/// How wide the names are in front of what they stand for.
const LABEL: usize = 12;

/// The most lines shown of one message; the documents hold all of it.
const MOST_LINES: usize = 12;

/// The details of a step as they stood at `time`, below a blank line; empty where there is nothing more to tell of it.
pub(super) fn details(run: &Run, step: &Step, time: Timestamp, target: &Target) -> String {
    let title = step.id.title();
    let mut details = Details { run, time, target, text: String::new() };
    match &step.body {
        StepBody::Gate(gate) => details.gate(title, gate),
        StepBody::Rollout(rollout) => details.rollout(title, rollout),
    }
    details.text
}

/// A title, and below it names with what they stand for.
struct Details<'a> {
    run: &'a Run,
    time: Timestamp,
    target: &'a Target,
    text: String,
}

impl Details<'_> {
    fn gate(&mut self, title: &str, gate: &Gate) {
        let Some(job) = &gate.job else {
            if let GateState::Unknown(unseen) = &gate.state {
                self.title(title);
                self.add("Unknown", &unseen.to_string());
            }
            return;
        };
        self.title(&format!("{title}, job/{}", job.name));
        match &gate.state {
            GateState::Blocked(fault) => self.blocked(fault),
            GateState::Failing(failure) => self.add("Failing", &failure_words(failure)),
            GateState::Failed(failure) => self.add("Failed", &failure_words(failure)),
            GateState::Unknown(unseen) => self.add("Unknown", &unseen.to_string()),
            _ => {}
        }
        match &job.last_failure {
            Some(LastFailure::Known(failure)) => self.last_failure(failure),
            Some(LastFailure::Lost) => {
                self.add("Last failure", "its detail is no longer available");
                if let Some(recorded) = self.run.recorded() {
                    self.add("", &format!("the operator says: {recorded}"));
                }
            }
            None => {}
        }
        if let GateState::Retrying { next_restart: Some(next) } = gate.state {
            self.add("Next", &format!("restart in about {}", duration(next.duration_since(self.time))));
        }
        if job.ended.is_none() {
            self.deadline(job);
        }
        if let Some(advice) = &job.advice {
            self.add("To do", advice);
        }
        if let Some(command) = &job.command {
            let _ = write!(self.text, "\n  {}\n", command.shell(self.target));
        }
    }

    fn rollout(&mut self, title: &str, rollout: &Rollout) {
        let stuck = rollout.stuck();
        let blocked = match &rollout.state {
            RolloutState::Blocked { workload, message } => Some((workload, message)),
            _ => None,
        };
        let held = rollout.workloads.iter().filter(|workload| workload.paused || workload.refused.is_some());
        let held: Vec<_> = held.filter(|_| rollout.state != RolloutState::Pending).collect();
        let subject = blocked.map(|(workload, _)| workload).or(stuck.map(|(workload, ..)| &workload.name));
        let Some(subject) = subject.or(held.first().map(|workload| &workload.name)) else { return };
        self.title(&format!("{title}, deployment/{subject}"));
        if let Some((_, message)) = blocked {
            self.add("Blocked", message);
        }
        for workload in held {
            if workload.paused {
                self.add("Paused", &format!("{}: nothing rolls out until it is resumed", workload.name));
            }
            if let Some(refused) = &workload.refused {
                self.add("No pod", refused);
            }
        }
        if let Some((_, replica, stuck)) = stuck {
            let clears = match stuck {
                Stuck::Start(fault) if fault.permanent => ", cannot clear by itself",
                Stuck::Start(_) => ", may clear by itself",
                _ => "",
            };
            let since = stuck.since().map(|since| format!(", for {}", duration(self.time.duration_since(since))));
            let what = match stuck {
                Stuck::CrashLoop(crash) => crash.to_string(),
                _ => format!("{}{clears}{}", stuck.reason(), since.unwrap_or_default()),
            };
            self.add("Stuck", &what);
            let container = stuck.container().map(|container| format!("container {container} of "));
            self.add("", &format!("{}pod {}", container.unwrap_or_default(), replica.pod));
            self.add("", stuck.message());
        }
        if let Some(command) = &rollout.command {
            let _ = write!(self.text, "\n  {}\n", command.shell(self.target));
        }
    }

    fn title(&mut self, title: &str) {
        let _ = writeln!(self.text, "\n{title}");
    }

    fn add(&mut self, label: &str, words: &str) {
        let mut wrapped = wrap(words, WIDTH - LABEL - 4);
        let more = wrapped.len().saturating_sub(MOST_LINES);
        if more > 0 {
            wrapped.truncate(MOST_LINES);
            wrapped.push(format!("… {more} more lines, in `-o json`"));
        }
        for (index, line) in wrapped.iter().enumerate() {
            let label = if index == 0 { label } else { "" };
            let _ = writeln!(self.text, "  {label:<LABEL$}  {line}");
        }
    }

    fn blocked(&mut self, fault: &StartFault) {
        let clears = if fault.permanent { "cannot clear by itself" } else { "may clear by itself" };
        let since = fault.since.map(|since| format!(", for {}", duration(self.time.duration_since(since))));
        self.add(
            "Blocked",
            &format!("{} ({}), {clears}{}", fault.reason, fault.cause.word(), since.unwrap_or_default()),
        );
        let container = fault.container.as_ref().map(|container| format!("container {container} of "));
        self.add("", &format!("{}pod {}", container.unwrap_or_default(), fault.pod));
        self.add("", &fault.message);
    }

    fn last_failure(&mut self, failure: &Failure) {
        let ago = failure.time.map(|time| format!(", {} ago", duration(self.time.duration_since(time))));
        self.add("Last failure", &format!("{}{}", failure.ending, ago.unwrap_or_default()));
        let gone = if failure.pod_gone { ", which is gone" } else { "" };
        self.add("", &format!("in pod {}{gone}", failure.pod));
        self.add("", &failure.message);
    }

    fn deadline(&mut self, job: &GateJob) {
        let Some(deadline) = job.deadline else { return };
        let left = deadline.at.duration_since(self.time);
        let words = match left.is_positive() {
            true => format!("{} left, at {}", duration(left), deadline.at.strftime("%H:%M:%SZ")),
            false => format!("passed at {}", deadline.at.strftime("%H:%M:%SZ")),
        };
        self.add("Deadline", &words);
    }
}

fn failure_words(failure: &JobFailure) -> String {
    format!("{}: {}", failure.reason, failure.message)
}
