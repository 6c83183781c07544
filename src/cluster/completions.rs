//! How many pods of a Job have to succeed, and how many did.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read;

/// The completions of a Job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Completions {
    /// `spec.completions`: how many pods have to succeed. `None` where the pods work off a queue between them: the Job is
    /// complete once one of them succeeded and all have ended.
    pub wanted: Option<u32>,
    /// `spec.parallelism`: how many pods run at a time, at the most.
    pub parallelism: u32,
    /// Pods that succeeded: `status.succeeded`, and those of `status.uncountedTerminatedPods.succeeded`, which are not in it yet.
    pub succeeded: u32,
}

impl Default for Completions {
    /// Of a Job as the API server defaults it: one pod.
    fn default() -> Self {
        Self { wanted: Some(1), parallelism: 1, succeeded: 0 }
    }
}

impl Completions {
    pub(super) fn read(job: &Value) -> Self {
        let count = |path: &[&str]| read::count(job, path);
        let (wanted, parallelism) = (count(&["spec", "completions"]), count(&["spec", "parallelism"]));
        let uncounted = read::list(job, &["status", "uncountedTerminatedPods", "succeeded"]).len();
        let succeeded = count(&["status", "succeeded"]).unwrap_or(0);
        Self {
            // The API server defaults both to 1 where neither is given.
            wanted: if parallelism.is_none() { wanted.or(Some(1)) } else { wanted },
            parallelism: parallelism.unwrap_or(1),
            succeeded: succeeded.saturating_add(u32::try_from(uncounted).unwrap_or(u32::MAX)),
        }
    }
}
