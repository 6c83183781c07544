//! `kubectl apply` for pages: what it takes is looked at, and changes no cluster.

use std::io::Read as _;
use std::process::ExitCode;

use k8s_openapi::api::{apps, core, rbac};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// By which word this program is called as that.
pub const CALL: &str = "--look-at-what-is-applied";

/// Looks at what `kubectl apply -f FILE` would send, and says what kubectl says.
pub fn look(words: &[String]) -> ExitCode {
    match read(words).and_then(|text| objects(&text)) {
        Ok(told) => {
            told.iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn read(words: &[String]) -> Result<String, String> {
    let file = words.iter().skip_while(|word| *word != "-f").nth(1).ok_or("apply needs -f")?;
    let mut text = String::new();
    let read = match file.as_str() {
        "-" => std::io::stdin().read_to_string(&mut text).map(drop),
        file => std::fs::read_to_string(file).map(|read| text = read),
    };
    read.map_err(|error| format!("{file}: {error}")).map(|()| text)
}

/// A line for each object; an error where one is of no kind that pages apply, or not as its kind has to be.
fn objects(text: &str) -> Result<Vec<String>, String> {
    let says = |document: &&str| document.lines().any(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let documents = text.split("\n---\n").filter(says);
    let told: Vec<String> = documents.map(object).collect::<Result<_, _>>()?;
    if told.is_empty() { Err("error: no objects passed to apply".into()) } else { Ok(told) }
}

fn object(document: &str) -> Result<String, String> {
    let object: Value = serde_saphyr::from_str(document).map_err(|error| error.to_string())?;
    let (kind, name) = (&object["kind"], &object["metadata"]["name"]);
    let (Some(kind), Some(name)) = (kind.as_str(), name.as_str()) else { return Err(format!("no object: {object}")) };
    let sound = match kind {
        "Role" => reads::<rbac::v1::Role>(&object),
        "RoleBinding" => reads::<rbac::v1::RoleBinding>(&object),
        "ClusterRole" => reads::<rbac::v1::ClusterRole>(&object),
        "ClusterRoleBinding" => reads::<rbac::v1::ClusterRoleBinding>(&object),
        "ServiceAccount" => reads::<core::v1::ServiceAccount>(&object),
        "Namespace" => reads::<core::v1::Namespace>(&object),
        "Deployment" => reads::<apps::v1::Deployment>(&object),
        other => return Err(format!("no page applies a {other}")),
    };
    let group = object["apiVersion"].as_str().and_then(|version| version.split_once('/')).map(|(group, _)| group);
    let group = group.map(|group| format!(".{group}")).unwrap_or_default();
    sound
        .map(|()| format!("{}{group}/{name} created", kind.to_lowercase()))
        .map_err(|error| format!("{kind} {name}: {error}"))
}

/// Whether it is one of those, and has no field that they do not have: what was read of it is all of it.
fn reads<T: DeserializeOwned + serde::Serialize>(object: &Value) -> Result<(), String> {
    let read: T = serde_json::from_value(object.clone()).map_err(|error| error.to_string())?;
    let kept = serde_json::to_value(read).map_err(|error| error.to_string())?;
    if kept == *object { Ok(()) } else { Err(format!("what is understood of it is only {kept}")) }
}

/// What is not as it has to be fails.
pub fn holds_by_itself() {
    let role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: gatewatch\nrules:\n- apiGroups: ['']\n  resources: [pods]\n  verbs: [list]\n";
    assert_eq!(objects(role).unwrap(), ["role.rbac.authorization.k8s.io/gatewatch created"]);
    for wrong in
        [role.replace("verbs", "verb"), role.replace("Role", "Rule"), role.replace("name", "nome"), String::new()]
    {
        assert!(objects(&wrong).is_err(), "{wrong}");
    }
}
