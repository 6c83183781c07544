//! Keys and sizes, read in a thread of their own.
//!
//! When a terminal goes away, crossterm's reader never returns again (crossterm-rs/crossterm#793). Here it can only hang
//! its own thread: the loop goes on, learns of the end from the signal or from the next frame that can't be written, and
//! the program ends.

use std::{io, thread};

use ratatui::crossterm::event::{self, Event};
use tokio::sync::mpsc;

/// What comes from the terminal, from now on. It ends with an error, or when the receiver is dropped.
pub fn listen() -> io::Result<mpsc::Receiver<io::Result<Event>>> {
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
