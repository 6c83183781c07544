//! What to do, in the advice of the operator's own page.

use super::Scene;
use crate::cluster::UpdateResult;
use crate::gate::Command;

impl Scene<'_> {
    /// The command that follows an update: the page's own, without its change of the spec.
    pub(super) fn follow(&self) -> Option<Command> {
        let meta = &self.platform.meta;
        Some(Command::new(&meta.namespace, &["get", "gluesyncplatform", &meta.name, "-w"]))
    }

    /// The command that shows all that the resource and its events tell.
    pub(super) fn describe(&self) -> Option<Command> {
        let meta = &self.platform.meta;
        Some(Command::new(&meta.namespace, &["describe", &format!("gluesyncplatform/{}", meta.name)]))
    }

    /// The command that shows why a pod does not come up.
    pub(super) fn describe_pod(&self, pod: &str) -> Option<Command> {
        Some(Command::new(&self.platform.meta.namespace, &["describe", &format!("pod/{pod}")]))
    }

    /// How the spec is changed.
    fn change(&self) -> &'static str {
        match self.platform.by_git() {
            true => {
                "change spec.version or a pin in spec.modules in Git: with updatePolicy gitops that is the only way"
            }
            false => "change spec.version or a pin in spec.modules, or make a new request in the UI",
        }
    }

    /// What to do after an update that did not succeed.
    pub(super) fn after(&self, result: &UpdateResult) -> Option<String> {
        let change = self.change();
        Some(match result {
            UpdateResult::Succeeded | UpdateResult::Other(_) => return None,
            UpdateResult::Failed => {
                format!(
                    "Mend the cause. The operator does not retry by itself, it waits until the spec changes: {change}."
                )
            }
            UpdateResult::Refused => {
                format!("No image was changed. Mend the cause; the operator does not retry by itself: {change}.")
            }
            UpdateResult::Degraded => {
                format!("Core Hub and the other modules keep their new versions. Mend the cause, then {change}.")
            }
        })
    }
}

/// What to do about pipelines that stayed in maintenance mode.
pub(super) const TAKE_OUT: &str =
    "These pipelines stay in maintenance mode, and move no data. Take them out of it from the Core Hub UI.";
/// The same where Core Hub did not come back either.
pub(super) const BRING_BACK: &str = "Core Hub did not come back on its previous version, so that the pipelines stay in \
    maintenance mode. Bring Core Hub up first, then take the pipelines out of maintenance mode from its UI.";
/// What is to be known while an update runs.
pub(super) const ONE_AT_A_TIME: &str = "Nothing: it goes on by itself. Another request is refused until it ends. The UI waits \
    for it up to 30 minutes; a longer one goes on, and its result is in the resource.";
/// While the pods of Core Hub are replaced.
pub(super) const WAITS: &str = "Nothing: Kubernetes keeps pulling and the operator keeps waiting, up to its limit. What is not \
    up by then is rolled back.";
/// Once a pod waits with an error that fails at once.
pub(super) const ROLLS_BACK: &str =
    "The operator puts the previous image back by itself. Mend the cause before the next update.";
/// The operator's own update that went wrong.
pub(super) const OWN: &str = "The operator does not try the same version again until the spec changes. If it fails after it has \
    taken over, it is the only pod left: roll it back by hand.";
/// The operator does not come up while an update runs.
pub(super) const OPERATOR_DOWN: &str = "The operator itself does not come up, so that nothing goes on. Once it does, it carries on \
    from the last finished step, and resumes the pipelines that it paused.";
