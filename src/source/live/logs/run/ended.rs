//! What follows when a request ends: an end of the log, another request, or that nothing more can be had.

use std::mem;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::{LAG, MOST_FAULTS, NOTED_LATE, Place, Reading, Run, State, Step, Successor, Told, Waits};
use crate::cluster::{LogEnd, LogNews, Via};
use crate::source::live::fault::Fault;
use crate::source::live::logs::read::{Ended, Which};

const NO_MORE: &str = "the kubelet has no more of it";

impl Run {
    /// Takes in that nothing more comes of its request, which was answered for so long (`None`: it was not).
    pub(in crate::source::live::logs) fn ended(
        &mut self,
        why: Ended,
        up: Option<Duration>,
        next: Successor,
        steps: &mut Vec<Step>,
    ) {
        match mem::replace(&mut self.state, State::Done) {
            State::Reading(reading) if !self.follows => self.looked(reading, why, steps),
            State::Reading(reading) if reading.which == Which::Current => self.current_ended(reading, why, up, steps),
            State::Reading(reading) => self.previous_ended(reading, why, next, steps),
            state => self.state = state,
        }
    }

    fn current_ended(&mut self, reading: Reading, why: Ended, up: Option<Duration>, steps: &mut Vec<Step>) {
        self.first = reading.first;
        let goes_on = self.place == Place::Running;
        let again = goes_on || self.place == Place::Ended && self.faults < MOST_FAULTS;
        match why {
            Ended::Cleanly if goes_on => {
                let delay = self.pace.after(&Fault::Ended, up).delay.max(LAG);
                self.ask_again(reading, Waits::ForStatus, delay, false, steps);
            }
            Ended::Silent if again => self.ask_again(reading, Waits::AfterFault, Duration::ZERO, false, steps),
            Ended::Cleanly => {
                self.close(LogEnd::Complete, steps);
                self.state = State::Read { complete: true };
            }
            // A kubelet that was started anew knows its pods only a moment later.
            Ended::Missing if again && !self.pod_gone => self.try_again(reading, Fault::Undefined, up, steps),
            Ended::Gone if goes_on => self.try_again(reading, Fault::Broken(NO_MORE.to_owned()), up, steps),
            Ended::Gone | Ended::Missing if self.told == Told::Nothing => self.close(LogEnd::Gone, steps),
            Ended::Fault(Fault::Forbidden(message)) => self.close(LogEnd::Forbidden(message), steps),
            Ended::Fault(fault) if again => self.try_again(reading, fault, up, steps),
            Ended::Gone | Ended::Missing => self.close(LogEnd::Broken(NO_MORE.to_owned()), steps),
            Ended::Silent => self.broke(Fault::Silent, steps),
            Ended::Fault(fault) => self.broke(fault, steps),
        }
    }

    fn previous_ended(&mut self, reading: Reading, why: Ended, next: Successor, steps: &mut Vec<Step>) {
        let second = SignedDuration::from_secs(1);
        let later = reading.first.zip(next.started).is_some_and(|(first, next)| first.duration_since(next) >= second);
        let again = self.place == Place::Previous && self.faults < MOST_FAULTS;
        match why {
            // Also the successor's, where it is the successor that was the previous one by then.
            Ended::Cleanly if !later && (reading.first.is_none() || reading.first != next.first) => {
                (self.told, self.via, self.first) = (Told::Nothing, Via::Previous, reading.first);
                self.open(steps);
                if !reading.held.is_empty() {
                    steps.push(Step::Tell(LogNews::Lines(reading.held)));
                }
                self.close(LogEnd::Complete, steps);
            }
            Ended::Fault(Fault::Forbidden(message)) if self.told == Told::Nothing => {
                self.close(LogEnd::Forbidden(message), steps);
            }
            Ended::Fault(
                fault @ (Fault::Broken(_)
                | Fault::Untrusted(_)
                | Fault::Busy { .. }
                | Fault::Silent
                | Fault::Unauthorized),
            ) if again => {
                self.try_again(reading, fault, None, steps);
            }
            Ended::Silent if again => self.try_again(reading, Fault::Silent, None, steps),
            Ended::Missing if again && !self.pod_gone => self.try_again(reading, Fault::Undefined, None, steps),
            Ended::Fault(fault) if self.told == Told::Nothing => self.close(LogEnd::Broken(fault.words()), steps),
            _ => self.lose(next, steps),
        }
    }

    /// Asks once more after something went wrong.
    fn try_again(&mut self, reading: Reading, fault: Fault, up: Option<Duration>, steps: &mut Vec<Step>) {
        self.faults += 1;
        let delay = self.pace.after(&fault, up).delay;
        self.ask_again(reading, Waits::AfterFault, delay, fault == Fault::Unauthorized, steps);
    }

    /// Nothing more can be had of the current log.
    fn broke(&mut self, fault: Fault, steps: &mut Vec<Step>) {
        self.close(LogEnd::Broken(fault.words()), steps);
        self.state = State::Read { complete: false };
    }

    /// Nothing more can be had at all; what was read stays, as far as it is of this run.
    pub(super) fn lose(&mut self, next: Successor, steps: &mut Vec<Step>) {
        match self.another_from(next) {
            Some(from) if self.answers.first() == Some(&from) => self.told = Told::Nothing,
            Some(from) => {
                steps.push(Step::Tell(LogNews::TakenBack(from)));
                self.answers.retain(|first| *first < from);
                (self.told, self.last) = (Told::Open, None);
            }
            None => {}
        }
        if self.told == Told::Nothing {
            (self.via, self.first, self.state) = (Via::Previous, None, State::Done);
            self.answers.clear();
            return self.close(LogEnd::Gone, steps);
        }
        self.close(LogEnd::Broken("the next run began before it was read to its end".to_owned()), steps);
        self.state = State::Doubted;
    }

    /// From which line on what was told is another run's.
    pub(super) fn another_from(&self, next: Successor) -> Option<Timestamp> {
        let started = next.started?;
        let beyond = self.last.is_some_and(|last| last.duration_since(started) >= SignedDuration::from_secs(1));
        let another =
            |first: Timestamp| next.first == Some(first) || beyond && started.duration_since(first) <= NOTED_LATE;
        self.answers.iter().copied().find(|first| another(*first))
    }
}
