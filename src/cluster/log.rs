//! The logs of containers, kept after their pods are gone: the Job controller deletes a pod when it gives up, and the log
//! with it, and that is when somebody asks for the reason.
//!
//! Bounds: of the newest run of a container the last [`FOLLOWED`] lines are kept, and at most 2 MiB; of every earlier one
//! the last [`KEPT`], and at most 64 KiB; a line is cut at 4 KiB. Of a pod at most 100 logs are kept, and of all together
//! 64 MiB: beyond, the logs of the oldest pods go first. A pod's logs are forgotten with the pod.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Excerpt, ExcerptKind, LogLine, Uid};

/// The most lines kept of a run that has a successor.
pub const KEPT: usize = 200;
/// The most lines kept of the newest run of a container.
pub const FOLLOWED: usize = 5_000;
/// The most bytes of a run that has a successor.
const KEPT_BYTES: usize = 64 * 1024;
/// The most bytes of the newest run.
pub(super) const FOLLOWED_BYTES: usize = 2 * 1024 * 1024;
/// The most bytes of all logs together, but for the pod whose log is opened last.
pub(super) const ALL_BYTES: usize = 64 * 1024 * 1024;

/// A run of a container: the container, and the runtime's id of the run. It stays the same from the run's start until
/// after its end, and no other run has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RunId {
    /// The container.
    pub container: String,
    /// The runtime's id, as `containerd://…`.
    pub id: String,
}

/// What was read of the log of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogChange {
    /// The pod.
    pub pod: Uid,
    /// The run.
    pub run: RunId,
    /// What was read.
    pub news: LogNews,
}

/// What is new of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogNews {
    /// The log is read from its beginning, in that way. What was read of it before comes again.
    Opened(Via),
    /// More of it.
    Lines(Vec<LogLine>),
    /// What was read of it from that time on is another run's.
    TakenBack(Timestamp),
    /// Nothing more comes of it.
    Closed(LogEnd),
}

/// In which way a log is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Via {
    /// Followed while the run runs.
    Followed,
    /// Read after the run had ended, as `kubectl logs` does.
    Afterwards,
    /// Read after its successor had begun, as `kubectl logs --previous` does.
    Previous,
}

/// How the reading of a log ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogEnd {
    /// It was read to the end of the run.
    Complete,
    /// The server does not let us read logs, in its words.
    Forbidden(String),
    /// The kubelet had it no more: it keeps the log of the current run and of one before it.
    Gone,
    /// The reading broke off, or failed, for another reason.
    Broken(String),
}

impl fmt::Display for LogEnd {
    /// Why, in words.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complete => out.write_str("it was read to its end"),
            Self::Forbidden(message) => write!(out, "the server does not let us: {message}"),
            Self::Gone => out.write_str("the kubelet has it no more"),
            Self::Broken(message) => out.write_str(message),
        }
    }
}

/// The log of one run, as far as it was read. Two are equal that tell the same: how much is kept of what is yet to come,
/// and what was looked for beforehand, are not told.
#[derive(Clone, Debug, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct Log {
    lines: VecDeque<Arc<LogLine>>,
    #[serde(skip)]
    pub(super) bytes: usize,
    dropped: u64,
    via: Via,
    end: Option<LogEnd>,
    /// What it tells of a failure: looked for when its reading ends, and before lines of it go for a successor.
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<Box<Excerpt>>,
    /// Whether the run has a successor, so that less of it is kept.
    #[serde(skip)]
    pub(super) earlier: bool,
    /// In which way it is read anew; what was read before stays until something came of that.
    #[serde(skip)]
    pub(super) anew: Option<Via>,
}

impl PartialEq for Log {
    fn eq(&self, other: &Self) -> bool {
        let excerpts = || self.end.is_none() || self.excerpt == other.excerpt;
        let told = (self.dropped, self.via, &self.end) == (other.dropped, other.via, &other.end);
        told && self.lines == other.lines && excerpts()
    }
}

/// A log as it was written to a file, where anybody can have changed it: what it takes is added up anew.
#[derive(Deserialize)]
struct Written {
    lines: Vec<LogLine>,
    dropped: u64,
    via: Via,
    end: Option<LogEnd>,
    excerpt: Option<Excerpt>,
}

impl From<Written> for Log {
    fn from(Written { lines, dropped, via, end, excerpt }: Written) -> Self {
        let excerpt = excerpt.and_then(Excerpt::cleaned).map(Box::new);
        let mut log = Self { dropped, excerpt, ..Self::new(via) };
        lines.into_iter().for_each(|line| log.push(line));
        end.into_iter().for_each(|end| log.close(end));
        log
    }
}

impl Log {
    /// A log of which nothing was read yet.
    pub fn new(via: Via) -> Self {
        Self { lines: VecDeque::new(), bytes: 0, dropped: 0, via, end: None, excerpt: None, earlier: false, anew: None }
    }

    /// Its last lines, oldest first.
    pub fn lines(&self) -> &VecDeque<Arc<LogLine>> {
        &self.lines
    }

    /// How many lines before those were read and not kept.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// In which way it was read.
    pub fn via(&self) -> Via {
        self.via
    }

    /// How its reading ended; `None` while it goes on.
    pub fn end(&self) -> Option<&LogEnd> {
        self.end.as_ref()
    }

    /// Takes in more of it.
    pub fn push(&mut self, line: LogLine) {
        self.bytes += line.size();
        self.lines.push_back(Arc::new(line));
        self.keep();
    }

    /// Begins it anew, where that is due.
    pub(super) fn begin(&mut self) {
        if let Some(via) = self.anew.take() {
            *self = Self { earlier: self.earlier, ..Self::new(via) };
        }
    }

    /// Drops the lines from that time on.
    pub(super) fn take_back(&mut self, from: Timestamp) {
        while let Some(line) = self.lines.pop_back_if(|line| line.time.is_some_and(|time| time >= from)) {
            self.bytes -= line.size();
            // It may have told of what is no longer there.
            self.excerpt = None;
        }
        if self.end.is_some() {
            self.look();
        }
    }

    /// Notes how its reading ended. One that was begun anew and came to nothing leaves what was read before.
    pub fn close(&mut self, end: LogEnd) {
        if self.anew.take_if(|_| end != LogEnd::Complete && !self.lines.is_empty()).is_some() {
            self.end.get_or_insert(end);
        } else {
            self.begin();
            self.end = Some(end);
        }
        self.look();
    }

    /// The lines of it that tell why its run failed. They are looked for once its reading ends, and before that anew each
    /// time.
    pub fn excerpt(&self) -> Option<Cow<'_, Excerpt>> {
        match self.end {
            Some(_) => self.excerpt.as_deref().map(Cow::Borrowed),
            None => self.looked(),
        }
    }

    /// What it tells now: an error that was found stays where the lines that are left of it tell of none.
    fn looked(&self) -> Option<Cow<'_, Excerpt>> {
        let found = Excerpt::of_lines(self.lines.iter().map(Arc::as_ref));
        let is_error = |excerpt: &Excerpt| excerpt.kind == ExcerptKind::Error;
        match self.excerpt.as_deref().filter(|known| is_error(known)) {
            Some(known) if !found.as_ref().is_some_and(is_error) => Some(Cow::Borrowed(known)),
            _ => found.map(Cow::Owned),
        }
    }

    fn look(&mut self) {
        self.excerpt = self.looked().map(|excerpt| Box::new(excerpt.into_owned()));
    }

    /// From now on, it is the log of a run that has a successor.
    pub(super) fn be_earlier(&mut self) {
        self.look();
        self.earlier = true;
        self.keep();
    }

    fn keep(&mut self) {
        let (most, bytes) = if self.earlier { (KEPT, KEPT_BYTES) } else { (FOLLOWED, FOLLOWED_BYTES) };
        while self.lines.len() > most || self.bytes > bytes {
            let Some(line) = self.lines.pop_front() else { return };
            self.bytes -= line.size();
            self.dropped = self.dropped.saturating_add(1);
        }
    }

    /// What it takes in memory, in bytes, about.
    pub(super) fn size(&self) -> usize {
        size_of::<Self>() + self.bytes + self.excerpt.as_ref().map_or(0, |excerpt| excerpt.size())
    }

    /// As much of it as is kept of a run that has a successor. The lines are shared.
    pub(super) fn kept(&self) -> Self {
        let first = self.lines.len().saturating_sub(KEPT);
        let lines: VecDeque<_> = self.lines.iter().skip(first).cloned().collect();
        let bytes = lines.iter().map(|line| line.size()).sum();
        let dropped = self.dropped.saturating_add(first as u64);
        let (end, excerpt) = (self.end.clone(), self.excerpt.clone());
        let mut kept = Self { lines, bytes, dropped, via: self.via, end, excerpt, earlier: true, anew: None };
        kept.keep();
        // Whether it has a successor is for whoever reads it to say: the run may still run.
        Self { earlier: false, ..kept }
    }
}
