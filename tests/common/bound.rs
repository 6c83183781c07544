//! An end to what would be waited for without one.

use std::process::Child;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// How long a program may run: far more than any does.
const LONGEST: Duration = Duration::from_secs(120);

/// Kills a program that runs too long, so that whoever reads what it says fails, and does not wait for ever.
pub struct Bound {
    /// Gone with this, which tells that the program is waited for no more.
    _waited_for: Sender<()>,
}

impl Bound {
    pub fn of(child: &Child) -> Self {
        let (waited_for, over) = channel();
        let pid = Pid::from_child(child);
        thread::spawn(move || {
            if over.recv_timeout(LONGEST) == Err(RecvTimeoutError::Timeout) {
                let _ = kill_process(pid, Signal::KILL);
            }
        });
        Self { _waited_for: waited_for }
    }
}
