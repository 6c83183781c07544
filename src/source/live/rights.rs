//! What the server has to allow, by what the feed asks for: whatever kind is watched is in it.

use super::query::group;
use crate::cluster::{Kind, Selection};

/// What somebody has to be allowed, as a rule of a Role says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Right {
    /// The API group; empty for the core of Kubernetes.
    pub group: String,
    /// The resources of that group.
    pub resources: Vec<&'static str>,
    /// What is done with them.
    pub verbs: &'static [&'static str],
}

/// All that is needed to watch that: every kind it takes, and the logs of pods.
pub fn rights(selection: &Selection) -> Vec<Right> {
    let mut rights: Vec<Right> = Vec::new();
    for kind in selection.kinds() {
        let (group, verbs) = (group(kind), verbs(kind));
        match rights.iter_mut().find(|right| right.group == group && right.verbs == verbs) {
            Some(right) => right.resources.push(kind.plural()),
            None => rights.push(Right { group, resources: vec![kind.plural()], verbs }),
        }
    }
    rights.push(Right { group: String::new(), resources: vec!["pods/log"], verbs: &["get"] });
    rights
}

/// Every kind is listed and watched. What the commands that are shown name, `kubectl` gets besides.
fn verbs(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::GitLabCore | Kind::GluesyncPlatform | Kind::Event => &["list", "watch"],
        Kind::Job | Kind::Pod | Kind::Deployment | Kind::StatefulSet | Kind::DaemonSet => &["get", "list", "watch"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_in_it_once_and_nothing_is_written() {
        let rights = rights(&Selection::default());
        let told = rights.iter().map(|Right { group, resources, verbs }| (group.as_str(), &resources[..], *verbs));
        let told: Vec<_> = told.collect();
        let (seen, named) = (&["list", "watch"][..], &["get", "list", "watch"][..]);
        assert_eq!(
            told,
            [
                ("apps.gitlab.com", &["gitlabcores"][..], seen),
                ("batch", &["jobs"], named),
                ("", &["pods"], named),
                ("apps", &["deployments"], named),
                ("", &["events"], seen),
                ("", &["pods/log"], &["get"]),
            ]
        );
    }
}
