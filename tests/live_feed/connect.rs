//! What is wrong with the way to a cluster is one sentence, before a screen is drawn.

use std::sync::mpsc::channel;

use gatewatch::cluster::Selection;
use gatewatch::error::ExitCode;
use gatewatch::source::live::{ConnectOptions, known};
use tempfile::TempDir;

use crate::endpoint::{NO_GROUPS, REFUSED, connect_to, kubeconfig, refused, rewrite, server, server_that};

#[tokio::test]
async fn a_kubeconfig_that_is_not_there() {
    let message = refused(ConnectOptions { kubeconfig: Some("/nowhere/config".into()), ..Default::default() }).await;
    assert_eq!(message, "no kubeconfig at /nowhere/config; name one with --kubeconfig or in $KUBECONFIG");
}

#[tokio::test]
async fn a_kubeconfig_that_is_none() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("broken");
    std::fs::write(&file, "{ not: [yaml").unwrap();
    let message = refused(ConnectOptions { kubeconfig: Some(file.clone()), ..Default::default() }).await;
    assert!(message.starts_with(&format!("cannot read the kubeconfig {}: ", file.display())), "{message}");
}

#[tokio::test]
async fn a_wrong_context_names_the_contexts_there_are() {
    let folder = TempDir::new().unwrap();
    let file = kubeconfig(&folder, "http://127.0.0.1:1");
    let options = ConnectOptions { context: Some("prdo".into()), kubeconfig: Some(file.clone()), ..Default::default() };
    let message = refused(options).await;
    assert_eq!(message, format!("no context `prdo` in {}; choose with --context one of: prod, bare", file.display()));
}

#[tokio::test]
async fn a_context_whose_name_holds_control_characters() {
    let folder = TempDir::new().unwrap();
    let file = kubeconfig(&folder, "http://127.0.0.1:1");
    rewrite(&file, "name: prod", r#"name: "pr\e[31mod\nx""#);
    let message = refused(ConnectOptions { kubeconfig: Some(file.clone()), ..Default::default() }).await;
    assert_eq!(message, format!("no context `prod` in {}; choose with --context one of: prod x, bare", file.display()));
}

#[tokio::test]
async fn a_server_that_cannot_be_reached() {
    let message = connect_to("http://127.0.0.1:1", ConnectOptions::default()).await.err().unwrap().message;
    assert_eq!(
        message,
        "cannot reach http://127.0.0.1:1 (context `prod`): Connection refused; check the network, or choose another \
         context with --context"
    );
}

#[tokio::test]
async fn a_list_that_is_forbidden() {
    let url = server(403, r#"{"kind":"Status","status":"Failure","message":"no gitlabcores for you","code":403}"#);
    let message = connect_to(&url, ConnectOptions::default()).await.err().unwrap().message;
    assert_eq!(
        message,
        format!(
            "{url} (context `prod`) does not let us list gitlabcores in namespace `gitlab`; choose another with -n, or ask for \
             the Role that `gatewatch rbac` prints (no gitlabcores for you)"
        )
    );
}

fn watching(words: &[&str]) -> ConnectOptions {
    let selection = Selection::of(words.iter().map(|word| word.parse().unwrap()));
    ConnectOptions { selection, ..ConnectOptions::default() }
}

#[tokio::test]
async fn a_list_of_what_was_named_that_is_forbidden() {
    let url = server(403, r#"{"kind":"Status","status":"Failure","message":"not for you","code":403}"#);
    for (words, kind, rbac) in [
        (&["job/migrate", "job?tier in (a,b)"][..], "jobs", "gatewatch rbac job"),
        (&["ds/agent"], "daemonsets", "gatewatch rbac daemonset/agent"),
        (&["job/a", "sts/db"], "jobs", "gatewatch rbac job statefulset/db"),
    ] {
        let message = connect_to(&url, watching(words)).await.err().unwrap().message;
        let said = format!(
            "{url} (context `prod`) does not let us list {kind} in namespace `gitlab`; choose another with -n, or ask for the \
             Role that `{rbac}` prints (not for you)"
        );
        assert_eq!(message, said, "{words:?}");
    }
}

#[tokio::test]
async fn where_one_thing_of_several_may_be_seen_it_is_watched() {
    let url = server_that(|request| match request.contains("/jobs") {
        true => (403, r#"{"kind":"Status","status":"Failure","message":"no","code":403}"#.to_owned()),
        false => (200, r#"{"kind":"StatefulSetList","apiVersion":"apps/v1","metadata":{},"items":[]}"#.to_owned()),
    });
    assert!(connect_to(&url, watching(&["job/a"])).await.is_err());
    assert!(connect_to(&url, watching(&["job/a", "sts/db"])).await.is_ok());
}

#[tokio::test]
async fn a_server_that_is_no_api_server() {
    let url = server(200, "<html>hello</html>");
    let message = connect_to(&url, ConnectOptions::default()).await.err().unwrap().message;
    assert!(
        message.starts_with(&format!("cannot reach {url} (context `prod`): the answer is not Kubernetes'")),
        "{message}"
    );
}

#[tokio::test]
async fn a_cluster_without_the_definition_is_fine_and_the_context_says_where() {
    let url = server(200, NO_GROUPS);
    let connection = connect_to(&url, ConnectOptions::default()).await.ok().unwrap();
    assert_eq!(connection.server, url);
    assert_eq!(connection.context.as_deref(), Some("prod"));
    assert_eq!(connection.namespace.as_deref(), Some("gitlab"));
}

#[tokio::test]
async fn a_custom_kind_is_found_also_where_another_group_does_not_answer_and_no_version_is_asked_twice() {
    let (tell, asked) = channel();
    let url = server_that(move |request| {
        let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
        let version = |group: &str| format!(r#"{{"groupVersion":"{group}/v1","version":"v1"}}"#);
        let group = |name: &str| {
            let version = version(name);
            format!(r#"{{"name":"{name}","versions":[{version}],"preferredVersion":{version}}}"#)
        };
        let answer = match path.as_str() {
            "/apis" => {
                let groups = ["packages.example.com", "other.example.com", "sync.example.com"].map(group).join(",");
                (200, format!(r#"{{"kind":"APIGroupList","apiVersion":"v1","groups":[{groups}]}}"#))
            }
            "/apis/packages.example.com/v1" => (503, "down".into()),
            "/apis/other.example.com/v1" => {
                (200, r#"{"kind":"APIResourceList","groupVersion":"other.example.com/v1","resources":[]}"#.into())
            }
            "/apis/sync.example.com/v1" => (
                200,
                r#"{"kind":"APIResourceList","groupVersion":"sync.example.com/v1","resources":[
                    {"name":"gluesyncplatforms","singularName":"","namespaced":true,"kind":"GluesyncPlatform","verbs":[]}]}"#
                    .into(),
            ),
            _ => (200, r#"{"kind":"List","apiVersion":"v1","metadata":{},"items":[]}"#.into()),
        };
        let _ = tell.send(path);
        answer
    });
    assert!(connect_to(&url, watching(&["gluesyncplatform"])).await.is_ok());
    let asked: Vec<String> = asked.try_iter().collect();
    let listed = |path: &&String| path.starts_with("/apis/sync.example.com/v1/namespaces/gitlab/gluesyncplatforms");
    assert_eq!(asked.iter().filter(listed).count(), 1, "{asked:?}");
    assert_eq!(asked.iter().filter(|path| *path == "/apis/other.example.com/v1").count(), 1, "{asked:?}");
}

#[tokio::test]
async fn of_several_clusters_each_has_to_be_known_and_the_namespace_one_that_can_be() {
    let folder = TempDir::new().unwrap();
    let file = Some(kubeconfig(&folder, "http://127.0.0.1:1"));
    let options = |context: &str, namespace: Option<&str>| ConnectOptions {
        kubeconfig: file.clone(),
        context: Some(context.into()),
        namespace: namespace.map(str::to_owned),
        ..Default::default()
    };
    assert!(known(&options("bare", Some("shop"))).await.is_ok(), "no cluster is asked");
    assert_eq!(known(&options("bear", None)).await.unwrap_err().code, ExitCode::Unreachable);
    assert_eq!(known(&options("bare", Some("Shop_1"))).await.unwrap_err().code, ExitCode::Usage);
}

#[tokio::test]
async fn the_namespace_is_the_one_asked_for_else_the_contexts_else_default() {
    let url = server(200, NO_GROUPS);
    let namespace = async |options: ConnectOptions| connect_to(&url, options).await.ok().unwrap().namespace;
    let asked = ConnectOptions { namespace: Some("other".into()), ..Default::default() };
    let bare = ConnectOptions { context: Some("bare".into()), ..Default::default() };
    let all = ConnectOptions { all_namespaces: true, ..Default::default() };
    assert_eq!(namespace(asked).await.as_deref(), Some("other"));
    assert_eq!(namespace(bare).await.as_deref(), Some("default"));
    assert_eq!(namespace(all).await, None);
}

#[tokio::test]
async fn a_namespace_that_cannot_be_one_is_refused_before_anything_is_asked() {
    for name in ["a b", "kube%2fsystem", "a/../b"] {
        let asked = ConnectOptions { namespace: Some(name.into()), ..Default::default() };
        let error = connect_to("http://127.0.0.1:1", asked).await.err().unwrap();
        assert_eq!(error.code, ExitCode::Usage);
        assert_eq!(error.message, format!("no namespace can be named `{name}`; choose one with -n"));
    }
}

#[tokio::test]
async fn impersonation_is_asked_for_with_every_request() {
    let url = server_that(|request| match request.contains("impersonate-user: eve\r\n") {
        true => (200, NO_GROUPS.to_owned()),
        false => (401, REFUSED.to_owned()),
    });
    let options = ConnectOptions { as_user: Some("eve".into()), ..Default::default() };
    assert!(connect_to(&url, options).await.is_ok());
    assert!(connect_to(&url, ConnectOptions::default()).await.is_err());
}
