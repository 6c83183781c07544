//! The program in a pseudo terminal, its screen read back.
//!
//! Nothing here waits for a time to pass: it reads until the screen is as it should be, and fails with the screen if that
//! does not come to be within a generous bound.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::num::NonZeroU16;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use tempfile::TempDir;
use vt100::{Callbacks, Parser, Screen};

/// How long anything may take before the test gives up: far more than it ever does, also on a busy machine.
const BOUND: Duration = Duration::from_secs(60);

/// A terminal with the program in it.
pub struct Terminal {
    parser: Parser<Heard>,
    chunks: Receiver<Vec<u8>>,
    reader: JoinHandle<()>,
    hang_up: Arc<AtomicBool>,
    writer: Box<dyn Write + Send>,
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    _state: TempDir,
}

/// What a terminal is asked for besides drawing.
#[derive(Default)]
pub struct Heard {
    /// Texts for the clipboard, still encoded.
    pub copies: Vec<Vec<u8>>,
    /// How often the bell rang.
    pub bells: usize,
    /// Other requests of the operating system kind (OSC), part by part.
    pub requests: Vec<String>,
    /// Whether it is to tell when it has the focus.
    pub tells_focus: bool,
}

impl Callbacks for Heard {
    fn copy_to_clipboard(&mut self, _: &mut Screen, _: &[u8], data: &[u8]) {
        self.copies.push(data.to_owned());
    }

    fn audible_bell(&mut self, _: &mut Screen) {
        self.bells += 1;
    }

    fn unhandled_osc(&mut self, _: &mut Screen, parts: &[&[u8]]) {
        let parts: Vec<_> = parts.iter().map(|part| String::from_utf8_lossy(part)).collect();
        self.requests.push(parts.join(";"));
    }

    fn unhandled_csi(&mut self, _: &mut Screen, first: Option<u8>, _: Option<u8>, params: &[&[u16]], letter: char) {
        if (first, params) == (Some(b'?'), [[1004].as_slice()].as_slice()) {
            self.tells_focus = letter == 'h';
        }
    }
}

/// What runs in the terminal: the program, or a shell that runs it.
pub struct Setup {
    command: CommandBuilder,
    state: TempDir,
    size: (u16, u16),
}

impl Setup {
    /// The program with those arguments.
    pub fn program(arguments: &[&str]) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_gatewatch"));
        command.args(arguments);
        Self::of(command)
    }

    /// This very test program with those arguments, for what no input makes the real one do.
    pub fn of_test(arguments: &[&str]) -> Self {
        let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
        command.args(arguments);
        Self::of(command)
    }

    /// A POSIX shell that runs `script`, where `$0` is the program and `$1` the argument.
    pub fn shell(options: &[&str], script: &str, argument: &str) -> Self {
        let mut command = CommandBuilder::new("sh");
        command.args(options);
        command.args(["-c", script, env!("CARGO_BIN_EXE_gatewatch"), argument]);
        Self::of(command)
    }

    /// Nothing of the machine the test runs on reaches the program: no cluster, no desktop, no multiplexer.
    fn of(mut command: CommandBuilder) -> Self {
        let path = std::env::var("PATH").unwrap_or_default();
        command.env_clear();
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        let home = Path::new(env!("CARGO_TARGET_TMPDIR"));
        for (name, value) in [("PATH", path.as_str()), ("TERM", "xterm-256color"), ("LANG", "C.UTF-8"), ("TZ", "UTC")] {
            command.env(name, value);
        }
        command.env("HOME", home);
        // What is kept from one run to the next is each test's own.
        let state = TempDir::new_in(home).unwrap();
        command.env("XDG_STATE_HOME", state.path());
        Self { command, state, size: (100, 30) }
    }

    /// Sets a variable of the environment.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Starts it in that folder.
    pub fn folder(mut self, folder: &Path) -> Self {
        self.command.cwd(folder);
        self
    }

    /// Has the terminal so many columns and rows, instead of 100×30.
    pub fn size(mut self, columns: u16, rows: u16) -> Self {
        self.size = (columns, rows);
        self
    }

    /// Starts it in a terminal.
    pub fn start(self) -> Terminal {
        let (columns, rows) = self.size;
        let pair = native_pty_system().openpty(pty_size(columns, rows)).unwrap();
        let child = pair.slave.spawn_command(self.command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let hang_up = Arc::new(AtomicBool::new(false));
        let (sender, chunks) = mpsc::channel();
        let hung_up = Arc::clone(&hang_up);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 16 * 1024];
            while !hung_up.load(Ordering::SeqCst) {
                match reader.read(&mut buffer) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => break,
                    Ok(read) => drop(sender.send(buffer[..read].to_vec())),
                }
            }
        });
        Terminal {
            parser: Parser::new_with_callbacks(cells(rows), cells(columns), 0, Heard::default()),
            chunks,
            reader,
            hang_up,
            writer: pair.master.take_writer().unwrap(),
            master: pair.master,
            child,
            _state: self.state,
        }
    }
}

impl Terminal {
    /// Reads until the screen is as `is` says.
    #[track_caller]
    pub fn until(&mut self, what: &str, is: impl Fn(&Screen) -> bool) {
        self.until_so(what, |terminal| is(terminal.parser.screen()));
    }

    /// Reads until the terminal was asked for what `is` says.
    #[track_caller]
    pub fn until_heard(&mut self, what: &str, is: impl Fn(&Heard) -> bool) {
        self.until_so(what, |terminal| is(terminal.heard()));
    }

    #[track_caller]
    fn until_so(&mut self, what: &str, is: impl Fn(&Self) -> bool) {
        let begun = Instant::now();
        while !is(self) {
            match self.chunks.recv_timeout(BOUND.saturating_sub(begun.elapsed())) {
                Ok(chunk) => self.parser.process(&chunk),
                Err(RecvTimeoutError::Timeout) => panic!("never on the screen: {what}\n{}", self.picture()),
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the program ended before this was on the screen: {what}\n{}", self.picture())
                }
            }
        }
    }

    /// Reads until `text` is on the screen.
    #[track_caller]
    pub fn until_shows(&mut self, text: &str) {
        self.until(text, |screen| screen.contents().contains(text));
    }

    /// The screen.
    pub fn screen(&self) -> &Screen {
        self.parser.screen()
    }

    /// What is on the screen.
    pub fn text(&self) -> String {
        self.parser.screen().contents()
    }

    /// What the terminal was asked for besides drawing.
    pub fn heard(&self) -> &Heard {
        self.parser.callbacks()
    }

    /// Types.
    pub fn type_keys(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Gives the terminal another size, in columns and rows.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.parser.set_size(cells(rows), cells(columns));
        self.master.resize(pty_size(columns, rows)).unwrap();
    }

    /// Sends a signal to the foreground process group: the program, also where a shell runs it.
    pub fn signal(&self, name: &str) {
        let group = self.master.process_group_leader().unwrap();
        let sent = Command::new("sh").args(["-c", &format!("kill -{name} -{group}")]).status().unwrap();
        assert!(sent.success(), "the signal {name} was not sent");
    }

    /// Waits for the end, and takes in all that was written up to it.
    #[track_caller]
    pub fn end(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            match self.chunks.recv_timeout(BOUND.saturating_sub(begun.elapsed())) {
                Ok(chunk) => self.parser.process(&chunk),
                Err(RecvTimeoutError::Timeout) => panic!("it does not end\n{}", self.picture()),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let session = self.child.process_id().unwrap();
        let status = self.child.wait().unwrap();
        assert_nobody_left(session);
        status
    }

    /// Closes the terminal under the program, and waits for its end.
    #[track_caller]
    pub fn close(self) -> ExitStatus {
        let Self { chunks, reader, hang_up, writer, master, mut child, .. } = self;
        hang_up.store(true, Ordering::SeqCst);
        // Another size makes the program draw, which wakes the reader, which then lets go of the terminal too.
        master.resize(pty_size(90, 25)).unwrap();
        reader.join().unwrap();
        drop((chunks, writer, master));
        let (sender, ended) = mpsc::channel();
        let mut killer = child.clone_killer();
        let session = child.process_id().unwrap();
        thread::spawn(move || drop(sender.send(child.wait().unwrap())));
        let status = ended.recv_timeout(BOUND).unwrap_or_else(|_| {
            killer.kill().unwrap();
            panic!("it goes on without a terminal")
        });
        assert_nobody_left(session);
        status
    }

    /// Fails unless the terminal is as it was before the program: for the shell that comes back.
    #[track_caller]
    pub fn assert_restored(&self) {
        let screen = self.parser.screen();
        let picture = self.picture();
        assert!(!screen.alternate_screen(), "the alternate screen was not left\n{picture}");
        assert!(!screen.hide_cursor(), "the cursor stays hidden\n{picture}");
        assert!(!self.heard().tells_focus, "the focus is still told\n{picture}");
        assert!(!screen.bracketed_paste(), "bracketed paste stays on\n{picture}");
        assert!(!screen.application_keypad() && !screen.application_cursor(), "the keys stay changed\n{picture}");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None, "the mouse stays taken\n{picture}");
        assert_eq!(screen.fgcolor(), vt100::Color::Default, "a colour stays on\n{picture}");
        assert!(self.cooked(), "the terminal stays in raw mode\n{picture}");
    }

    /// Whether the terminal is out of raw mode: lines are edited, typing is echoed, Ctrl-C is a signal.
    pub fn cooked(&self) -> bool {
        let flags = format!("{:?}", self.master.get_termios().unwrap().local_flags);
        ["ICANON", "ECHO", "ISIG"].iter().all(|flag| flags.contains(flag))
    }

    fn picture(&self) -> String {
        let screen = self.parser.screen();
        format!("{:?}, alternate screen: {}\n{}", screen.size(), screen.alternate_screen(), screen.contents())
    }
}

/// Fails if a process of the session goes on after its leader ended: what runs in a terminal is a session of its own. Those
/// that were told to end with it are given the time to do so.
#[track_caller]
fn assert_nobody_left(session: u32) {
    let begun = Instant::now();
    loop {
        let left = processes_of(session);
        if left.is_empty() {
            return;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "left behind: {left:?}");
        thread::yield_now();
    }
}

/// The processes of a session, zombies included: pid, name and state. Where there is no `/proc`, nobody can tell.
fn processes_of(session: u32) -> Vec<String> {
    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let stats = processes.flatten().filter_map(|process| fs::read_to_string(process.path().join("stat")).ok());
    let of_session = |stat: &String| {
        // The name stands in parentheses and may hold anything; behind it come state, parent, group and session.
        let behind = stat.rsplit_once(')')?.1;
        Some(behind.split_ascii_whitespace().nth(3)? == session.to_string())
    };
    stats.filter(|stat| of_session(stat) == Some(true)).map(|stat| stat.chars().take(40).collect()).collect()
}

fn pty_size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn cells(count: u16) -> NonZeroU16 {
    NonZeroU16::new(count).unwrap()
}
