//! What to do next, in words.

use super::policy::fails_at_once;
use super::{Attempts, Backlog, Cause, GateState, Outlook, Purpose, StartFault, Terms, Unseen};
use crate::cluster::{Job, PodPhase, PodRecord};

/// What to do next. `None` where there is nothing to do and nothing to explain.
pub(super) fn advice(
    state: &GateState,
    attempts: &Attempts,
    terms: &Terms,
    job: &Job,
    pods: &[&PodRecord],
    backlog: Option<&Backlog>,
    purpose: &Purpose<'_>,
) -> Option<String> {
    let too_late = backlog.is_some_and(|backlog| backlog.outlook == Outlook::TooLate);
    let again = purpose.again;
    Some(match state {
        GateState::Running { finishing: false } | GateState::Retrying { .. } if too_late => format!(
            "The background migrations go on in Sidekiq: only the wait for them ends, at its \
             activeDeadlineSeconds{}, and the upgrade fails. Once they are done, {}",
            seconds(job),
            again,
        ),
        GateState::Running { finishing: false } | GateState::Retrying { .. } if job.managed_by.is_some() => format!(
            "{} manages the Job: whether it tries again is up to that controller.",
            job.managed_by.as_deref().unwrap_or_default()
        ),
        GateState::Retrying { .. } if attempts.exhausted() => {
            // The controller looks at the restarts, and those rise as the next run starts.
            "No attempt is left: the Job gives up, at the latest when the next run starts.".to_owned()
        }
        GateState::Retrying { .. } if indexes_failed(terms) => format!(
            "The other indexes go on. {}",
            match terms.indexes.as_ref().and_then(|indexes| indexes.tally().left()) {
                Some(left) => format!("The Job gives up with {left} more that fail, and else fails at its end."),
                None => "The Job fails at its end, as an index of it failed.".to_owned(),
            },
        ),
        GateState::Retrying { .. } => {
            let goes_on = purpose.waiting.map(|waiting| format!(" The {waiting} goes on if an attempt succeeds."));
            let again = format!("Kubernetes tries again by itself.{}", goes_on.unwrap_or_default());
            match fails_at_once(&terms.rules) {
                Some(what) => format!("{again} It fails at once with {what}."),
                None => again,
            }
        }
        GateState::Blocked(fault) => blocked(fault),
        GateState::Failing(_) => {
            "The Job gives up and stops its pods. Nothing more can be tried with this Job.".to_owned()
        }
        GateState::Failed(failure) if failure.reason == "DeadlineExceeded" && purpose.waits_for_background => format!(
            "The background migrations may still be running in Sidekiq: only the wait for them ended, at its \
             activeDeadlineSeconds{}. Once they are done, {}",
            seconds(job),
            again,
        ),
        GateState::Failed(failure) if failure.reason == "DeadlineExceeded" => format!(
            "The Job ran out of time, activeDeadlineSeconds{}{}. Mend the cause, then {}",
            seconds(job),
            match pods.iter().all(|record| record.gone) {
                true if pods.iter().any(|record| has_log(record)) => "; its pod is gone, and its log is kept here",
                true => "; its pod and its log are gone",
                false => "",
            },
            again,
        ),
        GateState::Failed(failure) if failure.rule().is_some() => format!(
            "Its pod failure policy failed it at once, by rule {}. Mend the cause, then {}",
            failure.rule().unwrap_or_default(),
            again,
        ),
        GateState::Failed(_) => format!("Mend the cause, then {}", again),
        GateState::Suspended => "The Job is suspended, and goes on when it is resumed.".to_owned(),
        GateState::Running { finishing: false } if replacement_delayed(job, pods) => {
            "The pod was taken away, which does not count as a failure; its replacement is delayed.".to_owned()
        }
        GateState::Unknown(Unseen::Deleted) => {
            "The Job was deleted before it ended; the operator makes it again.".to_owned()
        }
        _ => return None,
    })
}

/// Whether an index failed and none of a success policy can make up for it.
fn indexes_failed(terms: &Terms) -> bool {
    terms.success.is_empty() && terms.indexes.as_ref().is_some_and(|indexes| indexes.tally().failed > 0)
}

fn has_log(record: &PodRecord) -> bool {
    record.logs().iter().any(|(_, log)| !log.lines().is_empty())
}

fn seconds(job: &Job) -> String {
    job.deadline_seconds.map(|seconds| format!(" ({seconds})")).unwrap_or_default()
}

fn blocked(fault: &StartFault) -> String {
    let mend = match fault.cause {
        Cause::Image => "the image or the access to its registry",
        Cause::Config => "the configuration that the container needs",
        Cause::Volume => "the volume",
        Cause::Scheduling | Cause::Sandbox => "the cluster",
    };
    match (fault.permanent, fault.cause) {
        (true, _) => format!("Mend {mend}: the Job waits until its deadline, and uses up no attempt."),
        (false, Cause::Scheduling) => "A node has to take the pod. No attempt is used up meanwhile.".to_owned(),
        (false, _) => "The kubelet tries again by itself. No attempt is used up meanwhile.".to_owned(),
    }
}

/// A pod that a failure policy ignores counts as no failure, and its replacement waits out a back-off all the same.
fn replacement_delayed(job: &Job, pods: &[&PodRecord]) -> bool {
    let ended = |record: &&PodRecord| record.gone || record.pod.phase == PodPhase::Failed;
    job.active == 0 && !pods.is_empty() && pods.iter().all(ended)
}
