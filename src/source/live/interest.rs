//! Whose events are asked for: never all of a namespace's, which can be many and of others. A replica that is ready is of no
//! interest, and neither is a pod that ended well, nor a workload that is rolled out.

use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::{Change, Job, Kind, Object, Pod, PodPhase, Uid, holding};

/// The most replicas whose events are watched at once: of many that don't get ready, a few tell why.
const MOST_REPLICAS: usize = 8;

/// What of Jobs, workloads and pods decides whose events are wanted.
#[derive(Debug, Default)]
pub struct Interest {
    jobs: BTreeMap<Uid, Wanted>,
    pods: BTreeMap<Uid, Wanted>,
    replicas: BTreeMap<Uid, Wanted>,
    stateful_sets: BTreeMap<Uid, Wanted>,
    daemon_sets: BTreeMap<Uid, Wanted>,
}

/// An object whose events are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Where it is.
    pub(super) namespace: String,
    /// For how long.
    pub(super) how: How,
    /// Whether the state of what it belongs to may stand in them alone: who wants to tell it has to wait for them.
    decisive: bool,
}

/// For how long the events about an object are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// For as long as the object is of interest: it is under way.
    Following,
    /// Once, and what is still to come when the object ends.
    Once,
}

impl Interest {
    /// Takes in what changed; returns whether other events may be wanted by it.
    pub fn note(&mut self, change: &Change) -> bool {
        match change {
            Change::Replaced { kind, objects, .. } => {
                match kind {
                    Kind::Pod => {
                        self.pods.clear();
                        self.replicas.clear();
                    }
                    Kind::Job => self.jobs.clear(),
                    Kind::StatefulSet => self.stateful_sets.clear(),
                    Kind::DaemonSet => self.daemon_sets.clear(),
                    _ => return false,
                }
                for object in objects {
                    self.put(object);
                }
                true
            }
            Change::Applied(object) => self.put(object),
            Change::Deleted(object) => {
                let workloads = [&mut self.stateful_sets, &mut self.daemon_sets];
                for objects in [&mut self.jobs, &mut self.pods, &mut self.replicas].into_iter().chain(workloads) {
                    objects.remove(&object.meta().uid);
                }
                true
            }
            Change::Selected(_)
            | Change::Watch { .. }
            | Change::Clock { .. }
            | Change::Log(_)
            | Change::Remembered(_)
            | Change::Alive(_) => false,
        }
    }

    /// Whether the events were told about every object whose events may decide a state.
    pub fn answered(&self, told: &BTreeSet<Uid>) -> bool {
        self.wanted().into_iter().all(|(uid, wanted)| !wanted.decisive || told.contains(uid))
    }

    /// The objects whose events are wanted now.
    pub(super) fn wanted(&self) -> BTreeMap<&Uid, &Wanted> {
        let workloads = self.stateful_sets.iter().chain(&self.daemon_sets);
        let replicas = self.replicas.iter().take(MOST_REPLICAS);
        self.jobs.iter().chain(&self.pods).chain(replicas).chain(workloads).collect()
    }

    /// Takes in an object; returns whether other events are wanted of it than before.
    fn put(&mut self, object: &Object) -> bool {
        let (objects, wanted) = match object {
            Object::Job(job) => (&mut self.jobs, Some(of_job(job))),
            Object::Pod(pod) if pod.is_replica() => (&mut self.replicas, of_replica(pod)),
            Object::Pod(pod) => (&mut self.pods, of_pod(pod)),
            Object::StatefulSet(set) => (&mut self.stateful_sets, of_workload(set.rolled_out())),
            Object::DaemonSet(set) => (&mut self.daemon_sets, of_workload(set.rolled_out())),
            _ => return false,
        };
        let meta = object.meta();
        let wanted = wanted.map(|(how, decisive)| Wanted { namespace: meta.namespace.clone(), how, decisive });
        if objects.get(&meta.uid) == wanted.as_ref() {
            return false;
        }
        match wanted {
            Some(wanted) => drop(objects.insert(meta.uid.clone(), wanted)),
            None => drop(objects.remove(&meta.uid)),
        }
        true
    }
}

/// Of a Job that failed, its events are what is left of pods that nobody saw.
fn of_job(job: &Job) -> (How, bool) {
    let how = if job.finished() { How::Once } else { How::Following };
    (how, holding(&job.conditions, "Failed").is_some())
}

/// What keeps a pod of a Job from starting may stand in its events alone: a volume that can't be mounted, a sandbox that
/// can't be made. Later they tell what was done to it.
fn of_pod(pod: &Pod) -> Option<(How, bool)> {
    pod.meta.owner.as_ref()?;
    match pod.phase {
        PodPhase::Pending => Some((How::Following, true)),
        PodPhase::Running | PodPhase::Unknown => Some((How::Following, false)),
        PodPhase::Failed => Some((How::Once, false)),
        PodPhase::Succeeded => None,
    }
}

/// The same of a replica, as long as it is not ready; of one that goes, nobody asks what kept it.
fn of_replica(pod: &Pod) -> Option<(How, bool)> {
    let gets_ready = matches!(pod.phase, PodPhase::Pending | PodPhase::Running) && !pod.terminating();
    let ready = holding(&pod.conditions, "Ready").is_some();
    (gets_ready && !ready).then_some((How::Following, true))
}

/// Why no pod can be made for a workload stands in its events alone; a Deployment has a condition for it.
fn of_workload(rolled_out: bool) -> Option<(How, bool)> {
    (!rolled_out).then_some((How::Following, false))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::Scope;

    fn read(kind: Kind, value: &Value) -> Object {
        Object::read_as(kind, value).unwrap()
    }

    fn owned(owner: &str, uid: &str, status: Value) -> Object {
        let owner = json!({"kind": owner, "name": "owner", "uid": "owner", "controller": true});
        let metadata = json!({"name": uid, "namespace": "gitlab", "uid": uid, "ownerReferences": [owner]});
        read(Kind::Pod, &json!({"metadata": metadata, "status": status}))
    }

    fn pod(uid: &str, phase: &str) -> Object {
        owned("Job", uid, json!({"phase": phase}))
    }

    fn replica(uid: &str, phase: &str, ready: &str) -> Object {
        owned("ReplicaSet", uid, json!({"phase": phase, "conditions": [{"type": "Ready", "status": ready}]}))
    }

    fn job(uid: &str, condition: &str) -> Object {
        let conditions = json!([{"type": condition, "status": "True"}]);
        let metadata = json!({"name": uid, "namespace": "gitlab", "uid": uid});
        read(Kind::Job, &json!({"metadata": metadata, "status": {"conditions": conditions}}))
    }

    fn applied(object: Object) -> Change {
        Change::Applied(Box::new(object))
    }

    fn deleted(object: Object) -> Change {
        Change::Deleted(Box::new(object))
    }

    fn replaced(kind: Kind, objects: Vec<Object>) -> Change {
        Change::Replaced { kind, scope: Scope::All, objects }
    }

    fn after(changes: &[Change]) -> Interest {
        let mut interest = Interest::default();
        for change in changes {
            interest.note(change);
        }
        interest
    }

    #[test]
    fn only_what_asks_for_other_events_says_so() {
        let mut interest = Interest::default();
        assert!(interest.note(&applied(pod("p", "Running"))));
        assert!(!interest.note(&applied(pod("p", "Running"))), "nothing in it changed");
    }

    /// Whose events are wanted after these changes, and for how long.
    fn wanted(changes: &[Change]) -> Vec<(String, How)> {
        after(changes).wanted().into_iter().map(|(uid, wanted)| (uid.0.clone(), wanted.how)).collect()
    }

    #[test]
    fn a_pod_of_a_job_is_of_interest_until_it_ends_and_once_more_if_that_is_badly() {
        let follows = [("p".to_owned(), How::Following)];
        for phase in ["Pending", "Running", "Unknown"] {
            assert_eq!(wanted(&[applied(pod("p", phase))]), follows, "{phase}");
        }
        assert_eq!(wanted(&[replaced(Kind::Pod, vec![pod("p", "Running"), pod("q", "Succeeded")])]), follows);
        let ended = |phase| wanted(&[applied(pod("p", "Running")), applied(pod("p", phase))]);
        assert_eq!(ended("Succeeded"), []);
        assert_eq!(ended("Failed"), [("p".to_owned(), How::Once)]);
        assert_eq!(wanted(&[applied(pod("p", "Pending")), deleted(pod("p", "Pending"))]), []);
        assert_eq!(wanted(&[applied(pod("p", "Pending")), replaced(Kind::Pod, vec![])]), []);
    }

    #[test]
    fn a_pod_of_no_job_is_of_no_interest() {
        let stray = read(Kind::Pod, &json!({"metadata": {"name": "p", "uid": "p"}, "status": {"phase": "Pending"}}));
        assert_eq!(wanted(&[applied(stray)]), []);
    }

    #[test]
    fn a_replica_is_of_interest_while_it_is_not_ready_and_stays() {
        let follows = [("r".to_owned(), How::Following)];
        assert_eq!(wanted(&[applied(replica("r", "Pending", "False"))]), follows);
        assert_eq!(wanted(&[applied(replica("r", "Running", "False"))]), follows);
        let then = |object| wanted(&[applied(replica("r", "Pending", "False")), applied(object)]);
        assert_eq!(then(replica("r", "Running", "True")), []);
        assert_eq!(then(replica("r", "Failed", "False")), []);
        let Object::Pod(mut going) = replica("r", "Running", "False") else { panic!("a pod") };
        going.meta.deletion = Some(crate::fixture::at(0));
        assert_eq!(then(Object::Pod(going)), []);
    }

    #[test]
    fn a_stateful_set_and_a_daemon_set_are_of_interest_until_they_are_rolled_out() {
        let set = |kind, ready: u32| {
            let status = json!({"observedGeneration": 1, "readyReplicas": ready, "updatedReplicas": ready,
                "desiredNumberScheduled": 1, "updatedNumberScheduled": ready, "numberAvailable": ready});
            let metadata = json!({"name": "s", "namespace": "gitlab", "uid": "s", "generation": 1});
            read(kind, &json!({"metadata": metadata, "status": status}))
        };
        for kind in [Kind::StatefulSet, Kind::DaemonSet] {
            assert_eq!(wanted(&[applied(set(kind, 0))]), [("s".to_owned(), How::Following)], "{kind:?}");
            assert_eq!(wanted(&[applied(set(kind, 0)), applied(set(kind, 1))]), [], "{kind:?}");
            assert_eq!(wanted(&[replaced(kind, vec![set(kind, 0)]), replaced(kind, vec![])]), [], "{kind:?}");
            let other = if kind == Kind::DaemonSet { Kind::StatefulSet } else { Kind::DaemonSet };
            assert_eq!(wanted(&[applied(set(kind, 0)), replaced(other, vec![])]).len(), 1, "{kind:?}");
        }
    }

    #[test]
    fn of_many_replicas_that_are_not_ready_a_few_are_of_interest() {
        let many: Vec<Object> = (0..40).map(|number| replica(&format!("r{number}"), "Pending", "False")).collect();
        assert_eq!(wanted(&[replaced(Kind::Pod, many)]).len(), MOST_REPLICAS);
    }

    #[test]
    fn a_job_is_of_interest_until_it_ends_and_once_more_then() {
        for condition in ["Suspended", "FailureTarget", "SuccessCriteriaMet"] {
            assert_eq!(wanted(&[applied(job("j", condition))]), [("j".to_owned(), How::Following)], "{condition}");
        }
        for condition in ["Failed", "Complete"] {
            assert_eq!(wanted(&[applied(job("j", condition))]), [("j".to_owned(), How::Once)], "{condition}");
        }
        assert_eq!(wanted(&[applied(job("j", "Failed")), deleted(job("j", "Failed"))]), []);
    }

    #[test]
    fn only_for_what_may_decide_a_state_somebody_has_to_wait() {
        let answered = |object| after(&[applied(object)]).answered(&BTreeSet::new());
        for decisive in [pod("p", "Pending"), job("j", "Failed"), replica("r", "Running", "False")] {
            assert!(!answered(decisive.clone()), "{decisive:?}");
        }
        for beside in
            [pod("p", "Running"), job("j", "Suspended"), job("j", "Complete"), replica("r", "Running", "True")]
        {
            assert!(answered(beside.clone()), "{beside:?}");
        }
        assert!(after(&[applied(pod("p", "Pending"))]).answered(&BTreeSet::from([Uid("p".into())])));
    }

    #[test]
    fn a_relist_of_one_kind_leaves_the_other_alone() {
        let changes = [applied(job("j", "Failed")), applied(pod("p", "Pending")), replaced(Kind::Pod, vec![])];
        assert_eq!(wanted(&changes), [("j".to_owned(), How::Once)]);
    }
}
