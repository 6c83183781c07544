//! One log that is sent, and followed until its run ends.

use bytes::Bytes;
use tokio::sync::watch::Receiver;

use super::super::store::{Key, Store};
use super::line::written;
use super::options::LogOptions;
use super::run;
use crate::cluster::{Log, LogEnd, RunId, Uid, read};

/// One log that is sent.
pub(super) struct Reading {
    store: Receiver<Store>,
    pod: Key,
    uid: Uid,
    run: RunId,
    options: LogOptions,
    /// How many lines of the log were sent, or are not asked for.
    read: u64,
    /// How many bytes may still be sent.
    left: usize,
    over: bool,
}

/// What there is of the log now.
struct Seen {
    text: String,
    /// How many lines there are by now.
    lines: u64,
    /// Whether no more will come.
    ended: bool,
}

impl Reading {
    pub(super) fn new(store: Receiver<Store>, pod: Key, uid: Uid, run: RunId, options: LogOptions) -> Self {
        let left = options.limit.unwrap_or(usize::MAX);
        let lines = store.borrow().logs().of(&uid, &run).map_or(0, |log| count(log));
        let read = options.tail.map_or(0, |tail| lines.saturating_sub(tail as u64));
        Self { store, pod, uid, run, options, read, left, over: false }
    }

    /// The next lines; `None` when there are no more.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        while !self.over {
            let Seen { mut text, lines, ended } = self.look();
            self.read = self.read.max(lines);
            self.over = ended || !self.options.follow;
            if text.len() >= self.left {
                // In bytes: the last character may break.
                let mut bytes = text.into_bytes();
                bytes.truncate(self.left);
                self.over = true;
                return (!bytes.is_empty()).then(|| bytes.into());
            }
            self.left -= text.len();
            if !text.is_empty() {
                text.shrink_to_fit();
                return Some(text.into());
            }
            if !self.over {
                self.store.changed().await.ok()?;
            }
        }
        None
    }

    fn look(&mut self) -> Seen {
        // What comes between these two is looked at twice, and never missed.
        self.store.mark_unchanged();
        let store = self.store.borrow();
        let pod = store.get(&self.pod).map(|stored| &stored.object);
        let pod = pod.filter(|pod| read::text(pod, &["metadata", "uid"]).as_ref() == Some(&self.uid.0));
        let runs = pod.is_some_and(|pod| run::runs(pod, &self.run));
        let Some(log) = store.logs().of(&self.uid, &self.run) else {
            // Of a run that runs, nobody has read the log yet.
            return Seen { text: if runs { String::new() } else { self.no_more() }, lines: 0, ended: !runs };
        };
        let lines = count(log);
        let ended = log.end().is_some() || pod.is_none();
        if log.lines().is_empty() && log.end().is_some_and(|end| *end != LogEnd::Complete) {
            return Seen { text: self.no_more(), lines, ended };
        }
        Seen { text: self.unread(log), lines, ended }
    }

    /// What is asked for of the lines that were not sent yet.
    fn unread(&self, log: &Log) -> String {
        let skipped = usize::try_from(self.read.saturating_sub(log.dropped())).unwrap_or(usize::MAX);
        let new = log.lines().iter().skip(skipped);
        let asked =
            new.filter(|line| self.options.since.is_none_or(|since| line.time.is_none_or(|time| time >= since)));
        asked.map(|line| written(line, self.options.timestamps)).collect()
    }

    /// The kubelet's words where the runtime has the log no more.
    fn no_more(&self) -> String {
        format!("unable to retrieve container logs for {}", self.run.id)
    }
}

/// How many lines there are by now, those counted that are not kept any more.
fn count(log: &Log) -> u64 {
    log.dropped() + log.lines().len() as u64
}
