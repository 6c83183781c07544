//! What is true at a moment: counted from what happened in the cluster, and not from what its objects say.

use gatewatch::run::StepId;

use crate::model::{Millis, Model};
use crate::objects::id;
use crate::script::Seconds;
use crate::things::{End, Job, Pod, Role, State, Stuck, Taken};

/// What is true once the API server told something.
#[derive(Debug)]
pub struct Truth {
    pub generation: i64,
    /// The hop that the spec wants, the version that is deployed, and what the operator wrote.
    pub target: usize,
    pub deployed: usize,
    pub observed: i64,
    pub reason: &'static str,
    pub phase: &'static str,
    pub skips_wait: bool,
    pub jobs: Vec<JobTruth>,
}

/// What is true of a Job.
#[derive(Clone, Debug)]
pub struct JobTruth {
    pub uid: String,
    pub name: String,
    pub generation: i64,
    pub hop: usize,
    pub step: StepId,
    pub gone: bool,
    pub word: &'static str,
    pub stuck: Option<(Stuck, String)>,
    /// Why it gives up or gave up, and when it said so.
    pub gave_up: Option<(&'static str, Millis)>,
    pub backoff_limit: u32,
    pub in_place: bool,
    /// Failed attempts in both counts.
    pub restarts: u32,
    pub pods: u32,
    pub failures: Vec<Failure>,
    pub deadline: Option<Millis>,
    pub of_pods: Vec<PodTruth>,
}

/// Something that failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// When, in whole seconds: at the earliest and at the latest that it can be told to have been.
    pub from: Seconds,
    pub until: Seconds,
    pub pod: usize,
    pub what: Failed,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Failed {
    Run { container: &'static str, id: String, code: i64, reason: &'static str },
    Pod { reason: &'static str, message: &'static str },
}

/// What is true of a pod of a Job.
#[derive(Clone, Debug)]
pub struct PodTruth {
    pub uid: String,
    pub name: String,
    pub gone: bool,
    pub terminating: bool,
    /// When its end was asked for, in whole seconds.
    pub requested: Option<Seconds>,
    /// When the last of its main containers ended, once none runs again.
    pub done: Option<Seconds>,
    pub waits_or_runs: bool,
    /// How many of its Job's failed attempts in place are its own.
    pub restarts: u32,
    /// How many failed attempts in place it had, whether they count or not.
    pub tried: u32,
    /// Whether it is counted as a pod that failed as a whole.
    pub failed: bool,
    pub containers: Vec<ContainerTruth>,
    /// Whether nobody can tell from the objects what took it away, or whether it counts.
    pub unclear: bool,
    /// Whether that can't be told by whoever did not see all of it: it had passed, and its Job stopped it before that was told.
    pub unclear_later: bool,
}

/// The logs of a container: whose they are.
#[derive(Clone, Debug)]
pub struct ContainerTruth {
    pub name: &'static str,
    pub role: Role,
    pub runs: bool,
    pub current: Option<String>,
    pub previous: Option<String>,
    /// The exit code that a pod failure policy looks at, whoever ended it.
    pub exit: Option<i64>,
}

pub fn truth(model: &Model) -> Truth {
    let core = &model.core;
    Truth {
        generation: core.generation,
        target: core.target,
        deployed: core.status.deployed,
        observed: core.status.observed,
        reason: core.status.reason,
        phase: core.status.phase,
        skips_wait: model.script.operator.skips_wait,
        jobs: (0..model.told.len()).map(|job| of_job(model, job)).collect(),
    }
}

fn of_job(model: &Model, job: usize) -> JobTruth {
    let of = &model.told[job];
    let shape = &model.script.shape;
    let pods: Vec<usize> = (0..model.pods.len()).filter(|&pod| model.pods[pod].job == job).collect();
    let of_pods: Vec<PodTruth> = pods.iter().map(|&pod| of_pod(model, of, pod)).collect();
    let mut failures: Vec<Failure> = pods.iter().enumerate().flat_map(|(n, &pod)| failures(model, n, pod)).collect();
    failures.sort_by_key(|failure| failure.until);
    let restarts: u32 = of_pods.iter().map(|pod| pod.restarts).sum();
    let failed = of_pods.iter().filter(|pod| pod.failed).count();
    // That it gave up for its restarts stays true also where their pod was on its way out.
    let at_least =
        if of.by_restarts && failed <= shape.backoff_limit as usize { shape.backoff_limit.max(1) } else { 0 };
    let restarts = restarts.max(at_least);
    let newest = pods.last().map(|&pod| &model.pods[pod]);
    // A pod that kept the gate from starting still explains it once it has to go, until its Job's status follows.
    let stands = |pod: &&Pod| pod.deletion.is_none() && !pod.gone || of.active > 0;
    let stuck = newest.filter(stands).and_then(|pod| Some((pod.stuck()?.clone(), pod.name.clone())));
    let word = match () {
        () if of.holds("Failed").is_some() => "failed",
        () if of.holds("Complete").is_some() => "done",
        () if of.gone => "unknown",
        () if of.holds("FailureTarget").is_some() => "failing",
        () if of.suspend => "suspended",
        () if of.holds("SuccessCriteriaMet").is_some() => "running",
        () if stuck.is_some() => "blocked",
        () if restarts > 0 || failed > 0 => "retrying",
        () => "running",
    };
    let gave_up = of.holds("FailureTarget").or_else(|| of.holds("Failed"));
    JobTruth {
        uid: of.uid.clone(),
        name: of.name.clone(),
        generation: of.generation,
        hop: of.hop,
        step: StepId::OF_A_HOP[of.gate],
        gone: of.gone,
        word,
        stuck: stuck.filter(|_| word == "blocked"),
        gave_up: gave_up.map(|condition| (condition.reason, condition.since)),
        backoff_limit: shape.backoff_limit,
        in_place: shape.in_place,
        restarts,
        pods: u32::try_from(failed).unwrap(),
        failures,
        deadline: of
            .started
            .zip(shape.deadline)
            .filter(|_| !of.finished())
            .map(|(at, long)| at.div_euclid(1000) + long),
        of_pods,
    }
}

fn of_pod(model: &Model, job: &Job, pod: usize) -> PodTruth {
    let of = &model.pods[pod];
    let over = job.finished() || job.holds("FailureTarget").is_some();
    // The controller sums over pods that wait or run, and looks only where they restart in place. What it counted stays as the
    // Job ends, and is lost with a pod that is taken away.
    let counts = model.script.shape.in_place
        && match of.taken {
            Some(Taken::JobGaveUp) => true,
            Some(Taken::JobSuspended) => of.phase != "Failed" && !of.gone,
            Some(Taken::Away { .. }) | None => {
                of.phase == "Succeeded" && (!of.gone || over) || of.waits_or_runs() && !of.gone
            }
        };
    let failed_runs = of.containers.iter().map(|container| {
        let last = container.last_end().is_some_and(|end| end.code != 0 && !end.stopped);
        container.restarts() + u32::from(last)
    });
    let tried = if model.script.shape.in_place { failed_runs.sum() } else { 0 };
    // It counted before it ended, and as it ended its policy would have ignored it.
    let counted_early = of.counted && !model.counts(pod);
    let unclear = counted_early
        || match (of.taken, of.deletion, job.holds("FailureTarget").or_else(|| job.holds("Failed"))) {
            (Some(Taken::Away { reason: "Deleted", .. }), Some(deletion), Some(gave_up)) => {
                (deletion.requested / 1000 - gave_up.since / 1000).abs() <= 1
            }
            _ => false,
        };
    let mains = of.containers.iter().filter(|container| container.role == Role::Main);
    let over = |end: &End| end.code == 0 || !model.script.shape.in_place;
    let ends = mains.map(|main| main.last_end().filter(over).map(|end| end.at.div_euclid(1000)));
    let done = ends.collect::<Option<Vec<_>>>().and_then(|ends| ends.into_iter().max());
    let containers = of.containers.iter().map(|container| {
        let before = container.runs.iter().rev().nth(1).map(id);
        let last = container.runs.last().filter(|run| run.end.is_some()).map(id);
        let ended = container.runs.iter().rev().find(|run| run.end.is_some()).map(id);
        // The kubelet keeps the log of one run besides that of the one that runs.
        let (current, previous) = match container.state {
            State::Running => (container.runs.last().map(id), before),
            State::Waiting(..) => (ended.clone(), ended),
            State::Ended => (last, None),
            State::Unknown => (None, None),
        };
        let runs = container.state == State::Running;
        let exit = match container.state {
            State::Ended => container.last_end().map(|end| end.code),
            State::Unknown => Some(137),
            State::Waiting(..) | State::Running => None,
        };
        ContainerTruth { name: container.name, role: container.role, runs, current, previous, exit }
    });
    PodTruth {
        uid: of.uid.clone(),
        name: of.name.clone(),
        gone: of.gone,
        terminating: of.deletion.is_some(),
        done,
        requested: of.deletion.map(|deletion| deletion.requested.div_euclid(1000)),
        waits_or_runs: of.waits_or_runs(),
        restarts: if counts { tried } else { 0 },
        tried,
        failed: failed_as_a_whole(model, pod),
        containers: containers.collect(),
        unclear,
        unclear_later: of.taken == Some(Taken::JobGaveUp) && of.phase == "Succeeded",
    }
}

/// Whether a pod failed as a whole and the Job counts it, or is about to: it was not its Job that stopped it, and no policy
/// ignores it.
fn failed_as_a_whole(model: &Model, pod: usize) -> bool {
    let of = &model.pods[pod];
    let by_job = matches!(of.taken, Some(Taken::JobGaveUp | Taken::JobSuspended));
    let about_to = of.phase == "Failed" && of.finalizer && !of.gone && model.counts(pod);
    !by_job && (of.counted || about_to)
}

/// What failed in a pod: runs that ended badly by themselves, and the pod, where it was taken away.
fn failures(model: &Model, number: usize, pod: usize) -> Vec<Failure> {
    let of = &model.pods[pod];
    let ended = |container: &crate::things::Container| {
        let name = container.name;
        let failed = container.runs.iter().filter_map(move |run| {
            let end = run.end.filter(|end| end.code != 0 && !end.stopped)?;
            let at = end.at.div_euclid(1000);
            let what = Failed::Run { container: name, id: id(run), code: end.code, reason: end.reason };
            Some(Failure { from: at, until: at, pod: number, what })
        });
        failed.collect::<Vec<_>>()
    };
    let mut failures: Vec<Failure> = of.containers.iter().flat_map(ended).collect();
    if let Some(Taken::Away { reason, message, at }) = of.taken
        && failed_as_a_whole(model, pod)
    {
        // Nothing tells when a pod was evicted in which nothing ran, but that it was after its last run.
        let ends = of.containers.iter().flat_map(|container| &container.runs).filter_map(|run| run.end);
        let earliest = ends.map(|end| end.at).max().unwrap_or(of.created).min(at);
        let told = of.disruption.is_some() || of.deletion.is_some() && of.reason.is_empty();
        let from = if told { at } else { earliest };
        let [from, until] = [from, at].map(|at| at.div_euclid(1000));
        failures.push(Failure { from, until, pod: number, what: Failed::Pod { reason, message } });
    }
    failures
}
