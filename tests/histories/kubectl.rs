//! What `kubectl` answers to a command at a moment: the command that is shown has to work, and to show the run that failed last.

use gatewatch::gate::{Ending, LastFailure};

use crate::things::Role;
use crate::truth::{ContainerTruth, Failed, JobTruth, PodTruth};

/// Whether the command is the one to run at this moment, or there is none; else what would be right.
pub fn answers(truth: &JobTruth, command: Option<&str>, last: Option<&LastFailure>) -> Result<(), String> {
    let describe = format!("kubectl -n gitlab describe job/{}", truth.name);
    let there = |command: Option<&str>| match truth.gone {
        false if command == Some(describe.as_str()) => Ok(()),
        true if command.is_none() => Ok(()),
        gone => Err(if gone { "none: the Job is gone".to_owned() } else { describe.clone() }),
    };
    let live = || truth.of_pods.iter().filter(|pod| !pod.gone);
    match truth.word {
        "running" => {
            let runs = |pod: &&PodTruth| pod.waits_or_runs && pod.containers.iter().any(follows);
            match command {
                Some(command) if command.ends_with(" -f") => match logs(truth, command) {
                    Some((pod, container, _)) if pod.waits_or_runs && follows(container) => Ok(()),
                    _ => Err("a main container that runs".into()),
                },
                None if !live().any(|pod| runs(&pod) && !pod.terminating) => Ok(()),
                _ => Err("the log of a main container that runs, or none".into()),
            }
        }
        "blocked" => {
            let pod = truth.stuck.as_ref().and_then(|(_, pod)| live().find(|of| of.name == *pod));
            let right = pod.map(|pod| format!("kubectl -n gitlab describe pod/{}", pod.name));
            if right.as_deref() == command { Ok(()) } else { Err(format!("{right:?}")) }
        }
        "retrying" => match readable(truth, last) {
            Some(run) => match command.and_then(|command| logs(truth, command)) {
                Some((_, _, shown)) if shown.as_ref() == Some(&run) => Ok(()),
                shown => Err(format!("a log of {run}, and not {shown:?}")),
            },
            None => there(command),
        },
        "suspended" | "failing" | "failed" => there(command),
        _ if command.is_none() => Ok(()),
        _ => Err("none".into()),
    }
}

/// The run that failed last, where `kubectl logs` can show it: in a pod that is there and restarts in place.
fn readable(truth: &JobTruth, last: Option<&LastFailure>) -> Option<String> {
    let Some(LastFailure::Known(said)) = last else { return None };
    let Ending::Container { container, .. } = &said.ending else { return None };
    let pod = truth.of_pods.iter().position(|pod| !pod.gone && pod.name == said.pod).filter(|_| truth.in_place)?;
    let is_it = |failure: &&crate::truth::Failure| match &failure.what {
        Failed::Run { container: of, .. } => of == container && failure.pod == pod,
        Failed::Pod { .. } => false,
    };
    let Failed::Run { id, .. } = &truth.failures.iter().rfind(is_it)?.what else { return None };
    let of = truth.of_pods[pod].containers.iter().find(|of| of.name == container)?;
    [&of.current, &of.previous].into_iter().any(|log| log.as_ref() == Some(id)).then(|| id.clone())
}

/// What a command shows: of which pod and container, and the log of which run.
fn logs<'a>(truth: &'a JobTruth, command: &str) -> Option<(&'a PodTruth, &'a ContainerTruth, Option<String>)> {
    let rest = command.strip_prefix("kubectl -n gitlab logs ")?;
    let (subject, rest) = rest.split_once(" -c ")?;
    let (container, flag) = rest.split_once(' ').unwrap_or((rest, ""));
    let there: Vec<&PodTruth> = truth.of_pods.iter().filter(|pod| !pod.gone).collect();
    let pod = match subject.strip_prefix("job/") {
        // Of several pods it takes one, and nobody can rely on which.
        Some(job) if job == truth.name && there.len() == 1 => there[0],
        Some(_) => return None,
        None => there.into_iter().find(|pod| pod.name == subject)?,
    };
    let container = pod.containers.iter().find(|of| of.name == container)?;
    let run = match flag {
        "--previous" => &container.previous,
        "" | "-f" => &container.current,
        _ => return None,
    };
    Some((pod, container, run.clone()))
}

fn follows(container: &ContainerTruth) -> bool {
    container.role == Role::Main && container.runs
}
