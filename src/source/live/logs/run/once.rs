//! One look at the log of a run. No status follows that would tell whether the kubelet was ahead, so the run's own times
//! tell whether an answer is of it. The current log may be that of the next run by now, or empty, because that one has
//! printed nothing yet: then the previous log is asked for, too.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::{Place, Reading, Run, State, Step, Successor, Waits};
use crate::cluster::{LogEnd, LogLine, LogNews, Via};
use crate::source::live::fault::Fault;
use crate::source::live::logs::read::{Ended, Which};

impl Run {
    /// Takes in how a request ended, in one look: nothing is tried twice.
    pub(super) fn looked(&mut self, reading: Reading, why: Ended, steps: &mut Vec<Step>) {
        self.state = State::Done;
        match why {
            Ended::Cleanly if self.own(&reading) => self.tell(reading.held, steps),
            Ended::Cleanly if reading.which == Which::Current => {
                self.via = Via::Previous;
                let aside = Some(reading.held);
                let previous = Reading { which: Which::Previous, held: Vec::new(), aside, ..reading };
                self.ask_again(previous, Waits::AfterFault, Duration::ZERO, false, steps);
            }
            Ended::Fault(Fault::Forbidden(message)) => self.close(LogEnd::Forbidden(message), steps),
            _ if reading.aside.is_some() => self.settle(reading.aside.unwrap_or_default(), steps),
            Ended::Cleanly | Ended::Gone | Ended::Missing => self.lose(Successor::default(), steps),
            Ended::Silent => self.close(LogEnd::Broken(Fault::Silent.words()), steps),
            Ended::Fault(fault) => self.close(LogEnd::Broken(fault.words()), steps),
        }
    }

    /// Whether an answer is of this run.
    fn own(&self, reading: &Reading) -> bool {
        let begins_within = |first: Timestamp| !self.begins_after(first, 1);
        match (reading.which, reading.first) {
            (Which::Current, None) => self.place == Place::Running,
            (Which::Current, Some(first)) => begins_within(first),
            (Which::Previous, None) => reading.aside.is_none(),
            // The one before the current one may be the one before this.
            (Which::Previous, Some(first)) => {
                let before = self.times.started.is_some_and(|started| first < started) && reading.aside.is_some();
                !before && begins_within(first)
            }
        }
    }

    /// Whether a log that begins with a line of that time begins so many seconds after the one in which this run ended.
    fn begins_after(&self, first: Timestamp, seconds: i64) -> bool {
        self.times.finished.is_some_and(|finished| first.duration_since(finished) >= SignedDuration::from_secs(seconds))
    }

    /// The previous log is not this run's. So the current one is, if that is possible: a run that printed nothing, or one
    /// whose only lines were noted as the next second began.
    fn settle(&mut self, current: Vec<LogLine>, steps: &mut Vec<Step>) {
        let first = current.first().and_then(|line| line.time);
        if first.is_some_and(|first| self.begins_after(first, 2)) {
            return self.lose(Successor::default(), steps);
        }
        self.via = Via::Afterwards;
        self.tell(current, steps);
    }

    fn tell(&mut self, lines: Vec<LogLine>, steps: &mut Vec<Step>) {
        self.open(steps);
        if !lines.is_empty() {
            steps.push(Step::Tell(LogNews::Lines(lines)));
        }
        self.close(LogEnd::Complete, steps);
    }
}
