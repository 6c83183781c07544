//! What keeps a pod from starting: an image, its configuration, a volume, a node, the sandbox.

use std::cmp::Reverse;

use jiff::Timestamp;

use super::pulls::{names_image, pulls};
use super::{Cause, StartFault, image};
use crate::cluster::{Container, ContainerState, Event, Job, Pod, PodPhase, PodRecord, World, condition};

/// The fault that keeps a pod of the Job from starting, if one does: of several the newest that can't clear by itself, or
/// else the newest. One that may clear by itself blocks nothing where another pod runs meanwhile. The pods come oldest first.
pub(super) fn fault(job: &Job, pods: &[&PodRecord], world: &World) -> Option<StartFault> {
    let live = pods.iter().rev().filter(|record| is_live(record));
    let live: Vec<_> = live.map(|record| (record, start_fault(record, world))).collect();
    if live.is_empty() {
        return last_fault(job, pods, world);
    }
    let runs = live.iter().any(|(record, fault)| record.pod.phase == PodPhase::Running && fault.is_none());
    let mut faults: Vec<StartFault> = live.into_iter().filter_map(|(_, fault)| fault).collect();
    let permanent = faults.iter().position(|fault| fault.permanent);
    let told = permanent.or((!runs && !faults.is_empty()).then_some(0))?;
    Some(faults.swap_remove(told))
}

/// Whether a pod is there to start or to run, and is to stay.
fn is_live(record: &PodRecord) -> bool {
    let ended = matches!(record.pod.phase, PodPhase::Succeeded | PodPhase::Failed);
    !record.gone && !record.pod.terminating() && !ended
}

/// The fault of the newest pod where none is live. One that blocked the gate and is terminating or gone still explains it
/// while the Job counts it as active: its status follows its pods.
fn last_fault(job: &Job, pods: &[&PodRecord], world: &World) -> Option<StartFault> {
    let record = pods.iter().max_by_key(|record| (record.pod.meta.created, Reverse(record.gone)))?;
    if (record.gone || record.pod.terminating()) && job.active == 0 {
        return None;
    }
    start_fault(record, world)
}

/// The fault that keeps a pod from starting, be it of a Job or a replica.
pub fn start_fault(record: &PodRecord, world: &World) -> Option<StartFault> {
    let events: Vec<&Event> = world.events_about(&record.pod.meta.uid).collect();
    match record.pod.phase {
        PodPhase::Succeeded | PodPhase::Failed => None,
        PodPhase::Running => in_status(record, &events),
        PodPhase::Pending | PodPhase::Unknown => unschedulable(&record.pod)
            .or_else(|| in_status(record, &events))
            .or_else(|| container_told_by_events(record, &events))
            .or_else(|| told_by_events(record, &events)),
    }
}

fn unschedulable(pod: &Pod) -> Option<StartFault> {
    let scheduled = condition(&pod.conditions, "PodScheduled").filter(|condition| condition.holds != Some(true))?;
    Some(StartFault {
        cause: Cause::Scheduling,
        reason: if scheduled.reason.is_empty() { "Unschedulable".to_owned() } else { scheduled.reason.clone() },
        message: scheduled.message.clone(),
        container: None,
        pod: pod.meta.name.clone(),
        // A node can be added, or freed.
        permanent: false,
        since: scheduled.since.or(pod.meta.created),
        pulls: None,
    })
}

/// The fault that a container's own status tells.
fn in_status(record: &PodRecord, events: &[&Event]) -> Option<StartFault> {
    record.pod.containers.iter().find_map(|container| {
        let ContainerState::Waiting { reason, message } = &container.state else { return None };
        let (cause, reason, message) = match reason.as_str() {
            "ErrImagePull"
            | "ImagePullBackOff"
            | "RegistryUnavailable"
            | "SignatureValidationFailed"
            | "ImageInspectError" => {
                // The kubelet alternates between the error and a back-off that hides it: the error stays what is told.
                let known = record.pull_error(container).or_else(|| pull_error_in(container, events));
                let reason = if known.is_some() && reason == "ImagePullBackOff" { "ErrImagePull" } else { reason };
                (Cause::Image, reason, known.unwrap_or(message))
            }
            "InvalidImageName" | "ErrImageNeverPull" => (Cause::Image, reason.as_str(), message.as_str()),
            "CreateContainerConfigError" | "CreateContainerError" => (Cause::Config, reason.as_str(), message.as_str()),
            _ => return None,
        };
        if told_to_be_over(container, cause, events) {
            return None;
        }
        let since =
            events.iter().filter(|event| about(event, container) && is_fault(event)).filter_map(|event| event.first);
        let since = since.min().or(record.pod.meta.created);
        Some(of_container(record, container, (cause, reason, message), since, events))
    })
}

fn of_container(
    record: &PodRecord,
    container: &Container,
    (cause, reason, message): (Cause, &str, &str),
    since: Option<Timestamp>,
    events: &[&Event],
) -> StartFault {
    let pulled =
        cause == Cause::Image && !matches!(reason, "InvalidImageName" | "ErrImageNeverPull" | "ImageInspectError");
    StartFault {
        cause,
        reason: reason.to_owned(),
        message: message.to_owned(),
        container: Some(container.name.clone()),
        pod: record.pod.meta.name.clone(),
        permanent: permanent(reason, message),
        since,
        pulls: if pulled { pulls(record, container, events) } else { None },
    }
}

/// Whether the events know that the container has got past the fault while its status, which follows them, still tells
/// of it.
fn told_to_be_over(container: &Container, cause: Cause, events: &[&Event]) -> bool {
    let fault = latest(events, |event| about(event, container) && is_fault(event));
    fault.is_some() && past(container, cause, events) > fault
}

/// When the container last got past a fault of that cause. An image is pulled before its configuration is looked at.
fn past(container: &Container, cause: Cause, events: &[&Event]) -> Option<Timestamp> {
    let passes = |event: &Event| is_progress(event) && (cause == Cause::Image || event.reason != "Pulled");
    latest(events, |event| about(event, container) && passes(event))
}

/// A container's fault by the pod's events: the kubelet writes its status up to twelve seconds after them.
fn container_told_by_events(record: &PodRecord, events: &[&Event]) -> Option<StartFault> {
    record.pod.containers.iter().filter(|container| waits_to_start(container)).find_map(|container| {
        let faults = events.iter().filter(|event| about(event, container)).filter_map(|event| {
            let (cause, reason, message) = container_fault(event)?;
            Some((*event, cause, reason, message))
        });
        let (event, cause, reason, message) = faults.max_by_key(|(event, ..)| event.last)?;
        if past(container, cause, events) >= event.last {
            return None;
        }
        Some(of_container(record, container, (cause, reason, message), event.first, events))
    })
}

/// The cause, the reason that the status will give, and the message, of an event that tells of a container's fault.
fn container_fault(event: &Event) -> Option<(Cause, &'static str, &str)> {
    let message = event.message.as_str();
    match event.reason.as_str() {
        "ErrImageNeverPull" => Some((Cause::Image, "ErrImageNeverPull", message)),
        "InspectFailed" if message.contains("invalid reference format") => {
            Some((Cause::Image, "InvalidImageName", message))
        }
        "InspectFailed" => Some((Cause::Image, "ImageInspectError", message)),
        "Failed" => pull_error(event).map(|error| (Cause::Image, "ErrImagePull", error)).or_else(|| {
            let error = message.strip_prefix("Error: ")?;
            names_missing(error).then_some((Cause::Config, "CreateContainerConfigError", error))
        }),
        _ => None,
    }
}

/// Whether a container's fault can't clear by itself.
fn permanent(reason: &str, message: &str) -> bool {
    match reason {
        "InvalidImageName" | "ErrImageNeverPull" => true,
        "CreateContainerConfigError" | "CreateContainerError" => !is_cache_sync(message),
        _ => image::class(message) == image::Class::Permanent,
    }
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
    Some(StartFault {
        cause,
        reason: event.reason.clone(),
        message: event.message.clone(),
        container: None,
        pod: record.pod.meta.name.clone(),
        permanent: cause == Cause::Volume && names_missing(&event.message),
        since: event.first,
        pulls: None,
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

/// The newest error of pulling the container's image, by the pod's events.
fn pull_error_in<'a>(container: &Container, events: &[&'a Event]) -> Option<&'a str> {
    let failed = events.iter().filter(|event| about(event, container) && names_image(event, container));
    failed
        .filter_map(|event| Some((event.last, pull_error(event)?)))
        .max_by_key(|(last, _)| *last)
        .map(|(_, error)| error)
}

/// The error in `Failed to pull image "I": ERROR`, before which a kubelet puts words of its own once ten were told that differ.
pub(super) fn pull_error(event: &Event) -> Option<&str> {
    let message = event.message.strip_prefix("(combined from similar events): ").unwrap_or(&event.message);
    message.strip_prefix("Failed to pull image ")?.split_once(": ").map(|(_, error)| error)
}

/// Whether a message says that a Secret or a ConfigMap is missing: somebody has to make it.
fn names_missing(message: &str) -> bool {
    message.contains("not found") && ["secret", "configmap"].iter().any(|kind| message.contains(kind))
}

pub(super) fn about(event: &Event, container: &Container) -> bool {
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::fixture::{Cluster, at, job, pod, running, waiting, with};
    use crate::gate::GateState;

    const REFUSED: &str = "dial tcp 127.0.0.1:5999: connect: connection refused";
    const UNKNOWN: &str = "r.io/a:v1: not found";

    fn waits(name: &str, created: i64, error: &str) -> Value {
        let waits = pod(name, created, json!({"state": waiting("ErrImagePull", error)}));
        with(waits, json!({"status": {"phase": "Pending"}}))
    }

    fn runs(name: &str, created: i64) -> Value {
        pod(name, created, json!({"state": running(created)}))
    }

    /// The pod whose fault blocks a Job of three pods at a time.
    fn blocked_by(pods: impl IntoIterator<Item = Value>) -> Option<String> {
        let several = with(job(), json!({"spec": {"parallelism": 3, "completions": 3}, "status": {"active": 3}}));
        match Cluster::of([several].into_iter().chain(pods)).gate().state {
            GateState::Blocked(fault) => Some(fault.pod),
            _ => None,
        }
    }

    #[test]
    fn of_several_pods_any_that_can_not_start_for_good_blocks_the_gate() {
        assert_eq!(blocked_by([waits("a", 0, UNKNOWN), runs("b", 1), runs("c", 2)]).as_deref(), Some("a"));
        assert_eq!(blocked_by([waits("a", 0, UNKNOWN), waits("b", 1, REFUSED)]).as_deref(), Some("a"));
        assert_eq!(blocked_by([waits("a", 0, UNKNOWN), waits("b", 1, UNKNOWN)]).as_deref(), Some("b"));
    }

    #[test]
    fn of_several_pods_one_that_may_start_yet_blocks_nothing_while_another_runs() {
        assert_eq!(blocked_by([runs("a", 0), waits("b", 1, REFUSED)]), None);
        assert_eq!(blocked_by([waits("a", 0, REFUSED), waits("b", 1, REFUSED)]).as_deref(), Some("b"));
        let going = with(runs("a", 0), json!({"metadata": {"deletionTimestamp": at(30)}}));
        assert_eq!(blocked_by([going, waits("b", 1, REFUSED)]).as_deref(), Some("b"), "the other is on its way out");
        let done = with(runs("a", 0), json!({"status": {"phase": "Succeeded"}}));
        assert_eq!(blocked_by([done, waits("b", 1, REFUSED)]).as_deref(), Some("b"), "the other is done");
    }

    #[test]
    fn the_pod_that_is_there_tells_the_fault_and_not_a_newer_one_that_goes() {
        let going = with(runs("b", 1), json!({"metadata": {"deletionTimestamp": at(30)}}));
        assert_eq!(blocked_by([waits("a", 0, UNKNOWN), going]).as_deref(), Some("a"));
    }
}
