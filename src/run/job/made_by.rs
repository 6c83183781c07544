//! What made a Job, and what that means for running it again.

use crate::cluster::Job;
use crate::run::{HookDeletion, MadeBy};

/// What made a Job, where its annotations, labels or owner tell.
///
/// Argo CD takes its own annotation before those of Helm, and also runs charts of Helm without a release: what it tracks is its.
pub(super) fn made_by(job: &Job) -> Option<MadeBy> {
    let provenance = &job.provenance;
    let application = provenance.argo_application.clone();
    let owner = || {
        let owner = job.meta.owner.as_ref().filter(|owner| !owner.kind.is_empty() && !owner.name.is_empty())?;
        Some(MadeBy::Owner { kind: owner.kind.clone(), name: owner.name.clone() })
    };
    match () {
        () if !provenance.argo_hooks.is_empty() => Some(MadeBy::ArgoCd {
            application,
            hooks: provenance.argo_hooks.clone(),
            deleted: deletion(&provenance.argo_deletion),
        }),
        () if !provenance.helm_hooks.is_empty() && application.is_some() => Some(MadeBy::ArgoCd {
            application,
            hooks: provenance.helm_hooks.iter().map(|hook| of_argo(hook).to_owned()).collect(),
            deleted: deletion(&provenance.helm_deletion),
        }),
        () if !provenance.helm_hooks.is_empty() => Some(MadeBy::Helm {
            release: provenance.helm_release.clone(),
            hooks: provenance.helm_hooks.clone(),
            weight: provenance.helm_weight,
            deleted: deletion(&provenance.helm_deletion),
        }),
        () if job.meta.owner.is_some() => owner(),
        () if application.is_some() => Some(MadeBy::ArgoCd { application, hooks: Vec::new(), deleted: Vec::new() }),
        () => provenance.helm_release.clone().map(|release| MadeBy::Helm {
            release: Some(release),
            hooks: Vec::new(),
            weight: 0,
            deleted: Vec::new(),
        }),
    }
}

/// A hook of Helm as Argo CD runs it.
fn of_argo(hook: &str) -> &str {
    match hook {
        "crd-install" | "pre-install" | "pre-upgrade" => "PreSync",
        "post-install" | "post-upgrade" => "PostSync",
        "pre-delete" => "PreDelete",
        "post-delete" => "PostDelete",
        other => other,
    }
}

/// The policy of a hook, in the words of Helm or of Argo CD; without one both delete it before the next one is made.
fn deletion(words: &[String]) -> Vec<HookDeletion> {
    let named = |word: &String| match word.as_str() {
        "before-hook-creation" | "BeforeHookCreation" => Some(HookDeletion::BeforeNext),
        "hook-succeeded" | "HookSucceeded" => Some(HookDeletion::Succeeded),
        "hook-failed" | "HookFailed" => Some(HookDeletion::Failed),
        _ => None,
    };
    match words {
        [] => vec![HookDeletion::BeforeNext],
        words => words.iter().filter_map(named).collect(),
    }
}

/// What waits for a Job and goes on when it is done, where that is known.
pub(super) fn waiting(made_by: Option<&MadeBy>) -> Option<&'static str> {
    match made_by {
        Some(MadeBy::Helm { hooks, .. }) if !hooks.is_empty() => Some(operation(hooks).0),
        Some(MadeBy::ArgoCd { hooks, .. }) if !hooks.is_empty() => Some("sync"),
        _ => None,
    }
}

/// How a Job that failed is run again, as what follows `Mend the cause, then`. No name stands in a command here: those that
/// annotations tell can be anything.
pub(super) fn again(made_by: Option<&MadeBy>) -> String {
    match made_by {
        Some(MadeBy::Helm { hooks, .. }) if !hooks.is_empty() => {
            let (what, command) = operation(hooks);
            let rest = match what {
                "release" => "`helm status` tells how it stands, and `helm rollback` goes back.",
                _ => "`helm status` tells how the release stands.",
            };
            format!("run `helm {command}` again: a hook that failed has failed the {what}. {rest}")
        }
        Some(MadeBy::Helm { .. }) => "delete the Job and run Helm again: a Job that failed does not start anew.".into(),
        Some(MadeBy::ArgoCd { hooks, .. }) if !hooks.is_empty() => {
            "sync again: Argo CD makes the hook anew. The sync that waited for it has failed.".into()
        }
        Some(MadeBy::ArgoCd { .. }) => "delete the Job and sync again: a Job that failed does not start anew.".into(),
        Some(MadeBy::Owner { kind, name }) if kind == "CronJob" => format!(
            "leave it to the next Job of CronJob {name}, or make one now with `kubectl create job --from=cronjob/NAME`."
        ),
        Some(MadeBy::Owner { kind, name }) => format!("leave it to {kind} {name}, which made it."),
        None => "delete the Job and make it again: a Job that failed does not start anew.".into(),
    }
}

/// What fails with hooks of Helm, and the command that runs them.
fn operation(hooks: &[String]) -> (&'static str, &'static str) {
    let all = |ends: &[&str]| hooks.iter().all(|hook| ends.iter().any(|end| hook.ends_with(end)));
    match () {
        () if all(&["test", "test-success", "test-failure"]) => ("test", "test"),
        () if all(&["-delete"]) => ("uninstallation", "uninstall"),
        () if all(&["-rollback"]) => ("rollback", "rollback"),
        () if all(&["-install"]) => ("release", "install"),
        () => ("release", "upgrade"),
    }
}
