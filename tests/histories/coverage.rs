//! What happens in histories: counted, so that what makes them cannot become trivial unnoticed.

use std::collections::BTreeMap;

use crate::model::Write;
use crate::truth::Failed;

/// What is to happen, and in how many of a thousand histories at least.
const AT_LEAST: &[(&str, usize)] = &[
    ("an earlier spec", 50),
    ("both counts", 90),
    ("failed Error", 300),
    ("failed OOMKilled", 110),
    ("failed StartError", 120),
    ("failed init container", 170),
    ("failed pod DeadlineExceeded", 17),
    ("failed pod Deleted", 40),
    ("failed pod DeletionByPodGC", 14),
    ("failed pod DeletionByTaintManager", 10),
    ("failed pod Evicted", 40),
    ("failed pod EvictionByEvictionAPI", 14),
    ("failed pod OutOfcpu", 30),
    ("failed pod Preempting", 11),
    ("failed pod PreemptionByScheduler", 14),
    ("failed pod Terminated", 13),
    ("failed sidecar", 50),
    ("gave up BackoffLimitExceeded", 230),
    ("gave up DeadlineExceeded", 220),
    ("gave up PodFailurePolicy", 11),
    ("job Never", 200),
    ("job OnFailure", 460),
    ("second hop", 90),
    ("state blocked", 300),
    ("state done", 240),
    ("state failed", 460),
    ("state failing", 390),
    ("state retrying", 500),
    ("state suspended", 13),
    ("state unknown", 14),
    ("stuck Config", 60),
    ("stuck Image", 190),
    ("stuck Sandbox", 20),
    ("stuck Scheduling", 30),
    ("stuck Volume", 50),
    ("three restarts", 110),
];

/// How many histories each thing happened in.
#[derive(Debug, Default)]
pub struct Coverage {
    histories: usize,
    counts: BTreeMap<String, usize>,
}

impl Coverage {
    pub fn add(&mut self, history: &[Write]) {
        let mut seen: Vec<String> = Vec::new();
        for truth in history.iter().filter_map(|write| write.truth.as_ref()) {
            for job in &truth.jobs {
                seen.push(format!("job {}", if job.in_place { "OnFailure" } else { "Never" }));
                seen.push(format!("state {}", job.word));
                seen.extend(job.gave_up.map(|(reason, _)| format!("gave up {reason}")));
                seen.extend(job.stuck.as_ref().map(|(stuck, _)| format!("stuck {}", stuck.cause)));
                for failure in &job.failures {
                    seen.push(match &failure.what {
                        Failed::Run { container: "configure" | "certificates", .. } => "failed init container".into(),
                        Failed::Run { container: "proxy", .. } => "failed sidecar".into(),
                        Failed::Run { reason, .. } => format!("failed {reason}"),
                        Failed::Pod { reason, .. } => format!("failed pod {reason}"),
                    });
                }
                let named = [
                    ("second hop", job.hop > 1),
                    ("an earlier spec", job.generation < truth.generation),
                    ("both counts", job.restarts > 0 && job.pods > 0),
                    ("three restarts", job.restarts >= 3),
                ];
                seen.extend(named.iter().filter(|(_, holds)| *holds).map(|(name, _)| (*name).to_owned()));
            }
        }
        seen.sort();
        seen.dedup();
        self.histories += 1;
        for what in seen {
            *self.counts.entry(what).or_default() += 1;
        }
    }

    /// What happens too seldom, in words.
    pub fn too_seldom(&self) -> Vec<String> {
        let of = |what: &str| self.counts.get(what).copied().unwrap_or(0);
        let seldom = AT_LEAST.iter().filter(|(what, least)| of(what) * 1000 < least * self.histories);
        seldom
            .map(|(what, least)| {
                format!("{what}: in {} of {}, and {least} of 1000 are wanted", of(what), self.histories)
            })
            .collect()
    }
}
