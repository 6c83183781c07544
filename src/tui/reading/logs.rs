//! The logs of a gate: which run's is shown, and which one comes next.
//!
//! A run is known by its pod and its id, so that runs which begin or are forgotten shift nothing.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::cluster::{LogLine, RunId};
use crate::gate::{Attempt, GateJob, GatePod, Outcome, RunLog};
use crate::run::{Run, StepId};
use crate::tui::pager::Text;

/// The logs of a gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Logs {
    /// The step whose gate it is.
    pub step: StepId,
    /// The last there was of its Job.
    pub job: GateJob,
    shown: Option<Key>,
    /// What stands in for a log that nobody read: the termination message.
    left: VecDeque<Arc<LogLine>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    pod: String,
    run: RunId,
}

impl Key {
    fn of(log: &RunLog) -> Self {
        Self { pod: log.pod.clone(), run: log.run.clone() }
    }
}

/// Which run's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// That of the attempt that runs, or else of the newest one.
    Live,
    /// That of the run before, of the same container.
    Before,
    /// That of the run after, of the same container.
    After,
    /// That of the newest run of the next container.
    NextContainer,
}

impl Logs {
    /// The logs of that Job, from the attempt that runs or was the newest on.
    pub fn new(step: StepId, job: GateJob) -> Self {
        let mut logs = Self { step, job, shown: None, left: VecDeque::new() };
        logs.show(Which::Live);
        logs
    }

    /// The run that is shown; `None` where no run is known.
    pub fn run(&self) -> Option<&RunLog> {
        self.job.logs.iter().find(|log| self.shown.as_ref() == Some(&Key::of(log)))
    }

    /// Its log, or the termination message where there is none.
    pub fn text(&self) -> Text<'_> {
        match self.run().and_then(|run| run.log.as_deref()).filter(|log| !log.lines().is_empty()) {
            Some(log) => Text::of(log),
            None => Text::whole(&self.left),
        }
    }

    /// Whether what is shown is the termination message.
    pub fn is_message(&self) -> bool {
        !self.left.is_empty()
    }

    /// The attempt that the run was or was part of, and its number, as the Job counts.
    pub fn attempt(&self) -> Option<(usize, &Attempt)> {
        let index = self.run()?.attempt?;
        Some((self.job.number(index), self.job.history.get(index)?))
    }

    /// The pod of the run that is shown.
    pub fn pod(&self) -> Option<&GatePod> {
        let pod = &self.run()?.pod;
        self.job.pods.iter().rev().find(|of| of.name == *pod)
    }

    /// Whether the run that is shown is the one that runs, or the newest one.
    pub fn is_live(&self) -> bool {
        self.pick(Which::Live).is_some_and(|live| self.shown.as_ref() == Some(&Key::of(live)))
    }

    /// The containers of which there are runs, in the order of their first ones.
    pub fn containers(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for log in &self.job.logs {
            if !names.contains(&log.run.container.as_str()) {
                names.push(log.run.container.as_str());
            }
        }
        names
    }

    /// The run that this leads to, where it leads to any.
    pub fn pick(&self, which: Which) -> Option<&RunLog> {
        let logs = &self.job.logs;
        let runs = |log: &&RunLog| {
            let attempt = log.attempt.and_then(|attempt| self.job.history.get(attempt));
            attempt.is_some_and(|attempt| attempt.outcome == Outcome::Running)
        };
        let newest = || logs.iter().rev().find(|log| log.attempt.is_some()).or(logs.last());
        let Some(shown) = self.run() else { return logs.iter().rev().find(runs).or_else(newest) };
        let beside = || logs.iter().filter(|log| log.run.container == shown.run.container);
        let position = beside().position(|log| std::ptr::eq(log, shown))?;
        match which {
            Which::Live => logs.iter().rev().find(runs).or_else(newest),
            Which::Before => beside().nth(position.checked_sub(1)?),
            Which::After => beside().nth(position + 1),
            Which::NextContainer => {
                let names = self.containers();
                let place = names.iter().position(|name| *name == shown.run.container)?;
                let next = names.get((place + 1) % names.len()).filter(|_| names.len() > 1)?;
                logs.iter().rev().find(|log| log.run.container == *next)
            }
        }
    }

    /// Shows the run that this leads to; says whether it leads to another one.
    pub fn show(&mut self, which: Which) -> bool {
        let picked = self.pick(which).map(Key::of);
        let other = picked.is_some() && picked != self.shown;
        if other {
            self.shown = picked;
        }
        self.note_message();
        other
    }

    /// Takes in what became of the Job; says whether another run is shown now. That is so where the one that was shown was
    /// the newest, was followed, and has a successor.
    pub(super) fn see(&mut self, runs: &[Run], follows: bool) -> bool {
        let Some(now) = self.now(runs) else { return false };
        let moves_on = self.shown.is_none() || follows && self.is_live();
        self.job.clone_from(now);
        if moves_on {
            return self.show(Which::Live);
        }
        self.note_message();
        false
    }

    /// Its Job as one of those runs has it.
    pub(super) fn now<'a>(&self, runs: &'a [Run]) -> Option<&'a GateJob> {
        let steps = runs.iter().flat_map(|run| &run.steps);
        steps.filter_map(|step| step.gate()?.job.as_ref()).find(|job| job.uid == self.job.uid)
    }

    fn note_message(&mut self) {
        let run = self.run().filter(|run| run.log.as_ref().is_none_or(|log| log.lines().is_empty()));
        let message = run.map(|run| run.message.as_str()).unwrap_or_default();
        self.left = message.lines().map(|line| Arc::new(LogLine::printed(line.as_bytes()))).collect();
    }
}
