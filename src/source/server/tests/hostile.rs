//! Whatever is asked, and whatever a recording says of a cluster: there is an answer, and it ends.

use std::time::Duration;

use http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{ended, event, job, named, pod, running, with};
use crate::cluster::{Change, Object};
use crate::source::server::Server;
use crate::source::server::fixture::{TABLE, server};

/// One object of each kind, with as much as tables and ReplicaSets go by.
fn objects() -> Vec<Value> {
    let template =
        json!({"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let set = "ReplicaSet \"web-1\" is progressing.";
    let deployment = json!({"kind": "Deployment", "metadata": {"name": "web", "namespace": "gitlab", "uid": "web",
            "generation": 1, "annotations": {"deployment.kubernetes.io/revision": "1"}},
        "spec": {"replicas": 2, "template": template, "selector": {"matchLabels": {"app": "web"}, "matchExpressions":
            [{"key": "a", "operator": "In", "values": ["b"]}]}},
        "status": {"observedGeneration": 1, "readyReplicas": 1, "conditions":
            [{"type": "Progressing", "status": "True", "message": set}]}});
    let owner = json!([{"kind": "ReplicaSet", "name": "web-1", "uid": "web-1", "controller": true}]);
    let state =
        with(json!({"state": running(5), "restartCount": 2, "ready": true}), json!({"lastState": ended(1, 2, 3)}));
    let status = json!({"podIPs": [{"ip": "::1"}], "initContainerStatuses":
        [{"name": "i", "started": true, "restartCount": 1, "state": {"waiting": {"reason": "x"}}}]});
    let spec = json!({"nodeName": "n", "initContainers": [{"name": "i", "restartPolicy": "Always"}],
        "readinessGates": [{"conditionType": "x"}]});
    let pod =
        with(pod("web-1-a", 0, state), json!({"metadata": {"ownerReferences": owner}, "spec": spec, "status": status}));
    let core = json!({"kind": "GitLabCore", "metadata": {"name": "g", "namespace": "gitlab", "uid": "g"},
        "status": {"phase": "x"}});
    vec![deployment, pod, job(), event("a", "BackOff", "x", 5), core]
}

fn junk() -> impl Strategy<Value = Value> {
    let other = [
        json!(null),
        json!(""),
        json!("\u{1b}[2J\0"),
        json!("a\"b\"c"),
        json!("2026-11-29T15:00:00Z"),
        json!("9999-12-31T23:59:59Z"),
        json!("-009999-01-02T01:59:59Z"),
        json!(-1),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e300),
        json!(true),
        json!([]),
        json!([null]),
        json!([[1]]),
        json!({}),
        json!({"name": [], "metadata": "x"}),
    ];
    select(other.to_vec())
}

/// How many places there are in a value, itself among them.
fn places(value: &Value) -> usize {
    1 + match value {
        Value::Object(fields) => fields.values().map(places).sum(),
        Value::Array(items) => items.iter().map(places).sum(),
        _ => 0,
    }
}

fn put(value: &mut Value, at: &mut usize, junk: &Value) {
    if *at == 0 {
        *value = junk.clone();
    }
    *at = at.wrapping_sub(1);
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|field| put(field, at, junk)),
        Value::Array(items) => items.iter_mut().for_each(|item| put(item, at, junk)),
        _ => {}
    }
}

fn paths() -> Vec<String> {
    let lists = ["/api/v1", "/apis/apps/v1", "/apis/batch/v1", "/apis/apps.gitlab.com/v2alpha1"];
    let plurals = ["pods", "events", "namespaces", "deployments", "replicasets", "jobs", "gitlabcores"];
    let every = lists.iter().flat_map(|group| plurals.iter().map(move |plural| format!("{group}/{plural}")));
    let others =
        ["/", "//", "/api//", "/api/v1/namespaces/gitlab/pods/web-1-a/log", "/api/v1/namespaces/gitlab/pods/web-1-a"];
    every.chain(others.map(str::to_owned)).collect()
}

fn queries() -> impl Strategy<Value = String> {
    let names = [
        "watch",
        "limit",
        "continue",
        "resourceVersion",
        "resourceVersionMatch",
        "labelSelector",
        "fieldSelector",
        "sendInitialEvents",
        "allowWatchBookmarks",
        "timeoutSeconds",
        "includeObject",
        "container",
        "previous",
        "tailLines",
        "limitBytes",
        "sinceSeconds",
        "sinceTime",
        "timestamps",
    ];
    let page = |page: &str| format!("eyJ2IjoibWV0YS5rOHMuaW8vdjEi{page}");
    let values = [
        "",
        "1",
        "0",
        "true",
        "-1",
        "9223372036854775807",
        "18446744073709551615",
        "99999999999999999999",
        "2",
        "4",
        "Exact",
        "NotOlderThan",
        "a in (b,,c",
        "a notin ()",
        "!a,b>5",
        "a,",
        "status.phase!=x\\",
        "metadata.name=a\\,b,=",
        "spec.hostNetwork==false",
        "migrations",
        "0001-01-01T00:00:00Z",
        "%ff%00",
        "e30",
        "Object",
    ]
    .map(str::to_owned);
    let tokens = [page(""), page("LCJydiI6OTIyMzM3MjAzNjg1NDc3NTgwNywic3RhcnQiOiJhL2JcdTAwMDAifQ")];
    let value = prop_oneof![select([&values[..], &tokens].concat()), "[a-z!=<>(),. \\\\\u{e4}%&+]{0,12}"];
    prop::collection::vec((select(names.to_vec()), value), 0..5)
        .prop_map(|all| form_urlencoded::Serializer::new(String::new()).extend_pairs(all).finish())
}

/// The status of an answer, read until it ends or, where it goes on, until nothing comes any more.
fn answered(server: &Server, path: &str, query: &str, accept: &[u8]) -> StatusCode {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let request = Request::get(format!("{path}?{query}"))
            .header(header::AUTHORIZATION, "Bearer token")
            .header(header::ACCEPT, accept);
        let response = server.answer(request.body(()).unwrap()).await;
        let (status, mut body) = (response.status(), response.into_body());
        let mut frames = 0;
        while let Ok(Some(frame)) = timeout(Duration::from_secs(90), body.frame()).await {
            frame.unwrap();
            frames += 1;
            // A watch for ever has a bookmark a minute.
            if frames > 100 {
                break;
            }
        }
        status
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_request_is_answered(path in select(paths()), query in queries(), accept in prop_oneof![
        select(vec![TABLE.as_bytes(), b"", b"*/*", b"a;;=,;as=Table", b"\xff"]).prop_map(<[u8]>::to_vec),
        "[a-z/;=, *]{0,20}".prop_map(String::into_bytes)])
    {
        let server = server(objects().into_iter().chain([named("a")]));
        let status = answered(&server, &path, &query, &accept);
        prop_assert!(status.as_u16() < 600);
    }

    #[test]
    fn an_object_that_makes_no_sense_is_told_nevertheless(
        which in 0..5_usize, changes in prop::collection::vec((any::<Index>(), junk()), 1..5))
    {
        let server = server([]);
        for (at, mut object) in objects().into_iter().enumerate() {
            let (kind, name) = (object["kind"].clone(), object["metadata"]["name"].clone());
            if at == which {
                for (place, junk) in &changes {
                    let mut at = place.index(places(&object));
                    put(&mut object, &mut at, junk);
                }
            }
            if let (Some(fields), true) = (object.as_object_mut(), at == which) {
                fields.insert("kind".into(), kind);
                if let Some(metadata) = fields.get_mut("metadata").and_then(Value::as_object_mut) {
                    metadata.insert("name".into(), name);
                }
            }
            if let Ok(read) = Object::read(&object) {
                server.apply(&Change::Applied(Box::new(read.whole(&object))));
            }
        }
        for path in paths() {
            for accept in [TABLE, "application/json"] {
                let query = "labelSelector=app!=b&fieldSelector=metadata.name!=x";
                let status = answered(&server, &path, query, accept.as_bytes());
                prop_assert!(status != StatusCode::INTERNAL_SERVER_ERROR);
            }
        }
    }
}
