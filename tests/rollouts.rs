//! Rollouts as a real cluster went through them, and whether the engine says of them what is right.
//!
//! A file of `rollouts/` states by hand, from the recorded objects and the rules of Kubernetes, one line for each recorded
//! event after which it differs: the state, the verdict, how many pods are updated and ready, which pod holds it up and why,
//! whether that clears by itself or lasts, how often its image was pulled in vain, and when it is tried again.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use gatewatch::cluster::{Change, ClusterEvent, Kind, WatchState};
use gatewatch::error::ExitCode;
use gatewatch::gate::NextPull;
use gatewatch::output::Waiter;
use gatewatch::run::{Run, Stuck};

use crate::common::played;

fn file(name: &str, ending: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rollouts").join(format!("{name}.{ending}"))
}

/// What is said of a run, in the words of the files.
fn told(run: &Run) -> Result<String> {
    let [step] = run.steps.as_slice() else { bail!("one step: {:?}", run.steps) };
    let rollout = step.rollout().context("a rollout")?;
    let [workload] = rollout.workloads.as_slice() else { bail!("one workload: {:?}", rollout.workloads) };
    let counts = format!("{}/{}", workload.updated, workload.ready);
    let mut told = format!("{} {} {counts}", rollout.state.word(), run.verdict.word());
    let Some((_, replica, stuck)) = rollout.stuck() else { return Ok(told) };
    told += &format!(" {} {} {}", replica.pod, stuck.reason(), if stuck.lasts() { "lasts" } else { "clears" });
    if let Stuck::Start(fault) = stuck
        && let Some(pulls) = fault.pulls
    {
        let next = match pulls.next {
            NextPull::UnderWay { .. } => "pulling".to_owned(),
            NextPull::About(next) => format!("next {}", next.strftime("%H:%M:%S")),
        };
        told += &format!(", failed {}, {next}", pulls.failed);
    }
    Ok(told)
}

/// Fails unless the engine says of a recording what its file states, line by line.
fn holds(name: &str) -> Result<()> {
    let mut seen: Vec<(String, String)> = Vec::new();
    for (at, run) in played::runs(file(name, "jsonl.gz")) {
        let told = told(&run)?;
        if seen.last().is_none_or(|(_, last)| *last != told) {
            seen.push((at, told));
        }
    }
    let seen: Vec<String> = seen.into_iter().map(|(at, told)| format!("{at} {told}")).collect();
    let stated = fs::read_to_string(file(name, "txt"))?;
    let stated: Vec<&str> = stated.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(seen.join("\n"), stated.join("\n"), "{name}");
    Ok(())
}

/// The exit code of a wait that ends after each event, where it differs from before.
fn exit_codes(name: &str) -> Result<Vec<(String, ExitCode)>> {
    let recording = played::recording(file(name, "jsonl.gz"));
    let mut waiter = Waiter::default();
    // A recording has no more to list.
    let begin = recording.events.first().context("an event")?.time;
    for kind in Kind::ALL {
        let change = Change::Watch { kind, state: WatchState::Ended };
        let _ = waiter.see(ClusterEvent { cluster: None, time: begin, change });
    }
    let mut codes: Vec<(String, ExitCode)> = Vec::new();
    for event in recording.events {
        let at = event.time.strftime("%H:%M:%S%.3f").to_string();
        let _ = waiter.see(event);
        let code = waiter.exit_code();
        if waiter.any() && codes.last().is_none_or(|(_, last)| *last != code) {
            codes.push((at, code));
        }
    }
    Ok(codes)
}

#[test]
fn a_wait_fails_past_the_progress_deadline_as_that_of_kubectl_and_not_before() -> Result<()> {
    let at = |at: &str, code| (at.to_owned(), code);
    let (settled, failed, under_way) = (ExitCode::Settled, ExitCode::Failed, ExitCode::TimedOut);
    let stated = [
        at("08:26:49.342", settled),
        at("08:26:52.383", under_way),
        at("08:27:53.013", failed),
        at("08:28:08.475", under_way),
        at("08:28:08.484", settled),
    ];
    assert_eq!(exit_codes("deployment")?, stated);
    let stated = [at("08:26:50.156", settled), at("08:26:53.797", under_way), at("08:28:27.025", settled)];
    assert_eq!(exit_codes("stateful-set-mended")?, stated, "what cannot clear by itself can be mended");
    Ok(())
}

#[test]
fn a_stateful_set_waits_for_a_registry_that_comes_back() -> Result<()> {
    holds("stateful-set")
}

#[test]
fn a_stateful_set_keeps_a_broken_pod_after_its_template_is_mended() -> Result<()> {
    holds("stateful-set-mended")
}

#[test]
fn a_deployment_past_its_progress_deadline_is_rolled_back() -> Result<()> {
    holds("deployment")
}

#[test]
fn a_daemon_set_lacks_a_config_map_for_a_while() -> Result<()> {
    holds("daemon-set")
}
