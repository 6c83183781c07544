//! Whose events are asked for: never all of a namespace's, which can be many and of others.

use std::collections::{BTreeMap, BTreeSet};

use crate::cluster::{Change, Job, Kind, Object, Pod, PodPhase, Uid, holding};

/// What of Jobs and pods decides whose events are wanted.
#[derive(Debug, Default)]
pub struct Interest {
    pods: BTreeMap<Uid, String>,
    jobs: BTreeMap<Uid, String>,
}

/// An object whose events are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted<'a> {
    /// Where it is.
    pub(super) namespace: &'a str,
    /// Why they are wanted.
    pub(super) why: Why,
}

/// Why the events about an object are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// A pod does not run yet: what keeps it from starting may stand in its events alone (a volume that can't be mounted, a
    /// sandbox that can't be made). They are watched for as long as that lasts.
    Pending,
    /// A Job failed, and its pods may be gone: its events are what is left. Once it failed there is nothing more to come.
    Failed,
}

impl Interest {
    /// Takes in what changed.
    pub fn note(&mut self, change: &Change) {
        match change {
            Change::Replaced { kind, objects, .. } => {
                match kind {
                    Kind::Pod => self.pods.clear(),
                    Kind::Job => self.jobs.clear(),
                    _ => return,
                }
                objects.iter().for_each(|object| self.put(object));
            }
            Change::Applied(object) => self.put(object),
            Change::Deleted(object) => {
                self.pods.remove(&object.meta().uid);
                self.jobs.remove(&object.meta().uid);
            }
            Change::Watch { .. } | Change::Log(_) | Change::Remembered(_) | Change::Alive(_) => {}
        }
    }

    /// Whether the events about every object that they are wanted of were told.
    pub fn answered(&self, told: &BTreeSet<Uid>) -> bool {
        self.pods.keys().chain(self.jobs.keys()).all(|uid| told.contains(uid))
    }

    /// The objects whose events are wanted now.
    pub(super) fn wanted(&self) -> BTreeMap<&Uid, Wanted<'_>> {
        let pods = self.pods.iter().map(|(uid, namespace)| (uid, Wanted { namespace, why: Why::Pending }));
        let jobs = self.jobs.iter().map(|(uid, namespace)| (uid, Wanted { namespace, why: Why::Failed }));
        pods.chain(jobs).collect()
    }

    fn put(&mut self, object: &Object) {
        let (objects, wanted) = match object {
            Object::Pod(pod) => (&mut self.pods, may_be_blocked(pod)),
            Object::Job(job) => (&mut self.jobs, has_failed(job)),
            _ => return,
        };
        let meta = object.meta();
        if wanted {
            objects.insert(meta.uid.clone(), meta.namespace.clone());
        } else {
            objects.remove(&meta.uid);
        }
    }
}

/// A pod of a Job that has not started all of its containers.
fn may_be_blocked(pod: &Pod) -> bool {
    pod.phase == PodPhase::Pending && pod.meta.owner.is_some()
}

fn has_failed(job: &Job) -> bool {
    holding(&job.conditions, "Failed").is_some()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::Scope;

    fn read(kind: Kind, value: &Value) -> Object {
        Object::read_as(kind, value).unwrap()
    }

    fn pod(uid: &str, phase: &str) -> Object {
        let owner = json!({"uid": "job", "controller": true});
        let metadata = json!({"name": uid, "namespace": "gitlab", "uid": uid, "ownerReferences": [owner]});
        read(Kind::Pod, &json!({"metadata": metadata, "status": {"phase": phase}}))
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

    /// Whose events are wanted after these changes, and why.
    fn wanted(changes: &[Change]) -> Vec<(String, Why)> {
        let mut interest = Interest::default();
        changes.iter().for_each(|change| interest.note(change));
        interest.wanted().into_iter().map(|(uid, wanted)| (uid.0.clone(), wanted.why)).collect()
    }

    #[test]
    fn a_pod_is_of_interest_while_it_is_pending() {
        let pending = [("p".to_owned(), Why::Pending)];
        assert_eq!(wanted(&[applied(pod("p", "Pending"))]), pending);
        assert_eq!(wanted(&[replaced(Kind::Pod, vec![pod("p", "Pending"), pod("q", "Running")])]), pending);
        for phase in ["Running", "Succeeded", "Failed", "Unknown"] {
            assert_eq!(wanted(&[applied(pod("p", "Pending")), applied(pod("p", phase))]), [], "{phase}");
        }
        assert_eq!(wanted(&[applied(pod("p", "Pending")), deleted(pod("p", "Pending"))]), []);
        assert_eq!(wanted(&[applied(pod("p", "Pending")), replaced(Kind::Pod, vec![])]), []);
    }

    #[test]
    fn a_pod_of_no_job_is_of_no_interest() {
        let stray = read(Kind::Pod, &json!({"metadata": {"name": "p", "uid": "p"}, "status": {"phase": "Pending"}}));
        assert_eq!(wanted(&[applied(stray)]), []);
    }

    #[test]
    fn a_job_is_of_interest_once_it_has_failed_and_not_before() {
        assert_eq!(wanted(&[applied(job("j", "FailureTarget"))]), []);
        assert_eq!(wanted(&[applied(job("j", "Complete"))]), []);
        assert_eq!(wanted(&[applied(job("j", "Failed"))]), [("j".to_owned(), Why::Failed)]);
        assert_eq!(wanted(&[applied(job("j", "Failed")), deleted(job("j", "Failed"))]), []);
    }

    #[test]
    fn a_relist_of_one_kind_leaves_the_other_alone() {
        let changes = [applied(job("j", "Failed")), applied(pod("p", "Pending")), replaced(Kind::Pod, vec![])];
        assert_eq!(wanted(&changes), [("j".to_owned(), Why::Failed)]);
    }
}
