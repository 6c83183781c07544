//! The thread that writes a recording: nobody waits for a disk.
//!
//! What it is handed waits in a bounded queue. All that waits is written at once and flushed, so that a program that is
//! killed leaves a file that can be read. The first fault ends the recording, and nothing else: what was written until then
//! stays. So does a queue that is full, as what is left out would be missed by whoever replays it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use jiff::Timestamp;

use super::encode::Encoder;
use crate::cluster::{Change, ClusterEvent, clean_sentence};
use crate::error::ExpectedError;

/// How many events may wait for the disk.
const WAITING: usize = 4096;
/// How many of them are written at once.
const BATCH: usize = 64;
/// How long the end of the program waits for what is still to be written. A disk that hangs is not waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// A recording that is being written.
pub struct Recorder {
    pen: Pen,
    ended: Receiver<Written>,
    /// The file that was made for it.
    made: Option<PathBuf>,
}

/// Hands events to the recording. It never blocks.
#[derive(Clone)]
pub struct Pen {
    events: SyncSender<Heard>,
    namespace: Option<Arc<str>>,
    fate: Arc<Fate>,
}

/// An event, and of which namespace it was heard; of all where there is none.
struct Heard {
    event: ClusterEvent,
    namespace: Option<Arc<str>>,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// How many changes: objects that a list held, or that came, changed or went, and news of logs.
    pub changes: u64,
    /// The times of the first and the last event, where there was any.
    pub span: Option<(Timestamp, Timestamp)>,
}

/// Why the recording ended before its time, once it did.
struct Fate {
    name: String,
    why: OnceLock<String>,
    tell: Box<dyn Fn(String) + Send + Sync>,
}

impl Fate {
    fn end(&self, why: &str) {
        let why = clean_sentence(&format!("the recording ended: {why}; {} can be replayed up to there", self.name));
        if self.why.set(why.clone()).is_ok() {
            (self.tell)(why);
        }
    }
}

impl Recorder {
    /// Begins a recording in a file that is made for it, packed where its name ends in `.gz`; or on standard output where
    /// the path is `-`. Why it ended before its time is told to `tell`, in a sentence, once and from any thread.
    ///
    /// # Errors
    /// A file that exists, a folder that does not, and what else keeps the file from being made; exit code 2.
    pub fn create(path: &Path, tell: impl Fn(String) + Send + Sync + 'static) -> Result<Self, ExpectedError> {
        if path == Path::new("-") {
            return Ok(Self::new(Out::Plain(io::stdout()), "what was written".into(), None, tell));
        }
        let name = format!("`{}`", path.display());
        let file = File::options().write(true).create_new(true).open(path);
        let file = file.map_err(|error| ExpectedError::usage(clean_sentence(&refused(path, &error))))?;
        let packed = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
        let made = Some(path.to_owned());
        Ok(match packed {
            true => Self::new(Out::Packed(GzEncoder::new(file, Compression::default())), name, made, tell),
            false => Self::new(Out::Plain(file), name, made, tell),
        })
    }

    fn new<W: Write + Send + 'static>(
        out: Out<W>,
        name: String,
        made: Option<PathBuf>,
        tell: impl Fn(String) + Send + Sync + 'static,
    ) -> Self {
        let (events, waiting) = mpsc::sync_channel(WAITING);
        let (end, ended) = mpsc::channel();
        let fate = Arc::new(Fate { name, why: OnceLock::new(), tell: Box::new(tell) });
        let pen = Pen { events, namespace: None, fate: Arc::clone(&fate) };
        thread::spawn(move || {
            let mut written = Written::default();
            if let Err(error) = work(out, &waiting, &fate, &mut written) {
                fate.end(&reason(&error));
            }
            // Nobody waits for it where the program is gone already.
            let _ = end.send(written);
        });
        Self { pen, ended, made }
    }

    /// What hands events to it, heard of all namespaces.
    pub fn pen(&self) -> Pen {
        self.pen.clone()
    }

    /// Why it ended before its time, if it did.
    pub fn ended(&self) -> Option<&str> {
        self.pen.fate.why.get().map(String::as_str)
    }

    /// Ends it: waits until all is written, or for as long as a disk may take. Every other [`Pen`] has to be gone. A file
    /// into which nothing was written goes again.
    ///
    /// # Errors
    /// Why not everything was written, in a sentence.
    pub fn close(self) -> Result<Written, String> {
        let Self { pen: Pen { events, fate, .. }, ended, made } = self;
        drop(events);
        let written = ended.recv_timeout(PATIENCE);
        if written.is_err() {
            fate.end(SLOW);
        }
        let removed = made.as_ref().is_some_and(|path| !path.exists());
        if let (Ok(Written { span: None, .. }), Some(path)) = (&written, made) {
            // A file that stays is no harm.
            let _ = fs::remove_file(path);
        }
        match (written, fate.why.get()) {
            (Ok(Written { span: Some(_), .. }), None) if removed => Err(clean_sentence(&format!(
                "{} was removed while it was written, and what it held is lost",
                fate.name
            ))),
            (Ok(written), None) => Ok(written),
            (_, why) => Err(why.cloned().unwrap_or_default()),
        }
    }
}

/// Why a recording ends that its disk does not keep up with.
const SLOW: &str = "writing takes too long, as where a disk hangs";

impl Pen {
    /// The same, of that namespace: what is listed says nothing of the others. `None` is all.
    #[must_use]
    pub fn of_namespace(self, namespace: Option<&str>) -> Self {
        Self { namespace: namespace.map(Arc::from), ..self }
    }

    /// Hands over an event. One that finds the queue full ends the recording.
    pub fn write(&self, event: &ClusterEvent) {
        if self.fate.why.get().is_some() {
            return;
        }
        match self.events.try_send(Heard { event: event.clone(), namespace: self.namespace.clone() }) {
            // Where the thread is gone, it said why.
            Ok(()) | Err(TrySendError::Disconnected(_)) => {}
            Err(TrySendError::Full(_)) => self.fate.end(SLOW),
        }
    }
}

/// Where the lines go.
enum Out<W: Write> {
    Plain(W),
    Packed(GzEncoder<W>),
}

impl<W: Write> Out<W> {
    /// Writes lines such that they can be read even if nothing comes after them.
    fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.write_all(lines).and_then(|()| out.flush()),
            Self::Packed(out) => out.write_all(lines).and_then(|()| out.flush()),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(mut out) => out.flush(),
            Self::Packed(out) => out.finish()?.flush(),
        }
    }
}

/// Writes all that comes, until nothing more does. What waited when the recording ended is still written: it is what came
/// before.
fn work<W: Write>(mut out: Out<W>, events: &Receiver<Heard>, fate: &Fate, written: &mut Written) -> io::Result<()> {
    let (mut encoder, mut lines) = (Encoder::default(), Vec::new());
    loop {
        let next = if fate.why.get().is_some() { events.try_recv().ok() } else { events.recv().ok() };
        let Some(first) = next else { return out.finish() };
        lines.clear();
        let mut after = *written;
        for Heard { event, namespace } in std::iter::once(first).chain(events.try_iter().take(BATCH)) {
            encoder.encode(&event, namespace.as_deref(), &mut lines)?;
            after.note(&event);
        }
        out.write(&lines)?;
        *written = after;
    }
}

impl Written {
    fn note(&mut self, event: &ClusterEvent) {
        self.changes += match &event.change {
            Change::Selected(_)
            | Change::Alive(_)
            | Change::Watch { .. }
            | Change::Clock { .. }
            | Change::Remembered(_) => 0,
            Change::Replaced { objects, .. } => objects.len() as u64,
            Change::Applied(_) | Change::Deleted(_) | Change::Log(_) => 1,
        };
        self.span = Some(match self.span {
            Some((first, last)) => (first.min(event.time), last.max(event.time)),
            None => (event.time, event.time),
        });
    }
}

/// Why a file can't be made.
fn refused(path: &Path, error: &io::Error) -> String {
    let name = path.display();
    match error.kind() {
        _ if path.is_dir() => format!("`{name}` is a directory; name a file in it"),
        io::ErrorKind::AlreadyExists => format!("`{name}` exists already; give the recording a name of its own"),
        io::ErrorKind::NotFound => {
            let folder = path.parent().unwrap_or(path).display();
            format!("there is no folder `{folder}` to record into; make it first")
        }
        io::ErrorKind::PermissionDenied => format!("`{name}` may not be written; check the permissions of its folder"),
        _ => format!("`{name}` cannot be made ({}); give another name", reason(error)),
    }
}

/// An error in words, without the number that the system gives it.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "no space left on the device".into(),
        io::ErrorKind::BrokenPipe => "nobody reads it any more".into(),
        _ => error.to_string().split(" (os error ").next().unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests;
