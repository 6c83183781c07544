//! What `wait` prints, and when it ends.

use std::io;

use super::ChangeReport;
use crate::cluster::{ClusterEvent, FeedState, World};
use crate::error::ExitCode;
use crate::gate::Target;
use crate::run::{Run, RunChange, Subject, Verdict, changes, derive, feed_change};

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
    world: World,
    runs: Vec<Run>,
    feed: FeedState,
    /// Whether there ever was a run: that there is none later means that it is gone.
    any: bool,
    last: Option<RunChange>,
}

impl Default for Waiter {
    fn default() -> Self {
        Self { world: World::default(), runs: Vec::new(), feed: FeedState::Connecting, any: false, last: None }
    }
}

impl Waiter {
    /// Takes in one event, and tells what changed by it.
    #[must_use]
    pub fn see(&mut self, event: ClusterEvent) -> Vec<RunChange> {
        let time = event.time;
        self.world.apply(event);
        let feed = self.world.feed().state();
        let runs = derive(&self.world);
        let mut changed: Vec<_> = feed_change(&self.feed, &feed, time).into_iter().collect();
        changed.extend(changes(&self.runs, &runs, time));
        // While a connection is made again, the feed is what it was: that is when it comes back.
        if feed != FeedState::Connecting {
            self.feed = feed;
        }
        self.any |= !runs.is_empty();
        self.runs = runs;
        self.last = changed.last().cloned().or(self.last.take());
        changed
    }

    /// The exit code, once there is nothing more to wait for: every run is settled or failed, or all are gone. Before
    /// everything was listed, and while the feed is broken, nothing is over.
    pub fn outcome(&self) -> Option<ExitCode> {
        let heard = matches!(self.world.feed().state(), FeedState::Live { .. } | FeedState::Ended);
        let over = self.runs.iter().all(|run| matches!(run.verdict, Verdict::Settled | Verdict::Failed));
        (heard && over && self.any).then(|| self.exit_code())
    }

    /// The exit code if the wait ends now, as it does at the end of a file: of the worst run. One that is still under
    /// way was waited for in vain.
    pub fn exit_code(&self) -> ExitCode {
        let any = |wanted: fn(Verdict) -> bool| self.runs.iter().any(|run| wanted(run.verdict));
        if self.runs.is_empty() {
            ExitCode::Gone
        } else if any(|verdict| verdict == Verdict::Failed) {
            ExitCode::Failed
        } else if any(|verdict| verdict != Verdict::Settled) {
            ExitCode::TimedOut
        } else {
            ExitCode::Settled
        }
    }

    /// The verdicts to end with. One that was the last thing told is not told again.
    pub fn verdicts(&self) -> Vec<RunChange> {
        let time = self.world.time().unwrap_or_default();
        let standing: Vec<_> = self.runs.iter().map(|run| run.standing(time)).collect();
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
            let time = change.time.strftime("%H:%M:%SZ");
            match &change.run {
                Some(run) => writeln!(out, "{time} {run} {}", change.text),
                None => writeln!(out, "{time} {}", change.text),
            }
        }
        WaitFormat::Json => {
            serde_json::to_writer(&mut *out, &ChangeReport::new(change, target))?;
            out.write_all(b"\n")
        }
    }
}
