//! A tape that is played: what a source says, the machine's time and the keys go in, moments come out.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::moment::{Gauge, Moment, Motion, Shown};
use super::playhead::Playhead;
use super::reel::{Cursor, MOST_BYTES, Reel};
use super::travel::Travel;
use crate::cluster::{Change, ClusterEvent, Feed, Memory, Uid, WatchState, World};
use crate::run::Run;

/// How far one leap goes.
const LEAP: SignedDuration = SignedDuration::from_secs(10);
/// How many instants are read at once: so few that a key that is pressed meanwhile is answered at once.
const READ_AT_ONCE: usize = 16;

const BEGINNING: &str = "this is the beginning";
const END: &str = "this is the end";
const NOW: &str = "this is now";

/// A tape, and how it is played.
#[derive(Debug)]
pub struct Deck {
    reel: Reel,
    source: Source,
    playhead: Playhead,
    /// The moment before the frontier that is shown, if one is.
    past: Option<Past>,
    /// A journey to something that is not known yet, as the tape was not read so far, and those that begin where it ends.
    sought: VecDeque<Travel>,
}

/// Where the events come from, and so where the frontier is.
#[derive(Debug)]
enum Source {
    /// A live feed: it is the end.
    Live,
    /// A recording: it is the furthest that the playhead has been.
    Recording(Box<Cursor>),
}

#[derive(Debug)]
struct Past {
    cursor: Cursor,
    runs: Arc<[Run]>,
    feed: Feed,
}

/// What came of something.
#[derive(Debug, Default, PartialEq)]
pub struct Step {
    /// What there is at the frontier, which moved on.
    pub frontier: Option<Moment>,
    /// What is to be shown now.
    pub shown: Option<Shown>,
    /// Why a journey did not begin, in words.
    pub refused: Option<&'static str>,
}

/// What a deck waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Nothing: there is work to be done, in as many parts as it takes.
    Work,
    /// That much time.
    For(Duration),
    /// Events and keys alone.
    Never,
}

impl Deck {
    /// An empty one, for what a live feed says.
    pub fn live() -> Self {
        Self::new(Reel::new(Some(MOST_BYTES)), Source::Live, Playhead::following())
    }

    /// A recording, played from the machine's time `now` on, at that speed. The first event comes at once, however long
    /// ago it was. Watches of which it does not tell how they fared are live from its beginning, and all end with it.
    pub fn recording(events: Vec<ClusterEvent>, speed: f64, now: Timestamp) -> Self {
        let times = || events.iter().map(|event| event.time);
        let (first, last) = (times().min().unwrap_or(now), times().max().unwrap_or(now));
        let mut reel = Reel::new(None);
        let told =
            |kind| events.iter().any(|event| matches!(&event.change, Change::Watch { kind: of, .. } if *of == kind));
        let selection = ClusterEvent::selection(&events);
        let live = ClusterEvent::watches(selection.kinds(), first, &WatchState::Live { since: first });
        let live: Vec<ClusterEvent> = live
            .into_iter()
            .filter(|event| !matches!(event.change, Change::Watch { kind, .. } if told(kind)))
            .collect();
        let ended = ClusterEvent::ends(&events, last);
        for event in live.into_iter().chain(events).chain(ended) {
            reel.push(event.time, event);
        }
        Self::new(reel, Source::Recording(Box::default()), Playhead::playing(first, speed, now))
    }

    fn new(reel: Reel, source: Source, playhead: Playhead) -> Self {
        Self { reel, source, playhead, past: None, sought: VecDeque::new() }
    }

    /// Takes in what a live feed said by now.
    pub fn hear(&mut self, events: impl IntoIterator<Item = ClusterEvent>, now: Timestamp) -> Step {
        for event in events {
            self.reel.push(now, event);
        }
        while !self.reel.is_read() {
            self.reel.read_instant();
        }
        let shown = (!self.playhead.follows()).then(|| self.show(now));
        Step { frontier: Some(self.frontier(now)), shown, refused: None }
    }

    /// Takes in what was kept of a run. It may be one that is there no more.
    pub fn recall(&mut self, run: &Uid, memory: Option<Memory>, now: Timestamp) -> Step {
        match memory.filter(|_| self.world().each().any(|(_, world)| world.cores().any(|core| core.meta.uid == *run))) {
            Some(memory) => self
                .hear([ClusterEvent { cluster: None, time: now, change: Change::Remembered(Box::new(memory)) }], now),
            None => Step { frontier: Some(self.frontier(now)), ..Step::default() },
        }
    }

    /// What there is at the frontier since the last thing that was taken in.
    fn frontier(&self, now: Timestamp) -> Moment {
        match &self.source {
            Source::Live => {
                let (read, runs) = self.reel.head();
                Moment { runs: Arc::clone(runs), feed: read.world.feed().clone(), time: now }
            }
            Source::Recording(cursor) => {
                let (runs, feed) = cursor.derive();
                Moment { runs, feed, time: self.reel.time(cursor.at).unwrap_or(now) }
            }
        }
    }

    /// The world at the frontier.
    pub fn world(&self) -> &World {
        match &self.source {
            Source::Live => &self.reel.head().0.world,
            Source::Recording(cursor) => &cursor.world,
        }
    }

    /// The time at the frontier: of a live feed the machine's.
    pub fn frontier_time(&self, now: Timestamp) -> Timestamp {
        match &self.source {
            Source::Live => now,
            Source::Recording(cursor) if cursor.at == self.goal(now) => self.time(now),
            Source::Recording(cursor) => self.reel.time(cursor.at).unwrap_or_else(|| self.time(now)),
        }
    }

    /// Where the playhead is, in recorded time.
    fn time(&self, now: Timestamp) -> Timestamp {
        let time = self.playhead.time(now);
        let time = if self.playhead.follows() { time.max(self.last(now)) } else { time.min(self.last(now)) };
        self.reel.first().map_or(time, |first| time.max(first))
    }

    /// When the tape ends: that of a live feed now, or with what was heard last where the machine's clock was set back since.
    fn last(&self, now: Timestamp) -> Timestamp {
        let last = self.reel.last().unwrap_or(now);
        if self.is_live() { last.max(now) } else { last }
    }

    /// The position of the playhead. That of a recording can lie beyond the frontier, which then comes after it.
    fn goal(&self, now: Timestamp) -> usize {
        if self.playhead.follows() { self.reel.end() } else { self.reel.position(self.time(now)) }
    }

    fn is_live(&self) -> bool {
        matches!(self.source, Source::Live)
    }

    /// Holds what plays where it was at the machine's time `since`: up to `now` nobody could look.
    pub fn hold(&mut self, since: Timestamp, now: Timestamp) {
        if self.playhead.plays() {
            self.playhead.put(self.time(since), now);
        }
    }

    /// What it waits for.
    pub fn wait(&self, now: Timestamp) -> Wait {
        let goal = self.goal(now);
        let shown = match (&self.past, &self.source) {
            (Some(past), _) => past.cursor.at,
            (None, Source::Live) => goal,
            (None, Source::Recording(cursor)) => cursor.at,
        };
        if shown != goal || !self.reel.is_read() {
            return Wait::Work;
        }
        match self.reel.next(goal) {
            Some(next) => self.playhead.wait_for(next, now).map_or(Wait::Never, Wait::For),
            None if self.is_live() && self.playhead.plays() => Wait::Work,
            None => Wait::Never,
        }
    }

    /// Does a part of what is to be done by now: plays what is due, catches up with the playhead, reads on.
    pub fn advance(&mut self, now: Timestamp) -> Step {
        let goal = self.goal(now);
        if self.is_live() && self.playhead.plays() && goal == self.reel.end() {
            self.playhead.follow();
        }
        let mut step = Step::default();
        let behind = matches!(&self.source, Source::Recording(cursor) if cursor.at < goal);
        if behind && let Some(to) = self.next_stop(goal) {
            if let Source::Recording(cursor) = &mut self.source {
                cursor.seek(&self.reel, to);
            }
            step.frontier = Some(self.frontier(now));
        } else if !self.reel.is_read() {
            for _ in 0..READ_AT_ONCE {
                self.reel.read_instant();
            }
            step.refused = self.go_on(now);
        }
        step.shown = Some(self.show(now));
        step
    }

    /// The position that the frontier goes to next on its way to the playhead: the next mark, so that the journal tells
    /// the same at any speed. `None` where that is not known yet.
    fn next_stop(&self, goal: usize) -> Option<usize> {
        let Source::Recording(cursor) = &self.source else { return None };
        let mark = self.reel.marks().get(self.reel.passed(cursor.at)).map(|mark| mark.position);
        let read = self.reel.head().0.at >= goal;
        mark.filter(|mark| *mark <= goal).or(read.then_some(goal))
    }

    /// What is to be shown now; the past is sought out where it is that.
    pub fn show(&mut self, now: Timestamp) -> Shown {
        let goal = self.goal(now);
        let before = match &self.source {
            Source::Live => !self.playhead.follows(),
            Source::Recording(cursor) => goal < cursor.at,
        };
        if !before {
            self.past = None;
            return if self.is_live() { Shown::Now } else { Shown::Frontier(self.gauge(now)) };
        }
        let past = match self.past.take() {
            Some(past) if past.cursor.at == goal => past,
            other => {
                let mut cursor = other.map(|past| past.cursor).unwrap_or_default();
                cursor.seek(&self.reel, goal);
                let (runs, feed) = cursor.derive();
                Past { cursor, runs, feed }
            }
        };
        let moment = Moment { runs: past.runs.clone(), feed: past.feed.clone(), time: self.time(now) };
        self.past = Some(past);
        Shown::Past(Box::new(moment), self.gauge(now))
    }

    fn gauge(&self, now: Timestamp) -> Gauge {
        let (time, goal) = (self.time(now), self.goal(now));
        let (time, position) = match &self.source {
            // On its way to the playhead.
            Source::Recording(cursor) if cursor.at < goal => (self.frontier_time(now), cursor.at),
            _ => (time, goal),
        };
        let last = self.last(now);
        let motion = match self.playhead.plays() {
            _ if !self.is_live() && time >= last => Motion::Ended,
            true => Motion::Playing,
            false => Motion::Paused,
        };
        let failures = self.reel.failures();
        Gauge {
            motion,
            speed: self.playhead.speed(),
            time,
            first: self.reel.first().unwrap_or(time),
            last,
            today: now,
            change: self.reel.passed(position),
            changes: self.reel.marks().len(),
            all: self.reel.is_read(),
            failures: failures.clone(),
            failed_since: failures.len() - failures.partition_point(|failure| *failure <= time),
        }
    }

    /// Sets out on a journey. One beyond the frontier arrives with [`advance`](Self::advance).
    pub fn travel(&mut self, travel: Travel, now: Timestamp) -> Step {
        if !travel.is_from_here() {
            self.sought.clear();
        }
        self.sought.push_back(travel);
        let refused = if self.sought.len() == 1 { self.go_on(now) } else { None };
        Step { frontier: None, shown: Some(self.show(now)), refused }
    }

    /// Goes on the journeys that are sought, up to one that leads to what is not known yet. One that is refused ends all.
    fn go_on(&mut self, now: Timestamp) -> Option<&'static str> {
        while let Some(travel) = self.sought.pop_front() {
            let known = self.set_out(travel, now);
            match known {
                Ok(true) => continue,
                Ok(false) => self.sought.push_front(travel),
                Err(_) => self.sought.clear(),
            }
            return known.err();
        }
        None
    }

    /// Sets out on one journey, if it is known where that leads.
    fn set_out(&mut self, travel: Travel, now: Timestamp) -> Result<bool, &'static str> {
        let Some(first) = self.reel.first() else { return Err("nothing was seen yet") };
        let (time, last, follows) = (self.time(now), self.last(now), self.playhead.follows());
        let goal = self.goal(now);
        let passed = self.reel.passed(goal);
        let shown = self.gauge(now);
        let at_end = if self.is_live() { follows.then_some(NOW) } else { (time >= last).then_some(END) };
        let mark = |index: usize| self.reel.marks().get(index).map(|mark| mark.time);
        match travel {
            Travel::Back | Travel::Earlier | Travel::Start if time <= first => return Err(BEGINNING),
            // What lies before it is not known yet.
            Travel::Back if goal > self.reel.head().0.at => return Ok(false),
            Travel::Back => {
                let before = passed.checked_sub(2).and_then(mark);
                self.playhead.pause(before.unwrap_or(first));
            }
            Travel::Earlier => self.playhead.put(time.checked_sub(LEAP).unwrap_or(first).max(first), now),
            Travel::Start => self.playhead.put(first, now),
            Travel::Forward => match mark(passed) {
                Some(next) => self.playhead.pause(next),
                None if !self.reel.is_read() => return Ok(false),
                None => self.leave_for_end(at_end, |playhead| playhead.pause(last))?,
            },
            Travel::Later => {
                let later = time.checked_add(LEAP).unwrap_or(last).min(last);
                match later < last {
                    true => self.playhead.put(later, now),
                    false => self.leave_for_end(at_end, |playhead| playhead.put(last, now))?,
                }
            }
            Travel::End => self.leave_for_end(at_end, |playhead| playhead.put(last, now))?,
            Travel::NextFailure => match self.reel.failures().iter().find(|failure| **failure > time) {
                Some(failure) => self.playhead.pause(*failure),
                None if !self.reel.is_read() => return Ok(false),
                None => return Err("no failure after this"),
            },
            Travel::Slower | Travel::Faster if follows => return Err("what is live has its own speed"),
            Travel::Slower if !self.playhead.change_speed(false, now) => return Err("this is the slowest"),
            Travel::Faster if !self.playhead.change_speed(true, now) => return Err("this is the fastest"),
            Travel::Slower | Travel::Faster => {}
            Travel::Toggle if shown.motion == Motion::Ended => return Err(END),
            // What is on its way to the playhead stops where it is.
            Travel::Toggle if follows || self.playhead.plays() || shown.time < time => self.playhead.pause(shown.time),
            Travel::Toggle => self.playhead.play(time, now),
        }
        Ok(true)
    }

    /// To the end of a recording, or back to now.
    fn leave_for_end(
        &mut self,
        there: Option<&'static str>,
        go: impl FnOnce(&mut Playhead),
    ) -> Result<(), &'static str> {
        match there {
            Some(there) => return Err(there),
            None if self.is_live() => self.playhead.follow(),
            None => go(&mut self.playhead),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
