//! What a pod failure policy says of a failed pod: the first rule that matches decides.

use crate::cluster::{Container, ContainerState, Job, Pod, RuleMatch, condition};

/// Whether the policy says that this failed pod does not count.
pub(super) fn ignores(job: &Job, pod: &Pod) -> bool {
    ignored(job, pod, |_| true)
}

/// Whether it said so when only those of the pod's containers had ended that now have and are `over`.
pub(super) fn ignored(job: &Job, pod: &Pod, over: impl Fn(&Container) -> bool) -> bool {
    let first = job.failure_rules.iter().find(|rule| matches(&rule.matches, pod, &over));
    first.is_some_and(|rule| rule.action == "Ignore")
}

fn matches(rule: &RuleMatch, pod: &Pod, over: impl Fn(&Container) -> bool) -> bool {
    match rule {
        RuleMatch::ExitCodes { container: only, inside, codes } => pod.containers.iter().any(|container| {
            let named = only.as_ref().is_none_or(|only| *only == container.name);
            // `NotIn` never matches a run that ended well.
            let ended = |state: &ContainerState| match state {
                ContainerState::Terminated(end) => end.failed() && codes.contains(&end.exit_code) == *inside,
                _ => false,
            };
            named && ended(&container.state) && over(container)
        }),
        RuleMatch::Conditions(wanted) => wanted
            .iter()
            .any(|(kind, holds)| condition(&pod.conditions, kind).is_some_and(|condition| condition.holds == *holds)),
    }
}
