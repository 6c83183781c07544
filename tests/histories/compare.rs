//! Whether a report says what is true, as far as whoever it is made for can know it.

use std::fmt::Write;
use std::ops::RangeInclusive;

use gatewatch::cluster::Uid;
use gatewatch::gate::{Attempts, Count, Ending, Gate, GateState, LastFailure, Target};
use gatewatch::run::{PastJob, Run, StepId, Verdict};

use crate::kubectl::answers;
use crate::model::time;
use crate::operator::VERSIONS;
use crate::truth::{ContainerTruth, Failed, Failure, JobTruth, PodTruth, Truth};
use crate::witness::Witness;

/// What differs, in words; empty where nothing does.
#[derive(Debug, Default)]
pub struct Differences(pub String);

impl Differences {
    fn note(&mut self, subject: &str, what: &str, said: impl std::fmt::Debug, truth: impl std::fmt::Debug) {
        writeln!(self.0, "{subject}: {what}: said {said:?}, true is {truth:?}").unwrap();
    }

    fn hold<T: PartialEq + std::fmt::Debug>(&mut self, subject: &str, what: &str, said: T, truth: T) {
        if said != truth {
            self.note(subject, what, said, truth);
        }
    }
}

/// What differs between a report and the truth.
pub fn differences(runs: &[Run], truth: &Truth, witness: &Witness) -> String {
    let mut differences = Differences::default();
    let [run] = runs else { return format!("{} runs of one instance", runs.len()) };
    let known: Vec<&JobTruth> = truth.jobs.iter().filter(|job| witness.seen.contains(&job.uid)).collect();
    let hop = shown_hop(truth, &known);
    if truth.observed == truth.generation {
        let said = run.course.hop.as_ref().map(|hop| hop.version.as_str());
        differences.hold("upgrade", "hop", said, Some(VERSIONS[hop]));
    }
    let mut gates = Vec::new();
    for step in [StepId::PreMigrations, StepId::PostMigrations, StepId::BatchedMigrations] {
        let gate = run.steps.iter().find(|of| of.id == step).unwrap().gate().unwrap();
        match of_step(&known, truth, hop, step) {
            Some(job) => {
                gates.push(job);
                of_gate(&mut differences, job, gate, witness);
            }
            None => without_job(&mut differences, truth, &known, hop, step, gate, witness),
        }
    }
    for job in known.iter().filter(|job| gates.iter().all(|gate| gate.uid != job.uid)) {
        match run.history.iter().find(|past| past.uid == Uid(job.uid.clone())) {
            Some(past) => of_past(&mut differences, job, past, witness),
            None => differences.note(&job.uid, "history", "nothing", job.word),
        }
    }
    verdict(&mut differences, run, truth, &gates, witness);
    differences.0
}

/// The hop after the deployed version, or a later one that has Jobs.
fn shown_hop(truth: &Truth, known: &[&JobTruth]) -> usize {
    let with_jobs = known.iter().filter(|job| job.generation == truth.generation).map(|job| job.hop).max();
    (truth.deployed + 1).min(truth.target).max(with_jobs.unwrap_or(0))
}

/// The Job that is a gate: of several the newest that is there.
fn of_step<'a>(known: &[&'a JobTruth], truth: &Truth, hop: usize, step: StepId) -> Option<&'a JobTruth> {
    let of_step = known.iter().filter(|job| job.generation == truth.generation && job.hop == hop && job.step == step);
    let of_step: Vec<&&JobTruth> = of_step.collect();
    of_step.iter().rev().find(|job| !job.gone).or(of_step.last()).map(|job| **job)
}

fn without_job(
    differences: &mut Differences,
    truth: &Truth,
    known: &[&JobTruth],
    hop: usize,
    step: StepId,
    gate: &Gate,
    witness: &Witness,
) {
    let told =
        crate::operator::STAGES.iter().position(|stage| *stage == truth.reason).map(|stage| StepId::OF_A_HOP[stage]);
    let told = told.filter(|_| truth.observed == truth.generation);
    let later = |known: &&&JobTruth| known.generation == truth.generation && known.hop == hop && known.step > step;
    let later = known.iter().any(|job| later(&job)) || told.is_some_and(|told| told > step);
    let word = match () {
        () if step == StepId::BatchedMigrations && truth.skips_wait => "skipped",
        () if later => "unknown",
        () => "pending",
    };
    // Who missed Jobs can be told of later steps by their retries, too.
    if !(witness.missed && matches!(gate.state.word(), "pending" | "unknown")) {
        differences.hold(step.word(), "state without a Job", gate.state.word(), word);
    }
    differences.hold(step.word(), "Job", gate.job.is_some(), false);
}

fn of_gate(differences: &mut Differences, truth: &JobTruth, gate: &Gate, witness: &Witness) {
    let subject = truth.name.as_str();
    let Some(job) = &gate.job else { return differences.note(subject, "Job", "none", &truth.uid) };
    differences.hold(subject, "uid", job.uid.0.as_str(), truth.uid.as_str());
    differences.hold(subject, "gone", job.gone, truth.gone);
    of_state(differences, truth, &gate.state, &job.attempts, job.last_failure.as_ref(), witness);
    if let (GateState::Blocked(fault), Some((stuck, pod))) = (&gate.state, &truth.stuck) {
        differences.hold(subject, "cause", fault.cause.word(), stuck.cause);
        differences.hold(subject, "reason of the block", fault.reason.as_str(), stuck.reason);
        differences.hold(subject, "container that can't start", fault.container.as_deref(), stuck.container);
        differences.hold(subject, "pod that can't start", fault.pod.as_str(), pod);
        differences.hold(subject, "permanent", fault.permanent, stuck.permanent);
    }
    let deadline = truth.deadline.map(|deadline| time(deadline * 1000));
    if !truth.gone || witness.finished.contains(&truth.uid) {
        differences.hold(subject, "deadline", job.deadline.map(|deadline| deadline.at), deadline);
    }
    let command = job.command.as_ref().map(|command| command.shell(&Target::default()));
    if let Err(wrong) = answers(truth, command.as_deref(), job.last_failure.as_ref()) {
        differences.note(subject, "command", command, wrong);
    }
}

fn of_past(differences: &mut Differences, truth: &JobTruth, past: &PastJob, witness: &Witness) {
    let none = Attempts::new(0, 0, truth.backoff_limit, truth.in_place);
    let attempts = past.attempts.unwrap_or(none);
    of_state(differences, truth, &past.state, &attempts, past.last_failure.as_ref(), witness);
}

fn of_state(
    differences: &mut Differences,
    truth: &JobTruth,
    state: &GateState,
    attempts: &Attempts,
    last: Option<&LastFailure>,
    witness: &Witness,
) {
    let subject = truth.name.as_str();
    let unclear = |pod: &PodTruth| pod.unclear || pod.unclear_later && witness.missed;
    if truth.of_pods.iter().any(unclear) {
        return;
    }
    // One that ended and went unseen might as well have been deleted before it ended.
    if truth.gone && truth.word != "unknown" && !witness.finished.contains(&truth.uid) {
        return differences.hold(subject, "state of a Job that went unseen", state.word(), "unknown");
    }
    differences.hold(subject, "state", state.word(), truth.word);
    let reason = match state {
        GateState::Failing(failure) | GateState::Failed(failure) => Some(failure.reason.as_str()),
        _ => None,
    };
    differences.hold(
        subject,
        "reason",
        reason,
        truth.gave_up.map(|(reason, _)| reason).filter(|_| truth.word != "unknown"),
    );
    if truth.word == "unknown" {
        return;
    }
    let restarts = restarts(truth, witness);
    if !restarts.contains(&attempts.restarts.failed) {
        differences.note(subject, "failed in place", attempts, &restarts);
    }
    differences.hold(subject, "limit in place", attempts.restarts.limit, Some(truth.backoff_limit.max(1)));
    let pods = pods(truth, witness);
    if !pods.contains(&attempts.pods.failed) {
        differences.note(subject, "failed pods", attempts, &pods);
    }
    differences.hold(subject, "limit of pods", attempts.pods.limit, Some(truth.backoff_limit + 1));
    let nearer = nearer(truth, attempts);
    differences.hold(subject, "nearer count", attempts.nearer, nearer);
    last_failure(differences, truth, attempts, last, witness);
}

/// The pods that went while nobody looked: what took them is not known.
fn vanished<'a>(truth: &'a JobTruth, witness: &'a Witness) -> impl Iterator<Item = &'a PodTruth> {
    truth.of_pods.iter().filter(|pod| pod.gone && !witness.taken.contains(&pod.uid))
}

/// Whether nobody can tell a run that failed from one that was stopped: it ended as its pod had to go, or a sidecar as the
/// others were done, in whole seconds, and was seen only since.
fn perhaps_stopped(failure: &Failure, truth: &JobTruth, witness: &Witness) -> bool {
    let pod = &truth.of_pods[failure.pod];
    match &failure.what {
        Failed::Run { id, container, .. } => {
            let since =
                if *container == "proxy" { pod.done.into_iter().chain(pod.requested).min() } else { pod.requested };
            !witness.ended_before.contains(id) && since.is_some_and(|since| failure.until >= since)
        }
        Failed::Pod { .. } => false,
    }
}

/// The failed attempts in place: what is there is known, and of pods that vanished only what was seen, and not whether it
/// counts.
fn restarts(truth: &JobTruth, witness: &Witness) -> RangeInclusive<u32> {
    let there: u32 = truth.of_pods.iter().filter(|pod| !pod.gone).map(|pod| pod.restarts).sum();
    let over = truth.gave_up.is_some() || truth.word == "done";
    let perhaps: u32 = vanished(truth, witness).filter(|_| over).map(|pod| pod.tried - pod.restarts).sum();
    let unclear = truth.failures.iter().filter(|failure| perhaps_stopped(failure, truth, witness)).count();
    let there = there.saturating_sub(u32::try_from(unclear).unwrap());
    // The controller's word for both limits is the same, and the pod that would tell which it was is one that vanished.
    let by_limit = truth.gave_up.is_some_and(|(reason, _)| reason == "BackoffLimitExceeded");
    let vague = by_limit && truth.in_place && vanished(truth, witness).next().is_some();
    let most = (truth.restarts + perhaps).max(if vague { truth.backoff_limit.max(1) } else { 0 });
    if witness.missed { there..=most } else { truth.restarts..=truth.restarts }
}

/// The failed pods: the Job tells how many, and as it gives up not which of those that vanished it stopped itself.
fn pods(truth: &JobTruth, witness: &Witness) -> RangeInclusive<u32> {
    let gave_up = truth.gave_up.is_some() && witness.missed;
    let vague = if gave_up { u32::try_from(vanished(truth, witness).count()).unwrap() } else { 0 };
    truth.pods.saturating_sub(vague)..=truth.pods + vague
}

fn nearer(truth: &JobTruth, said: &Attempts) -> Count {
    let (restarts, pods) = (said.restarts.failed, said.pods.failed);
    let left = (truth.backoff_limit.max(1).saturating_sub(restarts), (truth.backoff_limit + 1).saturating_sub(pods));
    match () {
        () if !truth.in_place => Count::Pods,
        () if pods == 0 => Count::Restarts,
        () if restarts == 0 || left.1 < left.0 => Count::Pods,
        () => Count::Restarts,
    }
}

fn last_failure(
    differences: &mut Differences,
    truth: &JobTruth,
    attempts: &Attempts,
    last: Option<&LastFailure>,
    witness: &Witness,
) {
    let subject = truth.name.as_str();
    let known = |failure: &&Failure| match &failure.what {
        Failed::Run { id, .. } => witness.ended.contains(id) && !perhaps_stopped(failure, truth, witness),
        Failed::Pod { .. } => witness.taken.contains(&truth.of_pods[failure.pod].uid),
    };
    let known: Vec<&Failure> = truth.failures.iter().filter(known).collect();
    let newest = known.iter().map(|failure| failure.until).max();
    let newest: Vec<&&Failure> = known.iter().filter(|failure| Some(failure.until) == newest).collect();
    match last {
        None if newest.is_empty() => {}
        Some(LastFailure::Lost) if newest.is_empty() && attempts.any() && witness.missed => {}
        Some(LastFailure::Known(said)) if newest.iter().any(|failure| same(said, failure, truth)) => {}
        // The condition names what the policy matched, where nobody saw it.
        Some(LastFailure::Known(said)) if newest.is_empty() && witness.missed => {
            let named = |pod: &PodTruth| match &said.ending {
                Ending::Container { container, exit, .. } => {
                    let ended = |of: &ContainerTruth| of.name == container && of.exit == Some(exit.code);
                    pod.name == said.pod && pod.containers.iter().any(ended)
                }
                Ending::Pod { .. } => false,
            };
            if !truth.of_pods.iter().any(named) {
                differences.note(subject, "last failure", said, "nothing of the kind");
            }
        }
        said => differences.note(subject, "last failure", said, newest),
    }
}

fn same(said: &gatewatch::gate::Failure, failure: &Failure, truth: &JobTruth) -> bool {
    let pod = &truth.of_pods[failure.pod];
    let what = match (&said.ending, &failure.what) {
        (
            Ending::Container { container, exit, reason },
            Failed::Run { container: true_container, code, reason: true_reason, .. },
        ) => container == true_container && exit.code == *code && reason == true_reason && said.message.is_empty(),
        (Ending::Pod { reason }, Failed::Pod { reason: true_reason, message }) => {
            reason == true_reason && said.message == *message
        }
        _ => false,
    };
    let when = said.time.is_some_and(|at| (time(failure.from * 1000)..=time(failure.until * 1000)).contains(&at));
    what && when && said.pod == pod.name && said.pod_gone == pod.gone
}

fn verdict(differences: &mut Differences, run: &Run, truth: &Truth, gates: &[&JobTruth], witness: &Witness) {
    let permanent = |job: &&&JobTruth| job.stuck.as_ref().is_some_and(|(stuck, _)| stuck.permanent);
    let under_way = |job: &&&JobTruth| !matches!(job.word, "done" | "unknown");
    let spoken = truth.observed == truth.generation;
    let verdict = match () {
        () if gates.iter().any(|job| job.word == "failed") => Verdict::Failed,
        () if gates.iter().any(|job| permanent(&job)) => Verdict::Stuck,
        () if gates.iter().any(|job| under_way(&job)) => Verdict::Upgrading,
        () if spoken && truth.reason == "UpgradeComplete" => Verdict::Settled,
        () if truth.phase == "Running" && truth.deployed == truth.target => Verdict::Settled,
        () => Verdict::Upgrading,
    };
    // What the operator calls failed, and no Job of it is there, can't be told from what failed.
    let without =
        witness.missed || gates.iter().all(|job| job.word != "done") || gates.iter().any(|job| job.word == "unknown");
    if !(spoken
        && truth.phase == "Failed"
        && without
        && verdict == Verdict::Upgrading
        && run.verdict == Verdict::Failed)
    {
        differences.hold("upgrade", "verdict", run.verdict, verdict);
    }
}
