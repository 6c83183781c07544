//! The system clipboard, on a thread of its own: an X server can hang, and whoever copies must not hang with it.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Something that texts can be copied to.
pub(super) trait Board {
    /// Puts `text` there, and keeps it there for as long as `self` lives.
    ///
    /// # Errors
    /// The text was not taken.
    fn set(&mut self, text: &str) -> Result<(), arboard::Error>;
}

impl Board for arboard::Clipboard {
    fn set(&mut self, text: &str) -> Result<(), arboard::Error> {
        self.set_text(text)
    }
}

/// Opens a [`Board`]; called on the thread that keeps it.
pub(super) type Open = Box<dyn FnMut() -> Result<Box<dyn Board>, arboard::Error> + Send>;

/// Opens the system clipboard of this desktop.
pub(super) fn open() -> Open {
    Box::new(|| arboard::Clipboard::new().map(|clipboard| Box::new(clipboard) as Box<dyn Board>))
}

/// What the system clipboard says to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It took it.
    Taken,
    /// It did not take it, or there is none.
    Refused,
    /// It has not answered for as long as one cared to wait. It may still take the text, or hang for good.
    Silent,
}

/// The thread that keeps the system clipboard open: on X11 and Wayland what was copied is served by whoever copied it,
/// so it is there only for as long as this is.
pub(super) struct System {
    texts: Sender<String>,
    answers: Receiver<Answer>,
    patience: Duration,
}

impl System {
    /// Starts the thread. Nothing is opened before the first copy. Each answer is waited for at most as long as
    /// `patience`.
    pub(super) fn start(mut open: Open, patience: Duration) -> Self {
        let (texts, incoming) = mpsc::channel::<String>();
        let (outgoing, answers) = mpsc::channel();
        thread::spawn(move || {
            let mut board: Option<Box<dyn Board>> = None;
            for text in incoming {
                let opened = board.take().map_or_else(&mut open, Ok);
                // One that refused is opened anew next time: the server may have restarted.
                board = opened.and_then(|mut board| board.set(&text).map(|()| board)).ok();
                let answer = if board.is_some() { Answer::Taken } else { Answer::Refused };
                if outgoing.send(answer).is_err() {
                    break;
                }
            }
            // Closed before `outgoing` is, whose end `close` waits for.
            drop(board);
        });
        Self { texts, answers, patience }
    }

    /// Asks for `text` to be copied. After [`Answer::Silent`] there is no use in asking again.
    pub(super) fn set(&self, text: String) -> Answer {
        if self.texts.send(text).is_err() {
            return Answer::Refused;
        }
        match self.answers.recv_timeout(self.patience) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Answer::Silent,
            Err(RecvTimeoutError::Disconnected) => Answer::Refused,
        }
    }

    /// Closes the clipboard, and waits for that: closing hands what was copied to the clipboard manager of the desktop,
    /// where there is one.
    pub(super) fn close(self) {
        drop(self.texts);
        let _ = self.answers.recv_timeout(self.patience);
    }
}
