//! The details of the step that a run is at, and the command to run next.

mod rollout;
mod stage;

use std::fmt::Write;

use jiff::Timestamp;

use super::evidence::log_tail;
use super::style::{BOLD, of_word, painted};
use super::text::{WIDTH, wrap};
use crate::cluster::{Excerpt, ExcerptKind};
use crate::gate::{Command, Failure, Gate, GateJob, GateState, JobFailure, LastFailure, LogSource, StartFault, Target};
use crate::run::{
    MadeBy, Run, Step, StepBody, forecast_words, outlook_words, pending_words, progress_words, pull_words,
    reason_words, span, took_words, utc_clock,
};

/// How wide the names are in front of what they stand for.
const LABEL: usize = 12;

/// The most lines shown of one message; the documents hold all of it.
const MOST_LINES: usize = 12;

/// How much is told of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// What fits on a screen with all else.
    Outline,
    /// All that somebody needs who has nothing else: the last lines of the log, too.
    WithLog,
}

/// The details of a step as they stood at `time`, below a blank line; empty where there is nothing more to tell of it.
pub(super) fn details(run: &Run, step: &Step, time: Timestamp, target: &Target, depth: Depth) -> String {
    let title = step.id.title();
    let mut details = Details { run, time, target, depth, text: String::new() };
    match &step.body {
        StepBody::Gate(gate) => details.gate(title, gate),
        StepBody::Rollout(rollout) => details.rollout(title, rollout),
        StepBody::Stage(stage) => details.stage(title, stage),
    }
    details.text
}

/// A title, and below it names with what they stand for.
struct Details<'a> {
    run: &'a Run,
    time: Timestamp,
    target: &'a Target,
    depth: Depth,
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
        if let Some(progress) = &job.progress {
            self.add("Completions", &progress_words(progress));
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
        self.terms(job);
        if let GateState::Retrying { next_restart: Some(next) } = gate.state {
            self.add("Next", &format!("restart in about {}", span(next.duration_since(self.time))));
        }
        self.forecast(job);
        self.backlog(job);
        if job.ended.is_none() {
            self.deadline(job);
        }
        if let Some(expires) = job.expires {
            let left = span(expires.duration_since(self.time));
            self.add("TTL", &format!("the Job is deleted in {left}, at {}", utc_clock(expires)));
        }
        if let Some(managed) = job.managed_words() {
            self.add("Managed by", &managed);
        }
        if let Some(deletion) = self.run.made_by.as_ref().and_then(MadeBy::deletion_words) {
            self.add("Hook", &deletion);
        }
        if let (Depth::WithLog, Some(LastFailure::Known(failure))) = (self.depth, &job.last_failure) {
            self.log(failure);
        }
        if let Some(advice) = &job.advice {
            self.add("To do", advice);
        }
        self.command(job.command.as_ref());
    }

    fn command(&mut self, command: Option<&Command>) {
        if let Some(command) = command {
            let _ = write!(self.text, "\n  {}\n", painted(&command.shell(self.target), BOLD));
        }
    }

    fn title(&mut self, title: &str) {
        let _ = writeln!(self.text, "\n{}", painted(title, BOLD));
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
            let (painted, blank) = (painted(label, of_word(&label.to_lowercase())), LABEL.saturating_sub(label.len()));
            let _ = writeln!(self.text, "  {painted}{:blank$}  {line}", "");
        }
    }

    fn blocked(&mut self, fault: &StartFault) {
        let clears = fault.clears_words();
        let since = fault.since.map(|since| format!(", for {}", span(self.time.duration_since(since))));
        self.add(
            "Blocked",
            &format!("{} ({}), {clears}{}", fault.reason, fault.cause.word(), since.unwrap_or_default()),
        );
        let container = fault.container.as_ref().map(|container| format!("container {container} of "));
        self.add("", &format!("{}pod {}", container.unwrap_or_default(), fault.pod));
        self.add("", &fault.message);
        self.pulls(fault);
    }

    fn pulls(&mut self, fault: &StartFault) {
        if let Some(pulls) = &fault.pulls {
            self.add("", &pull_words(pulls, self.time, &span));
        }
    }

    fn last_failure(&mut self, failure: &Failure) {
        let ago = failure.time.map(|time| format!(", {} ago", span(self.time.duration_since(time))));
        self.add("Last failure", &format!("{}{}", failure.ending, ago.unwrap_or_default()));
        let gone = if failure.pod_gone { ", which is gone" } else { "" };
        self.add("", &format!("in pod {}{gone}", failure.pod));
        if failure.counting.matched().is_some() {
            self.add("", &failure.counting.to_string());
        }
        let telling = failure.telling();
        if let Some(telling) = telling.as_ref().filter(|telling| !telling.tail) {
            self.add("", &telling.text);
        }
        let told = |excerpt: &Excerpt| self.depth == Depth::WithLog && excerpt.kind == ExcerptKind::Tail;
        if let Some(excerpt) = failure.excerpt.as_ref().filter(|excerpt| !told(excerpt)) {
            self.excerpt(excerpt, telling.map(|telling| telling.text.into_owned()).unwrap_or_default());
        }
        // A message that stands there has nothing to explain.
        if failure.source() != LogSource::Message {
            self.add("", &format!("({})", failure.source()));
        }
    }

    /// What failed and does not count, and on what terms all else does.
    fn terms(&mut self, job: &GateJob) {
        if let Some((attempt, ending, counting)) = job.ignored_beside().next_back() {
            let count = match job.ignored_beside().count() {
                1 => String::new(),
                count => format!("{count} failures, the last: "),
            };
            let ago = attempt.ended.map(|ended| format!(", {} ago", span(self.time.duration_since(ended))));
            self.add("Not counted", &format!("{count}{ending}{}", ago.unwrap_or_default()));
            self.add("", &counting.to_string());
        }
        for (place, line) in job.terms.policy().iter().enumerate() {
            self.add(if place == 0 { "Policy" } else { "" }, line);
        }
        for (place, (what, words)) in job.terms.words().iter().enumerate() {
            self.add(if place == 0 { "Terms" } else { "" }, &format!("{what}: {words}"));
        }
    }

    /// The lines that matter, without the one that was told already.
    fn excerpt(&mut self, excerpt: &Excerpt, told: String) {
        let error = excerpt.kind == ExcerptKind::Error;
        let lines = excerpt.lines.iter().filter(|line| !error || **line != told);
        let lines = lines.map(String::as_str).collect::<Vec<_>>().join("\n");
        self.add(if error { "" } else { "Log ends" }, &lines);
        if let Some(migration) = &excerpt.migration {
            self.add("", &format!("in migration {migration}"));
        }
    }

    /// The last lines of the log, as they are: whoever reads them looks for them elsewhere, too.
    fn log(&mut self, failure: &Failure) {
        let lines = log_tail(failure);
        match lines.len() {
            0 => return,
            1 => self.add("Log", "its last line"),
            count => self.add("Log", &format!("its last {count} lines")),
        }
        for line in lines {
            let _ = writeln!(self.text, "    {line}");
        }
    }

    fn forecast(&mut self, job: &GateJob) {
        let Some(forecast) = &job.forecast else { return };
        let words = forecast_words(forecast, self.time, &utc_clock);
        self.add("Forecast", &format!("{words}\n{}", took_words(&forecast.took)));
    }

    fn backlog(&mut self, job: &GateJob) {
        let Some(backlog) = &job.backlog else { return };
        let words = pending_words(backlog, job.ended.is_some(), &utc_clock);
        self.add("Backlog", &format!("{words}, counted at {}", utc_clock(backlog.last.at)));
        if let Some(outlook) = outlook_words(backlog, job.deadline.map(|deadline| deadline.at), &utc_clock) {
            self.add("Outlook", &outlook);
        }
    }

    fn deadline(&mut self, job: &GateJob) {
        let Some(deadline) = job.deadline else { return };
        let left = deadline.left(self.time);
        let words = match left.is_positive() {
            true => format!("{} left, at {}", span(left), deadline.at.strftime("%H:%M:%SZ")),
            false => format!("passed at {}", deadline.at.strftime("%H:%M:%SZ")),
        };
        self.add("Deadline", &words);
    }
}

fn failure_words(failure: &JobFailure) -> String {
    format!("{}: {}", reason_words(failure), failure.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::sample;

    /// The details of a gate whose Job was changed, at 15:20:24.
    fn told(state: GateState, restarts: u32, change: fn(&mut GateJob)) -> String {
        deep(Depth::Outline, state, restarts, change)
    }

    fn deep(depth: Depth, state: GateState, restarts: u32, change: fn(&mut GateJob)) -> String {
        let mut gate = sample::gate(state, restarts);
        gate.job.as_mut().map(change);
        let mut run = sample::run();
        run.steps[2].body = StepBody::Gate(Box::new(gate));
        let details = details(&run, &run.steps[2], sample::time("15:20:24"), &Target::default(), depth);
        anstream::adapter::strip_str(&details).to_string()
    }

    #[test]
    fn what_a_log_tells_stands_with_where_it_comes_from_and_the_forecast() {
        let text = told(GateState::Retrying { next_restart: None }, 2, |job| {
            job.last_failure = Some(LastFailure::Known(sample::logged_failure()));
            job.forecast = Some(sample::forecast());
        });
        insta::assert_snapshot!(text, @r"

        Full migrations, job/gitlab-migrations-5f2c9a1e
          Last failure  migrations exited 1 (Error), 2m16s ago
                        in pod gitlab-migrations-5f2c9a1e-9k67t
                        PG::LockNotAvailable: ERROR: canceling statement due to lock
                        timeout
                        CONTEXT: while waiting for ShareLock
                        in migration 20261001120000 AddIndexToCiBuildsOnProject
                        (told by its log, followed while it ran)
          Forecast      deadline 16:00Z comes first; the last attempt would fail about
                        16:12Z
                        attempts take about 3m02s (2m58s to 4m10s)
          Deadline      39m36s left, at 16:00:00Z
          To do         Read the log of the run that failed. The Job starts the next one
                        by itself.

          kubectl -n gitlab logs job/gitlab-migrations-5f2c9a1e -c migrations --previous
        ");
    }

    #[test]
    fn a_tail_says_that_it_is_one() {
        let text = told(GateState::Retrying { next_restart: None }, 2, |job| {
            let excerpt = Excerpt { kind: ExcerptKind::Tail, lines: vec!["a".into(), "b".into()], migration: None };
            let failure = Failure { excerpt: Some(Box::new(excerpt)), ..sample::logged_failure() };
            job.last_failure = Some(LastFailure::Known(failure));
        });
        assert!(text.contains("  Log ends      a\n                b\n                (told by its log"), "{text}");
    }

    #[test]
    fn the_last_lines_of_the_log_are_told_once_and_only_where_they_are_wanted() {
        let change = |job: &mut GateJob| {
            let excerpt = Excerpt { kind: ExcerptKind::Tail, lines: vec!["line 29".into()], migration: None };
            let failure = Failure { excerpt: Some(Box::new(excerpt)), ..sample::logged_failure() };
            job.last_failure = Some(LastFailure::Known(failure));
            job.advice = Some("Mend the cause.".into());
        };
        let state = || GateState::Failed(sample::exhausted());
        let text = deep(Depth::WithLog, state(), 6, change);
        assert!(text.contains("\n  Log           its last 20 lines\n    line 10\n    line 11\n"), "{text}");
        assert!(text.contains("\n    line 29\n  To do         Mend the cause"), "{text}");
        assert_eq!(text.matches("line 29").count(), 1, "{text}");
        assert!(!told(state(), 6, change).contains("line 28"));
    }

    #[test]
    fn a_failure_of_which_nothing_could_be_read_says_why() {
        let text = told(GateState::Retrying { next_restart: None }, 2, |job| {
            let failure = Failure { log: None, excerpt: None, ..sample::logged_failure() };
            job.last_failure = Some(LastFailure::Known(failure));
        });
        assert!(text.contains("(its log was not read)"), "{text}");
    }

    #[test]
    fn a_wait_shows_what_is_pending_and_whether_it_makes_it() {
        let text = told(GateState::Running { finishing: false }, 0, |job| {
            job.backlog = Some(sample::backlog(&[7, 7, 7]));
        });
        insta::assert_snapshot!(text, @r"

        Full migrations, job/gitlab-migrations-5f2c9a1e
          Backlog       7 pending, has not moved for 20m00s, counted at 15:20Z
          Outlook       deadline 16:00Z: will not make it unless it moves
          Deadline      39m36s left, at 16:00:00Z
        ");
    }

    #[test]
    fn a_policy_is_told_in_words_with_what_it_ignored() {
        let mut run = sample::run();
        run.steps[2].body = StepBody::Gate(Box::new(sample::policed()));
        let time = crate::fixture::at(80);
        let details = details(&run, &run.steps[2], time, &Target::default(), Depth::Outline);
        let text = anstream::adapter::strip_str(&details).to_string();
        for told in [
            "  Not counted   pod failed (EvictionByEvictionAPI), 1m00s ago\n                ignored by rule 2: DisruptionTarget (eviction API)\n",
            "  Policy        1. exit code 42 of migrations: fail the index\n                2. DisruptionTarget: ignore\n",
            "                otherwise: count\n",
            "  Terms         failed: index 1, the Job gives up at 2\n",
            "                open: index 2: 1 of 3 failed, 2 left\n",
        ] {
            assert!(text.contains(told), "{told}\n{text}");
        }
    }
}
