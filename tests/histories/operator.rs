//! The operator: it passes every 30 seconds, makes the Jobs of one gate after the other, hop after hop, and writes what it saw.

use crate::kubelet::containers;
use crate::model::{Kubelet, Millis, Model, Step};
use crate::names;
use crate::script::Stop;
use crate::things::{Job, Pod, Status};

/// How often it passes.
const PASS: Millis = 30_000;

/// The versions of an upgrade: where it comes from, and its hops.
pub const VERSIONS: [&str; 4] = ["18.9.2", "18.10.1", "18.11.0", "18.11.1"];

/// What it does in a hop, in its order: three of them are gates.
pub const STAGES: [&str; 5] = [
    "RunningPreMigrations",
    "UpgradingRails",
    "RunningPostMigrations",
    "RollingOutWorkloads",
    "WaitingForBatchedMigrations",
];

/// What the Job of a stage is called behind the hash; a rollout has none.
pub fn suffix(stage: usize) -> Option<&'static str> {
    match stage {
        0 => Some("-pre"),
        2 => Some(""),
        4 => Some("-bbm"),
        _ => None,
    }
}

impl Model {
    /// An instance that is at its version, and a spec that then wants another one.
    pub fn begin(&mut self) {
        self.core.status = Status {
            phase: "Running",
            observed: 1,
            deployed: 0,
            hops: Vec::new(),
            reason: "UpgradeComplete",
            since: 0,
        };
        self.core.stage = STAGES.len();
        self.write_core();
        self.settled();
        self.now = 5_000;
        self.core.target = self.script.operator.hops;
        self.core.generation = 2;
        self.write_core();
        self.settled();
        let first = self.pace(PASS);
        self.later(first, Step::Operator);
    }

    pub fn pass(&mut self) {
        self.later(PASS, Step::Operator);
        let before = self.core.status.clone();
        let mut status = before.clone();
        if before.observed != self.core.generation {
            status.observed = self.core.generation;
            status.hops = (status.deployed + 1..=self.core.target).collect();
            (self.core.hop, self.core.stage) = (status.deployed + 1, 0);
            status.phase = "Upgrading";
            status.reason = STAGES[0];
            if status.hops.is_empty() {
                (status.phase, status.reason, self.core.stage) = ("Running", "UpgradeComplete", STAGES.len());
            }
        } else if self.core.stage < STAGES.len() {
            self.look(&mut status);
        }
        if status != before {
            if status.reason != before.reason {
                status.since = self.now;
            }
            self.core.status = status;
            self.write_core();
        }
    }

    /// It looks at the stage under way.
    fn look(&mut self, status: &mut Status) {
        let stage = self.core.stage;
        let skipped = stage == 4 && self.script.operator.skips_wait;
        let Some(_) = suffix(stage).filter(|_| !skipped) else { return self.advance(status) };
        let Some(job) = self.current_job(stage) else {
            self.create_job(stage);
            (status.phase, status.reason) = ("Upgrading", STAGES[stage]);
            return;
        };
        let of = &self.jobs[job];
        let restarted =
            self.pods_of(job).iter().any(|&pod| self.pods[pod].containers.iter().any(|of| of.restarts() > 0));
        let failed = of.holds("Failed").is_some();
        if of.holds("Complete").is_some() {
            self.advance(status);
        } else if failed || self.script.operator.premature && of.failed > 0 {
            status.phase = "Failed";
            status.reason = if stage == 4 { "BatchedMigrationsCheckFailed" } else { "MigrationsJobFailed" };
            if failed {
                self.core.stage = STAGES.len();
            }
        } else {
            status.phase = "Upgrading";
            let retries = !self.script.operator.premature && (of.failed > 0 || restarted);
            status.reason = match stage {
                0 if retries => "RetryingPreMigrations",
                2 if retries => "RetryingPostMigrations",
                4 if retries => "RetryingBatchedMigrationsCheck",
                _ => STAGES[stage],
            };
        }
    }

    fn advance(&mut self, status: &mut Status) {
        self.core.stage += 1;
        if self.core.stage < STAGES.len() {
            (status.phase, status.reason) = ("Upgrading", STAGES[self.core.stage]);
            return;
        }
        status.deployed = self.core.hop;
        if self.core.hop < self.core.target {
            (status.phase, status.reason) = ("Upgrading", "AdvancingVersion");
            (self.core.hop, self.core.stage) = (self.core.hop + 1, 0);
        } else {
            (status.phase, status.reason) = ("Running", "UpgradeComplete");
        }
    }

    /// The Job of a stage of the hop under way, if it is there.
    pub fn current_job(&self, stage: usize) -> Option<usize> {
        self.jobs.iter().position(|job| {
            !job.gone && job.generation == self.core.generation && job.hop == self.core.hop && job.gate == stage
        })
    }

    fn create_job(&mut self, stage: usize) {
        let number = self.id();
        let hash = names::hash(&self.core.uid, self.core.generation, VERSIONS[self.core.hop]);
        let suffix = suffix(stage).unwrap_or_default();
        self.jobs.push(Job {
            uid: format!("job-{number}"),
            name: format!("gitlab-migrations-{hash}{suffix}"),
            generation: self.core.generation,
            hop: self.core.hop,
            gate: stage,
            created: self.now,
            gone: false,
            suspend: false,
            started: None,
            completed: None,
            active: 0,
            failed: 0,
            succeeded: 0,
            terminating: 0,
            uncounted_failed: Vec::new(),
            uncounted_succeeded: Vec::new(),
            conditions: Vec::new(),
            failures: 0,
            last_failure: 0,
            by_restarts: false,
            sync_due: false,
        });
        let job = self.jobs.len() - 1;
        self.write_job(job);
        self.settled();
        self.later(10, Step::Sync { job });
        self.deadline_sync(job);
    }

    pub fn create_pod(&mut self, job: usize) {
        let number = self.id();
        let shape = &self.script.shape;
        let pod = Pod {
            uid: format!("pod-{number}"),
            name: format!("{}-p{number}", self.jobs[job].name),
            job,
            owned: true,
            created: self.now,
            phase: "Pending",
            reason: "",
            message: "",
            disruption: None,
            scheduled: false,
            unschedulable: false,
            told: false,
            containers: containers(shape.inits, shape.sidecar, shape.second_main),
            deletion: None,
            finalizer: true,
            gone: false,
            stop: Stop { code: 137, after: 0 },
            stopped: false,
            epoch: 0,
            stuck: None,
            taken: None,
            counted: false,
            backed_off: false,
        };
        let name = pod.name.clone();
        self.pods.push(pod);
        let pod = self.pods.len() - 1;
        self.write_pod(pod);
        self.settled();
        self.write_job_event(job, false, "SuccessfulCreate", &format!("Created pod: {name}"));
        let after = 5 + self.pace(300);
        self.kubelet_later(pod, after, Kubelet::Schedule);
    }

    /// A finished Job goes after its TTL, and what it left goes with it.
    pub fn expire(&mut self, job: usize) {
        if !self.jobs[job].gone {
            self.delete_job(job, false);
        }
    }

    /// A Job is deleted, with its pods or without them.
    pub fn delete_job(&mut self, job: usize, orphans: bool) {
        self.jobs[job].gone = true;
        self.write_job(job);
        self.settled();
        for pod in self.pods_of(job) {
            self.pods[pod].finalizer = false;
            if orphans {
                self.pods[pod].owned = false;
                self.write_pod(pod);
            } else {
                self.write_pod(pod);
                let grace = self.script.shape.grace;
                self.delete_pod(pod, grace);
                self.remove(pod);
            }
        }
    }
}
