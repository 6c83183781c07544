//! Tables.

use http::StatusCode;
use serde_json::{Value, json};

use super::{PODS, job, named, running, with};
use crate::source::server::fixture::{TABLE, server};

/// What `kubectl get` would print: the columns that always show.
fn printed(table: &Value) -> Vec<String> {
    let columns = table["columnDefinitions"].as_array().unwrap();
    let shown: Vec<usize> = (0..columns.len()).filter(|at| columns[*at]["priority"] == 0).collect();
    let text = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
    let line = |cells: Vec<&Value>| cells.into_iter().map(text).collect::<Vec<_>>().join(" | ");
    let rows = table["rows"].as_array().unwrap().iter();
    let head = line(shown.iter().map(|at| &columns[*at]["name"]).collect());
    std::iter::once(head).chain(rows.map(|row| line(shown.iter().map(|at| &row["cells"][at]).collect()))).collect()
}

#[tokio::test]
async fn kinds_are_told_as_kubectl_prints_them() {
    let core = json!({"kind": "GitLabCore", "metadata": {"name": "gitlab", "namespace": "gitlab", "uid": "core-1"},
        "status": {"phase": "Upgrading", "version": "18.9.2", "gitlabVersion": "18.9.2"}});
    let runs = with(
        named("a"),
        json!({"status": {"containerStatuses":
        [{"name": "migrations", "restartCount": 0, "ready": true, "state": running(5)}]}}),
    );
    let server = server([runs, job(), core]);
    let pods = server.table(PODS).await;
    assert_eq!((&pods["kind"], &pods["metadata"]), (&json!("Table"), &json!({"resourceVersion": "5"})));
    assert_eq!(printed(&pods), ["Name | Ready | Status | Restarts | Age", "a | 1/1 | Running | 0 | 100s"]);
    let jobs = server.table("/apis/batch/v1/jobs").await;
    assert_eq!(printed(&jobs), ["Name | Status | Completions | Duration | Age", "mig | Running | 0/1 | 100s | 100s"]);
    let cores = server.table("/apis/apps.gitlab.com/v2alpha1/namespaces/gitlab/gitlabcores/gitlab").await;
    assert_eq!(printed(&cores), ["Name | STATUS | VERSION | GITLAB", "gitlab | Upgrading | 18.9.2 | 18.9.2"]);
}

#[tokio::test]
async fn a_row_has_as_much_of_its_object_as_is_asked_for() {
    let server = server([named("a")]);
    let row = async |query: &str| server.table(&format!("{PODS}?limit=1{query}")).await["rows"][0]["object"].clone();
    let metadata = server.get(&format!("{PODS}/a")).await["metadata"].clone();
    let partial = json!({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata});
    assert_eq!(row("").await, partial);
    assert_eq!(row("&includeObject=None").await, Value::Null);
    assert_eq!(row("&includeObject=Object").await, server.get(&format!("{PODS}/a")).await);
    let (code, _) = server.ask("GET", &format!("{PODS}?includeObject=x"), Some(TABLE)).await;
    assert_eq!(code, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn what_is_asked_for_first_and_can_be_told_is_told() {
    let server = server([named("a")]);
    for (accept, expected) in [
        ("application/json", "PodList"),
        ("*/*", "PodList"),
        ("application/json;stream=watch", "PodList"),
        ("application/vnd.kubernetes.protobuf,application/json", "PodList"),
        ("application/json;as=Table;v=v1;g=meta.k8s.io", "Table"),
        ("application/json;as=Other;v=v1;g=meta.k8s.io,application/json", "PodList"),
        ("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io", "PartialObjectMetadataList"),
    ] {
        let (code, text) = server.ask("GET", PODS, Some(accept)).await;
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((code, &value["kind"]), (StatusCode::OK, &json!(expected)), "{accept}");
    }
    for accept in ["text/html", "application/yaml", "application/json;as=Other;v=v1;g=meta.k8s.io"] {
        assert_eq!(server.ask("GET", PODS, Some(accept)).await.0, StatusCode::NOT_ACCEPTABLE, "{accept}");
    }
}
