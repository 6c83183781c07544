//! The loop: it waits for whatever comes first, takes in all that waits, and draws once.

use std::io;
use std::time::Duration;

use ratatui::crossterm::event::{Event, KeyEventKind};
use ratatui::layout::Size;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver};
use tokio::time::{MissedTickBehavior, interval};

use super::model::{Effect, Message, Model, Settings};
use super::terminal::OwnScreen;
use super::{input, update};
use crate::clipboard::{Clipboard, Outcome};
use crate::clock::Clock;
use crate::cluster::{ClusterEvent, World};
use crate::run::derive;

/// The least time between two frames.
const FRAME: Duration = Duration::from_millis(16);
/// The clock on the screens moves once in this time, and so does what spins.
const TICK: Duration = Duration::from_secs(1);

/// What the loop is connected to.
pub struct Ports<'a> {
    /// What a source says. When it closes, the screens stay.
    pub events: Receiver<ClusterEvent>,
    /// Where copies go.
    pub clipboard: &'a Clipboard,
    /// What became of them.
    pub outcomes: UnboundedReceiver<Outcome>,
}

/// Why the loop was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// The user wanted to.
    Quit,
    /// A signal with that number asked for it.
    Signal(i32),
    /// The terminal went away.
    TerminalGone,
}

/// Shows the screens until the user quits, a signal asks for the end, or the terminal goes away. The terminal is
/// restored before it returns, and on a panic.
///
/// # Errors
/// If standard output is no terminal that can be drawn on, or signals can't be listened for.
pub async fn run(settings: Settings, ports: Ports<'_>, clock: impl Clock) -> io::Result<Leave> {
    let signals = Signals::listen()?;
    let mut screen = OwnScreen::enter()?;
    let (width, height) = ratatui::crossterm::terminal::size()?;
    let model = Model::new(settings, Size { width, height }, clock.now());
    let mut app = Loop { model, world: World::default(), clock };
    match app.turn(ports, signals, &mut screen).await {
        Ok(leave) => Ok(leave),
        // The terminal was there when we entered it, so that an error can only mean that it no longer is.
        Err(_) => Ok(Leave::TerminalGone),
    }
}

struct Loop<C> {
    model: Model,
    world: World,
    clock: C,
}

impl<C: Clock> Loop<C> {
    async fn turn(&mut self, ports: Ports<'_>, mut signals: Signals, screen: &mut OwnScreen) -> io::Result<Leave> {
        let Ports { mut events, clipboard, mut outcomes } = ports;
        let mut keys = input::listen()?;
        let mut tick = interval(TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut frame = interval(FRAME);
        frame.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut source_speaks = true;
        let mut dirty = true;
        loop {
            let effects = tokio::select! {
                biased;
                asked = signals.next() => match asked {
                    Asked::Leave(number) => return Ok(Leave::Signal(number)),
                    Asked::Suspend => vec![Effect::Suspend],
                    Asked::Resume => { screen.resume()?; Vec::new() }
                },
                event = keys.recv() => match event {
                    Some(event) => self.input(event?),
                    None => return Ok(Leave::TerminalGone),
                },
                outcome = outcomes.recv(), if !outcomes.is_closed() || !outcomes.is_empty() => match outcome {
                    Some(outcome) => update(&mut self.model, Message::Copied(outcome)),
                    None => Vec::new(),
                },
                event = events.recv(), if source_speaks => match event {
                    Some(event) => self.cluster(event, &mut events),
                    None => { source_speaks = false; continue }
                },
                _ = tick.tick() => update(&mut self.model, Message::Tick(self.clock.now())),
                _ = frame.tick(), if dirty => {
                    screen.draw(&self.model)?;
                    dirty = false;
                    continue
                }
            };
            dirty = true;
            for effect in effects {
                match effect {
                    Effect::Quit => return Ok(Leave::Quit),
                    Effect::Suspend => screen.suspend()?,
                    Effect::Copy(text) => clipboard.copy(text),
                    Effect::Write(bytes) => screen.write(&bytes)?,
                }
            }
        }
    }

    fn input(&mut self, event: Event) -> Vec<Effect> {
        let message = match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => Message::Key(key),
            Event::Resize(width, height) => Message::Resize(Size { width, height }),
            _ => return Vec::new(),
        };
        update(&mut self.model, message)
    }

    /// Takes in an event and all that wait behind it, and derives once.
    fn cluster(&mut self, event: ClusterEvent, events: &mut Receiver<ClusterEvent>) -> Vec<Effect> {
        self.world.apply(event);
        while let Ok(event) = events.try_recv() {
            self.world.apply(event);
        }
        let (runs, feed) = (derive(&self.world), self.world.feed().clone());
        update(&mut self.model, Message::Cluster { runs, feed, now: self.clock.now() })
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
