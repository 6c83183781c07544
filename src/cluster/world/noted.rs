//! What is noted of Gluesync as it comes, for nobody tells it afterwards: since when a workload has its images, and those it
//! had before; since when an update runs.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;

use crate::cluster::{GluesyncPlatform, Meta, TemplateImage, Uid};

/// The most templates that are remembered of one workload: an update and its rollback are two.
const MOST: usize = 8;

/// The images of a workload's template, and since when it has or had them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenImages {
    /// The images.
    pub images: Vec<TemplateImage>,
    /// When it was heard that they are those; absent where they were those when it was first seen.
    pub since: Option<Timestamp>,
}

/// What is noted, by the uid of what it is about.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::cluster) struct Noted {
    images: BTreeMap<Uid, Vec<SeenImages>>,
    /// `None` for an update that ran when its platform was first seen.
    updates: BTreeMap<Uid, Option<Timestamp>>,
    platforms: BTreeSet<Uid>,
}

impl Noted {
    pub(super) fn images(&mut self, meta: &Meta, images: &[TemplateImage], time: Timestamp) {
        if meta.labels.conductor.is_none() {
            return;
        }
        let seen = self.images.entry(meta.uid.clone()).or_default();
        if seen.last().is_some_and(|last| last.images == images) {
            return;
        }
        let since = (!seen.is_empty()).then_some(time);
        seen.push(SeenImages { images: images.to_vec(), since });
        if seen.len() > MOST {
            seen.remove(0);
        }
    }

    pub(super) fn platform(&mut self, platform: &GluesyncPlatform, time: Timestamp) {
        let uid = &platform.meta.uid;
        let known = !self.platforms.insert(uid.clone());
        match platform.update {
            Some(_) => drop(self.updates.entry(uid.clone()).or_insert(known.then_some(time))),
            None => drop(self.updates.remove(uid)),
        }
    }

    pub(super) fn images_of(&self, workload: &Uid) -> &[SeenImages] {
        self.images.get(workload).map_or(&[], Vec::as_slice)
    }

    pub(super) fn update_of(&self, platform: &Uid) -> Option<Timestamp> {
        self.updates.get(platform).copied().flatten()
    }

    pub(super) fn forget(&mut self, uid: &Uid) {
        self.images.remove(uid);
        self.updates.remove(uid);
        self.platforms.remove(uid);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::cluster::{Change, ClusterEvent, Object, Uid, World};
    use crate::fixture::at;

    fn told(objects: impl IntoIterator<Item = (i64, Value)>) -> World {
        let mut world = World::default();
        for (seconds, object) in objects {
            let change = Change::Applied(Box::new(Object::read(&object).unwrap()));
            world.apply(ClusterEvent { cluster: None, time: at(seconds), change });
        }
        world
    }

    fn core_hub(label: &str, image: &str) -> Value {
        json!({"kind": "StatefulSet", "metadata": {"name": "core-hub", "uid": "hub", "labels": {label: "core-hub"}},
            "spec": {"template": {"spec": {"containers": [{"name": "hub", "image": image}]}}}})
    }

    #[test]
    fn since_when_a_workload_has_its_images_is_what_was_heard_first_of_them() {
        let label = "com.molo17.conductor.type";
        let world = told(
            [(1, "r.io/a:1"), (2, "r.io/a:1"), (3, "r.io/a:2"), (4, "r.io/a:2"), (5, "r.io/a:1")]
                .map(|(seconds, image)| (seconds, core_hub(label, image))),
        );
        let seen = world.images_seen(&Uid("hub".into()));
        let seen: Vec<_> = seen.iter().map(|seen| (seen.images[0].image.as_str(), seen.since)).collect();
        assert_eq!(seen, [("r.io/a:1", None), ("r.io/a:2", Some(at(3))), ("r.io/a:1", Some(at(5)))]);
        assert!(told([(1, core_hub("app", "r.io/a:1"))]).images_seen(&Uid("hub".into())).is_empty());
    }

    #[test]
    fn since_when_an_update_runs_is_known_where_it_was_seen_to_begin() {
        let platform = |update: Value| json!({"kind": "GluesyncPlatform", "metadata": {"name": "g", "uid": "g"}, "status": {"update": update}});
        let runs = || platform(json!({"previousImages": {"a": "r.io/a:1"}}));
        let since = |objects: Vec<(i64, Value)>| told(objects).update_seen(&Uid("g".into()));
        assert_eq!(since(vec![(1, platform(json!(null))), (2, runs()), (3, runs())]), Some(at(2)));
        assert_eq!(since(vec![(1, runs()), (2, runs())]), None);
        assert_eq!(since(vec![(1, runs()), (2, platform(json!({}))), (3, runs())]), Some(at(3)));
    }
}
