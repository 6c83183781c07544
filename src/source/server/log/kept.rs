//! The logs of the pods, run by run.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crate::cluster::{Log, LogChange, Logs, RunId, Uid};

/// Of how many pods that are gone the logs are kept: whoever follows one reads it to its end.
const GONE: usize = 16;

/// The logs of the pods, run by run.
#[derive(Debug, Default)]
pub(in crate::source::server) struct RunLogs {
    pods: BTreeMap<Uid, Logs>,
    /// The pods that are gone, in that order.
    gone: VecDeque<Uid>,
}

impl RunLogs {
    /// A pod is there.
    pub(in crate::source::server) fn begin(&mut self, pod: Uid) {
        self.pods.entry(pod).or_default();
    }

    /// A pod is gone.
    pub(in crate::source::server) fn end(&mut self, pod: &Uid) {
        self.gone.push_back(pod.clone());
        if self.gone.len() > GONE {
            self.gone.pop_front().map(|oldest| self.pods.remove(&oldest));
        }
    }

    /// Takes in more of a log. Returns whether anything is other than before: a log comes after its pod.
    pub(in crate::source::server) fn note(&mut self, change: &LogChange) -> bool {
        let Some(logs) = self.pods.get_mut(&change.pod) else { return false };
        logs.note(change.run.clone(), change.news.clone());
        true
    }

    /// The log of a run.
    pub(in crate::source::server) fn of(&self, pod: &Uid, run: &RunId) -> Option<&Arc<Log>> {
        self.pods.get(pod)?.of(run)
    }
}
