//! The loop: it waits for whatever comes first, takes in all that waits, and draws once.

use std::io;
use std::path::Path;
use std::time::Duration;

use ratatui::crossterm::event::{Event, KeyEventKind};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver};
use tokio::task::{JoinError, JoinSet};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::input::Input;
use super::model::{Effect, Message, Model, Settings};
use super::save::save;
use super::terminal::OwnScreen;
use super::update;
use crate::clipboard::{Clipboard, Outcome};
use crate::clock::Clock;
use crate::cluster::{Change, ClusterEvent, Uid, World};
use crate::run::derive;
use crate::state::{Keeper, Kept, Report};

/// The least time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// The clock on the screens moves once in this time, and so does what spins.
const TICK: Duration = Duration::from_secs(1);
/// How long the end of the program waits for what is still being saved. A disk that hangs is not waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the loop is connected to.
pub struct Ports<'a> {
    /// What a source says. When it closes, the screens stay.
    pub events: Receiver<ClusterEvent>,
    /// What comes from the terminal.
    pub input: &'a mut Input,
    /// Where copies go.
    pub clipboard: &'a Clipboard,
    /// What became of them.
    pub outcomes: &'a mut UnboundedReceiver<Outcome>,
    /// Where what is to outlive the program is kept.
    pub keeper: &'a Keeper,
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
    let model = Model::new(settings, screen.size()?, clock.now());
    let mut app = Loop { model, world: World::default(), clock, screen, saving: JoinSet::new() };
    let keeper = ports.keeper;
    // The terminal was there when we entered it, so that an error can only mean that it no longer is.
    let why = app.turn(ports, signals).await.unwrap_or(Leave::TerminalGone);
    app.model.runs.iter().for_each(|run| app.keep(&run.uid, keeper));
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
    Cluster(ClusterEvent),
    SourceClosed,
}

struct Loop<C> {
    model: Model,
    world: World,
    clock: C,
    screen: OwnScreen,
    saving: JoinSet<Result<String, String>>,
}

impl<C: Clock> Loop<C> {
    async fn turn(&mut self, ports: Ports<'_>, mut signals: Signals) -> io::Result<Leave> {
        let Ports { mut events, input, clipboard, outcomes, keeper, reports, unrecorded } = ports;
        let keys = input.events()?;
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut frame = interval(FRAME);
        frame.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut source_speaks = true;
        let mut dirty = true;
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
                _ = frame.tick(), if dirty => Wake::Frame,
                _ = tick.tick() => Wake::Tick,
                event = events.recv(), if source_speaks => event.map_or(Wake::SourceClosed, Wake::Cluster),
            };
            let mut message = match wake {
                Wake::Frame => {
                    self.screen.draw(&self.model)?;
                    dirty = false;
                    continue;
                }
                Wake::SourceClosed => {
                    source_speaks = false;
                    continue;
                }
                Wake::Asked(Asked::Leave(number)) => return Ok(Leave::Signal(number)),
                Wake::Asked(Asked::Suspend) => Some(self.suspend()?),
                Wake::Asked(Asked::Resume) => Some(Message::Resize(self.screen.resume()?)),
                Wake::Terminal(None) => return Ok(Leave::TerminalGone),
                Wake::Terminal(Some(Ok(Event::Resize(..)))) => Some(Message::Resize(self.screen.anew()?)),
                Wake::Terminal(Some(event)) => from_terminal(event?),
                Wake::Copied(outcome) => Some(Message::Copied(outcome)),
                Wake::Kept(report) => Some(self.hear_of_kept(report)),
                Wake::Unrecorded(why) => Some(Message::Unrecorded(why)),
                Wake::Saved(saved) => Some(Message::Saved(saved)),
                Wake::Tick => Some(Message::Tick(self.clock.now())),
                Wake::Cluster(event) => Some(self.take_in(event, &mut events)),
            };
            while let Some(next) = message.take() {
                dirty = true;
                for effect in update(&mut self.model, next) {
                    match effect {
                        Effect::Quit => return Ok(Leave::Quit),
                        Effect::Watch(namespace) => return Ok(Leave::Watch(namespace)),
                        Effect::Suspend => message = Some(self.suspend()?),
                        Effect::Copy(text) => clipboard.copy(text),
                        // A disk can be slow, and keys answer all the same.
                        Effect::Save { name, text } => {
                            self.saving.spawn_blocking(move || save(Path::new("."), &name, &text));
                        }
                        Effect::Write(bytes) => self.screen.write(&bytes)?,
                        Effect::Recall(run) => keeper.recall(run),
                        Effect::Keep(run) => self.keep(&run, keeper),
                    }
                }
            }
        }
    }

    /// Lets the shell have the terminal for a while; what comes back is the size it has afterwards.
    fn suspend(&mut self) -> io::Result<Message> {
        self.screen.suspend()?;
        self.screen.resume().map(Message::Resize)
    }

    /// Takes in an event and all that wait behind it, and derives once.
    fn take_in(&mut self, event: ClusterEvent, events: &mut Receiver<ClusterEvent>) -> Message {
        self.world.apply(event);
        while let Ok(event) = events.try_recv() {
            self.world.apply(event);
        }
        let (runs, feed) = (derive(&self.world), self.world.feed().clone());
        Message::Cluster { runs, feed, now: self.clock.now() }
    }

    /// Takes in what was kept of an instance. It may be one of a namespace that is watched no more.
    fn hear_of_kept(&mut self, report: Report) -> Message {
        let (run, kept) = match report {
            Report::Recalled(run, kept) => (run, kept.map(|kept| *kept)),
            Report::Trouble(why) => return Message::Unkept(why),
        };
        let (journal, memory) = kept.map(|kept| (kept.journal, kept.memory)).unzip();
        let now = self.clock.now();
        if let Some(memory) = memory.filter(|_| self.world.cores().any(|core| core.meta.uid == run)) {
            self.world.apply(ClusterEvent { time: now, change: Change::Remembered(Box::new(memory)) });
        }
        let (runs, feed) = (derive(&self.world), self.world.feed().clone());
        Message::Recalled { run, journal, runs, feed, now }
    }

    /// Keeps what there is of a run.
    fn keep(&self, uid: &Uid, keeper: &Keeper) {
        let run = self.model.runs.iter().find(|run| run.uid == *uid);
        if let (Some(run), Some(journal)) = (run, self.model.journal(uid))
            && let Some(memory) = self.world.memory(uid, &run.jobs())
        {
            keeper.keep(Kept { about: run.full_name().to_string(), journal: journal.clone(), memory });
        }
    }
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
