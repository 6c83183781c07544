//! The cluster that a history happens in: what is there and what happened to it, in virtual time.
//!
//! It knows what happened, and not only what the objects say (`things`): which run ended by itself and which was stopped, who
//! took a pod away, and why. Its actors are in `kubelet`, `starts`, `controller`, `operator` and `acts`; `objects` writes what
//! the API server shows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use gatewatch::cluster::{Change, ClusterEvent, Object};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::acts;
use crate::script::{Act, Script, Seconds};
use crate::things::{Core, Job, Pod, Taken};
use crate::truth::{Truth, truth};

/// Milliseconds since the history began.
pub type Millis = i64;

/// When histories begin.
const BEGINS: &str = "2026-11-29T15:00:00Z";
/// How long a history is at most.
const LONGEST: Millis = 4 * 3600 * 1000;
/// How many writes a history has at most.
const MOST_WRITES: usize = 420;

/// The cluster.
pub struct Model {
    pub now: Millis,
    pub script: Script,
    pub core: Core,
    pub jobs: Vec<Job>,
    /// The Jobs as they were told last.
    pub told: Vec<Job>,
    pub pods: Vec<Pod>,
    pub history: Vec<Write>,
    pub cursors: Cursors,
    pub resource_version: u64,
    pub ids: u32,
    queue: BinaryHeap<Reverse<(Millis, u64, Step)>>,
    steps: u64,
}

/// How much of the script is used up.
#[derive(Default)]
pub struct Cursors {
    pub mains: usize,
    pub inits: usize,
    pub sidecars: usize,
    pub starts: usize,
    pub pods: usize,
    pub stops: usize,
    pace: usize,
}

/// What happens next. What a kubelet was about to do is void once something else came over its pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Operator,
    Sync { job: usize },
    Expire { job: usize },
    Act { number: usize },
    Kubelet { pod: usize, epoch: u32, what: Kubelet },
}

/// What a kubelet does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kubelet {
    Schedule,
    Admit,
    Volumes {
        trouble: usize,
        failures: u32,
        clears: Option<Millis>,
    },
    Start {
        container: usize,
    },
    Try {
        container: usize,
        trouble: usize,
        tries: u32,
        clears: Option<Millis>,
    },
    Launch {
        container: usize,
    },
    End {
        container: usize,
    },
    BackOff {
        container: usize,
    },
    Finish,
    Stopped {
        grace: Seconds,
    },
    Remove,
    /// The taint manager deletes a pod, once it has said so.
    TaintDeletes,
}

/// One thing that the API server told of an object, and what is true after it.
pub struct Write {
    pub event: ClusterEvent,
    /// What is true once it was told; `None` in the middle of things that are told together.
    pub truth: Option<Rc<Truth>>,
}

impl Model {
    /// Lets everything happen.
    pub fn play(script: Script) -> Vec<Write> {
        let mut model = Self {
            now: 0,
            core: Core { uid: "core-1".into(), generation: 1, ..Core::default() },
            jobs: Vec::new(),
            told: Vec::new(),
            pods: Vec::new(),
            history: Vec::new(),
            cursors: Cursors::default(),
            resource_version: 1000,
            ids: 0,
            queue: BinaryHeap::new(),
            steps: 0,
            script,
        };
        model.begin();
        let mut at = 60_000;
        for number in 0..model.script.acts.len() {
            at += model.script.acts[number].0 * 1000 + model.pace(1000);
            model.later(at, Step::Act { number });
        }
        while let Some(Reverse((at, _, step))) = model.queue.pop()
            && at < LONGEST
            && model.history.len() < MOST_WRITES
        {
            model.now = at;
            model.step(step);
            model.settled();
        }
        model.history
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Operator => self.pass(),
            Step::Sync { job } => self.sync(job),
            Step::Expire { job } => self.expire(job),
            Step::Act { number } => {
                let act: Act = self.script.acts[number].1;
                acts::act(self, act);
            }
            Step::Kubelet { pod, epoch, what } if self.pods[pod].epoch == epoch && !self.pods[pod].gone => {
                self.kubelet(pod, what);
            }
            Step::Kubelet { .. } => {}
        }
    }

    /// Something that happens so much later.
    pub fn later(&mut self, after: Millis, step: Step) {
        self.steps += 1;
        self.queue.push(Reverse((self.now + after, self.steps, step)));
    }

    /// How much later than it could something happens, of at most that much.
    pub fn pace(&mut self, most: Millis) -> Millis {
        let pace = &self.script.pace;
        let taken = pace[self.cursors.pace % pace.len()];
        self.cursors.pace += 1;
        most * Millis::from(taken) / 256
    }

    /// What was told up to now is told whole.
    pub fn settled(&mut self) {
        if self.history.last().is_some_and(|last| last.truth.is_none()) {
            let truth = Rc::new(truth(self));
            if let Some(last) = self.history.last_mut() {
                last.truth = Some(truth);
            }
        }
    }

    pub fn tell(&mut self, deleted: bool, object: &Value) {
        let object = Box::new(Object::read(object).unwrap());
        let change = if deleted { Change::Deleted(object) } else { Change::Applied(object) };
        let time = time(self.now) + SignedDuration::from_millis(self.now % 1000);
        self.history.push(Write { event: ClusterEvent { cluster: None, time, change }, truth: None });
    }

    pub fn id(&mut self) -> u32 {
        self.ids += 1;
        self.ids
    }

    /// Somebody or something takes a pod away that has not failed by itself.
    pub fn take(&mut self, pod: usize, taken: Taken) {
        if self.script.shape.in_place || !self.pods[pod].has_failed() {
            self.pods[pod].taken.get_or_insert(taken);
        }
    }

    /// The pods of a Job that are there, oldest first.
    pub fn pods_of(&self, job: usize) -> Vec<usize> {
        let there = self.pods.iter().enumerate().filter(|(_, pod)| pod.job == job && pod.owned && !pod.gone);
        there.map(|(index, _)| index).collect()
    }
}

/// A moment as objects tell it: in whole seconds.
pub fn time(at: Millis) -> Timestamp {
    BEGINS.parse::<Timestamp>().unwrap() + SignedDuration::from_secs(at.div_euclid(1000))
}
