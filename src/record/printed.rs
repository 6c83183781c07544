//! The logs that `kubectl cluster-info dump` prints between its documents, taken out of the text.
//!
//! It prints each log between a line `==== START logs for container C of pod NS/P ====` and one with `END`, which comes right
//! behind a log that ends in no line break. In a document no line begins so: JSON escapes line breaks, and YAML indents a text.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use crate::cluster::{Container, FOLLOWED, LogChange, LogEnd, LogLine, LogNews, Pod, Via, clean_sentence, clean_word};

/// What a line begins with that opens a log.
pub(crate) const START: &str = "==== START logs for container ";
const END: &str = "==== END logs for container ";
const TAIL: &str = " ====";
/// The most bytes kept of one log, and of all logs of a text: as much as is kept of those of a cluster.
const MOST: usize = 2 * 1024 * 1024;
const MOST_OF_ALL: usize = 64 * 1024 * 1024;
/// The longest piece of a line that is looked at. What is longer is cut there.
const LONGEST_PIECE: u64 = 64 * 1024;
/// How the kubelet says that it has a log no more, which kubectl takes for the log.
const NO_MORE: &str = "unable to retrieve container logs for ";
/// How kubectl says that it got none.
const ERRORS: [&str; 2] = ["Create log request error: ", "Request log error: "];

/// The log of a container, as it was printed. Of which run it is, the pod's status tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintedLog {
    /// The namespace of the pod.
    pub namespace: String,
    /// The name of the pod.
    pub pod: String,
    /// The container.
    pub container: String,
    /// Its last lines, oldest first.
    pub lines: VecDeque<LogLine>,
    bytes: usize,
}

impl PrintedLog {
    /// The log that a line opens, if it opens one.
    fn opened_by(line: &[u8]) -> Option<Self> {
        let line = std::str::from_utf8(line).ok()?.trim_end();
        let (container, pod) = line.strip_prefix(START)?.strip_suffix(TAIL)?.split_once(" of pod ")?;
        let (namespace, pod) = pod.split_once('/')?;
        let (namespace, pod, container) = (clean_word(namespace), clean_word(pod), clean_word(container));
        Some(Self { namespace, pod, container, lines: VecDeque::new(), bytes: 0 })
    }

    /// The line that closes it.
    fn end(&self) -> String {
        let Self { namespace, pod, container, .. } = self;
        format!("{END}{container} of pod {namespace}/{pod}{TAIL}")
    }

    fn push(&mut self, printed: &[u8]) {
        let line = LogLine::printed(printed);
        self.bytes += line.text.len();
        self.lines.push_back(line);
        while self.lines.len() > FOLLOWED || self.bytes > MOST {
            let Some(first) = self.lines.pop_front() else { return };
            self.bytes -= first.text.len();
        }
    }

    /// What a source would say of it, by its pod; nothing where there was no container.
    pub(super) fn changes(self, pod: &Pod) -> Vec<LogChange> {
        let container = pod.containers.iter().find(|container| container.name == self.container);
        let Some(run) = container.and_then(Container::logged) else { return Vec::new() };
        let change = |news| LogChange { pod: pod.meta.uid.clone(), run: run.clone(), news };
        let (lines, end) = self.read();
        [LogNews::Opened(Via::Afterwards), LogNews::Lines(lines), LogNews::Closed(end)].map(change).into()
    }

    /// Its lines, and how the reading of it ended: what kubectl prints in place of a log is none.
    fn read(self) -> (Vec<LogLine>, LogEnd) {
        if let [line] = &self.lines.iter().collect::<Vec<_>>()[..] {
            if line.text.starts_with(NO_MORE) {
                return (Vec::new(), LogEnd::Gone);
            }
            if let Some(why) = ERRORS.iter().find_map(|error| line.text.strip_prefix(error)) {
                return (Vec::new(), LogEnd::Broken(clean_sentence(why)));
            }
        }
        (self.lines.into(), LogEnd::Complete)
    }
}

/// A text without the logs in it, which are kept aside. The lines of a log are blank in it, so that lines keep their numbers.
pub(super) struct WithoutLogs<R> {
    text: R,
    begins_line: bool,
    /// A line that began like a log and is none, as far as it was not handed on.
    line: io::Cursor<Vec<u8>>,
    logs: VecDeque<PrintedLog>,
    /// What they take, in bytes.
    bytes: usize,
}

impl<R: BufRead> WithoutLogs<R> {
    pub(super) fn new(text: R) -> Self {
        Self { text, begins_line: true, line: io::Cursor::default(), logs: VecDeque::new(), bytes: 0 }
    }

    pub(super) fn get_ref(&self) -> &R {
        &self.text
    }

    /// The logs that were read so far.
    pub(super) fn take_logs(&mut self) -> Vec<PrintedLog> {
        self.bytes = 0;
        std::mem::take(&mut self.logs).into()
    }

    /// A line, or as much of it as is looked at.
    fn piece(&mut self) -> io::Result<Vec<u8>> {
        let mut piece = Vec::new();
        self.text.by_ref().take(LONGEST_PIECE).read_until(b'\n', &mut piece)?;
        Ok(piece)
    }

    /// Reads a log up to its end, or to that of the text. Returns how many line breaks that took.
    fn log(&mut self, mut log: PrintedLog) -> io::Result<usize> {
        let (end, mut breaks) = (log.end(), 1);
        loop {
            let piece = self.piece()?;
            let ended = piece.ends_with(b"\n");
            breaks += usize::from(ended);
            let line = piece.trim_ascii_end();
            let last = line.strip_suffix(end.as_bytes());
            let line = last.unwrap_or(line);
            if !line.is_empty() || (last.is_none() && ended) {
                log.push(line);
            }
            if last.is_some() || piece.is_empty() {
                break;
            }
        }
        self.keep(log);
        Ok(breaks)
    }

    /// The logs of the pods that come last are kept, where there is no room for all.
    fn keep(&mut self, log: PrintedLog) {
        self.bytes += log.bytes;
        self.logs.push_back(log);
        while self.bytes > MOST_OF_ALL && self.logs.len() > 1 {
            let Some(first) = self.logs.pop_front() else { return };
            self.bytes -= first.bytes;
        }
    }
}

impl<R: BufRead> Read for WithoutLogs<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let held = self.line.read(out)?;
        if held > 0 || out.is_empty() {
            return Ok(held);
        }
        let text = self.text.fill_buf()?;
        if self.begins_line && text.first() == Some(&b'=') {
            let piece = self.piece()?;
            let piece = match PrintedLog::opened_by(&piece) {
                Some(log) => vec![b'\n'; self.log(log)?],
                None => piece,
            };
            self.begins_line = piece.ends_with(b"\n");
            self.line = io::Cursor::new(piece);
            return self.line.read(out);
        }
        let text = &text[..text.len().min(out.len())];
        // Up to a line that may open a log.
        let end = text.windows(2).position(|pair| pair == b"\n=").map_or(text.len(), |end| end + 1);
        out[..end].copy_from_slice(&text[..end]);
        self.begins_line = end.checked_sub(1).map_or(self.begins_line, |last| text[last] == b'\n');
        self.text.consume(end);
        Ok(end)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use serde_json::json;

    use super::*;
    use crate::cluster::Object;

    /// The text without its logs, and the logs: `NS/POD CONTAINER`, and the lines.
    fn split(text: &str, at_once: usize) -> (String, Vec<(String, Vec<String>)>) {
        let mut without = WithoutLogs::new(BufReader::with_capacity(at_once, text.as_bytes()));
        let mut left = String::new();
        without.read_to_string(&mut left).unwrap();
        let told = without.take_logs().into_iter().map(|log| {
            let lines = log.lines.iter().map(|line| line.text.clone()).collect();
            (format!("{}/{} {}", log.namespace, log.pod, log.container), lines)
        });
        (left, told.collect())
    }

    const DUMP: &str = "{\n}\n==== START logs for container a of pod n/p ====\none\n\n= two\n==== END logs for container a of pod n/p ====\n\
        ==== START logs for container b of pod n/p ====\nno break at its end==== END logs for container b of pod n/p ====\n\
        ==== START logs for container c of pod n/p ====\n==== END logs for container c of pod n/p ====\n{\n=}\n";

    #[test]
    fn logs_are_taken_out_and_every_line_keeps_its_number_however_the_text_comes() {
        for at_once in [1, 2, 3, 7, 50, 8192] {
            let (left, logs) = split(DUMP, at_once);
            assert_eq!(left, format!("{{\n}}\n{}{{\n=}}\n", "\n".repeat(9)), "{at_once}");
            let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
            let expected = [
                ("n/p a".to_owned(), lines(&["one", "", "= two"])),
                ("n/p b".to_owned(), lines(&["no break at its end"])),
                ("n/p c".to_owned(), lines(&[])),
            ];
            assert_eq!(logs, expected, "{at_once}");
        }
    }

    #[test]
    fn a_log_that_is_cut_off_is_kept_as_far_as_it_goes_and_a_long_line_is_no_burden() {
        let text = format!("==== START logs for container a of pod n/p ====\r\n{}\r\nlast", "x".repeat(1 << 20));
        let (_, logs) = split(&text, 8192);
        let (lines, longest) = (&logs[0].1, logs[0].1.iter().map(String::len).max());
        assert_eq!(lines.last().map(String::as_str), Some("last"));
        assert!(longest <= Some(crate::cluster::LONGEST_LINE + 3), "{longest:?}");
    }

    #[test]
    fn of_a_log_without_end_its_end_is_kept() {
        let lines: String = (0..FOLLOWED + 5).map(|number| format!("{number}\n")).collect();
        let (_, logs) = split(&format!("==== START logs for container a of pod n/p ====\n{lines}"), 8192);
        assert_eq!((logs[0].1.len(), logs[0].1[0].as_str()), (FOLLOWED, "5"));
    }

    /// What is told of the log of the container `a` in that state.
    fn told(status: serde_json::Value, line: &str) -> Option<(String, Vec<String>, LogEnd)> {
        let status = crate::fixture::with(json!({"name": "a"}), status);
        let pod = json!({"kind": "Pod", "metadata": {"name": "p", "namespace": "n", "uid": "u"},
            "status": {"containerStatuses": [status]}});
        let mut log = PrintedLog::opened_by(b"==== START logs for container a of pod n/p ====\n").unwrap();
        log.push(line.as_bytes());
        let Ok(Object::Pod(pod)) = Object::read(&pod) else { panic!() };
        let changes = log.changes(&pod);
        let [opened, LogChange { news: LogNews::Lines(lines), .. }, LogChange { news: LogNews::Closed(end), .. }] =
            &changes[..]
        else {
            return None;
        };
        assert_eq!((opened.pod.0.as_str(), &opened.news), ("u", &LogNews::Opened(Via::Afterwards)));
        let lines = lines.iter().map(|line| line.text.clone()).collect();
        Some((opened.run.id.clone(), lines, end.clone()))
    }

    #[test]
    fn a_log_is_of_the_run_that_kubectl_logs_takes() {
        let last = json!({"terminated": {"containerID": "last", "exitCode": 1}});
        let is_of = |state: serde_json::Value, id: &str, last: &serde_json::Value| {
            told(json!({"state": state, "containerID": id, "lastState": last}), "x").map(|(run, ..)| run)
        };
        assert_eq!(is_of(json!({"running": {}}), "now", &last).as_deref(), Some("now"));
        let ended = json!({"terminated": {"containerID": "ended", "exitCode": 1}});
        assert_eq!(is_of(ended, "ended", &last).as_deref(), Some("ended"));
        let waits = || json!({"waiting": {"reason": "CrashLoopBackOff"}});
        assert_eq!(is_of(waits(), "last", &last).as_deref(), Some("last"));
        assert_eq!(is_of(waits(), "", &json!({})), None, "no container ever was");
    }

    #[test]
    fn what_kubectl_prints_in_place_of_a_log_is_none() {
        let end = |line: &str| {
            let (_, lines, end) = told(json!({"state": {"running": {}}, "containerID": "now"}), line).unwrap();
            (lines.len(), end)
        };
        assert_eq!(end("Error: x"), (1, LogEnd::Complete));
        assert_eq!(end("unable to retrieve container logs for containerd://1"), (0, LogEnd::Gone));
        assert_eq!(end("Request log error: no\u{1b}[2J"), (0, LogEnd::Broken("no".into())));
    }
}
