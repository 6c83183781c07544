//! What `wait` prints, and when it ends.

use std::io;

use jiff::Timestamp;

use super::goal::{Fares, Goal};
use super::style::{of_word, painted};
use super::{ChangeReport, Missing};
use crate::cluster::{ClusterEvent, FeedState, Kind, World};
use crate::error::ExitCode;
use crate::gate::Target;
use crate::run::{Run, RunChange, Source, Subject, Verdict, changes, derive, feed_change};

/// How changes are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaitFormat {
    /// One line of text for each.
    #[default]
    Text,
    /// One `Change` in JSON for each, on a line.
    Json,
}

/// Sees what a source says, tells what became of the runs, and when there is nothing more to wait for.
#[derive(Debug)]
pub struct Waiter {
    /// The name of the only one that is waited for.
    name: Option<String>,
    goal: Goal,
    world: World,
    runs: Vec<Run>,
    /// Those that were deleted and did not come back, as they were.
    gone: Vec<Run>,
    feed: FeedState,
    /// Whether everything was listed once. Before that, half a cluster would pass for news.
    listed: bool,
    last: Option<RunChange>,
}

impl Default for Waiter {
    fn default() -> Self {
        Self {
            name: None,
            goal: Goal::default(),
            world: World::default(),
            runs: Vec::new(),
            gone: Vec::new(),
            feed: FeedState::Connecting,
            listed: false,
            last: None,
        }
    }
}

impl Waiter {
    /// Waits for that, of the instances of that name; of all where there is none.
    pub fn new(name: Option<String>, goal: Goal) -> Self {
        Self { name, goal, ..Self::default() }
    }

    /// Takes in one event, and tells what changed by it: nothing before every watch has listed, then everything that has
    /// begun, then each change.
    #[must_use]
    pub fn see(&mut self, event: ClusterEvent) -> Vec<RunChange> {
        let time = event.time;
        self.world.apply(event);
        let feed = self.world.feed().state();
        let mut changed: Vec<_> = feed_change(&self.feed, &feed, time).into_iter().collect();
        self.listed |= feed.all_listed();
        // While a connection is made again, the feed is what it was: that is when it comes back.
        if feed != FeedState::Connecting {
            self.feed = feed;
        }
        if self.listed {
            let mut runs = derive(&self.world);
            runs.retain(|run| self.name.as_ref().is_none_or(|name| run.name == *name));
            changed.extend(changes(&self.runs, &runs, time));
            let before = std::mem::replace(&mut self.runs, runs);
            // A Job that was done and is cleared away got where it was to get.
            let was_done = |run: &Run| run.source == Source::Job && run.verdict == Verdict::Settled;
            let gone = |run: &Run| !self.runs.iter().any(|now| now.uid == run.uid) && !was_done(run);
            self.gone.extend(before.into_iter().filter(gone));
            self.gone.retain(|gone| !self.runs.iter().any(|now| now.full_name() == gone.full_name()));
        }
        self.last = changed.last().cloned().or(self.last.take());
        changed
    }

    /// The exit code, once there is nothing more to wait for: every run is there or failed, or all are gone. Before
    /// everything was listed, while the feed is broken, and while what a verdict rests on is old, nothing is over.
    pub fn outcome(&self) -> Option<ExitCode> {
        let feed = self.world.feed();
        let old = feed.withdrawn().any(|(kind, _)| matches!(kind, Kind::GitLabCore | Kind::Job));
        let heard = feed.state().all_listed() && !old;
        (heard && !self.any_fares(Fares::UnderWay) && self.any()).then(|| self.exit_code())
    }

    /// Whether every run came to a goal that lies before its end. A recording is over then, too: what a settled instance was
    /// before its upgrade began, as many recordings begin, is none.
    pub fn passed_goal(&self) -> bool {
        !self.runs.is_empty() && self.runs.iter().all(|run| self.goal.passed_by(run))
    }

    /// The exit code if the wait ends now, as it does at the end of a file: of the worst run. One that is still under
    /// way was waited for in vain.
    pub fn exit_code(&self) -> ExitCode {
        if self.runs.is_empty() {
            ExitCode::Gone
        } else if self.any_fares(Fares::Failed) {
            ExitCode::Failed
        } else if self.any_fares(Fares::UnderWay) {
            ExitCode::TimedOut
        } else if !self.gone.is_empty() {
            ExitCode::Gone
        } else {
            ExitCode::Settled
        }
    }

    fn any_fares(&self, as_that: Fares) -> bool {
        self.runs.iter().any(|run| self.goal.fares(run) == as_that)
    }

    /// The verdicts to end with at that time. One that was the last thing told is not told again, and neither is one that
    /// was not waited for.
    pub fn verdicts(&self, time: Timestamp) -> Vec<RunChange> {
        let open = self.runs.iter().filter(|run| !self.goal.passed_by(run));
        let standing: Vec<_> = open.map(|run| run.standing(time)).collect();
        let told = |verdict: &RunChange| {
            self.last.as_ref().is_some_and(|last| {
                last.subject == Subject::Upgrade && last.run == verdict.run && last.to == verdict.to
            })
        };
        match standing.as_slice() {
            [verdict] if told(verdict) => Vec::new(),
            _ => standing,
        }
    }

    /// The runs that did not get there, if the wait ends now.
    pub fn unreached(&self) -> Vec<&Run> {
        self.runs.iter().filter(|run| self.goal.fares(run) != Fares::Reached).collect()
    }

    /// Those that were deleted, as they were.
    pub fn gone(&self) -> &[Run] {
        &self.gone
    }

    /// Whether there ever was a run: one that is there no more is gone.
    pub fn any(&self) -> bool {
        !self.runs.is_empty() || !self.gone.is_empty()
    }

    /// What has to come before there is anything to tell, once everything was listed.
    pub fn missing(&self) -> Option<Missing> {
        (self.listed && !self.any()).then(|| Missing::of(self.world.feed())).flatten()
    }

    /// The runs as they stand.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// What is known of the cluster.
    pub fn world(&self) -> &World {
        &self.world
    }
}

/// Prints a change as a line.
///
/// # Errors
/// What writing to `out` gives.
pub fn print_change(
    change: &RunChange,
    format: WaitFormat,
    target: &Target,
    out: &mut impl io::Write,
) -> io::Result<()> {
    match format {
        WaitFormat::Text => {
            let (time, text) = (change.time.strftime("%H:%M:%SZ"), painted(&change.text, of_word(change.to)));
            match &change.run {
                Some(run) => writeln!(out, "{time} {run} {text}"),
                None => writeln!(out, "{time} {text}"),
            }
        }
        WaitFormat::Json => {
            serde_json::to_writer(&mut *out, &ChangeReport::new(change, target))?;
            out.write_all(b"\n")
        }
    }
}

#[cfg(test)]
mod tests;
