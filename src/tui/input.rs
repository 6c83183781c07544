//! Keys and sizes, read in a thread of their own.
//!
//! When a terminal goes away, crossterm's reader never returns again (crossterm-rs/crossterm#793). Here it can only hang
//! its own thread: the loop goes on, learns of the end from the signal or from the next frame that can't be written, and
//! the program ends.
//!
//! crossterm is built to wait with `poll` (its feature `use-dev-tty`). The way it does otherwise, a key that comes together
//! with a new size is left lying until the next key.

use std::{io, thread};

use ratatui::crossterm::event::{self, Event};
use tokio::sync::mpsc;

/// What comes from the terminal. There is one for the whole program: two would take keys from each other.
#[derive(Debug, Default)]
pub struct Input {
    events: Option<mpsc::Receiver<io::Result<Event>>>,
}

impl Input {
    /// What comes next; `None` once there was an error. It is read from the first call on, so that nothing is taken that
    /// was meant for others.
    pub(super) fn events(&mut self) -> io::Result<&mut mpsc::Receiver<io::Result<Event>>> {
        let events = match self.events.take() {
            Some(events) => events,
            None => listen()?,
        };
        Ok(self.events.insert(events))
    }
}

fn listen() -> io::Result<mpsc::Receiver<io::Result<Event>>> {
    let (sender, receiver) = mpsc::channel(64);
    thread::Builder::new().name("keys".into()).spawn(move || {
        loop {
            let event = event::read();
            let ends = event.is_err();
            if sender.blocking_send(event).is_err() || ends {
                break;
            }
        }
    })?;
    Ok(receiver)
}
