//! A small model of what becomes of an Indexed Job with a limit per index: the Job controller of Kubernetes 1.37, in the order
//! in which recordings of it show its writes, and a kubelet. It knows what is true.

use std::collections::BTreeSet;

use gatewatch::cluster::ClusterEvent;
use jiff::Timestamp;

/// What a history is made of.
#[derive(Clone, Debug)]
pub struct Script {
    pub completions: u32,
    pub parallelism: usize,
    /// `backoffLimitPerIndex`.
    pub limit: u32,
    /// `maxFailedIndexes`.
    pub most: Option<usize>,
    /// Whether there is a pod failure policy: [`IGNORED`], [`FAILS_INDEX`] and [`FAILS_JOB`].
    pub policy: bool,
    /// How the runs end, in turn; those after them well.
    pub codes: Vec<u8>,
    /// What happens next, of what can; in turn, again and again.
    pub choices: Vec<u8>,
}

pub const IGNORED: u8 = 7;
pub const FAILS_INDEX: u8 = 42;
pub const FAILS_JOB: u8 = 13;

/// A write to the API server, and what is true once it was heard.
pub struct Write {
    pub event: ClusterEvent,
    pub truth: Truth,
}

/// What is true of the Job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth {
    /// The indexes that failed for good.
    pub failed: BTreeSet<u32>,
    /// How often each of the others failed that is not complete, where it did.
    pub open: Vec<(u32, u32)>,
    /// Pods that failed and count.
    pub pods: u32,
    /// How the Job stands, once it says so itself: `failing`, `failed` or `done`.
    pub word: Option<&'static str>,
    /// Why it gives up.
    pub reason: Option<&'static str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    Pending,
    Running,
    /// Its container ended, and the kubelet is yet to say so of the pod.
    Ended(u8),
    Over(u8),
}

#[derive(Clone, Debug)]
pub struct Pod {
    pub index: u32,
    /// What the Job controller notes of the pods of the index before it: those that counted, and those that did not.
    pub failures: u32,
    pub ignored: u32,
    pub phase: Phase,
    pub created: i64,
    /// When its container started, and ended.
    pub started: i64,
    pub ended: i64,
    /// When the Job stopped it.
    pub stopped: Option<i64>,
    pub finalizer: bool,
    pub gone: bool,
}

/// A Job, its controller and its kubelet.
pub struct Model {
    pub script: Script,
    pub now: i64,
    pub version: u64,
    pub choice: usize,
    pub pods: Vec<Pod>,
    /// What the status counts.
    pub succeeded: usize,
    pub failed: usize,
    pub uncounted: Vec<usize>,
    pub completed_indexes: BTreeSet<u32>,
    pub failed_indexes: BTreeSet<u32>,
    pub gave_up: Option<(&'static str, i64)>,
    pub ended: Option<(&'static str, i64)>,
    pub history: Vec<Write>,
}

impl Script {
    /// All that happens, up to the end of the Job.
    pub fn play(self) -> Vec<Write> {
        let mut model = Model {
            script: self,
            now: 0,
            version: 0,
            choice: 0,
            pods: Vec::new(),
            succeeded: 0,
            failed: 0,
            uncounted: Vec::new(),
            completed_indexes: BTreeSet::new(),
            failed_indexes: BTreeSet::new(),
            gave_up: None,
            ended: None,
            history: Vec::new(),
        };
        model.write_job();
        while model.ended.is_none() || model.pods.iter().any(|pod| pod.stopped.is_some() && !pod.gone) {
            model.now += 1 + i64::from(model.choose(3) == 0) * 15;
            let moves: Vec<usize> = (0..model.pods.len()).filter(|&pod| model.moves(pod)).collect();
            match model.choose(moves.len() + 1).checked_sub(1) {
                Some(chosen) => model.kubelet(moves[chosen]),
                None if model.ended.is_none() => model.sync(),
                None => {}
            }
        }
        model.history
    }
}

impl Model {
    fn choose(&mut self, of: usize) -> usize {
        let (choices, number) = (&self.script.choices, self.choice);
        self.choice += 1;
        // Choices that repeat must not come to the same at every turn, or nothing would become of it.
        let turn = if number < choices.len() { 0 } else { number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40 };
        (usize::from(choices[number % choices.len()]) + turn) % of
    }

    /// Whether something can still become of a pod: one that is over may be collected, once its Job let go of it.
    fn moves(&self, pod: usize) -> bool {
        let pod = &self.pods[pod];
        !pod.gone
            && (!matches!(pod.phase, Phase::Over(_))
                || !pod.finalizer && (pod.stopped.is_some() || self.ended.is_none()))
    }

    fn kubelet(&mut self, number: usize) {
        let code = match self.pods[number].phase {
            Phase::Running if self.pods[number].stopped.is_none() => {
                let runs = self.pods.iter().filter(|pod| matches!(pod.phase, Phase::Ended(_) | Phase::Over(_))).count();
                self.script.codes.get(runs).copied().unwrap_or(0)
            }
            // It heeds the signal, or is killed.
            _ => [0, 137][self.choose(2)],
        };
        let at_once = self.choose(2) == 0;
        let pod = &mut self.pods[number];
        match pod.phase {
            Phase::Pending => pod.started = self.now,
            Phase::Running => pod.ended = self.now,
            Phase::Ended(_) | Phase::Over(_) => {}
        }
        match pod.phase {
            Phase::Pending if pod.stopped.is_some() => pod.gone = !pod.finalizer,
            Phase::Pending => pod.phase = Phase::Running,
            Phase::Running if at_once => pod.phase = Phase::Over(code),
            Phase::Running => pod.phase = Phase::Ended(code),
            Phase::Ended(code) => pod.phase = Phase::Over(code),
            Phase::Over(_) => pod.gone = true,
        }
        self.write_pod(number);
    }

    /// Whether a pod that ended so counts as failed.
    fn counts(&self, code: u8) -> bool {
        code != 0 && !(self.script.policy && code == IGNORED)
    }

    /// How the newest pod of an index stands, where there is one: what counted before it and did not, and how it ended by
    /// itself.
    fn newest(&self, index: u32) -> Option<(&Pod, Option<u8>)> {
        let pod = self.pods.iter().rfind(|pod| pod.index == index)?;
        let code = match pod.phase {
            Phase::Over(code) if pod.stopped.is_none() => Some(code),
            _ => None,
        };
        Some((pod, code))
    }

    /// How often an index failed, and whether that is for good.
    fn fares(&self, index: u32) -> (u32, bool) {
        match self.newest(index) {
            Some((pod, Some(code))) if self.counts(code) => {
                let at_once = self.script.policy && code == FAILS_INDEX;
                (pod.failures + 1, at_once || pod.failures >= self.script.limit)
            }
            Some((pod, _)) => (pod.failures, false),
            None => (0, false),
        }
    }

    /// The Job controller looks.
    fn sync(&mut self) {
        if self.gave_up.is_some() {
            if self.pods.iter().all(|pod| pod.gone || matches!(pod.phase, Phase::Over(_))) {
                self.ended = Some(("Failed", self.now));
                self.write_job();
            }
            return;
        }
        let indexes = 0..self.script.completions;
        let complete = |index: &u32| matches!(self.newest(*index), Some((_, Some(0))));
        self.completed_indexes = indexes.clone().filter(complete).collect();
        self.failed_indexes = indexes.clone().filter(|index| self.fares(*index).1).collect();
        let fails_job = |pod: &Pod| pod.phase == Phase::Over(FAILS_JOB) && pod.finalizer && self.script.policy;
        let all = self.completed_indexes.len() + self.failed_indexes.len() == indexes.len();
        let reason = match () {
            () if self.pods.iter().any(fails_job) => Some("PodFailurePolicy"),
            () if self.script.most.is_some_and(|most| self.failed_indexes.len() > most) => {
                Some("MaxFailedIndexesExceeded")
            }
            () if all && !self.failed_indexes.is_empty() => Some("FailedIndexes"),
            () => None,
        };
        // What ends in the very second in which its Job gives up is a case of its own.
        if reason.is_some() && self.pods.iter().any(|pod| matches!(pod.phase, Phase::Ended(_))) {
            return;
        }
        self.gave_up = reason.map(|reason| (reason, self.now));
        if self.gave_up.is_some() {
            for number in 0..self.pods.len() {
                if !matches!(self.pods[number].phase, Phase::Over(_)) {
                    self.pods[number].stopped = Some(self.now);
                    self.write_pod(number);
                }
            }
        }
        let let_go: Vec<usize> = (0..self.pods.len()).filter(|&pod| self.lets_go(pod)).collect();
        if self.gave_up.is_none() && !all {
            self.make_pods();
        }
        self.account(&let_go);
        if all && self.gave_up.is_none() {
            self.ended = Some(("Complete", self.now));
            self.write_job();
        }
    }

    /// Whether the finalizer of a pod can go: that of the last failed pod of an index stays until there is another.
    fn lets_go(&self, number: usize) -> bool {
        let pod = &self.pods[number];
        let ended = matches!(pod.phase, Phase::Over(_));
        let last = self.pods.iter().rposition(|other| other.index == pod.index) == Some(number);
        let over = self.completed_indexes.contains(&pod.index) || self.failed_indexes.contains(&pod.index);
        pod.finalizer && (self.gave_up.is_some() || ended && (over || !last))
    }

    fn make_pods(&mut self) {
        let active = |pod: &&Pod| !matches!(pod.phase, Phase::Over(_));
        let mut room = self.script.parallelism.saturating_sub(self.pods.iter().filter(active).count());
        for index in 0..self.script.completions {
            let over = self.completed_indexes.contains(&index) || self.failed_indexes.contains(&index);
            let (failures, ignored) = match self.newest(index) {
                None => (0, 0),
                Some((pod, Some(code))) if !over => {
                    (self.fares(index).0, pod.ignored + u32::from(code != 0 && !self.counts(code)))
                }
                Some(_) => continue,
            };
            // A back-off may not be over.
            if room == 0 || failures + ignored > 0 && self.choose(2) == 0 {
                continue;
            }
            room -= 1;
            let created = self.now;
            self.pods.push(Pod {
                index,
                failures,
                ignored,
                phase: Phase::Pending,
                created,
                started: 0,
                ended: 0,
                stopped: None,
                finalizer: true,
                gone: false,
            });
            self.write_pod(self.pods.len() - 1);
        }
    }

    /// Counts those pods: they are listed, let go of, and summed up. Of what it stops, the policy looks at what ended.
    fn account(&mut self, pods: &[usize]) {
        let fails = |number: &usize| match self.pods[*number].phase {
            Phase::Over(0) => self.pods[*number].stopped.is_some(),
            Phase::Over(code) => self.counts(code),
            Phase::Ended(code) => code == 0 || self.counts(code),
            Phase::Pending | Phase::Running => true,
        };
        self.uncounted = pods.iter().copied().filter(fails).collect();
        self.succeeded = self.completed_indexes.len();
        self.write_job();
        for &number in pods {
            self.pods[number].finalizer = false;
            self.write_pod(number);
        }
        if !self.uncounted.is_empty() {
            self.failed += std::mem::take(&mut self.uncounted).len();
            self.write_job();
        }
    }

    pub fn truth(&self) -> Truth {
        let indexes = 0..self.script.completions;
        let open = |index: u32| {
            let (failures, for_good) = self.fares(index);
            let complete = matches!(self.newest(index), Some((_, Some(0))));
            (failures > 0 && !for_good && !complete).then_some((index, failures))
        };
        let failed = |pod: &&Pod| matches!(pod.phase, Phase::Over(code) if pod.stopped.is_none() && self.counts(code));
        Truth {
            failed: indexes.clone().filter(|index| self.fares(*index).1).collect(),
            open: indexes.filter_map(open).collect(),
            pods: u32::try_from(self.pods.iter().filter(failed).count()).unwrap(),
            word: None,
            reason: None,
        }
    }
}

pub fn time(second: i64) -> Timestamp {
    Timestamp::from_second(1_796_000_000 + second).unwrap()
}
