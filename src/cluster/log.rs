//! The logs of containers, kept after their pods are gone: the Job controller deletes a pod when it gives up, and the log
//! with it, and that is when somebody asks for the reason.
//!
//! Bounds: of the newest run of a container the last [`FOLLOWED`] lines are kept, and at most 2 MiB; of every earlier one
//! the last [`KEPT`], and at most 64 KiB; a line is cut at 4 KiB. Of a pod at most 100 logs are kept, and of all together
//! 64 MiB: beyond, the logs of the oldest pods go first. A pod's logs are forgotten with the pod.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{LogLine, Uid};

/// The most lines kept of a run that has a successor.
pub const KEPT: usize = 200;
/// The most lines kept of the newest run of a container.
pub const FOLLOWED: usize = 5_000;
/// The most bytes of a run that has a successor.
const KEPT_BYTES: usize = 64 * 1024;
/// The most bytes of the newest run.
const FOLLOWED_BYTES: usize = 2 * 1024 * 1024;
/// The most logs kept of one pod; the oldest go first.
const MOST_LOGS: usize = 100;
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogChange {
    /// The pod.
    pub pod: Uid,
    /// The run.
    pub run: RunId,
    /// What was read.
    pub news: LogNews,
}

/// What is new of a log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogNews {
    /// The log is read from its beginning, in that way. What was read of it before comes again.
    Opened(Via),
    /// More of it.
    Lines(Vec<LogLine>),
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

/// The log of one run, as far as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written")]
pub struct Log {
    lines: VecDeque<Arc<LogLine>>,
    #[serde(skip)]
    bytes: usize,
    dropped: u64,
    via: Via,
    end: Option<LogEnd>,
    /// Whether the run has a successor, so that less of it is kept.
    #[serde(skip)]
    earlier: bool,
}

/// A log as it was written to a file, where anybody can have changed it: what it takes is added up anew.
#[derive(Deserialize)]
struct Written {
    lines: Vec<LogLine>,
    dropped: u64,
    via: Via,
    end: Option<LogEnd>,
}

impl From<Written> for Log {
    fn from(Written { lines, dropped, via, end }: Written) -> Self {
        let mut log = Self { dropped, end, ..Self::new(via) };
        lines.into_iter().for_each(|line| log.push(line));
        log
    }
}

impl Log {
    /// A log of which nothing was read yet.
    pub fn new(via: Via) -> Self {
        Self { lines: VecDeque::new(), bytes: 0, dropped: 0, via, end: None, earlier: false }
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

    /// Notes how its reading ended.
    pub fn close(&mut self, end: LogEnd) {
        self.end = Some(end);
    }

    /// From now on, it is the log of a run that has a successor.
    fn be_earlier(&mut self) {
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

    /// As much of it as is kept of a run that has a successor. The lines are shared.
    fn kept(&self) -> Self {
        let first = self.lines.len().saturating_sub(KEPT);
        let lines: VecDeque<_> = self.lines.iter().skip(first).cloned().collect();
        let bytes = lines.iter().map(|line| line.size()).sum();
        let dropped = self.dropped.saturating_add(first as u64);
        let mut kept = Self { lines, bytes, dropped, via: self.via, end: self.end.clone(), earlier: true };
        kept.keep();
        // Whether it has a successor is for whoever reads it to say: the run may still run.
        Self { earlier: false, ..kept }
    }
}

/// The logs of one pod, in the order in which their reading began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logs(Vec<(RunId, Arc<Log>)>);

impl Logs {
    /// The log of a run.
    pub fn of(&self, run: &RunId) -> Option<&Arc<Log>> {
        self.0.iter().find(|(of, _)| of == run).map(|(_, log)| log)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&RunId, &Arc<Log>)> {
        self.0.iter().map(|(run, log)| (run, log))
    }

    /// Takes in what is new of one. Whoever reads a log once more opens it only when its answer is there: what was read
    /// before is replaced.
    pub(crate) fn note(&mut self, run: RunId, news: LogNews) {
        let known = self.0.iter_mut().find(|(of, _)| *of == run).map(|(_, log)| Arc::make_mut(log));
        match (news, known) {
            (LogNews::Opened(via), Some(log)) => *log = Log { earlier: log.earlier, ..Log::new(via) },
            (LogNews::Opened(via), None) => {
                self.0.push((run, Arc::new(Log::new(via))));
                if self.0.len() > MOST_LOGS {
                    self.0.remove(0);
                }
            }
            (LogNews::Lines(lines), Some(log)) => lines.into_iter().for_each(|line| log.push(line)),
            (LogNews::Closed(end), Some(log)) => log.close(end),
            // Of a log that was never opened, or is forgotten.
            (LogNews::Lines(_) | LogNews::Closed(_), None) => {}
        }
    }

    /// What is to be kept of them, the newest first, as long as there is room, which that takes up.
    pub(super) fn kept(&self, room: &mut usize) -> Self {
        let mut kept = Vec::new();
        for (run, log) in self.0.iter().rev() {
            let log = log.kept();
            let Some(left) = room.checked_sub(log.bytes) else { break };
            *room = left;
            kept.push((run.clone(), Arc::new(log)));
        }
        kept.reverse();
        Self(kept)
    }

    /// Adds the logs that were remembered and of which nothing is known, before those that are.
    pub(super) fn recall(&mut self, remembered: Self) {
        let mut logs = remembered.0;
        for (run, log) in self.0.drain(..) {
            match logs.iter_mut().find(|(of, _)| *of == run) {
                // What is read now of a log that is gone has no line.
                Some((_, known)) if !log.lines.is_empty() => *known = log,
                Some(_) => {}
                None => logs.push((run, log)),
            }
        }
        logs.drain(..logs.len().saturating_sub(MOST_LOGS));
        self.0 = logs;
    }

    /// Cuts the logs of that container down to what is kept of a run that has a successor, but for the newest run, where
    /// it is one of these.
    pub(crate) fn shorten(&mut self, container: &str, newest: Option<&RunId>) {
        for (run, log) in &mut self.0 {
            if run.container == container && Some(&*run) != newest && !log.earlier {
                Arc::make_mut(log).be_earlier();
            }
        }
    }

    /// What they take in memory, in bytes, about.
    pub(crate) fn size(&self) -> usize {
        self.0.iter().map(|(_, log)| size_of::<Log>() + log.bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: usize) -> RunId {
        RunId { container: "migrations".into(), id: format!("containerd://{id}") }
    }

    fn lines(count: usize) -> LogNews {
        LogNews::Lines((0..count).map(|number| LogLine::printed(format!("line {number}").as_bytes())).collect())
    }

    #[test]
    fn of_a_run_that_is_followed_more_is_kept_than_of_one_with_a_successor() {
        let mut logs = Logs::default();
        logs.note(run(1), LogNews::Opened(Via::Followed));
        logs.note(run(1), lines(FOLLOWED + 10));
        let log = logs.of(&run(1)).unwrap();
        assert_eq!((log.lines().len(), log.dropped()), (FOLLOWED, 10));
        logs.note(run(2), LogNews::Opened(Via::Followed));
        logs.shorten("migrations", Some(&run(2)));
        let log = logs.of(&run(1)).unwrap();
        assert_eq!((log.lines().len(), log.lines()[0].text.as_str()), (KEPT, "line 4810"));
        logs.note(run(1), lines(FOLLOWED));
        assert_eq!(logs.of(&run(1)).unwrap().lines().len(), KEPT, "it stays an earlier one");
    }

    #[test]
    fn what_is_left_out_of_what_is_kept_is_told() {
        let mut log = Log::new(Via::Followed);
        (0..KEPT + 100).for_each(|_| log.push(LogLine::printed(b"x")));
        assert_eq!((log.kept().lines().len(), log.kept().dropped()), (KEPT, 100));
    }

    #[test]
    fn a_log_is_bounded_in_bytes_too() {
        let mut log = Log::new(Via::Followed);
        for _ in 0..2_000 {
            log.push(LogLine { text: "x".repeat(4_000), ..LogLine::default() });
        }
        assert!(log.bytes <= FOLLOWED_BYTES && log.lines().len() > 400, "{} bytes", log.bytes);
    }

    #[test]
    fn a_log_that_is_read_anew_has_each_line_once() {
        let mut logs = Logs::default();
        for via in [Via::Followed, Via::Previous] {
            logs.note(run(1), LogNews::Opened(via));
            logs.note(run(1), lines(3));
        }
        let log = logs.of(&run(1)).unwrap();
        assert_eq!((log.lines().len(), log.via()), (3, Via::Previous));
    }

    #[test]
    fn a_snapshot_that_somebody_holds_does_not_change() {
        let mut logs = Logs::default();
        logs.note(run(1), LogNews::Opened(Via::Followed));
        logs.note(run(1), lines(1));
        let held = Arc::clone(logs.of(&run(1)).unwrap());
        logs.note(run(1), lines(1));
        assert_eq!((held.lines().len(), logs.of(&run(1)).unwrap().lines().len()), (1, 2));
    }

    #[test]
    fn the_oldest_logs_of_a_pod_go_first() {
        let mut logs = Logs::default();
        (0..=MOST_LOGS).for_each(|number| logs.note(run(number), LogNews::Opened(Via::Followed)));
        assert_eq!(logs.iter().count(), MOST_LOGS);
        assert!(logs.of(&run(0)).is_none());
    }
}
