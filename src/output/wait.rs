//! What `wait` prints, and when it ends.

use std::collections::BTreeSet;
use std::io;

use jiff::Timestamp;

use super::goal::{Fares, Goal};
use super::missing::is_met;
use super::style::{of_word, painted};
use super::{ChangeReport, Missing, Why};
use crate::cluster::{ClusterEvent, ClusterName, Kind, Pick, Selection, World};
use crate::error::ExitCode;
use crate::gate::Target;
use crate::run::{Feeds, Run, RunChange, Source, Subject, Verdict, changes, derive};

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
#[derive(Debug, Default)]
pub struct Waiter {
    goal: Goal,
    world: World,
    runs: Vec<Run>,
    /// Those that were deleted and did not come back, as they were.
    gone: Vec<Run>,
    /// What is watched in each cluster, as far as there ever was a run of it.
    met: BTreeSet<(Option<ClusterName>, Pick)>,
    feeds: Feeds,
    last: Option<RunChange>,
}

impl Waiter {
    /// Waits for that, of what is watched.
    pub fn new(selection: Selection, goal: Goal) -> Self {
        Self { goal, world: World::of(selection), ..Self::default() }
    }

    /// Takes in one event, and tells what changed by it: nothing before every watch has listed, then everything that has
    /// begun, then each change.
    #[must_use]
    pub fn see(&mut self, event: ClusterEvent) -> Vec<RunChange> {
        let time = event.time;
        self.world.apply(event);
        let mut changed: Vec<RunChange> =
            self.feeds.see(self.world.feed(), time).into_iter().map(|(change, _)| change).collect();
        let listed = self.feeds.listed();
        if !listed.is_empty() {
            let mut runs = derive(&self.world);
            runs.retain(|run| listed.contains(&run.cluster));
            changed.extend(changes(&self.runs, &runs, time));
            let before = std::mem::replace(&mut self.runs, runs);
            // A Job that was done and is cleared away got where it was to get.
            let was_done = |run: &Run| run.source == Source::Job && run.verdict == Verdict::Settled;
            let gone = |run: &Run| !self.runs.iter().any(|now| now.is(run)) && !was_done(run);
            self.gone.extend(before.into_iter().filter(gone));
            self.gone.retain(|gone| !self.runs.iter().any(|now| now.full_name() == gone.full_name()));
            for (cluster, world) in self.world.each() {
                let met = world.selection().picks().iter().filter(|pick| is_met(cluster, pick, world, &self.runs));
                self.met.extend(met.map(|pick| (cluster.cloned(), pick.clone())));
            }
        }
        self.last = changed.last().cloned().or(self.last.take());
        changed
    }

    /// The exit code, once there is nothing more to wait for: there was a run of all that is watched, and every run is there
    /// or failed, or all are gone. Before everything was listed, while the feed is broken, and while what a verdict rests on
    /// is old, nothing is over.
    pub fn outcome(&self) -> Option<ExitCode> {
        let old = |world: &World| {
            let picks = world.selection().picks();
            world.feed().withdrawn().any(|(kind, _)| picks.iter().any(|pick| decides(kind, pick)))
        };
        let heard = self.world.each().all(|(_, world)| world.feed().state().all_listed() && !old(world));
        (heard && !self.any_fares(Fares::UnderWay) && self.unmet().next().is_none()).then(|| self.exit_code())
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
        } else if !self.gone.is_empty() || self.any_fares(Fares::Gone) || self.unmet().next().is_some() {
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

    /// Whether it is the run of a Job that was deleted before it got there.
    pub(super) fn is_gone(&self, run: &Run) -> bool {
        self.goal.fares(run) == Fares::Gone
    }

    /// Those that were deleted, as they were.
    pub fn gone(&self) -> &[Run] {
        &self.gone
    }

    /// Whether there ever was a run: one that is there no more is gone.
    pub fn any(&self) -> bool {
        !self.runs.is_empty() || !self.gone.is_empty()
    }

    /// What is watched in each cluster, as far as there never was a run of it.
    pub fn unmet(&self) -> impl Iterator<Item = (Option<&ClusterName>, &World, &Pick)> {
        let picks = self
            .world
            .each()
            .flat_map(|(cluster, world)| world.selection().picks().iter().map(move |pick| (cluster, world, pick)));
        picks.filter(|(cluster, _, pick)| !self.met.contains(&(cluster.cloned(), (*pick).clone())))
    }

    /// What has to come before all is waited for, once everything was listed and as far as each cluster has said.
    pub fn missing(&self) -> Vec<Missing> {
        let listed = |(cluster, ..): &(Option<&ClusterName>, _, _)| self.feeds.listed().contains(&cluster.cloned());
        let missing = self.unmet().filter(listed).map(|(cluster, world, pick)| Missing::of(cluster, pick, world));
        missing.filter(|missing| missing.why != Why::Unsaid).collect()
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

/// Whether a verdict on that rests on that kind.
fn decides(kind: Kind, pick: &Pick) -> bool {
    kind == pick.kind() || kind == Kind::Job && matches!(pick, Pick::GitLabCore(_))
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
                None => match &change.cluster {
                    Some(cluster) => writeln!(out, "{time} {cluster} {text}"),
                    None => writeln!(out, "{time} {text}"),
                },
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
