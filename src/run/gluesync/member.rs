//! The workloads of a platform, their pods, and the check that a new image of one has to pass.

use jiff::{SignedDuration, Timestamp};

use super::rule::fate;
use crate::cluster::{
    Container, ContainerState, GluesyncPlatform, Meta, Pod, PodPhase, PodRecord, SeenImages, TemplateImage, Terminated,
    World, holding,
};
use crate::gate::start_fault;
use crate::run::stage::repository;
use crate::run::{Fate, Held, Stability};

/// A workload of the platform.
#[derive(Debug)]
pub(super) struct Member<'a> {
    /// As it is typed: `statefulset`.
    kind: &'static str,
    meta: &'a Meta,
    images: &'a [TemplateImage],
    /// The images it has and had, as far as that was seen.
    seen: &'a [SeenImages],
    desired: u32,
    pods: Vec<&'a PodRecord>,
}

/// The workloads of a platform, by name: those of its namespace that bear its label.
pub(super) fn members<'a>(platform: &GluesyncPlatform, world: &'a World) -> Vec<Member<'a>> {
    let ours = |meta: &Meta| meta.labels.conductor.is_some() && meta.namespace == platform.meta.namespace;
    let alive =
        |record: &&PodRecord| !record.gone && !matches!(record.pod.phase, PodPhase::Succeeded | PodPhase::Failed);
    let sets = world.stateful_sets().filter(|set| ours(&set.meta)).map(|set| Member {
        kind: "statefulset",
        meta: &set.meta,
        images: &set.images,
        seen: world.images_seen(&set.meta.uid),
        desired: set.desired,
        pods: world.pods_of(&set.meta.uid).filter(alive).collect(),
    });
    let deployments = world.deployments().filter(|deployment| ours(&deployment.meta)).map(|deployment| Member {
        kind: "deployment",
        meta: &deployment.meta,
        images: &deployment.images,
        seen: world.images_seen(&deployment.meta.uid),
        desired: deployment.desired,
        pods: world.replicas_of(&deployment.meta).filter(alive).collect(),
    });
    let mut members: Vec<Member<'a>> = sets.chain(deployments).collect();
    members.sort_by_key(|member| &member.meta.name);
    members
}

/// A name without what only tells its writing.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// Whether a component of that name is Core Hub.
pub(super) fn is_core_hub(name: &str) -> bool {
    plain(name).ends_with("corehub")
}

/// Whether a component of that name is the operator itself.
pub(super) fn is_operator(name: &str) -> bool {
    matches!(plain(name).as_str(), "operator" | "gluesyncoperator" | "gluesynckubernetesoperator" | "gko")
}

/// The workload that a component is, by the name or the label of it; `None` where there is none, or more than one.
pub(super) fn find<'m, 'a>(members: &'m [Member<'a>], component: &str) -> Option<&'m Member<'a>> {
    let wanted = plain(component);
    let same = |name: &str| plain(name) == wanted;
    let role = |member: &&Member<'a>| member.role().is_some_and(|role| same(role) || alike(role, component));
    let one = |mut found: Vec<&'m Member<'a>>| if found.len() == 1 { found.pop() } else { None };
    let named = one(members.iter().filter(|member| same(&member.meta.name)).collect());
    named.or_else(|| one(members.iter().filter(role).collect())).or_else(|| {
        let ends = |member: &&Member<'a>| !wanted.is_empty() && plain(&member.meta.name).ends_with(&wanted);
        one(members.iter().filter(ends).collect())
    })
}

/// Whether both are Core Hub, or the operator, under any of its names.
fn alike(one: &str, other: &str) -> bool {
    (is_core_hub(one) && is_core_hub(other)) || (is_operator(one) && is_operator(other))
}

impl<'a> Member<'a> {
    fn role(&self) -> Option<&str> {
        self.meta.labels.conductor.as_deref()
    }

    /// Whether it is the operator itself.
    pub(super) fn is_operator(&self) -> bool {
        self.role().is_some_and(is_operator)
    }

    /// What `kubectl` names it: `statefulset/core-hub`.
    pub(super) fn resource(&self) -> String {
        format!("{}/{}", self.kind, self.meta.name)
    }

    /// The container that has an image of that repository; the first, where none has.
    fn slot(&self, like: &str) -> Option<&'a TemplateImage> {
        let same = |of: &&TemplateImage| repository(&of.image) == repository(like);
        self.images.iter().find(same).or(self.images.first())
    }

    /// The image of its template that is like that one: of the same repository, where one is.
    pub(super) fn image(&self, like: &str) -> Option<&'a str> {
        self.slot(like).map(|slot| slot.image.as_str())
    }

    /// The image that it had last, and since when not any more, where that was seen.
    fn had(&self, like: &str) -> Option<(&'a str, Timestamp)> {
        let [.., before, now] = self.seen else { return None };
        let container = &self.slot(like)?.container;
        let had = before.images.iter().find(|of| of.container == *container)?;
        Some((&had.image, now.since?))
    }

    /// The image that was taken from it again, where it has its previous one back: since an update that began then.
    pub(super) fn taken_back(&self, previous: &str, began: Option<Timestamp>) -> Option<&'a str> {
        let (had, since) = self.had(previous)?;
        let back = self.image(previous) == Some(previous) && had != previous;
        (back && began.is_none_or(|began| began <= since)).then_some(had)
    }

    /// When its present image was set, where that was seen.
    pub(super) fn set_at(&self) -> Option<Timestamp> {
        self.seen.last().and_then(|seen| seen.since)
    }

    /// How the check of that image stands. `changed` is when it was set, where the operator told that.
    pub(super) fn stability(&self, image: &str, platform: &GluesyncPlatform, changed: Option<Timestamp>) -> Stability {
        let (new, old): (Vec<&PodRecord>, Vec<&PodRecord>) =
            self.pods.iter().partition(|record| self.runs(&record.pod, image));
        // Where nobody saw it: a pod that has to go for it, or the first that comes.
        let goes = old.iter().filter_map(|record| record.deletion_requested).min();
        let comes = new.iter().filter_map(|record| record.pod.meta.created).min();
        let by_pods = || [goes, comes].into_iter().flatten().min();
        let changed = self.set_at().or(changed).or_else(by_pods);
        let ready: Vec<Option<Timestamp>> = new
            .iter()
            .filter(|record| !record.pod.terminating())
            .filter_map(|record| holding(&record.pod.conditions, "Ready").map(|ready| ready.since))
            .collect();
        let old = old.iter().filter(|record| !record.pod.terminating()).count();
        let restarted = new.iter().filter_map(|record| restarted(&record.pod)).max();
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let all = count(ready.len()) >= self.desired && old == 0 && !ready.is_empty();
        let window = all.then(|| ready.iter().flatten().copied().max().max(restarted)).flatten();
        Stability {
            desired: self.desired,
            ready: count(ready.len()),
            old: count(old),
            changed,
            until: changed.and_then(|changed| after(changed, platform.max_wait_seconds)),
            restarted,
            passes: window.and_then(|window| after(window, platform.window_seconds)),
        }
    }

    /// Since when a pod on that image is Ready.
    pub(super) fn ready_since(&self, image: &str) -> Option<Timestamp> {
        let new = self.pods.iter().filter(|record| self.runs(&record.pod, image));
        new.filter_map(|record| holding(&record.pod.conditions, "Ready")?.since).max()
    }

    /// Whether a pod runs that image. Of one whose containers nothing is told yet, that can't be said, and it is not there yet.
    fn runs(&self, pod: &Pod, image: &str) -> bool {
        let container = self.slot(image).map(|slot| slot.container.as_str());
        match pod.containers.iter().find(|of| Some(of.name.as_str()) == container) {
            Some(of) => of.image == image,
            None => !pod.terminating() && pod.containers.is_empty(),
        }
    }

    /// What keeps a pod on that image from coming up: what fails the check at once, before what does not.
    pub(super) fn held(&self, image: &str, world: &World) -> Option<Held> {
        let new = self.pods.iter().filter(|record| !record.pod.terminating() && self.runs(&record.pod, image));
        let unready = new.filter(|record| holding(&record.pod.conditions, "Ready").is_none());
        let mut all: Vec<Held> =
            unready.filter_map(|record| crashes(record).or_else(|| cannot_start(record, world))).collect();
        all.sort_by_key(|held| held.fate != Fate::FailsAtOnce);
        all.into_iter().next()
    }
}

/// That time, so many seconds on.
pub(super) fn after(time: Timestamp, seconds: i64) -> Option<Timestamp> {
    time.checked_add(SignedDuration::from_secs(seconds)).ok()
}

/// When a container of the pod was last started again.
fn restarted(pod: &Pod) -> Option<Timestamp> {
    let again = pod.containers.iter().filter(|container| container.restarts > 0);
    again
        .filter_map(|container| match &container.state {
            ContainerState::Running { started: Some(started) } => Some(*started),
            ContainerState::Terminated(end) => end.finished,
            _ => container.previous.as_ref().and_then(|end| end.finished),
        })
        .max()
}

/// A container that crashes over and over: it waits in that back-off, or has been through one. Between two of them it runs or
/// has just ended, and nothing is better.
fn crashes(record: &PodRecord) -> Option<Held> {
    const REASON: &str = "CrashLoopBackOff";
    let waits = |state: &ContainerState| matches!(state, ContainerState::Waiting { reason, .. } if reason == REASON);
    // The first restart comes without a back-off.
    let went_through = |container: &Container| container.restarts > 1 && last_failed(container).is_some();
    let mut containers = record.pod.containers.iter().filter(|container| !container.ready);
    let container = containers.find(|container| waits(&container.state) || went_through(container))?;
    let last = last_failed(container);
    let message = match last {
        Some(end) if !end.message.is_empty() => end.message.clone(),
        Some(end) if end.reason.is_empty() => format!("exited {}", end.exit_code),
        Some(end) => format!("exited {} ({})", end.exit_code, end.reason),
        None => String::new(),
    };
    Some(Held {
        reason: REASON.to_owned(),
        message,
        pod: record.pod.meta.name.clone(),
        container: Some(container.name.clone()),
        since: last.and_then(|end| end.finished),
        fate: fate(REASON, ""),
        clears: None,
    })
}

/// The run of a container that failed last.
fn last_failed(container: &Container) -> Option<&Terminated> {
    container.failed_ahead().or(container.previous.as_ref().filter(|end| end.failed()))
}

fn cannot_start(record: &PodRecord, world: &World) -> Option<Held> {
    let fault = start_fault(record, world)?;
    let fate = fate(&fault.reason, &fault.message);
    let differs = (fate == Fate::FailsAtOnce) != fault.permanent;
    Some(Held {
        reason: fault.reason,
        message: fault.message,
        pod: fault.pod,
        container: fault.container,
        since: fault.since,
        fate,
        clears: differs.then_some(!fault.permanent),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_hub_and_the_operator_are_known_under_their_names() {
        for name in ["core-hub", "coreHub", "gluesync-core-hub", "CORE_HUB"] {
            assert!(is_core_hub(name) && !is_operator(name), "{name}");
        }
        for name in ["operator", "gluesync-operator", "GKO"] {
            assert!(is_operator(name) && !is_core_hub(name), "{name}");
        }
        assert!(!is_operator("kafka-operator"));
    }
}
