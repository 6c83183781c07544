//! The loop: it waits for whatever comes first, takes in all that waits, and draws once.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::time::Duration;

use ratatui::crossterm::event::{Event, KeyEventKind};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver};
use tokio::task::{JoinError, JoinSet, yield_now};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, sleep_until, timeout};

use super::cadence::Cadence;
use super::input::Input;
use super::model::{Effect, Message, Model, Settings};
use super::save::save;
use super::terminal::OwnScreen;
use super::unkept::Unkept;
use super::update;
use crate::clipboard::{Clipboard, Outcome};
use crate::clock::Clock;
use crate::cluster::{ClusterEvent, Uid};
use crate::state::{Keeper, Kept, Report};
use crate::tape::{Deck, Moment, Step, Wait};

/// The clock on the screens moves once in this time, and so does what spins.
const TICK: Duration = Duration::from_secs(1);
/// How long the end of the program waits for what is still being saved. A disk that hangs is not waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the loop is connected to.
pub struct Ports<'a> {
    /// The tape that is played: of a live feed an empty one, of a recording all of it.
    pub deck: Deck,
    /// What a live feed says. When it closes, the screens stay.
    pub events: Receiver<ClusterEvent>,
    /// What comes from the terminal.
    pub input: &'a mut Input,
    /// Where copies go.
    pub clipboard: &'a Clipboard,
    /// What became of them.
    pub outcomes: &'a mut UnboundedReceiver<Outcome>,
    /// Where what is to outlive the program is kept; `None` for what happened once already.
    pub keeper: Option<&'a Keeper>,
    /// What it has to say.
    pub reports: &'a mut UnboundedReceiver<Report>,
    /// Why a recording ended before its time, in words.
    pub unrecorded: &'a mut UnboundedReceiver<String>,
}

/// Why the loop was left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leave {
    /// The user wanted to.
    Quit,
    /// The user wants to watch another namespace; `None` for all.
    Watch(Option<String>),
    /// A signal with that number asked for it.
    Signal(i32),
    /// The terminal went away.
    TerminalGone,
}

/// What there is to say once the screens are left.
#[derive(Debug)]
pub struct Left {
    /// Why they were.
    pub why: Leave,
    /// What became of the texts that were still being saved: where each is, or in words why not.
    pub saved: Vec<Result<String, String>>,
}

/// Shows the screens until the user quits, a signal asks for the end, or the terminal goes away. The terminal is
/// restored before it returns, and on a panic. What was to be saved is, by then.
///
/// # Errors
/// If standard output is no terminal that can be drawn on, or signals can't be listened for.
pub async fn run(settings: Settings, ports: Ports<'_>, clock: impl Clock) -> io::Result<Left> {
    let signals = Signals::listen()?;
    let screen = OwnScreen::enter()?;
    let Ports { deck, events, input, clipboard, outcomes, keeper, reports, unrecorded } = ports;
    let model = Model::new(settings, screen.size()?, deck.frontier_time(clock.now()));
    let mut app = Loop { model, deck, keeper, unkept: Unkept::default(), clock, screen, saving: JoinSet::new() };
    let heard = Heard { events, input, clipboard, outcomes, reports, unrecorded };
    // The terminal was there when we entered it, so that an error can only mean that it no longer is.
    let why = app.turn(heard, signals).await.unwrap_or(Leave::TerminalGone);
    app.model.frontier.runs.iter().for_each(|run| app.keep(&run.uid));
    let Loop { saving, screen, .. } = app;
    drop(screen);
    Ok(Left { why, saved: finish(saving).await })
}

/// Waits for what is still being saved, for as long as a disk may take.
async fn finish(mut saving: JoinSet<Result<String, String>>) -> Vec<Result<String, String>> {
    let mut saved = Vec::new();
    let all = async {
        while let Some(one) = saving.join_next().await {
            saved.push(of_task(one));
        }
    };
    if timeout(PATIENCE, all).await.is_err() {
        saved.push(Err("what is being saved takes too long, and is not whole".into()));
        saving.detach_all();
    }
    saved
}

/// What became of a text that was to be saved.
fn of_task(saved: Result<Result<String, String>, JoinError>) -> Result<String, String> {
    saved.unwrap_or_else(|error| Err(error.to_string()))
}

/// What the loop waits for.
enum Wake {
    Asked(Asked),
    Terminal(Option<io::Result<Event>>),
    Copied(Outcome),
    Kept(Report),
    Unrecorded(String),
    Saved(Result<String, String>),
    Frame,
    Tick,
    Due,
    Cluster(ClusterEvent),
    SourceClosed,
}

/// What the loop listens to besides signals and the time.
struct Heard<'a> {
    events: Receiver<ClusterEvent>,
    input: &'a mut Input,
    clipboard: &'a Clipboard,
    outcomes: &'a mut UnboundedReceiver<Outcome>,
    reports: &'a mut UnboundedReceiver<Report>,
    unrecorded: &'a mut UnboundedReceiver<String>,
}

struct Loop<'a, C> {
    model: Model,
    deck: Deck,
    keeper: Option<&'a Keeper>,
    unkept: Unkept,
    clock: C,
    screen: OwnScreen,
    saving: JoinSet<Result<String, String>>,
}

impl<C: Clock> Loop<'_, C> {
    async fn turn(&mut self, heard: Heard<'_>, mut signals: Signals) -> io::Result<Leave> {
        let Heard { mut events, input, clipboard, outcomes, reports, unrecorded } = heard;
        let keys = input.events()?;
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut cadence = Cadence::new(Instant::now());
        let mut source_speaks = true;
        loop {
            // What a person does comes first, and what a source says last: however much that is, keys answer.
            let wake = tokio::select! {
                biased;
                asked = signals.next() => Wake::Asked(asked),
                event = keys.recv() => Wake::Terminal(event),
                Some(outcome) = outcomes.recv() => Wake::Copied(outcome),
                Some(report) = reports.recv() => Wake::Kept(report),
                Some(why) = unrecorded.recv() => Wake::Unrecorded(why),
                Some(saved) = self.saving.join_next() => Wake::Saved(of_task(saved)),
                () = frame(cadence.due()) => Wake::Frame,
                _ = tick.tick() => Wake::Tick,
                () = due(self.deck.wait(self.clock.now()), &self.clock) => Wake::Due,
                event = events.recv(), if source_speaks => event.map_or(Wake::SourceClosed, Wake::Cluster),
            };
            let by_a_person = matches!(wake, Wake::Terminal(_) | Wake::Asked(_));
            let mut messages: VecDeque<Message> = match wake {
                Wake::Frame => {
                    self.screen.draw(&self.model)?;
                    cadence.drew(Instant::now());
                    continue;
                }
                Wake::SourceClosed => {
                    source_speaks = false;
                    continue;
                }
                Wake::Asked(Asked::Leave(number)) => return Ok(Leave::Signal(number)),
                Wake::Asked(Asked::Suspend) => [self.suspend()?].into(),
                Wake::Asked(Asked::Resume) => [Message::Resize(self.screen.resume()?)].into(),
                Wake::Terminal(None) => return Ok(Leave::TerminalGone),
                Wake::Terminal(Some(Ok(Event::Resize(..)))) => [Message::Resize(self.screen.anew()?)].into(),
                Wake::Terminal(Some(event)) => from_terminal(event?).into_iter().collect(),
                Wake::Copied(outcome) => [Message::Copied(outcome)].into(),
                Wake::Kept(report) => self.hear_of_kept(report).into(),
                Wake::Unrecorded(why) => [Message::Unrecorded(why)].into(),
                Wake::Saved(saved) => [Message::Saved(saved)].into(),
                Wake::Tick => self.tick().into(),
                Wake::Due => told(self.deck.advance(self.clock.now())).collect(),
                Wake::Cluster(event) => {
                    let waiting = std::iter::from_fn(|| events.try_recv().ok());
                    told(self.deck.hear(std::iter::once(event).chain(waiting), self.clock.now())).collect()
                }
            };
            while let Some(next) = messages.pop_front() {
                cadence.change(Instant::now(), by_a_person);
                for effect in update(&mut self.model, next) {
                    match effect {
                        Effect::Quit => return Ok(Leave::Quit),
                        Effect::Watch(namespace) => return Ok(Leave::Watch(namespace)),
                        Effect::Suspend => messages.push_back(self.suspend()?),
                        Effect::Copy(text) => clipboard.copy(text),
                        // A disk can be slow, and keys answer all the same.
                        Effect::Save { name, text } => {
                            self.saving.spawn_blocking(move || save(Path::new("."), &name, &text));
                        }
                        Effect::Write(bytes) => self.screen.write(&bytes)?,
                        Effect::Recall(run) => match self.keeper {
                            Some(keeper) => keeper.recall(run),
                            // Of what happened once nothing is kept, and that is known at once.
                            None => messages.extend(self.recalled(run, None)),
                        },
                        Effect::Keep(run) => {
                            if self.unkept.change(&run) {
                                self.keep(&run);
                            }
                        }
                        Effect::Travel(travel) => messages.extend(told(self.deck.travel(travel, self.clock.now()))),
                    }
                }
            }
        }
    }

    /// Lets the shell have the terminal for a while, in which nothing plays; what comes back is the size it has afterwards.
    fn suspend(&mut self) -> io::Result<Message> {
        let since = self.clock.now();
        self.screen.suspend()?;
        self.deck.hold(since, self.clock.now());
        self.screen.resume().map(Message::Resize)
    }

    /// A second passed, and on the tape as many as it plays.
    fn tick(&mut self) -> Vec<Message> {
        self.unkept.tick().iter().for_each(|run| self.keep(run));
        let now = self.clock.now();
        let shown = self.model.gauge().is_some().then(|| Message::Shown(self.deck.show(now)));
        [Message::Tick(self.deck.frontier_time(now))].into_iter().chain(shown).collect()
    }

    fn hear_of_kept(&mut self, report: Report) -> Vec<Message> {
        match report {
            Report::Recalled(run, kept) => self.recalled(run, kept.map(|kept| *kept)),
            Report::Trouble(why) => vec![Message::Unkept(why)],
        }
    }

    /// Takes in what was kept of an instance. It may be one of a namespace that is watched no more.
    fn recalled(&mut self, run: Uid, kept: Option<Kept>) -> Vec<Message> {
        let (journal, memory) = kept.map(|kept| (kept.journal, kept.memory)).unzip();
        let mut step = self.deck.recall(&run, memory, self.clock.now());
        let frontier = step.frontier.take().map(|Moment { runs, feed, time }| {
            let (run, journal) = (run, journal);
            Message::Recalled { run, journal, runs, feed, now: time }
        });
        frontier.into_iter().chain(told(step)).collect()
    }

    /// Keeps what there is of a run.
    fn keep(&self, uid: &Uid) {
        let run = self.model.frontier.runs.iter().find(|run| run.uid == *uid);
        if let (Some(keeper), Some(run), Some(journal)) = (self.keeper, run, self.model.journal(uid))
            && let Some(memory) = self.deck.world().memory(uid, &run.jobs())
        {
            keeper.keep(Kept { about: run.full_name().to_string(), journal: journal.clone(), memory });
        }
    }
}

/// Waits until a frame is due. One that is, comes before anything else gets a turn.
async fn frame(due: Option<Instant>) {
    match due {
        Some(due) if due <= Instant::now() => {}
        Some(due) => sleep_until(due).await,
        None => std::future::pending().await,
    }
}

/// Waits for what is due on the tape. Work that is left is due at once, and yet after all else that waits.
async fn due(wait: Wait, clock: &impl Clock) {
    match wait {
        Wait::Work => yield_now().await,
        Wait::For(time) => sleep(clock.takes(time)).await,
        Wait::Never => std::future::pending().await,
    }
}

/// What came of something on the tape, as messages.
pub(super) fn told(Step { frontier, shown, refused }: Step) -> impl Iterator<Item = Message> {
    let frontier = frontier.map(|Moment { runs, feed, time }| Message::Cluster { runs, feed, now: time });
    frontier.into_iter().chain(shown.map(Message::Shown)).chain(refused.map(Message::Refused))
}

/// What an event of the terminal says to the model, if anything. A new size is the screen's first.
fn from_terminal(event: Event) -> Option<Message> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => Some(Message::Key(key)),
        Event::FocusGained => Some(Message::Attended(true)),
        Event::FocusLost => Some(Message::Attended(false)),
        _ => None,
    }
}

/// What a signal asks for.
enum Asked {
    Leave(i32),
    Suspend,
    Resume,
}

struct Signals {
    interrupt: Signal,
    terminate: Signal,
    hangup: Signal,
    stop: Signal,
    go_on: Signal,
}

impl Signals {
    fn listen() -> io::Result<Self> {
        let raw = |number: rustix::process::Signal| signal(SignalKind::from_raw(number.as_raw()));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            stop: raw(rustix::process::Signal::TSTP)?,
            go_on: raw(rustix::process::Signal::CONT)?,
        })
    }

    async fn next(&mut self) -> Asked {
        tokio::select! {
            biased;
            _ = self.hangup.recv() => Asked::Leave(SignalKind::hangup().as_raw_value()),
            _ = self.terminate.recv() => Asked::Leave(SignalKind::terminate().as_raw_value()),
            _ = self.interrupt.recv() => Asked::Leave(SignalKind::interrupt().as_raw_value()),
            _ = self.stop.recv() => Asked::Suspend,
            _ = self.go_on.recv() => Asked::Resume,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_being_saved_is_waited_for_but_not_for_ever() {
        let mut saving = JoinSet::new();
        saving.spawn_blocking(|| Ok("./a".to_owned()));
        assert_eq!(finish(saving).await, [Ok("./a".into())]);
        let mut saving = JoinSet::new();
        saving.spawn(std::future::pending());
        assert!(matches!(finish(saving).await.as_slice(), [Err(_)]));
    }
}
