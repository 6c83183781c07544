//! The two rollouts between the gates, from the Deployments that they wait for.

use crate::cluster::{Deployment, JobRecord, WorkloadKind, World, condition, holding};
use crate::gate::{Command, events_about};
use crate::run::replicas::{ready_on_new, replicas};
use crate::run::rolling::Rolling;
use crate::run::{Rollout, RolloutState, Template, UnseenDeployments, Workload};

/// What a rollout stands between.
pub(super) struct Between<'a> {
    /// Whether the gate before it is passed.
    pub(super) reached: bool,
    /// When that gate ended.
    pub(super) since: Option<jiff::Timestamp>,
    /// The Job of the gate behind it, once there is one: the operator makes it when the rollout is done.
    pub(super) next: Option<&'a JobRecord>,
    /// Whether it is known to be over for another reason: the hop's version is deployed.
    pub(super) over: bool,
    /// Whether the template bypasses the schema check, which tells the two rollouts apart.
    pub(super) bypass: bool,
    /// Why Deployments can't be known, where they can't.
    pub(super) unseen: Option<UnseenDeployments>,
}

/// The rollout of those Deployments.
pub(super) fn rollout(deployments: &[&Deployment], between: &Between<'_>, world: &World) -> Rollout {
    let on_template =
        |deployment: &&Deployment| deployment.bypasses_schema == between.bypass && deployment.rolled_out();
    let complete = between.reached && !deployments.is_empty() && deployments.iter().all(on_template);
    let done = between.next.is_some() || between.over || complete;
    let state = match between.unseen {
        _ if done => RolloutState::Done,
        Some(unseen) => RolloutState::Unknown(unseen),
        None if !between.reached => RolloutState::Pending,
        None => stalled(deployments).unwrap_or(RolloutState::Running),
    };
    let by_deployments = || {
        let updated =
            deployments.iter().filter_map(|deployment| condition(&deployment.conditions, "Progressing")?.updated);
        updated.max()
    };
    let ended = match (&state, between.next) {
        (RolloutState::Done, Some(next)) => next.job.meta.created,
        (RolloutState::Done, None) => by_deployments(),
        _ => None,
    };
    let workloads = deployments.iter().map(|deployment| workload(deployment, &state, between, world)).collect();
    let started = between.since.filter(|_| state != RolloutState::Pending);
    let mut rollout = Rollout { started, ended, state, workloads, command: None, advice: None };
    rollout.command = command(&rollout, deployments);
    rollout
}

/// A Deployment past its progress deadline. It goes on trying, and so does the operator's wait.
fn stalled(deployments: &[&Deployment]) -> Option<RolloutState> {
    deployments.iter().find_map(|deployment| {
        let message = deployment.past_deadline()?.message.clone();
        Some(RolloutState::Blocked { workload: deployment.meta.name.clone(), message })
    })
}

/// A rollout that is done shows its replicas whole, also when its Deployments already go through the next one.
fn workload(deployment: &Deployment, state: &RolloutState, between: &Between<'_>, world: &World) -> Workload {
    let under_way = matches!(state, RolloutState::Running | RolloutState::Blocked { .. });
    let on_template = deployment.bypasses_schema == between.bypass;
    let shows_pods = under_way || *state == RolloutState::Done && on_template;
    let mut replicas = if shows_pods { replicas(Rolling::Deployment(deployment), world) } else { Vec::new() };
    if !on_template {
        // The operator is yet to write the template of this rollout.
        replicas.iter_mut().for_each(|replica| replica.template = Template::Old);
    }
    let (updated, ready) = match state {
        RolloutState::Done => (deployment.desired, deployment.desired),
        RolloutState::Pending => (0, 0),
        // A status of an older generation speaks of the template before.
        _ if !deployment.is_current() || !on_template => (0, 0),
        _ => (
            deployment.updated.min(deployment.desired),
            // The status counts ready replicas of both templates; the pods tell, where they may be seen.
            if replicas.is_empty() { deployment.ready.min(deployment.updated) } else { ready_on_new(&replicas) }
                .min(deployment.desired),
        ),
    };
    let pods = world.replicas_of(&deployment.meta).filter(|_| shows_pods).map(|record| &record.pod.meta.uid);
    let objects = [&deployment.meta.uid].into_iter().chain(pods);
    let refused = holding(&deployment.conditions, "ReplicaFailure").filter(|_| under_way);
    Workload {
        kind: WorkloadKind::Deployment,
        name: deployment.meta.name.clone(),
        app: deployment.meta.labels.app.clone().unwrap_or_default(),
        desired: deployment.desired,
        updated,
        ready,
        // The operator pauses them on the template of the first rollout while the gate before it runs.
        paused: deployment.paused && (under_way || *state == RolloutState::Pending && between.bypass),
        on_delete: false,
        in_order: false,
        partition: 0,
        refused: refused.map(|condition| condition.message.clone()),
        replicas,
        events: events_about(objects, world),
        manifest: deployment.meta.manifest.clone(),
    }
}

/// The command to run next: what keeps a replica from becoming ready, or how far the first Deployment is that is not done.
fn command(rollout: &Rollout, deployments: &[&Deployment]) -> Option<Command> {
    if !matches!(rollout.state, RolloutState::Running | RolloutState::Blocked { .. }) {
        return None;
    }
    let named = |name: &str| deployments.iter().find(|deployment| deployment.meta.name == name);
    if let Some((workload, replica, _)) = rollout.stuck() {
        let namespace = &named(&workload.name)?.meta.namespace;
        return Some(Command::new(namespace, &["describe", &format!("pod/{}", replica.pod)]));
    }
    let deployment = match &rollout.state {
        RolloutState::Blocked { workload, .. } => named(workload),
        _ => deployments.iter().find(|deployment| !deployment.rolled_out()),
    }?;
    let subject = format!("deployment/{}", deployment.meta.name);
    let refused =
        rollout.workloads.iter().any(|workload| workload.name == deployment.meta.name && workload.refused.is_some());
    // Of what is paused, or gets no pod, `rollout status` tells nothing.
    let namespace = &deployment.meta.namespace;
    Some(match deployment.paused || refused {
        true => Command::new(namespace, &["describe", &subject]),
        false => Command::new(namespace, &["rollout", "status", &subject]),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::fixture::{Cluster, at, event, waiting, with};
    use crate::gate::Target;
    use crate::run::Stuck;

    fn deployment(app: &str, patch: Value) -> Value {
        let progressing = json!({"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated",
            "message": format!("ReplicaSet \"gitlab-{app}-new\" is progressing.")});
        let bypass = json!([{"name": "dependencies", "env": [{"name": "BYPASS_SCHEMA_VERSION", "value": "true"}]}]);
        let base = json!({
            "kind": "Deployment",
            "metadata": {"name": format!("gitlab-{app}"), "namespace": "gitlab", "uid": app, "generation": 2,
                "labels": {"app": app}},
            "spec": {"replicas": 2, "template": {"spec": {"initContainers": bypass}}},
            "status": {"observedGeneration": 2, "replicas": 3, "updatedReplicas": 1, "readyReplicas": 2,
                "availableReplicas": 2, "conditions": [progressing]},
        });
        with(base, patch)
    }

    /// A replica on the new template whose image is nowhere.
    fn without_image(app: &str, name: &str) -> Value {
        json!({
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "gitlab", "uid": name, "creationTimestamp": at(0),
                "ownerReferences": [{"kind": "ReplicaSet", "name": format!("gitlab-{app}-new"), "uid": "rs", "controller": true}]},
            "status": {"phase": "Pending", "containerStatuses": [
                {"name": app, "restartCount": 0, "state": waiting("ErrImagePull", "r.io/a:v1: not found")}]},
        })
    }

    fn past_deadline(app: &str) -> Value {
        json!({"status": {"conditions": [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded",
            "message": format!("ReplicaSet \"gitlab-{app}-new\" has timed out progressing.")}]}})
    }

    const BETWEEN: Between<'_> =
        Between { reached: true, since: None, next: None, over: false, bypass: true, unseen: None };

    fn rollout_of(objects: impl IntoIterator<Item = Value>, between: &Between<'_>) -> Rollout {
        let cluster = Cluster::of(objects);
        let mut deployments: Vec<&Deployment> = cluster.world.deployments().collect();
        deployments.sort_by_key(|deployment| std::cmp::Reverse(&deployment.meta.name));
        rollout(&deployments, between, &cluster.world)
    }

    fn command(rollout: &Rollout) -> Option<String> {
        rollout.command.as_ref().map(|command| command.shell(&Target::default()))
    }

    fn stuck(rollout: &Rollout) -> Option<(&str, &str, &str)> {
        rollout.stuck().map(|(workload, replica, stuck)| (workload.name.as_str(), replica.pod.as_str(), stuck.reason()))
    }

    #[test]
    fn a_replica_that_is_stuck_is_named_before_the_rollout_is_blocked() {
        let objects =
            [deployment("sidekiq", json!({})), deployment("webservice", json!({})), without_image("sidekiq", "p")];
        let rollout = rollout_of(objects, &BETWEEN);
        assert_eq!(rollout.state, RolloutState::Running);
        assert_eq!(stuck(&rollout), Some(("gitlab-sidekiq", "p", "ErrImagePull")));
        assert_eq!(command(&rollout).as_deref(), Some("kubectl -n gitlab describe pod/p"));
    }

    #[test]
    fn krane_124_a_rollout_past_its_deadline_names_the_deployment_and_the_pod_of_that_one_and_its_cause() {
        let objects = [
            deployment("webservice", json!({})),
            deployment("sidekiq", past_deadline("sidekiq")),
            without_image("webservice", "other"),
            without_image("sidekiq", "p"),
        ];
        let rollout = rollout_of(objects, &BETWEEN);
        let RolloutState::Blocked { workload, message } = &rollout.state else { panic!("{:?}", rollout.state) };
        assert_eq!(workload, "gitlab-sidekiq");
        assert!(message.contains("timed out progressing"), "{message}");
        assert_eq!(stuck(&rollout), Some(("gitlab-sidekiq", "p", "ErrImagePull")));
        assert!(matches!(rollout.stuck(), Some((.., Stuck::Start(fault))) if fault.permanent));
    }

    #[test]
    fn a_deadline_that_passed_for_the_template_before_blocks_nothing() {
        let stale = with(past_deadline("sidekiq"), json!({"metadata": {"generation": 3}}));
        assert_eq!(rollout_of([deployment("sidekiq", stale)], &BETWEEN).state, RolloutState::Running);
    }

    #[test]
    fn the_command_tells_how_far_the_first_deployment_is_that_is_not_done() {
        let done = json!({"status": {"replicas": 2, "updatedReplicas": 2}});
        let rollout = rollout_of([deployment("webservice", done), deployment("sidekiq", json!({}))], &BETWEEN);
        assert_eq!(command(&rollout).as_deref(), Some("kubectl -n gitlab rollout status deployment/gitlab-sidekiq"));
    }

    #[test]
    fn what_is_still_on_the_template_of_the_rollout_before_is_not_updated() {
        let done = json!({"status": {"replicas": 2, "updatedReplicas": 2}});
        let ready = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
        let objects = [deployment("sidekiq", done), with(without_image("sidekiq", "p"), ready)];
        let rollout = rollout_of(objects, &Between { bypass: false, ..BETWEEN });
        let workload = &rollout.workloads[0];
        assert_eq!((&rollout.state, workload.updated, workload.ready), (&RolloutState::Running, 0, 0));
        assert_eq!((workload.old(), command(&rollout)), (1, None));
    }

    #[test]
    fn what_is_paused_says_so_before_its_rollout_and_during_it() {
        let paused = || deployment("sidekiq", json!({"spec": {"paused": true}}));
        let rollout = rollout_of([paused()], &BETWEEN);
        assert!(rollout.state == RolloutState::Running && rollout.workloads[0].paused);
        assert_eq!(command(&rollout).as_deref(), Some("kubectl -n gitlab describe deployment/gitlab-sidekiq"));
        let pending = |bypass| rollout_of([paused()], &Between { reached: false, bypass, ..BETWEEN });
        assert!(pending(true).workloads[0].paused && pending(true).command.is_none());
        assert!(!pending(false).workloads[0].paused, "the final rollout comes later");
    }

    #[test]
    fn a_deployment_tells_what_was_said_of_it_and_of_its_replicas() {
        let about = |uid: &str, reason: &str, kind: &str| {
            with(event(uid, reason, reason, 1), json!({"type": kind, "metadata": {"uid": reason}}))
        };
        let objects = [
            deployment("sidekiq", json!({})),
            without_image("sidekiq", "p"),
            about("sidekiq", "ScalingReplicaSet", "Normal"),
            about("p", "Failed", "Warning"),
            about("p", "Scheduled", "Normal"),
            about("other", "Unhealthy", "Warning"),
        ];
        let mut reasons: Vec<String> =
            rollout_of(objects, &BETWEEN).workloads.remove(0).events.into_iter().map(|event| event.reason).collect();
        reasons.sort();
        assert_eq!(reasons, ["Failed", "ScalingReplicaSet"]);
    }

    #[test]
    fn a_deployment_that_gets_no_pod_says_why() {
        let refused = json!([{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate",
            "message": "pods \"gitlab-sidekiq-new-\" is forbidden: exceeded quota"}]);
        let rollout = rollout_of([deployment("sidekiq", json!({"status": {"conditions": refused}}))], &BETWEEN);
        assert!(rollout.workloads[0].refused.as_ref().is_some_and(|refused| refused.contains("exceeded quota")));
        assert_eq!(command(&rollout).as_deref(), Some("kubectl -n gitlab describe deployment/gitlab-sidekiq"));
    }

    #[test]
    fn a_ready_replica_of_the_template_before_does_not_count() {
        let workload = |objects: Vec<Value>| rollout_of(objects, &BETWEEN).workloads.swap_remove(0);
        let stuck = workload(vec![deployment("sidekiq", json!({})), without_image("sidekiq", "p")]);
        assert_eq!((stuck.updated, stuck.ready), (1, 0));
        let ready = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
        let ready = workload(vec![deployment("sidekiq", json!({})), with(without_image("sidekiq", "p"), ready)]);
        assert_eq!((ready.updated, ready.ready), (1, 1));
    }

    #[test]
    fn a_rollout_shows_the_replicas_of_its_own_template_only() {
        let objects = || [deployment("sidekiq", json!({})), without_image("sidekiq", "p")];
        let replicas = |between: &Between<'_>| rollout_of(objects(), between).workloads[0].replicas.len();
        assert_eq!(replicas(&BETWEEN), 1);
        assert_eq!(replicas(&Between { over: true, ..BETWEEN }), 1);
        assert_eq!(replicas(&Between { over: true, bypass: false, ..BETWEEN }), 0, "they go through the other one");
        assert_eq!(replicas(&Between { reached: false, ..BETWEEN }), 0);
    }
}
