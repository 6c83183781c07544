//! A Role and who has it, as YAML that `kubectl apply -f -` takes.

use std::io;

use serde_json::{Value, json};

/// What the Role and its binding are called, and the service account that is made.
const NAME: &str = "gatewatch";
const API: &str = "rbac.authorization.k8s.io";

/// A Role, and who has it.
#[derive(Clone, Debug)]
pub struct Access {
    /// The namespace; `None` for all, which makes it a ClusterRole.
    pub namespace: Option<String>,
    /// What it allows.
    pub rules: Vec<Rule>,
    /// Who has it.
    pub subjects: Subjects,
}

/// What is allowed of the resources of one API group.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The API group; empty for the core of Kubernetes.
    pub group: String,
    /// The resources.
    pub resources: Vec<&'static str>,
    /// What is allowed.
    pub verbs: Vec<&'static str>,
}

/// Who has a Role.
#[derive(Clone, Debug)]
pub enum Subjects {
    /// A service account in that namespace, which is made.
    Made {
        /// The namespace.
        namespace: String,
    },
    /// Those, who are there or will be.
    Named(Vec<Subject>),
}

/// Somebody who can have a Role.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "each is what it says")]
pub enum Subject {
    ServiceAccount { namespace: String, name: String },
    User(String),
    Group(String),
}

impl Access {
    /// Prints it.
    ///
    /// # Errors
    /// What writing to `out` gives.
    pub fn print(&self, out: &mut impl io::Write) -> io::Result<()> {
        writeln!(out, "# What gatewatch needs: it lists, watches and reads logs, and never writes.")?;
        writeln!(out, "# `get` of {} is for the kubectl commands that it shows.", self.named_in_commands())?;
        for object in self.objects() {
            writeln!(out, "---")?;
            let yaml = serde_saphyr::to_string(&object).map_err(io::Error::other)?;
            writeln!(out, "{}", yaml.trim_end())?;
        }
        Ok(())
    }

    /// The resources that `kubectl` gets besides, in words.
    fn named_in_commands(&self) -> String {
        let named = self.rules.iter().filter(|rule| rule.verbs.contains(&"get") && rule.verbs.contains(&"list"));
        let named: Vec<&str> = named.flat_map(|rule| rule.resources.iter().copied()).collect();
        match named.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
            _ => named.join(""),
        }
    }

    /// The objects, in the order in which they can be made.
    fn objects(&self) -> Vec<Value> {
        let (role, binding) = match self.namespace {
            Some(_) => ("Role", "RoleBinding"),
            None => ("ClusterRole", "ClusterRoleBinding"),
        };
        let rule = |Rule { group, resources, verbs }: &Rule| json!({"apiGroups": [group], "resources": resources, "verbs": verbs});
        let rules: Vec<Value> = self.rules.iter().map(rule).collect();
        let (account, subjects) = match &self.subjects {
            Subjects::Made { namespace } => {
                let account =
                    json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata(Some(namespace))});
                let subject = Subject::ServiceAccount { namespace: namespace.clone(), name: NAME.into() };
                (Some(account), vec![subject.object()])
            }
            Subjects::Named(named) => (None, named.iter().map(Subject::object).collect()),
        };
        let (version, metadata) = (format!("{API}/v1"), metadata(self.namespace.as_deref()));
        let reference = json!({"apiGroup": API, "kind": role, "name": NAME});
        let role = json!({"apiVersion": version, "kind": role, "metadata": metadata, "rules": rules});
        let binding = json!({"apiVersion": version, "kind": binding, "metadata": metadata, "roleRef": reference,
            "subjects": subjects});
        account.into_iter().chain([role, binding]).collect()
    }
}

impl Subject {
    fn object(&self) -> Value {
        match self {
            Self::ServiceAccount { namespace, name } => {
                json!({"kind": "ServiceAccount", "name": name, "namespace": namespace})
            }
            Self::User(name) => json!({"apiGroup": API, "kind": "User", "name": name}),
            Self::Group(name) => json!({"apiGroup": API, "kind": "Group", "name": name}),
        }
    }
}

fn metadata(namespace: Option<&str>) -> Value {
    let mut metadata = json!({"name": NAME, "labels": {"app.kubernetes.io/name": NAME}});
    if let Some(namespace) = namespace {
        metadata["namespace"] = namespace.into();
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(namespace: Option<&str>, subjects: Subjects) -> String {
        let rules = vec![Rule { group: String::new(), resources: vec!["pods"], verbs: vec!["get", "list"] }];
        let mut out = Vec::new();
        Access { namespace: namespace.map(str::to_owned), rules, subjects }.print(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_account_is_made_with_a_role_and_bound_to_it() {
        insta::assert_snapshot!(printed(Some("gitlab"), Subjects::Made { namespace: "gitlab".into() }), @r#"
        # What gatewatch needs: it lists, watches and reads logs, and never writes.
        # `get` of pods is for the kubectl commands that it shows.
        ---
        apiVersion: v1
        kind: ServiceAccount
        metadata:
          labels:
            app.kubernetes.io/name: gatewatch
          name: gatewatch
          namespace: gitlab
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: Role
        metadata:
          labels:
            app.kubernetes.io/name: gatewatch
          name: gatewatch
          namespace: gitlab
        rules:
        - apiGroups:
          - ""
          resources:
          - pods
          verbs:
          - get
          - list
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata:
          labels:
            app.kubernetes.io/name: gatewatch
          name: gatewatch
          namespace: gitlab
        roleRef:
          apiGroup: rbac.authorization.k8s.io
          kind: Role
          name: gatewatch
        subjects:
        - kind: ServiceAccount
          name: gatewatch
          namespace: gitlab
        "#);
    }

    #[test]
    fn for_all_namespaces_it_is_a_cluster_role_and_names_that_yaml_would_misread_stay_what_they_are() {
        let named = ["yes", "1e3", "oidc:https://id.test#jane: x", "- a", "ü\"'"];
        let users = named.map(|name| Subject::User(name.into()));
        let account = Subject::ServiceAccount { namespace: "ci".into(), name: "runner".into() };
        let subjects = users.into_iter().chain([account, Subject::Group("sre".into())]).collect();
        let printed = printed(None, Subjects::Named(subjects));
        let documents: Vec<Value> =
            printed.split("---\n").skip(1).map(|text| serde_saphyr::from_str(text).unwrap()).collect();
        let kinds: Vec<_> = documents.iter().map(|document| document["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["ClusterRole", "ClusterRoleBinding"]);
        assert!(documents.iter().all(|document| document["metadata"].get("namespace").is_none()), "{printed}");
        assert_eq!(documents[1]["roleRef"], json!({"apiGroup": API, "kind": "ClusterRole", "name": NAME}));
        let subjects = documents[1]["subjects"].as_array().unwrap();
        let names: Vec<_> = subjects.iter().map(|subject| subject["name"].as_str().unwrap()).collect();
        assert_eq!(names, [&named[..], &["runner", "sre"]].concat());
        assert_eq!(subjects[5], json!({"kind": "ServiceAccount", "name": "runner", "namespace": "ci"}));
        assert_eq!(subjects[6], json!({"apiGroup": API, "kind": "Group", "name": "sre"}));
    }
}
