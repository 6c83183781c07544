//! Copies by the ways there are, and keeps what was copied until the program leaves.

use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::system::{self, Answer, System};
use super::{Way, osc52};
use crate::multiplexer::Wrapping;

/// How long the system clipboard may take before the terminal is asked instead, and to close. Taking a text is a matter
/// of milliseconds; a server that does not answer at all would otherwise never be noticed.
const PATIENCE: Duration = Duration::from_secs(2);

/// What became of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The system clipboard took it.
    Copied,
    /// These bytes are for whoever owns the terminal to write. The terminal gives no answer, so it was sent, not copied.
    SentToTerminal(Vec<u8>),
    /// There is no way to copy here: this text is to be shown alone, to be selected by hand.
    ShowAlone(String),
}

/// Copies texts, and keeps them available. It never blocks: what became of a copy is reported later.
pub struct Clipboard {
    texts: Sender<String>,
    worker: JoinHandle<Option<String>>,
}

impl Clipboard {
    /// A clipboard that copies that way, and tells `report` what became of each copy, in their order, from a thread of
    /// its own.
    pub fn new(way: Way, report: impl Fn(Outcome) + Send + 'static) -> Self {
        Self::with(way, report, system::open(), PATIENCE)
    }

    fn with(way: Way, report: impl Fn(Outcome) + Send + 'static, open: system::Open, patience: Duration) -> Self {
        let (texts, incoming) = mpsc::channel();
        let worker = thread::spawn(move || match way {
            Way::System { otherwise } => copy_each(incoming, System::start(open, patience), otherwise, report),
            Way::Terminal(wrapping) => send_each(incoming, Some(wrapping), report),
            Way::Neither => send_each(incoming, None, report),
        });
        Self { texts, worker }
    }

    /// Copies a text that was cleaned.
    pub fn copy(&self, text: String) {
        // The worker lives for as long as `self`.
        let _ = self.texts.send(text);
    }

    /// Closes the clipboard, and tells what to print on leaving: the text that the system clipboard holds and that ends
    /// with the program, as it does on X11 and Wayland unless a clipboard manager takes it over.
    pub fn leaving(self) -> Option<String> {
        drop(self.texts);
        let outlives_the_program = cfg!(any(windows, target_os = "macos"));
        self.worker.join().ok().flatten().filter(|_| !outlives_the_program)
    }
}

/// Copies each text to the system clipboard, or where it does not take it, sends it through the terminal. Returns what
/// the system clipboard holds of ours at the end.
fn copy_each(
    texts: Receiver<String>,
    system: System,
    otherwise: Option<Wrapping>,
    report: impl Fn(Outcome),
) -> Option<String> {
    let mut held = None;
    while let Ok(text) = texts.recv() {
        match system.set(text.clone()) {
            Answer::Taken => {
                held = Some(text);
                report(Outcome::Copied);
            }
            Answer::Refused => {
                held = None;
                report(through_terminal(text, otherwise));
            }
            // A server that hung once is not waited for again, and not on leaving either.
            Answer::Silent => {
                report(through_terminal(text, otherwise));
                return send_each(texts, otherwise, report);
            }
        }
    }
    system.close();
    held
}

/// Sends each text through the terminal.
fn send_each(texts: Receiver<String>, wrapping: Option<Wrapping>, report: impl Fn(Outcome)) -> Option<String> {
    texts.iter().for_each(|text| report(through_terminal(text, wrapping)));
    None
}

fn through_terminal(text: String, wrapping: Option<Wrapping>) -> Outcome {
    match wrapping.and_then(|wrapping| osc52(&text, wrapping)) {
        Some(bytes) => Outcome::SentToTerminal(bytes),
        None => Outcome::ShowAlone(text),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::super::system::Board;
    use super::*;

    const COMMAND: &str = "kubectl -n gitlab describe job/gitlab-migrations-219667f7";
    const SYSTEM: Way = Way::System { otherwise: Some(Wrapping::Bare) };

    /// A clipboard on `board`, and what it reports.
    fn on(way: Way, open: system::Open, patience: Duration) -> (Clipboard, Receiver<Outcome>) {
        let (sender, outcomes) = mpsc::channel();
        let report = move |outcome| sender.send(outcome).unwrap();
        (Clipboard::with(way, report, open, patience), outcomes)
    }

    fn sent() -> Outcome {
        Outcome::SentToTerminal(osc52(COMMAND, Wrapping::Bare).unwrap())
    }

    /// Takes every text, and tells when it is closed.
    struct Takes(Arc<Mutex<Vec<String>>>);

    impl Board for Takes {
        fn set(&mut self, text: &str) -> Result<(), arboard::Error> {
            self.0.lock().unwrap().push(text.to_owned());
            Ok(())
        }
    }

    impl Drop for Takes {
        fn drop(&mut self) {
            self.0.lock().unwrap().push("closed".into());
        }
    }

    /// Takes the texts of these turns only.
    struct TakesSome(Vec<bool>);

    impl Board for TakesSome {
        fn set(&mut self, _: &str) -> Result<(), arboard::Error> {
            if self.0.remove(0) { Ok(()) } else { Err(arboard::Error::ClipboardOccupied) }
        }
    }

    /// Answers once the other end of its channel is dropped.
    struct Hangs(Receiver<()>);

    impl Board for Hangs {
        fn set(&mut self, _: &str) -> Result<(), arboard::Error> {
            let _ = self.0.recv();
            Ok(())
        }
    }

    #[test]
    fn arboard_39_what_was_copied_is_lost_at_exit() {
        let log = Arc::new(Mutex::new(Vec::new()));
        let inside = Arc::clone(&log);
        let open = Box::new(move || Ok(Box::new(Takes(Arc::clone(&inside))) as Box<dyn Board>));
        let (clipboard, outcomes) = on(SYSTEM, open, Duration::from_secs(60));
        for text in ["first", COMMAND] {
            clipboard.copy(text.into());
            assert_eq!(outcomes.recv().unwrap(), Outcome::Copied);
        }
        assert_eq!(*log.lock().unwrap(), ["first", COMMAND]);

        let printed = clipboard.leaving();
        assert_eq!(*log.lock().unwrap(), ["first", COMMAND, "closed"]);
        assert_eq!(printed.is_some(), cfg!(not(any(windows, target_os = "macos"))));
        assert!(printed.is_none_or(|text| text == COMMAND));
    }

    #[test]
    fn arboard_153_there_is_no_x_server() {
        let open = || Box::new(|| Err(arboard::Error::ClipboardNotSupported)) as system::Open;
        let (clipboard, outcomes) = on(SYSTEM, open(), Duration::from_secs(60));
        clipboard.copy(COMMAND.into());
        assert_eq!(outcomes.recv().unwrap(), sent());
        assert_eq!(clipboard.leaving(), None);

        let (clipboard, outcomes) = on(Way::System { otherwise: None }, open(), Duration::from_secs(60));
        clipboard.copy(COMMAND.into());
        assert_eq!(outcomes.recv().unwrap(), Outcome::ShowAlone(COMMAND.into()));
    }

    #[test]
    fn a_clipboard_that_refused_is_opened_anew_for_the_next_copy() {
        let mut turns = vec![vec![true], vec![true, false]];
        let open = Box::new(move || Ok(Box::new(TakesSome(turns.pop().unwrap())) as Box<dyn Board>));
        let (clipboard, outcomes) = on(SYSTEM, open, Duration::from_secs(60));
        for expected in [Outcome::Copied, sent(), Outcome::Copied] {
            clipboard.copy(COMMAND.into());
            assert_eq!(outcomes.recv().unwrap(), expected);
        }
    }

    #[test]
    fn a_copy_that_went_elsewhere_since_is_not_printed_on_leaving() {
        let mut opened = vec![TakesSome(vec![true, false])];
        let open = Box::new(move || Ok(Box::new(opened.pop().unwrap()) as Box<dyn Board>));
        let (clipboard, outcomes) = on(SYSTEM, open, Duration::from_secs(60));
        for expected in [Outcome::Copied, sent()] {
            clipboard.copy(COMMAND.into());
            assert_eq!(outcomes.recv().unwrap(), expected);
        }
        assert_eq!(clipboard.leaving(), None);
    }

    #[test]
    fn a_clipboard_that_hangs_holds_up_neither_the_copy_nor_the_leaving() {
        let (hold, held) = mpsc::channel();
        let mut boards = vec![Hangs(held)];
        let open = Box::new(move || Ok(Box::new(boards.pop().unwrap()) as Box<dyn Board>));
        let (clipboard, outcomes) = on(SYSTEM, open, Duration::ZERO);
        for _ in 0..2 {
            clipboard.copy(COMMAND.into());
            assert_eq!(outcomes.recv().unwrap(), sent());
        }
        assert_eq!(clipboard.leaving(), None);
        drop(hold);
    }

    #[test]
    fn over_ssh_it_is_sent_to_the_terminal() {
        let open = Box::new(|| panic!("the system clipboard is not touched"));
        let (clipboard, outcomes) = on(Way::Terminal(Wrapping::Bare), open, Duration::ZERO);
        clipboard.copy(COMMAND.into());
        assert_eq!(outcomes.recv().unwrap(), sent());
        assert_eq!(clipboard.leaving(), None);
    }

    #[test]
    fn where_there_is_no_way_the_text_is_shown_alone() {
        let (clipboard, outcomes) = on(Way::Neither, system::open(), Duration::ZERO);
        clipboard.copy(COMMAND.into());
        assert_eq!(outcomes.recv().unwrap(), Outcome::ShowAlone(COMMAND.into()));
    }
}
