//! What an administrator sends, made of what a recording tells of one moment.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::recorded::objects;

pub fn of_kind(kind: &str) -> Vec<Value> {
    objects().into_iter().filter(|object| object["kind"] == kind).collect()
}

/// A list of one kind as kubectl prints it from its own types: the items name no kind.
pub fn typed(kind: &str, items: Vec<Value>) -> String {
    let bare = items.into_iter().map(|mut item| {
        let fields = item.as_object_mut().unwrap();
        fields.remove("kind");
        fields.remove("apiVersion");
        item
    });
    let list = json!({"kind": format!("{kind}List"), "apiVersion": "v1", "metadata": {"resourceVersion": "9"},
        "items": bare.collect::<Vec<_>>()});
    serde_json::to_string_pretty(&list).unwrap() + "\n"
}

/// The log of each container of each pod, as `kubectl cluster-info dump` prints it.
pub fn logs(of: &Value, text: &str) -> String {
    let (namespace, pod) = (of["metadata"]["namespace"].as_str().unwrap(), of["metadata"]["name"].as_str().unwrap());
    let containers = ["initContainers", "containers"].into_iter().filter_map(|field| of["spec"][field].as_array());
    containers
        .flatten()
        .map(|container| {
            let name = container["name"].as_str().unwrap();
            let text = if name == "migrations" { text } else { "nothing to see\n" };
            format!(
                "==== START logs for container {name} of pod {namespace}/{pod} ====\n{text}==== END logs for container {name} of pod {namespace}/{pod} ====\n"
            )
        })
        .collect()
}

/// The pods at the moment, where none tells itself why it failed: only its log does.
pub fn silent_pods() -> Vec<Value> {
    let mut pods = of_kind("Pod");
    for pod in &mut pods {
        for status in pod["status"]["containerStatuses"].as_array_mut().into_iter().flatten() {
            for state in ["state", "lastState"] {
                if let Some(ended) = status[state]["terminated"].as_object_mut() {
                    ended.remove("message");
                }
            }
        }
    }
    pods
}

pub const LOG: &str =
    "migrating\nActiveRecord::StatementInvalid: PG::UndefinedTable: ERROR:  relation \"ci_runners\" does not exist\n";

/// The files of `kubectl cluster-info dump --namespaces kube-system,gitlab`, in the order in which it prints them.
pub fn cluster_info() -> Vec<(String, String)> {
    let mut files = vec![("nodes".to_owned(), typed("Node", vec![json!({"metadata": {"name": "n1"}})]))];
    for namespace in ["kube-system", "gitlab"] {
        let ours = |kind: &str| if namespace == "gitlab" { of_kind(kind) } else { Vec::new() };
        let pods = if namespace == "gitlab" { silent_pods() } else { Vec::new() };
        for (file, kind, items) in [
            ("events", "Event", Vec::new()),
            ("replication-controllers", "ReplicationController", Vec::new()),
            ("services", "Service", vec![json!({"metadata": {"name": "s", "namespace": namespace}})]),
            ("daemonsets", "DaemonSet", Vec::new()),
            ("deployments", "Deployment", ours("Deployment")),
            ("replicasets", "ReplicaSet", Vec::new()),
            ("pods", "Pod", pods.clone()),
        ] {
            files.push((format!("{namespace}/{file}"), typed(kind, items)));
        }
        for pod in pods {
            let name = pod["metadata"]["name"].as_str().unwrap();
            files.push((format!("{namespace}/{name}/logs.txt"), logs(&pod, LOG)));
        }
    }
    files
}

pub fn glc_and_jobs() -> String {
    let items = [of_kind("GitLabCore"), of_kind("Job")].concat();
    json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string()
}

pub fn write(path: &Path, text: impl AsRef<[u8]>) -> String {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// A folder of those files, with others between them.
pub fn folder_of(home: &TempDir, files: &[(&str, &[u8])]) -> String {
    let folder = home.path().join("dump");
    files.iter().for_each(|(name, content)| drop(write(&folder.join(name), content)));
    folder.to_str().unwrap().to_owned()
}

pub fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        // Written straight into the header: the library refuses to write a path that leads out of the archive.
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        tar.append(&header, *content).unwrap();
    }
    tar.into_inner().unwrap()
}

pub fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut zip = rawzip::ZipArchiveWriter::new(&mut packed);
    for (name, content) in files {
        let builder = zip.new_file(name).compression_method(rawzip::CompressionMethod::DEFLATE);
        let (mut entry, config) = builder.start().unwrap();
        let mut writer = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
        writer.write_all(content).unwrap();
        let (encoder, descriptor) = writer.finish().unwrap();
        encoder.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    zip.finish().unwrap();
    packed
}
