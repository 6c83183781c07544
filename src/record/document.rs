//! One document of JSON or YAML: an object, a list of objects, or a watch event.
//!
//! The items of a list are reduced one by one as they are read: a dump of a large namespace is a single document.

use std::fmt;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::encode::{LIST_BEGINS, LIST_ENDS, LOG, SELECTION, WATCH};
use super::fault::CUT_LIST;
use super::when;
use crate::cluster::{
    ClusterName, Kind, LogChange, Object, Scope, Selection, Served, Uid, Unreadable, WatchState, clean_value,
    clean_word, read, read_field,
};

/// An object of ours, or why it is none.
pub(super) type Read = Result<Box<Object>, Unreadable>;

/// One document.
#[derive(Debug)]
pub(super) enum Document {
    /// An object, or the items of a list.
    Objects {
        /// What is not ours says so.
        objects: Vec<Read>,
        /// The kind of all of them, where the list tells it: also where it is empty.
        of: Option<Kind>,
        /// The newest time in them.
        newest: Option<Timestamp>,
    },
    /// A watch event.
    Watch {
        /// Of which cluster, where it is one of several.
        cluster: Option<ClusterName>,
        /// When it arrived, where that was recorded.
        time: Option<Timestamp>,
        /// The newest time in its object: about when it happened, where no arrival was recorded.
        newest: Option<Timestamp>,
        /// What happened.
        event: WatchEvent,
    },
}

/// What a watch event says.
#[derive(Debug)]
pub(super) enum WatchEvent {
    /// `ADDED` or `MODIFIED`.
    Applied(Read),
    /// `DELETED`.
    Deleted(Read),
    /// `BOOKMARK` of a kind that is ours.
    Bookmark(Kind, Mark),
    /// `SELECTION`: what is watched.
    Selected(Selection),
    /// `WATCH`: how the watch of a kind fares.
    Fares(Kind, WatchState),
    /// `LOG`: more of a log.
    Log(LogChange),
    /// `ERROR`, a bookmark of another kind, or what a later server may say: nothing that changes an object.
    Nothing,
}

/// What a bookmark marks.
#[derive(Debug)]
pub(super) enum Mark {
    /// The beginning of a list that we wrote.
    ListBegins(Scope),
    /// The end of a list.
    ListEnds,
    /// Nothing.
    None,
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DocumentVisitor)
    }
}

struct DocumentVisitor;

impl<'de> Visitor<'de> for DocumentVisitor {
    type Value = Document;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a Kubernetes object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Document, M::Error> {
        let mut fields = Map::new();
        let mut items: Option<Vec<Item>> = None;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "items" => items = Some(map.next_value_seed(Items { of: list_of(&fields) })?),
                "object" => drop(fields.insert(key, map.next_value::<Served>()?.0)),
                _ => read_field(&mut map, key, &mut fields)?,
            }
        }
        let fields = Value::Object(fields);
        if let (Some(what), Some(object)) = (read::text(&fields, &["type"]), read::at(&fields, &["object"])) {
            return Ok(watch(&what, &fields, object));
        }
        let Some(kind) = read::text(&fields, &["kind"]) else {
            return Err(M::Error::custom(match items {
                Some(_) => CUT_LIST,
                None => "no Kubernetes object, as it has no `kind`",
            }));
        };
        Ok(match items {
            Some(items) => listed(items, &of_list(&kind)),
            None => {
                let (object, newest) = Item::known(Object::read(&fields), &fields);
                Document::Objects { objects: vec![object], of: None, newest }
            }
        })
    }

    fn visit_seq<S: SeqAccess<'de>>(self, items: S) -> Result<Document, S::Error> {
        let items = Items { of: Of::Any }.visit_seq(items)?;
        Ok(listed(items, &Of::Any))
    }
}

/// The items of a list, after all of it was read.
fn listed(items: Vec<Item>, of: &Of) -> Document {
    let (mut objects, mut newest) = (Vec::with_capacity(items.len()), None);
    for item in items {
        let (object, told) = item.read(of);
        newest = newest.max(told);
        objects.push(object);
    }
    let of = match of {
        Of::Ours(kind) => Some(*kind),
        Of::Any | Of::Foreign(_) => None,
    };
    Document::Objects { objects, of, newest }
}

fn watch(what: &str, fields: &Value, object: &Value) -> Document {
    let whole = || Object::read(object).map(|read| Box::new(read.whole(object)));
    let event = match what {
        "ADDED" | "MODIFIED" => Some(WatchEvent::Applied(whole())),
        "DELETED" => Some(WatchEvent::Deleted(whole())),
        "BOOKMARK" => named_in(object, "kind").map(|kind| WatchEvent::Bookmark(kind, mark(object))),
        SELECTION => read::at(object, &["picks"]).and_then(ours).map(WatchEvent::Selected),
        WATCH => fares(object),
        LOG => ours(object).map(WatchEvent::Log),
        _ => None,
    };
    let event = event.unwrap_or(WatchEvent::Nothing);
    let cluster = read::text(fields, &["cluster"]).map(ClusterName::from);
    Document::Watch { cluster, time: read::time(fields, &["time"]), newest: when::newest(object), event }
}

fn mark(bookmark: &Value) -> Mark {
    let annotation = |key: &str| read::at(bookmark, &["metadata", "annotations", key]).and_then(Value::as_str);
    match (annotation(LIST_BEGINS), annotation(LIST_ENDS)) {
        (Some(""), _) => Mark::ListBegins(Scope::All),
        (Some(about), _) => Mark::ListBegins(Scope::About(Uid(clean_word(about)))),
        (None, Some(_)) => Mark::ListEnds,
        (None, None) => Mark::None,
    }
}

fn fares(watch: &Value) -> Option<WatchEvent> {
    Some(WatchEvent::Fares(named_in(watch, "of")?, ours(watch)?))
}

/// An object of ours. Its text is cleaned like the cluster's: anybody can have changed the file.
fn ours<T: DeserializeOwned>(object: &Value) -> Option<T> {
    serde_json::from_value(clean_value(object.clone())).ok()
}

/// An item of a list.
enum Item {
    /// Reduced, with the newest time in it.
    Read(Read, Option<Timestamp>),
    /// It does not name its kind, and the list has not said of which kind it is.
    Whole(Value),
}

impl Item {
    fn new(value: Value, of: &Of) -> Self {
        let object = match (value.get("kind"), of) {
            (Some(_), _) => Object::read(&value),
            (None, Of::Ours(kind)) => Object::read_as(*kind, &value),
            (None, Of::Foreign(kind)) => Err(Unreadable::Foreign(kind.clone())),
            (None, Of::Any) => return Self::Whole(value),
        };
        let (object, newest) = Self::known(object, &value);
        Self::Read(object, newest)
    }

    /// An object, and the newest time in what it was read from.
    fn known(object: Result<Object, Unreadable>, value: &Value) -> (Read, Option<Timestamp>) {
        let newest = if object.is_ok() { when::newest(value) } else { None };
        (object.map(Box::new), newest)
    }

    fn read(self, of: &Of) -> (Read, Option<Timestamp>) {
        match self {
            Self::Read(object, newest) => (object, newest),
            Self::Whole(value) => match Self::new(value, of) {
                Self::Read(object, newest) => (object, newest),
                Self::Whole(_) => (Err(Unreadable::NoKind), None),
            },
        }
    }
}

/// What a list holds, by its own kind.
enum Of {
    /// It does not say.
    Any,
    /// Objects of that kind.
    Ours(Kind),
    /// Objects of a kind that is of no use here. They are not even read.
    Foreign(String),
}

/// Reads `items`, which a server writes as null where there are none.
struct Items {
    of: Of,
}

impl<'de> DeserializeSeed<'de> for Items {
    type Value = Vec<Item>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Vec<Item>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Items {
    type Value = Vec<Item>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a list of Kubernetes objects")
    }

    fn visit_unit<E: Error>(self) -> Result<Vec<Item>, E> {
        Ok(Vec::new())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut values: S) -> Result<Vec<Item>, S::Error> {
        let mut items = Vec::new();
        if let Of::Foreign(kind) = &self.of {
            while values.next_element::<IgnoredAny>()?.is_some() {
                items.push(Item::Read(Err(Unreadable::Foreign(kind.clone())), None));
            }
            return Ok(items);
        }
        while let Some(Served(value)) = values.next_element()? {
            items.push(Item::new(value, &self.of));
        }
        Ok(items)
    }
}

fn list_of(fields: &Map<String, Value>) -> Of {
    fields.get("kind").and_then(Value::as_str).map_or(Of::Any, of_list)
}

/// What is in a list of that kind: `PodList` holds Pods, and `List` anything.
fn of_list(list: &str) -> Of {
    match list.strip_suffix("List") {
        None | Some("") => Of::Any,
        Some(name) => named(name).map_or_else(|| Of::Foreign(clean_word(name)), Of::Ours),
    }
}

fn named_in(object: &Value, field: &str) -> Option<Kind> {
    named(&read::text(object, &[field])?)
}

fn named(name: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|kind| kind.name() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(json: &str) -> Vec<Result<String, Unreadable>> {
        let Document::Objects { objects, .. } = serde_json::from_str(json).unwrap() else { panic!("a watch event") };
        objects.into_iter().map(|object| object.map(|object| object.meta().name.clone())).collect()
    }

    #[test]
    fn items_of_a_typed_list_are_read_wherever_its_kind_stands() {
        let before = r#"{"kind":"PodList","items":[{"metadata":{"name":"a"}}]}"#;
        let after = r#"{"items":[{"metadata":{"name":"a"}}],"kind":"PodList"}"#;
        assert_eq!(names(before), [Ok("a".into())]);
        assert_eq!(names(after), [Ok("a".into())]);
    }

    #[test]
    fn a_list_of_several_kinds_keeps_what_is_not_ours_apart() {
        let list = r#"{"kind":"List","items":[{"kind":"Job","metadata":{"name":"j"}},{"kind":"Secret","metadata":{"name":"s"}},{"kind":"Pod"}]}"#;
        assert_eq!(
            names(list),
            [Ok("j".into()), Err(Unreadable::Foreign("Secret".into())), Err(Unreadable::Nameless(Kind::Pod))]
        );
    }

    #[test]
    fn of_a_list_of_another_kind_only_the_number_is_read_wherever_its_kind_stands() {
        let foreign = || Err(Unreadable::Foreign("Secret".into()));
        let items = r#"[{"metadata":{"name":"a"},"data":{"password":"x"}},5]"#;
        assert_eq!(names(&format!(r#"{{"kind":"SecretList","items":{items}}}"#)), [foreign(), foreign()]);
        assert_eq!(names(&format!(r#"{{"items":{items},"kind":"SecretList"}}"#)), [foreign(), foreign()]);
    }

    #[test]
    fn a_typed_list_tells_of_its_kind_also_where_it_is_empty() {
        let of = |json: &str| match serde_json::from_str(json).unwrap() {
            Document::Objects { of, .. } => of,
            Document::Watch { .. } => panic!("a watch event"),
        };
        assert_eq!(of(r#"{"kind":"EventList","items":[]}"#), Some(Kind::Event));
        assert_eq!(of(r#"{"items":null,"kind":"JobList"}"#), Some(Kind::Job));
        assert_eq!(of(r#"{"kind":"List","items":[]}"#), None);
    }

    #[test]
    fn the_newest_time_of_a_list_is_that_of_what_is_ours() {
        let item = |kind: &str, time: &str| {
            format!(r#"{{"kind":"{kind}","metadata":{{"name":"a","creationTimestamp":"{time}"}}}}"#)
        };
        let items = [
            item("Job", "2026-11-29T15:00:00Z"),
            item("Pod", "2026-11-29T15:00:09Z"),
            item("Certificate", "2030-01-01T00:00:00Z"),
        ];
        let list = format!(r#"{{"items":[{}],"kind":"List"}}"#, items.join(","));
        let Document::Objects { newest, .. } = serde_json::from_str(&list).unwrap() else { panic!("a watch event") };
        assert_eq!(newest, Some("2026-11-29T15:00:09Z".parse().unwrap()));
    }

    #[test]
    fn a_list_without_items_holds_nothing() {
        assert_eq!(names(r#"{"kind":"PodList","items":null}"#), []);
        assert_eq!(names(r#"{"kind":"List","items":[]}"#), []);
    }

    #[test]
    fn an_event_of_the_cluster_is_an_object_although_it_has_a_type() {
        assert_eq!(
            names(r#"{"kind":"Event","type":"Warning","metadata":{"name":"e"},"involvedObject":{}}"#),
            [Ok("e".into())]
        );
    }

    #[test]
    fn a_bare_array_of_objects_is_read_like_a_list() {
        assert_eq!(names(r#"[{"kind":"Job","metadata":{"name":"j"}}]"#), [Ok("j".into())]);
    }

    #[test]
    fn a_refusal_that_was_recorded_before_it_told_since_when_is_read() {
        let json = r#"{"type": "WATCH", "object": {"apiVersion": "gatewatch/v1", "kind": "Watch", "of": "Pod",
            "state": "Forbidden", "message": "no"}}"#;
        let Document::Watch { event: WatchEvent::Fares(kind, state), .. } = serde_json::from_str(json).unwrap() else {
            panic!("no state of a watch")
        };
        assert_eq!((kind, state), (Kind::Pod, WatchState::Forbidden { message: "no".into(), heard: None }));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for json in ["{}", "5", "\"text\"", "null", r#"{"items":[]}"#] {
            assert!(serde_json::from_str::<Document>(json).is_err(), "{json}");
        }
    }
}
