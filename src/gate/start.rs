//! What keeps a gate from starting: an image, its configuration, a volume, a node, the sandbox.

use std::cmp::Reverse;

use jiff::Timestamp;

use super::{Cause, StartFault, image};
use crate::cluster::{Container, ContainerState, Event, Job, Pod, PodPhase, PodRecord, World, condition};

/// The fault that keeps the Job's newest pod from starting, if one does. A pod that blocked the gate and is terminating or
/// gone still explains it while the Job counts it as active: its status follows its pods.
pub(super) fn fault(job: &Job, pods: &[&PodRecord], world: &World) -> Option<StartFault> {
    let record = pods.iter().max_by_key(|record| (record.pod.meta.created, Reverse(record.gone)))?;
    if (record.gone || record.pod.terminating()) && job.active == 0 {
        return None;
    }
    let events: Vec<&Event> = world.events_about(&record.pod.meta.uid).collect();
    match record.pod.phase {
        PodPhase::Succeeded | PodPhase::Failed => None,
        PodPhase::Running => in_status(record, &events),
        PodPhase::Pending | PodPhase::Unknown => unschedulable(&record.pod)
            .or_else(|| in_status(record, &events))
            .or_else(|| pull_told_by_events(record, &events))
            .or_else(|| told_by_events(record, &events)),
    }
}

fn unschedulable(pod: &Pod) -> Option<StartFault> {
    let scheduled = condition(&pod.conditions, "PodScheduled").filter(|condition| !condition.holds)?;
    Some(StartFault {
        cause: Cause::Scheduling,
        reason: if scheduled.reason.is_empty() { "Unschedulable".to_owned() } else { scheduled.reason.clone() },
        message: scheduled.message.clone(),
        container: None,
        pod: pod.meta.name.clone(),
        // A node can be added, or freed.
        permanent: false,
        since: scheduled.since.or(pod.meta.created),
    })
}

/// The fault that a container's own status tells.
fn in_status(record: &PodRecord, events: &[&Event]) -> Option<StartFault> {
    record.pod.containers.iter().find_map(|container| {
        let ContainerState::Waiting { reason, message } = &container.state else { return None };
        let (cause, reason, message, permanent) = match reason.as_str() {
            "ErrImagePull"
            | "ImagePullBackOff"
            | "RegistryUnavailable"
            | "SignatureValidationFailed"
            | "ImageInspectError" => {
                // The kubelet alternates between the error and a back-off that hides it: the error stays what is told.
                let known =
                    record.pull_error(container).or_else(|| pull_error_in(container, events).map(|(_, error)| error));
                let reason = if known.is_some() && reason == "ImagePullBackOff" { "ErrImagePull" } else { reason };
                let message = known.unwrap_or(message);
                (Cause::Image, reason, message, image::permanent(message))
            }
            "InvalidImageName" | "ErrImageNeverPull" => (Cause::Image, reason.as_str(), message.as_str(), true),
            "CreateContainerConfigError" | "CreateContainerError" => {
                (Cause::Config, reason.as_str(), message.as_str(), !is_cache_sync(message))
            }
            _ => return None,
        };
        if cause == Cause::Image && told_to_be_over(container, events) {
            return None;
        }
        let since =
            events.iter().filter(|event| about(event, container) && is_fault(event)).filter_map(|event| event.first);
        Some(StartFault {
            cause,
            reason: reason.to_owned(),
            message: message.to_owned(),
            container: Some(container.name.clone()),
            pod: record.pod.meta.name.clone(),
            permanent,
            since: since.min().or(record.pod.meta.created),
        })
    })
}

/// Whether the events know that a pull has succeeded while the status, which follows them, still tells of its failure.
fn told_to_be_over(container: &Container, events: &[&Event]) -> bool {
    let fault = latest(events, |event| about(event, container) && is_fault(event));
    let progress = latest(events, |event| about(event, container) && is_progress(event));
    fault.is_some() && progress > fault
}

/// A pull that failed, by the pod's events: the kubelet writes its status up to twelve seconds later.
fn pull_told_by_events(record: &PodRecord, events: &[&Event]) -> Option<StartFault> {
    record.pod.containers.iter().find_map(|container| {
        if !waits_to_start(container) {
            return None;
        }
        let (failed, error) = pull_error_in(container, events)?;
        let progress = latest(events, |event| about(event, container) && is_progress(event));
        if progress >= failed.last {
            return None;
        }
        Some(StartFault {
            cause: Cause::Image,
            reason: "ErrImagePull".to_owned(),
            message: error.to_owned(),
            container: Some(container.name.clone()),
            pod: record.pod.meta.name.clone(),
            permanent: image::permanent(error),
            since: failed.first,
        })
    })
}

/// A volume or a sandbox that can't be made: the containers only say that they wait, and the pod's events tell why.
fn told_by_events(record: &PodRecord, events: &[&Event]) -> Option<StartFault> {
    if !record.pod.containers.iter().all(waits_to_start) {
        return None;
    }
    let cause = |event: &Event| match event.reason.as_str() {
        "FailedMount" | "FailedAttachVolume" if !is_cache_sync(&event.message) => Some(Cause::Volume),
        "FailedCreatePodSandBox" => Some(Cause::Sandbox),
        _ => None,
    };
    let faults = events.iter().filter_map(|event| Some((cause(event)?, *event)));
    let (cause, event) = faults.max_by_key(|(_, event)| event.last)?;
    if latest(events, |event| is_progress(event) || event.reason == "Pulling") >= event.last {
        return None;
    }
    let missing =
        event.message.contains("not found") && ["secret", "configmap"].iter().any(|kind| event.message.contains(kind));
    Some(StartFault {
        cause,
        reason: event.reason.clone(),
        message: event.message.clone(),
        container: None,
        pod: record.pod.meta.name.clone(),
        permanent: cause == Cause::Volume && missing,
        since: event.first,
    })
}

/// A container that waits for its first run, and whose status gives no cause.
fn waits_to_start(container: &Container) -> bool {
    match &container.state {
        ContainerState::Waiting { reason, .. } => {
            matches!(reason.as_str(), "" | "PodInitializing" | "ContainerCreating")
        }
        _ => false,
    }
}

/// The newest event that tells why the container's image could not be pulled, and the error in it.
fn pull_error_in<'a>(container: &Container, events: &[&'a Event]) -> Option<(&'a Event, &'a str)> {
    let failed =
        events.iter().filter(|event| event.reason == "Failed" && about(event, container)).filter_map(|event| {
            let rest = event.message.strip_prefix("Failed to pull image ")?;
            let error = rest.split_once(": ").map(|(_, error)| error)?;
            rest.contains(&container.image).then_some((*event, error))
        });
    failed.max_by_key(|(event, _)| event.last)
}

fn about(event: &Event, container: &Container) -> bool {
    event.container.as_ref().is_none_or(|name| *name == container.name)
}

fn is_fault(event: &Event) -> bool {
    matches!(event.reason.as_str(), "Failed" | "BackOff" | "InspectFailed" | "ErrImageNeverPull")
}

fn is_progress(event: &Event) -> bool {
    matches!(event.reason.as_str(), "Pulled" | "Created" | "Started")
}

fn latest(events: &[&Event], wanted: impl Fn(&Event) -> bool) -> Option<Timestamp> {
    events.iter().filter(|event| wanted(event)).filter_map(|event| event.last).max()
}

/// A cache of the kubelet that is not filled yet: it passes within a second or two.
fn is_cache_sync(message: &str) -> bool {
    message.split_once("failed to sync ").is_some_and(|(_, rest)| rest.contains("cache"))
}
