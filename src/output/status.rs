//! One look at the runs, for people in 80 columns, or as a document.

use std::fmt::Write;
use std::io;

use jiff::Timestamp;

use super::StatusList;
use super::text::{duration, wrap};
use crate::cluster::{Feed, FeedState};
use crate::gate::{Failure, Gate, GateJob, GateState, JobFailure, LastFailure, StartFault, Target, Unseen};
use crate::run::{OperatorReport, Rollout, RolloutState, Run, Step, StepBody, Verdict};

/// How wide a line for people may be. Only a command, and a word that is longer, are wider: they are never cut.
const WIDTH: usize = 80;

/// How wide the names are in front of the details of a gate.
const LABEL: usize = 12;

/// The most lines shown of one message; the documents hold all of it.
const MOST_LINES: usize = 12;

/// How a look is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatusFormat {
    /// Text for people.
    #[default]
    Text,
    /// A `StatusList` in JSON.
    Json,
    /// A `StatusList` in YAML.
    Yaml,
}

/// Everything that one look shows.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// The runs.
    pub runs: &'a [Run],
    /// How the watches fare.
    pub feed: &'a Feed,
    /// The moment of the look: durations count to it.
    pub time: Timestamp,
    /// The cluster the user chose.
    pub target: &'a Target,
}

impl Look<'_> {
    /// Prints the look.
    ///
    /// # Errors
    /// What writing to `out` gives.
    pub fn print(&self, format: StatusFormat, out: &mut impl io::Write) -> io::Result<()> {
        let list = || StatusList::new(self.runs, self.feed, self.time, self.target);
        match format {
            StatusFormat::Text => out.write_all(self.text().as_bytes()),
            StatusFormat::Json => {
                serde_json::to_writer_pretty(&mut *out, &list())?;
                out.write_all(b"\n")
            }
            StatusFormat::Yaml => serde_saphyr::to_io_writer(out, &list()).map_err(io::Error::other),
        }
    }

    fn text(&self) -> String {
        let mut parts = Vec::new();
        if let FeedState::Stale { since, error } = self.feed.state() {
            let ago = duration(self.time.duration_since(since));
            parts.push(lines(wrap(&format!("The cluster has not answered for {ago}: {error}"), WIDTH)));
        }
        let refused: Vec<_> = self.feed.refused().map(|kind| kind.plural()).collect();
        if !refused.is_empty() {
            let hidden = format!("The server does not let us see {}: what they tell is missing.", refused.join(", "));
            parts.push(lines(wrap(&hidden, WIDTH)));
        }
        if self.runs.is_empty() {
            parts.push("There is no GitLabCore.\n".into());
        }
        parts.extend(self.runs.iter().map(|run| self.run(run)));
        parts.join("\n")
    }

    fn run(&self, run: &Run) -> String {
        let mut text = lines(wrap(&headline(run), WIDTH));
        if let Some(operator) = &run.operator {
            text += &lines(wrap(&self.operator(operator), WIDTH));
        }
        if !run.steps.is_empty() {
            text.push('\n');
        }
        for step in &run.steps {
            text += &self.step(step);
        }
        let current = run.current().and_then(|index| run.steps.get(index)).filter(|step| !step.passed());
        match current.map(|step| (step, &step.body)) {
            Some((step, StepBody::Gate(gate))) => text += &self.gate(step, gate),
            Some((step, StepBody::Rollout(Rollout { state: RolloutState::Blocked { workload, message }, .. }))) => {
                let mut details = Details::new(&format!("{}, deployment/{workload}", step.id.title()));
                details.add("Blocked", message);
                text += &details.text;
            }
            _ => {}
        }
        text
    }

    fn operator(&self, operator: &OperatorReport) -> String {
        let mut words = format!("operator: {}", operator.reason);
        if !operator.current {
            words += ", about an older spec";
        }
        match operator.behind_since.filter(|_| !operator.agrees) {
            Some(since) => {
                let _ = write!(words, ", {} behind the cluster", duration(self.time.duration_since(since)));
            }
            None if !operator.agrees => words += ", which is not what the cluster shows",
            None => {}
        }
        words
    }

    fn step(&self, step: &Step) -> String {
        let number = step.id.gate_number().map(|number| number.to_string()).unwrap_or_default();
        let elapsed = step.started().map(|started| {
            let until = step.ended().unwrap_or(self.time);
            duration(until.duration_since(started))
        });
        let note = match &step.body {
            StepBody::Gate(gate) => {
                gate.job.as_ref().filter(|job| job.attempts.any()).map(|job| job.attempts.tally().to_string())
            }
            StepBody::Rollout(Rollout { state: RolloutState::Pending, .. }) => None,
            StepBody::Rollout(rollout) => Some(workloads(rollout)),
        };
        let (title, word) = (step.id.title(), step.word());
        let (elapsed, note) = (elapsed.unwrap_or_default(), note.unwrap_or_default());
        let line = format!("  {number:<2} {title:<26}{word:<10}{elapsed:>7}  {note}");
        line.trim_end().to_owned() + "\n"
    }

    /// The details of the gate that the run is at, and the command to run next.
    fn gate(&self, step: &Step, gate: &Gate) -> String {
        let title = step.id.title();
        let Some(job) = &gate.job else {
            let GateState::Unknown(unseen) = &gate.state else { return String::new() };
            let mut details = Details::new(title);
            details.add("Unknown", unseen_words(*unseen));
            return details.text;
        };
        let mut details = Details::new(&format!("{title}, job/{}", job.name));
        match &gate.state {
            GateState::Blocked(fault) => self.blocked(fault, &mut details),
            GateState::Failing(failure) => details.add("Failing", &failure_words(failure)),
            GateState::Failed(failure) => details.add("Failed", &failure_words(failure)),
            GateState::Unknown(unseen) => details.add("Unknown", unseen_words(*unseen)),
            _ => {}
        }
        match &job.last_failure {
            Some(LastFailure::Known(failure)) => self.last_failure(failure, &mut details),
            Some(LastFailure::Lost) => details.add("Last failure", "its detail is no longer available"),
            None => {}
        }
        if let GateState::Retrying { next_restart: Some(next) } = gate.state {
            details.add("Next", &format!("restart in about {}", duration(next.duration_since(self.time))));
        }
        if job.ended.is_none() {
            self.deadline(job, &mut details);
        }
        if let Some(advice) = &job.advice {
            details.add("To do", advice);
        }
        if let Some(command) = &job.command {
            let _ = write!(details.text, "\n  {}\n", command.shell(self.target));
        }
        details.text
    }

    fn blocked(&self, fault: &StartFault, details: &mut Details) {
        let clears = if fault.permanent { "cannot clear by itself" } else { "may clear by itself" };
        let since = fault.since.map(|since| format!(", for {}", duration(self.time.duration_since(since))));
        details.add(
            "Blocked",
            &format!("{} ({}), {clears}{}", fault.reason, fault.cause.word(), since.unwrap_or_default()),
        );
        let container = fault.container.as_ref().map(|container| format!("container {container} of "));
        details.add("", &format!("{}pod {}", container.unwrap_or_default(), fault.pod));
        details.add("", &fault.message);
    }

    fn last_failure(&self, failure: &Failure, details: &mut Details) {
        let ago = failure.time.map(|time| format!(", {} ago", duration(self.time.duration_since(time))));
        details.add("Last failure", &format!("{}{}", failure.ending, ago.unwrap_or_default()));
        let gone = if failure.pod_gone { ", which is gone" } else { "" };
        details.add("", &format!("in pod {}{gone}", failure.pod));
        details.add("", &failure.message);
    }

    fn deadline(&self, job: &GateJob, details: &mut Details) {
        let Some(deadline) = job.deadline else { return };
        let left = deadline.at.duration_since(self.time);
        let words = match left.is_positive() {
            true => format!("{} left, at {}", duration(left), deadline.at.strftime("%H:%M:%SZ")),
            false => format!("passed at {}", deadline.at.strftime("%H:%M:%SZ")),
        };
        details.add("Deadline", &words);
    }
}

/// The details of one step: a title, and below it names with what they stand for.
struct Details {
    text: String,
}

impl Details {
    fn new(title: &str) -> Self {
        Self { text: format!("\n{title}\n") }
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
}

/// The name of a run, its verdict, and where it goes.
fn headline(run: &Run) -> String {
    let mut words = format!("{}  {}", run.full_name(), run.verdict.word());
    let course = &run.course;
    match (&course.from, &course.target) {
        (Some(from), Some(target)) if run.verdict != Verdict::Settled => {
            let _ = write!(words, "  {from} to {target}");
        }
        (_, Some(version)) | (Some(version), None) => {
            let _ = write!(words, "  {version}");
        }
        (None, None) => {}
    }
    if let Some(hop) = course.hop.as_ref().filter(|hop| hop.of > 1 && run.verdict != Verdict::Settled) {
        let _ = write!(words, ", hop {} of {} ({})", hop.number, hop.of, hop.version);
    }
    words
}

/// Ready of wanted, by what they are.
fn workloads(rollout: &Rollout) -> String {
    let told =
        rollout.workloads.iter().map(|workload| format!("{} {}/{}", workload.app, workload.ready, workload.desired));
    told.collect::<Vec<_>>().join(", ")
}

fn failure_words(failure: &JobFailure) -> String {
    format!("{}: {}", failure.reason, failure.message)
}

fn unseen_words(unseen: Unseen) -> &'static str {
    match unseen {
        Unseen::Forbidden => "the server does not let us see Jobs",
        Unseen::BeforeWeLooked => "its Job ran before anybody looked, and is gone",
        Unseen::Deleted => "its Job was deleted before it ended",
    }
}

fn lines(lines: Vec<String>) -> String {
    lines.into_iter().map(|line| line + "\n").collect()
}
