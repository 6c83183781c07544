//! One document of JSON or YAML: an object, a list of objects, or a watch event.
//!
//! The items of a list are reduced one by one as they are read: a dump of a large namespace is a single document.

use std::fmt;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::encode::{LIST_BEGINS, LIST_ENDS, LOG, WATCH};
use super::when;
use crate::cluster::{Kind, LogChange, Object, Scope, Uid, Unreadable, WatchState, clean_value, clean_word, read};

/// An object of ours, or why it is none.
pub(super) type Read = Result<Box<Object>, Unreadable>;

/// One document.
#[derive(Debug)]
pub(super) enum Document {
    /// An object, or the items of a list; what is not ours says so.
    Objects(Vec<Read>),
    /// A watch event.
    Watch {
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
            if key == "items" {
                let kind = list_kind(&fields);
                items = Some(map.next_value_seed(Items { kind })?);
            } else {
                fields.insert(key, map.next_value()?);
            }
        }
        let fields = Value::Object(fields);
        if let (Some(what), Some(object)) = (read::text(&fields, &["type"]), read::at(&fields, &["object"])) {
            return Ok(watch(&what, &fields, object));
        }
        let Some(kind) = read::text(&fields, &["kind"]) else {
            return Err(M::Error::custom(match items {
                // kubectl writes `items` before `kind`.
                Some(_) => "a list without `kind`, so it is probably cut off",
                None => "no Kubernetes object, as it has no `kind`",
            }));
        };
        Ok(Document::Objects(match items {
            Some(items) => items.into_iter().map(|item| item.read(of_list(&kind))).collect(),
            None => vec![Object::read(&fields).map(Box::new)],
        }))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, items: S) -> Result<Document, S::Error> {
        let items = Items { kind: None }.visit_seq(items)?;
        Ok(Document::Objects(items.into_iter().map(|item| item.read(None)).collect()))
    }
}

fn watch(what: &str, fields: &Value, object: &Value) -> Document {
    let whole = || Object::read(object).map(|read| Box::new(read.whole(object)));
    let event = match what {
        "ADDED" | "MODIFIED" => Some(WatchEvent::Applied(whole())),
        "DELETED" => Some(WatchEvent::Deleted(whole())),
        "BOOKMARK" => named_in(object, "kind").map(|kind| WatchEvent::Bookmark(kind, mark(object))),
        WATCH => fares(object),
        LOG => ours(object).map(WatchEvent::Log),
        _ => None,
    };
    let event = event.unwrap_or(WatchEvent::Nothing);
    Document::Watch { time: read::time(fields, &["time"]), newest: when::newest(object), event }
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
    /// Reduced.
    Read(Read),
    /// It does not name its kind, and the list has not said of which kind it is.
    Whole(Value),
}

impl Item {
    fn new(value: Value, kind: Option<Kind>) -> Self {
        match (value.get("kind"), kind) {
            (Some(_), _) => Self::Read(Object::read(&value).map(Box::new)),
            (None, Some(kind)) => Self::Read(Object::read_as(kind, &value).map(Box::new)),
            (None, None) => Self::Whole(value),
        }
    }

    fn read(self, kind: Option<Kind>) -> Read {
        match (self, kind) {
            (Self::Read(object), _) => object,
            (Self::Whole(value), Some(kind)) => Object::read_as(kind, &value).map(Box::new),
            (Self::Whole(_), None) => Err(Unreadable::NoKind),
        }
    }
}

/// Reads `items`, which a server writes as null where there are none.
struct Items {
    kind: Option<Kind>,
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
        while let Some(value) = values.next_element()? {
            items.push(Item::new(value, self.kind));
        }
        Ok(items)
    }
}

fn list_kind(fields: &Map<String, Value>) -> Option<Kind> {
    fields.get("kind").and_then(Value::as_str).and_then(of_list)
}

/// The kind of the items of a list of one kind: `PodList` holds Pods.
fn of_list(list: &str) -> Option<Kind> {
    named(list.strip_suffix("List")?)
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
        let Document::Objects(objects) = serde_json::from_str(json).unwrap() else { panic!("a watch event") };
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
