//! The objects that are there after what was recorded so far. The writer knows by it what a list changed, and the reader
//! what the list held.

use std::collections::BTreeMap;

use crate::cluster::{Kind, Object, Scope, Uid};

/// The objects that are there, by kind and uid.
#[derive(Clone, Debug, Default)]
pub(super) struct Present(BTreeMap<Kind, BTreeMap<Uid, Object>>);

impl Present {
    /// Notes an object as it is now. Returns whether there was one with its uid.
    pub(super) fn put(&mut self, object: Object) -> bool {
        self.0.entry(object.kind()).or_default().insert(object.meta().uid.clone(), object).is_some()
    }

    /// Forgets an object, and the events about it: they are no longer watched, and nobody says when they are gone.
    pub(super) fn remove(&mut self, kind: Kind, uid: &Uid) {
        self.0.entry(kind).or_default().remove(uid);
        if let Some(events) = self.0.get_mut(&Kind::Event).filter(|_| kind != Kind::Event) {
            events.retain(|_, event| !matches!(event, Object::Event(event) if event.about == *uid));
        }
    }

    /// Whether exactly that object is there.
    pub(super) fn holds(&self, object: &Object) -> bool {
        self.0.get(&object.kind()).and_then(|objects| objects.get(&object.meta().uid)) == Some(object)
    }

    /// The objects of a scope, by their uids.
    pub(super) fn of(&self, kind: Kind, scope: &Scope) -> impl Iterator<Item = &Object> {
        let within = move |object: &&Object| match (scope, object) {
            (Scope::About(uid), Object::Event(event)) => event.about == *uid,
            _ => true,
        };
        self.0.get(&kind).into_iter().flat_map(BTreeMap::values).filter(within)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{event, pod};

    #[test]
    fn what_events_told_of_an_object_goes_with_it() {
        let read = |value: serde_json::Value| Object::read(&value).unwrap();
        let mut present = Present::default();
        present.put(read(pod("a", 0, serde_json::json!({}))));
        for about in ["a", "b"] {
            present.put(read(event(about, "BackOff", "x", 1)));
        }
        present.remove(Kind::Pod, &Uid("a".into()));
        let left: Vec<_> = present.of(Kind::Event, &Scope::All).collect();
        assert!(matches!(left[..], [Object::Event(event)] if event.about == Uid("b".into())), "{left:?}");
    }
}
