//! What the server has: the objects, the changes that a watch can still go on from, and the logs.
//!
//! Versions are the server's own: one counter for everything, which every change moves on by one. The changes of late are
//! kept, each with what was there before, so that the objects of an older version can be told: those of now, and the
//! changes since then taken back.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use serde_json::{Value, json};

use super::log::RunLogs;
use super::replica_sets;
use super::resource::Resource;
use crate::cluster::{Change, Object, Scope, Uid, read};

/// How many changes are kept for watches and pages to go on from, where nobody says otherwise.
const HISTORY: usize = 1_000;

/// What the server has.
#[derive(Debug)]
pub(super) struct Store {
    objects: BTreeMap<Key, Arc<Stored>>,
    /// The version of the newest change; 1 where nothing was ever changed, as 0 stands for any version.
    version: u64,
    changes: VecDeque<Changed>,
    /// How many changes are kept.
    history: usize,
    logs: RunLogs,
}

/// Where an object lies. The order is that of a list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) resource: Resource,
    /// Empty where the resource has no namespaces.
    pub(super) namespace: String,
    pub(super) name: String,
}

/// An object as it is served.
#[derive(Debug)]
pub(super) struct Stored {
    /// The version of the change that made it so.
    pub(super) version: u64,
    /// The object, with that version in it.
    pub(super) object: Value,
    /// The version it was heard with.
    heard: Option<String>,
}

/// One change of an object.
#[derive(Clone, Debug)]
pub(super) struct Changed {
    pub(super) version: u64,
    pub(super) key: Key,
    /// What there was before.
    pub(super) before: Option<Arc<Stored>>,
    /// What there is now; of an object that is gone, the last there was of it.
    pub(super) now: Arc<Stored>,
    /// Whether the object is gone.
    pub(super) gone: bool,
}

/// A version is not known any more.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooOld {
    /// The oldest one that is.
    pub(super) oldest: u64,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            objects: BTreeMap::new(),
            version: 1,
            changes: VecDeque::new(),
            history: HISTORY,
            logs: RunLogs::default(),
        }
    }
}

impl Store {
    /// The version of the newest change.
    pub(super) fn version(&self) -> u64 {
        self.version
    }

    /// The logs.
    pub(super) fn logs(&self) -> &RunLogs {
        &self.logs
    }

    /// From now on, keeps so many changes.
    pub(super) fn keep(&mut self, history: usize) {
        self.history = history;
        self.forget();
    }

    /// Takes in a change. Returns whether anything is other than before.
    pub(super) fn apply(&mut self, change: &Change) -> bool {
        let before = self.version;
        match change {
            Change::Applied(object) => {
                self.put(object);
                self.follow(object);
            }
            Change::Deleted(object) => {
                self.delete(object);
                self.follow(object);
            }
            Change::Replaced { kind, scope, objects } => {
                self.replace((*kind).into(), scope, objects);
                let namespaces = self.list(Resource::Namespaces, None).into_keys().map(|key| key.name);
                namespaces.for_each(|namespace| self.make_replica_sets(&namespace));
            }
            Change::Log(change) => return self.logs.note(change),
            Change::Selected(_)
            | Change::Watch { .. }
            | Change::Clock { .. }
            | Change::Remembered(_)
            | Change::Alive(_) => {}
        }
        self.version != before
    }

    /// One object.
    pub(super) fn get(&self, key: &Key) -> Option<&Arc<Stored>> {
        self.objects.get(key)
    }

    /// The objects of a resource, in one namespace or in all, in the order of their keys.
    pub(super) fn list(&self, resource: Resource, namespace: Option<&str>) -> BTreeMap<Key, Arc<Stored>> {
        let from = Key { resource, namespace: namespace.unwrap_or_default().to_owned(), name: String::new() };
        let all = self.objects.range((Bound::Included(&from), Bound::Unbounded));
        all.take_while(|(key, _)| key.is_of(resource, namespace))
            .map(|(key, stored)| (key.clone(), Arc::clone(stored)))
            .collect()
    }

    /// The same as of an older version.
    ///
    /// # Errors
    /// [`TooOld`] if not all changes since then are known any more.
    pub(super) fn list_at(
        &self,
        version: u64,
        resource: Resource,
        namespace: Option<&str>,
    ) -> Result<BTreeMap<Key, Arc<Stored>>, TooOld> {
        let mut objects = self.list(resource, namespace);
        for change in self.changes_since(version)?.rev().filter(|change| change.key.is_of(resource, namespace)) {
            match &change.before {
                Some(before) => objects.insert(change.key.clone(), Arc::clone(before)),
                None => objects.remove(&change.key),
            };
        }
        Ok(objects)
    }

    /// The changes after a version, oldest first.
    ///
    /// # Errors
    /// [`TooOld`] if not all of them are known any more.
    pub(super) fn changes_since(
        &self,
        version: u64,
    ) -> Result<impl DoubleEndedIterator<Item = &Changed> + use<'_>, TooOld> {
        let oldest = self.changes.front().map_or(self.version, |change| change.version - 1);
        if version < oldest {
            return Err(TooOld { oldest });
        }
        let known = self.changes.partition_point(|change| change.version <= version);
        Ok(self.changes.range(known..))
    }

    fn put(&mut self, object: &Object) {
        let Some((key, value)) = served(object) else { return };
        let known = self.objects.get(&key).map(|stored| stored.uid());
        if known.is_some_and(|uid| uid != object.meta().uid) {
            // Its successor: the name is the same, the object is another.
            self.remove(&key, None);
        }
        self.make_namespace(&key.namespace, &value);
        self.insert(key, value);
    }

    fn delete(&mut self, object: &Object) {
        let key = key_of(object);
        // Whoever watches is told of the end of what they know.
        if !self.objects.contains_key(&key) {
            self.put(object);
        }
        if self.objects.get(&key).is_some_and(|stored| stored.uid() == object.meta().uid) {
            self.remove(&key, served(object).map(|(_, value)| value));
        }
    }

    fn replace(&mut self, resource: Resource, scope: &Scope, objects: &[Object]) {
        let listed: BTreeSet<&Uid> = objects.iter().map(|object| &object.meta().uid).collect();
        let gone: Vec<Key> = self
            .list(resource, None)
            .into_iter()
            .filter(|(_, stored)| match scope {
                Scope::All => true,
                Scope::About(uid) => read::text(&stored.object, &["involvedObject", "uid"]).as_ref() == Some(&uid.0),
            })
            .filter(|(_, stored)| !listed.contains(&stored.uid()))
            .map(|(key, _)| key)
            .collect();
        gone.iter().for_each(|key| self.remove(key, None));
        objects.iter().for_each(|object| self.put(object));
    }

    /// A namespace is there with the first object in it.
    fn make_namespace(&mut self, namespace: &str, first: &Value) {
        let key = Key { resource: Resource::Namespaces, namespace: String::new(), name: namespace.to_owned() };
        if self.objects.contains_key(&key) {
            return;
        }
        let mut object = json!({
            "metadata": {"name": namespace, "uid": format!("namespace-{namespace}"),
                "creationTimestamp": first["metadata"]["creationTimestamp"],
                "labels": {"kubernetes.io/metadata.name": namespace}},
            "spec": {"finalizers": ["kubernetes"]},
            "status": {"phase": "Active"},
        });
        Resource::Namespaces.name_kind(&mut object);
        self.insert(key, object);
    }

    /// What follows from an object.
    fn follow(&mut self, object: &Object) {
        let of_a_set = match object {
            Object::Deployment(_) => true,
            Object::Pod(pod) => pod.replica_set().is_some(),
            _ => false,
        };
        if of_a_set {
            self.make_replica_sets(&key_of(object).namespace);
        }
    }

    /// The ReplicaSets of a namespace follow from its Deployments and their pods.
    fn make_replica_sets(&mut self, namespace: &str) {
        let [deployments, pods, known] = [Resource::Deployments, Resource::Pods, Resource::ReplicaSets]
            .map(|resource| self.list(resource, Some(namespace)));
        let pods: Vec<&Value> = pods.values().map(|stored| &stored.object).collect();
        let sets = known.iter().map(|(key, stored)| (key.name.as_str(), &stored.object)).collect();
        let key = |name: String| Key { resource: Resource::ReplicaSets, namespace: namespace.to_owned(), name };
        let all: BTreeMap<Key, Value> = deployments
            .values()
            .flat_map(|stored| replica_sets::of(&stored.object, &pods, &sets))
            .map(|(name, set)| (key(name), set))
            .collect();
        known.keys().filter(|key| !all.contains_key(key)).for_each(|key| self.remove(key, None));
        all.into_iter().for_each(|(key, set)| self.insert(key, set));
    }

    fn insert(&mut self, key: Key, object: Value) {
        let before = self.objects.get(&key).cloned();
        let now = Stored::new(object, self.version + 1);
        if before.as_ref().is_some_and(|before| before.tells_the_same(&now)) {
            return;
        }
        if key.resource == Resource::Pods {
            self.logs.begin(now.uid());
        }
        let now = Arc::new(now);
        self.objects.insert(key.clone(), Arc::clone(&now));
        self.note(Changed { version: now.version, key, before, now, gone: false });
    }

    /// Removes an object; `last` is the last there was of it, where that is known.
    fn remove(&mut self, key: &Key, last: Option<Value>) {
        let Some(before) = self.objects.remove(key) else { return };
        if key.resource == Resource::Pods {
            self.logs.end(&before.uid());
        }
        let now = Arc::new(Stored::new(last.unwrap_or_else(|| before.object.clone()), self.version + 1));
        self.note(Changed { version: now.version, key: key.clone(), before: Some(before), now, gone: true });
    }

    fn note(&mut self, change: Changed) {
        self.version = change.version;
        self.changes.push_back(change);
        self.forget();
    }

    fn forget(&mut self) {
        let more = self.changes.len().saturating_sub(self.history);
        self.changes.drain(..more);
    }
}

impl Key {
    /// Whether it is of that resource, and in that namespace or in any.
    pub(super) fn is_of(&self, resource: Resource, namespace: Option<&str>) -> bool {
        self.resource == resource && namespace.is_none_or(|namespace| self.namespace == namespace)
    }
}

impl Stored {
    fn new(mut object: Value, version: u64) -> Self {
        let heard = read::text(&object, &["metadata", "resourceVersion"]);
        write_version(&mut object, version);
        Self { version, object, heard }
    }

    fn uid(&self) -> Uid {
        Uid(read::text(&self.object, &["metadata", "uid"]).unwrap_or_default())
    }

    fn tells_the_same(&self, other: &Self) -> bool {
        let mut object = other.object.clone();
        write_version(&mut object, self.version);
        self.heard == other.heard && self.object == object
    }
}

/// Writes a version into an object.
pub(super) fn write_version(object: &mut Value, version: u64) {
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.insert("resourceVersion".into(), version.to_string().into());
    }
}

/// The namespace of an object that names none.
const DEFAULT: &str = "default";

fn key_of(object: &Object) -> Key {
    let meta = object.meta();
    let namespace = if meta.namespace.is_empty() { DEFAULT } else { &meta.namespace };
    Key { resource: object.kind().into(), namespace: namespace.to_owned(), name: meta.name.clone() }
}

/// An object as it is served, and where it lies; `None` where all that the server wrote of it was not kept.
fn served(object: &Object) -> Option<(Key, Value)> {
    let key = key_of(object);
    let mut value = object.meta().manifest.object()?;
    key.resource.name_kind(&mut value);
    let metadata = value.get_mut("metadata")?.as_object_mut()?;
    metadata.insert("name".into(), key.name.as_str().into());
    metadata.insert("namespace".into(), key.namespace.as_str().into());
    metadata.insert("uid".into(), object.meta().uid.0.as_str().into());
    Some((key, value))
}
