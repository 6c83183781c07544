//! The log of one run, as a state machine: what to ask for, and what to believe of the answer.
//!
//! The kubelet keeps the log of a container's current run and of the one before it, and resolves which is which when it
//! is asked. Its status may by then be ahead of the one that we know, so that what was asked for as the log of a run can
//! be that of its successor. The rule by which an answer is attributed:
//!
//! 1. An answer is of one run. A line that is older than the second in which the run ended, or well older than the one in
//!    which its successor started, is none of the successor's, nor of any later run's: an answer that begins with such a
//!    line is certain. (A runtime notes that a run started only after it did.)
//! 2. Any other answer is in doubt as soon as there is a successor: a status tells whole seconds, and an answer without a
//!    line tells nothing. Then, and where a log was not read to its end, the previous log is asked for once, at the moment
//!    at which the status shows the run as the previous one. Its answer stands in the place of what was read before,
//!    unless it begins after the second in which the successor started: then it is of a later run.
//! 3. If the previous log can't be had, what was read stays, unless the successor's log turns out to begin with the same
//!    line, to the nanosecond: then it was the successor's.
//! 4. A log that broke off is asked for again, and that answer, too, is of one run: another's, where it begins with the
//!    successor's first line, or goes on beyond the second in which the successor started and does not begin before. Then
//!    what was read from there on is taken back.
//!
//! | file | holds |
//! |---|---|
//! | `ended` | what follows when a request ends |
//! | `once` | one look, where no status follows: the times of the run itself have to do |

mod ended;
mod once;

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::read::{Ticket, Which};
use crate::cluster::{KEPT, LogEnd, LogLine, LogNews, Via};
use crate::source::live::pace::Pace;

/// How long the status may lag behind the end of a log. A log that ends while its run goes on is asked for once more
/// after that: its kubelet was started anew, say.
const LAG: Duration = Duration::from_secs(2);
/// How much later than its first line a run may be noted as started, beyond the second that is noted.
const NOTED_LATE: SignedDuration = SignedDuration::from_millis(250);
/// How often in a row the log of a run that ended may fail to be read; with the delays between, that is ten minutes.
const MOST_FAULTS: u32 = 40;

/// Where the kubelet has a run, by the status that was seen last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It is the current one, and runs.
    Running,
    /// It is the current one, and ended.
    Ended,
    /// Its successor has begun.
    Previous,
    /// Its successor has one, too, or its pod is gone: its log can't be asked for any more.
    Past,
}

/// When a run began and ended, in whole seconds, as far as its status told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) started: Option<Timestamp>,
    pub(super) finished: Option<Timestamp>,
}

/// What is known of the run that came after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Successor {
    /// When it began, in whole seconds.
    pub(super) started: Option<Timestamp>,
    /// The first line of its log.
    pub(super) first: Option<Timestamp>,
    /// Whether that is still to come.
    pub(super) unread: bool,
}

/// How far the reading of a run's log is.
#[derive(Debug)]
enum State {
    /// Not asked for. Ends in `Reading`, or in `Done` if it can't be had any more.
    Unread,
    /// Asked for, or about to be. Ends in `Read`, in `Reading` again if it broke off, or in `Done`.
    Reading(Reading),
    /// All was read that comes of the current log. Once there is a successor, it ends in `Done`, or in `Reading` of the
    /// previous log.
    Read { complete: bool },
    /// Read, and the previous log could not be had. Ends in `Done` if the successor proves that it was in doubt rightly.
    Doubted,
    /// Nothing more is to be had.
    Done,
}

#[derive(Debug)]
struct Reading {
    ticket: Ticket,
    which: Which,
    /// Why nothing was asked for yet, while that is so.
    waits: Option<Waits>,
    /// The first line of this answer.
    first: Option<Timestamp>,
    /// What came of a previous log, or in one look: it is told once it is known to be of this run.
    held: Vec<LogLine>,
    /// In one look, what the current log gave, while the previous one is asked for to be sure.
    aside: Option<Vec<LogLine>>,
}

/// Why a request waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    /// The log ended, and the status still says that the run goes on.
    ForStatus,
    /// Something went wrong.
    AfterFault,
}

/// What was told of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    Open,
    Closed,
}

/// What to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Ask for the log, after a delay; for what came after that line, where there is one.
    Read { ticket: Ticket, which: Which, follow: bool, after: Option<Timestamp>, delay: Duration, renew: bool },
    /// Give that request up.
    Stop(Ticket),
    /// Tell news of the log.
    Tell(LogNews),
}

/// The log of one run.
#[derive(Debug)]
pub(super) struct Run {
    /// The runtime's id of the run.
    pub(super) id: String,
    times: Times,
    place: Place,
    follows: bool,
    state: State,
    told: Told,
    via: Via,
    /// The first line of the last answer: what is of this run, is so because that is.
    first: Option<Timestamp>,
    /// The first line of each answer that was told.
    answers: Vec<Timestamp>,
    /// The last line that was told.
    last: Option<Timestamp>,
    /// Whether its pod is gone.
    pod_gone: bool,
    pace: Pace,
    faults: u32,
}

impl Run {
    /// A run whose log is followed or, where one look is enough, only read.
    pub(super) fn new(id: String, follows: bool) -> Self {
        Self {
            id,
            times: Times::default(),
            place: Place::Past,
            follows,
            state: State::Unread,
            told: Told::Nothing,
            via: Via::Previous,
            first: None,
            answers: Vec::new(),
            last: None,
            pod_gone: false,
            pace: Pace::default(),
            faults: 0,
        }
    }

    /// What a run tells its predecessor.
    pub(super) fn successor(&self) -> Successor {
        let unread = self.first.is_none() && matches!(self.state, State::Unread | State::Reading(_));
        Successor { started: self.times.started, first: self.first, unread }
    }

    /// The request that is out, or about to be.
    pub(super) fn ticket(&self) -> Option<Ticket> {
        match &self.state {
            State::Reading(reading) => Some(reading.ticket),
            _ => None,
        }
    }

    /// Whether nothing will be asked for or told of it any more.
    pub(super) fn over(&self, next: Successor) -> bool {
        let doubted = matches!(self.state, State::Doubted) && !next.unread;
        self.place == Place::Past && (doubted || matches!(self.state, State::Done))
    }

    /// Takes in where the kubelet has it now.
    pub(super) fn see(&mut self, place: Place, Times { started, finished }: Times) {
        (self.place, self.pod_gone) = (place, false);
        self.times = Times { started: started.or(self.times.started), finished: finished.or(self.times.finished) };
    }

    /// Takes in that the pod is gone: what is being read goes on to its end, and nothing else can be asked for.
    pub(super) fn pod_gone(&mut self) {
        self.pod_gone = true;
        self.place = match (&self.state, self.place) {
            (State::Reading(_), Place::Running | Place::Ended) => Place::Ended,
            (State::Reading(_), place) => place,
            _ => Place::Past,
        };
    }

    /// What to do by all that is known. `ticket` makes a ticket, where one more request may be made.
    pub(super) fn decide(
        &mut self,
        next: Successor,
        ticket: &mut dyn FnMut() -> Option<Ticket>,
        steps: &mut Vec<Step>,
    ) {
        let finished = self.times.finished;
        let certain = |first: Option<Timestamp>| {
            first.is_some_and(|first| {
                finished.is_some_and(|end| first < end)
                    || next.started.is_some_and(|next| next.duration_since(first) > NOTED_LATE)
            })
        };
        let current = matches!(self.place, Place::Running | Place::Ended);
        match &self.state {
            State::Unread if self.place == Place::Past => self.lose(next, steps),
            State::Unread => {
                let which = if current { Which::Current } else { Which::Previous };
                self.ask(which, ticket, steps);
            }
            State::Reading(Reading { ticket: out, which: Which::Current, waits: Some(Waits::ForStatus), .. })
                if self.place != Place::Running =>
            {
                steps.push(Step::Stop(*out));
                self.close(LogEnd::Complete, steps);
                self.state = State::Read { complete: true };
                self.decide(next, ticket, steps);
            }
            // What was not asked for yet would be the log of another run; what was asked for may be.
            State::Reading(Reading { ticket: out, which: Which::Current, waits, first, .. })
                if !current && (waits.is_some() || !certain(*first)) =>
            {
                steps.push(Step::Stop(*out));
                self.state = State::Read { complete: false };
                self.decide(next, ticket, steps);
            }
            State::Reading(Reading { ticket: out, which: Which::Previous, waits: Some(_), .. })
                if self.place == Place::Past =>
            {
                steps.push(Step::Stop(*out));
                self.lose(next, steps);
            }
            State::Read { .. } if current => {}
            State::Read { complete: true } if certain(self.first) => self.state = State::Done,
            State::Read { .. } if self.place == Place::Previous => self.ask(Which::Previous, ticket, steps),
            State::Read { .. } => self.lose(next, steps),
            State::Doubted if self.another_from(next).is_some() => self.lose(next, steps),
            State::Reading(_) | State::Doubted | State::Done => {}
        }
    }

    /// Takes in that its request is made.
    pub(super) fn asked(&mut self) {
        if let State::Reading(reading) = &mut self.state {
            reading.waits = None;
        }
    }

    /// Takes in lines of its log.
    pub(super) fn lines(&mut self, lines: Vec<LogLine>, steps: &mut Vec<Step>) {
        let State::Reading(reading) = &mut self.state else { return };
        let begins = lines.first().and_then(|line| line.time).filter(|_| reading.first.is_none());
        reading.first = reading.first.or(begins);
        self.faults = 0;
        if reading.which == Which::Previous || !self.follows {
            reading.held.extend(lines);
            reading.held.drain(..reading.held.len().saturating_sub(KEPT));
            return;
        }
        self.first = reading.first;
        self.answers.extend(begins);
        self.last = lines.last().and_then(|line| line.time).or(self.last);
        self.open(steps);
        steps.push(Step::Tell(LogNews::Lines(lines)));
    }

    /// Asks for the log from its beginning, where one more request may be made.
    fn ask(&mut self, which: Which, ticket: &mut dyn FnMut() -> Option<Ticket>, steps: &mut Vec<Step>) {
        let Some(ticket) = ticket() else { return };
        // What is shown of a log in doubt was read in the way that it was read in.
        if self.told == Told::Nothing {
            self.via = match (which, self.place) {
                (Which::Previous, _) => Via::Previous,
                (Which::Current, Place::Running) => Via::Followed,
                (Which::Current, _) => Via::Afterwards,
            };
        }
        let follow = self.follows && which == Which::Current;
        steps.push(Step::Read { ticket, which, follow, after: None, delay: Duration::ZERO, renew: false });
        self.state = State::Reading(Reading { ticket, which, waits: None, first: None, held: Vec::new(), aside: None });
    }

    /// Asks once more, for what is missing, with the same ticket.
    fn ask_again(&mut self, reading: Reading, waits: Waits, delay: Duration, renew: bool, steps: &mut Vec<Step>) {
        let Reading { ticket, which, aside, .. } = reading;
        let current = which == Which::Current;
        let after = self.last.filter(|_| current);
        steps.push(Step::Read { ticket, which, follow: self.follows && current, after, delay, renew });
        self.state =
            State::Reading(Reading { ticket, which, waits: Some(waits), first: None, held: Vec::new(), aside });
    }

    fn open(&mut self, steps: &mut Vec<Step>) {
        if self.told == Told::Nothing {
            self.told = Told::Open;
            steps.push(Step::Tell(LogNews::Opened(self.via)));
        }
    }

    fn close(&mut self, end: LogEnd, steps: &mut Vec<Step>) {
        self.open(steps);
        if self.told == Told::Open {
            self.told = Told::Closed;
            steps.push(Step::Tell(LogNews::Closed(end)));
        }
    }
}
