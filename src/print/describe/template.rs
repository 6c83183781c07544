//! What a pod and the template of one share: containers, volumes, where it may run.

use serde_json::Value;

use super::sheet::{Field, NONE, Sheet, field, or_none, pairs, text, word};
use crate::cluster::read;

/// The template of an object's pods.
pub fn template(sheet: &mut Sheet<'_>, object: &Value) {
    let Some(template) = read::at(object, &["spec", "template"]) else { return };
    sheet.head(0, "Pod Template");
    let annotations = pairs(template, &["metadata", "annotations"], ": ");
    let labels = pairs(template, &["metadata", "labels"], "=");
    let account = text("Service Account", template, &["spec", "serviceAccountName"]);
    sheet.fields(2, vec![or_none("Labels", labels), ("Annotations".to_owned(), annotations), account]);
    let spec = template.get("spec").unwrap_or(&Value::Null);
    containers(sheet, 2, spec, None);
    volumes(sheet, 2, spec);
    sheet.fields(2, placement(spec));
}

/// The containers of a pod's spec, with how they fare where there is a status.
pub fn containers(sheet: &mut Sheet<'_>, indent: usize, spec: &Value, status: Option<&Value>) {
    let kinds = [
        ("Init Containers", "initContainers", "initContainerStatuses"),
        ("Containers", "containers", "containerStatuses"),
        ("Ephemeral Containers", "ephemeralContainers", "ephemeralContainerStatuses"),
    ];
    for (title, specs, statuses) in kinds {
        let containers = read::list(spec, &[specs]);
        if containers.is_empty() {
            continue;
        }
        sheet.head(indent, title);
        for container in containers {
            let name = read::text(container, &["name"]);
            let statuses = status.map(|status| read::list(status, &[statuses]));
            let of_it = statuses.map(|all| all.iter().find(|status| read::text(status, &["name"]) == name));
            sheet.head(indent + 2, name.as_deref().unwrap_or(NONE));
            one(sheet, indent + 4, container, of_it);
        }
    }
}

/// One container; the status is `None` in a template, and `Some(None)` where a pod has none of it yet.
fn one(sheet: &mut Sheet<'_>, indent: usize, container: &Value, status: Option<Option<&Value>>) {
    let none = Value::Null;
    let known = status.flatten().unwrap_or(&none);
    let ports = read::list(container, &["ports"]);
    let port = |key: &str| {
        let port = |port: &Value| Some(format!("{}/{}", read::text(port, &[key])?, read::text(port, &["protocol"])?));
        let told: Vec<String> = ports.iter().filter_map(port).collect();
        vec![if told.is_empty() { NONE.to_owned() } else { told.join(", ") }]
    };
    sheet.fields(
        indent,
        vec![
            text("Container ID", known, &["containerID"]),
            text("Image", container, &["image"]),
            text("Image ID", known, &["imageID"]),
            ("Port".to_owned(), port("containerPort")),
            ("Host Port".to_owned(), port("hostPort")),
        ],
    );
    for (label, key) in [("Command", "command"), ("Args", "args")] {
        let words = read::list(container, &[key]);
        if !words.is_empty() {
            sheet.head(indent, label);
            words.iter().map(word).for_each(|word| word.split('\n').for_each(|line| sheet.line(indent + 2, line)));
        }
    }
    if status.is_some() {
        state(sheet, indent, "State", known.get("state").unwrap_or(&none));
        if read::at(known, &["lastState"]).is_some_and(|last| last.as_object().is_some_and(|last| !last.is_empty())) {
            state(sheet, indent, "Last State", known.get("lastState").unwrap_or(&none));
        }
        let ready = if read::flag(known, &["ready"]).unwrap_or(false) { "True" } else { "False" };
        let restarts = read::count(known, &["restartCount"]).unwrap_or(0).to_string();
        sheet.fields(indent, vec![field("Ready", Some(ready.to_owned())), field("Restart Count", Some(restarts))]);
    }
    for (label, key) in [("Limits", "limits"), ("Requests", "requests")] {
        let amounts = read::at(container, &["resources", key]).and_then(Value::as_object);
        if let Some(amounts) = amounts.filter(|amounts| !amounts.is_empty()) {
            sheet.head(indent, label);
            let fields = amounts.iter().map(|(name, amount)| field(name, Some(word(amount))));
            sheet.fields(indent + 2, fields.collect());
        }
    }
    let probes = [("Liveness", "livenessProbe"), ("Readiness", "readinessProbe"), ("Startup", "startupProbe")];
    sheet.fields(indent, probes.map(|(label, key)| (label.to_owned(), probe(container, key))).into());
    let sources: Vec<Field> = read::list(container, &["envFrom"]).iter().filter_map(source).collect();
    if !sources.is_empty() {
        sheet.head(indent, "Environment Variables from");
        sheet.fields(indent + 2, sources);
    }
    section(sheet, indent, "Environment", read::list(container, &["env"]).iter().map(variable).collect());
    let mounts: Vec<String> = read::list(container, &["volumeMounts"]).iter().map(mount).collect();
    if mounts.is_empty() {
        sheet.fields(indent, vec![or_none("Mounts", mounts)]);
    } else {
        sheet.head(indent, "Mounts");
        mounts.iter().for_each(|mount| sheet.line(indent + 2, mount));
    }
}

fn section(sheet: &mut Sheet<'_>, indent: usize, label: &str, fields: Vec<Field>) {
    if fields.is_empty() {
        return sheet.fields(indent, vec![or_none(label, Vec::new())]);
    }
    sheet.head(indent, label);
    sheet.fields(indent + 2, fields);
}

fn state(sheet: &mut Sheet<'_>, indent: usize, label: &str, state: &Value) {
    let kinds = [("Waiting", "waiting"), ("Running", "running"), ("Terminated", "terminated")];
    let found = kinds.iter().find_map(|(word, key)| Some((*word, read::at(state, &[key])?)));
    let (kind, of) = found.unwrap_or(("Waiting", &Value::Null));
    let signal = read::number(of, &["signal"]).filter(|signal| *signal != 0).map(|signal| signal.to_string());
    sheet.fields(indent, vec![field(label, Some(kind.to_owned()))]);
    sheet.fields(
        indent + 2,
        vec![
            text("Reason", of, &["reason"]),
            text("Message", of, &["message"]),
            text("Exit Code", of, &["exitCode"]),
            field("Signal", signal),
            ("Started".to_owned(), sheet.time_at(of, &["startedAt"])),
            ("Finished".to_owned(), sheet.time_at(of, &["finishedAt"])),
        ],
    );
}

/// A probe in one line, as kubectl writes it.
fn probe(container: &Value, key: &str) -> Vec<String> {
    let Some(probe) = read::at(container, &[key]) else { return Vec::new() };
    let number = |name: &str, default: i64| read::number(probe, &[name]).unwrap_or(default);
    let how = if let Some(exec) = read::at(probe, &["exec"]) {
        let words: Vec<String> = read::list(exec, &["command"]).iter().map(word).collect();
        format!("exec [{}]", words.join(" "))
    } else if let Some(get) = read::at(probe, &["httpGet"]) {
        let part = |name: &str| read::text(get, &[name]).unwrap_or_default();
        let scheme = part("scheme").to_lowercase();
        let scheme = if scheme.is_empty() { "http" } else { &scheme };
        format!("http-get {scheme}://{}:{}{}", part("host"), part("port"), part("path"))
    } else if let Some(socket) = read::at(probe, &["tcpSocket"]) {
        format!("tcp-socket :{}", read::text(socket, &["port"]).unwrap_or_default())
    } else {
        "unknown".to_owned()
    };
    vec![format!(
        "{how} delay={}s timeout={}s period={}s #success={} #failure={}",
        number("initialDelaySeconds", 0),
        number("timeoutSeconds", 1),
        number("periodSeconds", 10),
        number("successThreshold", 1),
        number("failureThreshold", 3)
    )]
}

fn optional(reference: &Value) -> String {
    format!("Optional: {}", read::flag(reference, &["optional"]).unwrap_or(false))
}

/// All variables of a config map or of a secret.
fn source(source: &Value) -> Option<Field> {
    let kinds = [("ConfigMap", "configMapRef"), ("Secret", "secretRef")];
    let (kind, reference) = kinds.iter().find_map(|(kind, key)| Some((*kind, read::at(source, &[key])?)))?;
    let prefix = read::text(source, &["prefix"]).map(|prefix| format!(" with prefix '{prefix}'")).unwrap_or_default();
    Some(field(&read::text(reference, &["name"])?, Some(format!("{kind}{prefix}  {}", optional(reference)))))
}

/// A variable, or where its value comes from: what is in a secret is told by its key alone.
fn variable(variable: &Value) -> Field {
    let name = read::text(variable, &["name"]).unwrap_or_default();
    let from = |key: &str| read::at(variable, &["valueFrom", key]);
    let of = |reference: &Value, kind: &str| {
        let part = |name: &str| read::text(reference, &[name]).unwrap_or_default();
        format!("<set to the key '{}' {kind} '{}'>  {}", part("key"), part("name"), optional(reference))
    };
    let value = if let Some(secret) = from("secretKeyRef") {
        of(secret, "in secret")
    } else if let Some(map) = from("configMapKeyRef") {
        of(map, "of config map")
    } else if let Some(of) = from("fieldRef") {
        let part = |name: &str| read::text(of, &[name]).unwrap_or_default();
        format!("({}:{})", part("apiVersion"), part("fieldPath"))
    } else if let Some(of) = from("resourceFieldRef") {
        format!("({})", read::text(of, &["resource"]).unwrap_or_default())
    } else {
        read::at(variable, &["value"]).map(word).unwrap_or_default()
    };
    (name, vec![value])
}

fn mount(mount: &Value) -> String {
    let part = |name: &str| read::text(mount, &[name]).unwrap_or_default();
    let mode = if read::flag(mount, &["readOnly"]).unwrap_or(false) { "ro" } else { "rw" };
    let path = read::text(mount, &["subPath"]).map(|path| format!(",path=\"{path}\"")).unwrap_or_default();
    format!("{} from {} ({mode}{path})", part("mountPath"), part("name"))
}

pub fn volumes(sheet: &mut Sheet<'_>, indent: usize, spec: &Value) {
    let volumes = read::list(spec, &["volumes"]);
    if volumes.is_empty() {
        return sheet.fields(indent, vec![or_none("Volumes", Vec::new())]);
    }
    sheet.head(indent, "Volumes");
    for volume in volumes {
        sheet.head(indent + 2, &read::text(volume, &["name"]).unwrap_or_default());
        sheet.fields(indent + 4, volume_fields(volume));
    }
}

/// What a volume is; of a kind that is not known here, its fields as they are.
fn volume_fields(volume: &Value) -> Vec<Field> {
    let of = |kind: &str| read::at(volume, &[kind]);
    let kind = |words: &str| field("Type", Some(words.to_owned()));
    let unset = |value: Option<String>| Some(value.unwrap_or_else(|| "<unset>".to_owned()));
    if let Some(path) = of("hostPath") {
        let of_type = field("HostPathType", Some(read::text(path, &["type"]).unwrap_or_default()));
        return vec![kind("HostPath (bare host directory volume)"), text("Path", path, &["path"]), of_type];
    }
    if let Some(dir) = of("emptyDir") {
        let words = "EmptyDir (a temporary directory that shares a pod's lifetime)";
        let limit = field("SizeLimit", unset(read::text(dir, &["sizeLimit"])));
        return vec![kind(words), field("Medium", Some(read::text(dir, &["medium"]).unwrap_or_default())), limit];
    }
    if let Some(secret) = of("secret") {
        let name = text("SecretName", secret, &["secretName"]);
        return vec![kind("Secret (a volume populated by a Secret)"), name, optional_field(secret)];
    }
    if let Some(map) = of("configMap") {
        let name = text("Name", map, &["name"]);
        return vec![kind("ConfigMap (a volume populated by a ConfigMap)"), name, optional_field(map)];
    }
    if let Some(claim) = of("persistentVolumeClaim") {
        let read_only = read::flag(claim, &["readOnly"]).unwrap_or(false).to_string();
        let words = "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)";
        return vec![kind(words), text("ClaimName", claim, &["claimName"]), field("ReadOnly", Some(read_only))];
    }
    if let Some(projected) = of("projected") {
        let mut fields = vec![kind("Projected (a volume that contains injected data from multiple sources)")];
        for source in read::list(projected, &["sources"]).iter().filter_map(Value::as_object).flatten() {
            fields.push(match source {
                (kind, of) if kind == "secret" => text("SecretName", of, &["name"]),
                (kind, of) if kind == "configMap" => text("ConfigMapName", of, &["name"]),
                (kind, of) if kind == "serviceAccountToken" => {
                    text("TokenExpirationSeconds", of, &["expirationSeconds"])
                }
                (kind, _) => field(kind, Some("true".to_owned())),
            });
        }
        return fields;
    }
    let known = volume.as_object().into_iter().flatten().find(|(key, _)| *key != "name");
    let Some((key, of)) = known else { return vec![kind("<unknown>")] };
    let mut fields = vec![kind(key)];
    fields.extend(of.as_object().into_iter().flatten().map(|(name, value)| field(name, Some(word(value)))));
    fields
}

fn optional_field(of: &Value) -> Field {
    field("Optional", Some(read::flag(of, &["optional"]).unwrap_or(false).to_string()))
}

/// Where a pod may run.
pub fn placement(spec: &Value) -> Vec<Field> {
    let toleration = |toleration: &Value| {
        let part = |name: &str| read::text(toleration, &[name]).unwrap_or_default();
        let mut told = part("key");
        if !part("value").is_empty() {
            told += &format!("={}", part("value"));
        }
        if !part("effect").is_empty() {
            told += &format!(":{}", part("effect"));
        }
        if part("operator") == "Exists" {
            told += " op=Exists";
        }
        if let Some(seconds) = read::number(toleration, &["tolerationSeconds"]) {
            told += &format!(" for {seconds}s");
        }
        told.trim_start().to_owned()
    };
    let tolerations = read::list(spec, &["tolerations"]).iter().map(toleration).collect();
    vec![or_none("Node-Selectors", pairs(spec, &["nodeSelector"], "=")), or_none("Tolerations", tolerations)]
}
