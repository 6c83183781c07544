//! What a path asks for.

use super::refusal::Refusal;
use super::resource::Resource;

/// What a path asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Route {
    /// Whether the server is well.
    Health,
    /// The server's own version.
    Version,
    /// The versions of the core group.
    Versions,
    /// All groups but the core group.
    Groups,
    /// The versions of a group.
    Group(&'static str),
    /// What is served in a version of a group.
    Resources { group: &'static str, version: &'static str },
    /// The objects of a resource, in one namespace or in all.
    Objects { resource: Resource, namespace: Option<String> },
    /// One object.
    Object { resource: Resource, namespace: String, name: String },
    /// The log of a pod.
    Log { namespace: String, name: String },
}

impl Route {
    /// Reads a path.
    ///
    /// # Errors
    /// What Kubernetes answers to a path that it doesn't have, or that has to do with what is not served here.
    pub(super) fn read(path: &str) -> Result<Self, Refusal> {
        let path = path.strip_prefix('/').ok_or(Refusal::NoPage)?;
        let segments: Vec<&str> = path.strip_suffix('/').unwrap_or(path).split('/').collect();
        match segments.as_slice() {
            ["healthz" | "readyz" | "livez"] => Ok(Self::Health),
            ["version"] => Ok(Self::Version),
            ["api"] => Ok(Self::Versions),
            ["apis"] => Ok(Self::Groups),
            ["api", version, rest @ ..] => Self::served("", version, rest).ok_or_else(Refusal::no_resource),
            ["apis", group] => served_group(group, None).map(|(group, _)| Self::Group(group)).ok_or(Refusal::NoPage),
            ["apis", group, version, rest @ ..] => match Self::served(group, version, rest) {
                Some(route) => Ok(route),
                // The group of a definition is another server's than those that Kubernetes brings.
                None if served_group(group, Some(version)).is_some_and(|(group, _)| !group.contains('.')) => {
                    Err(Refusal::no_resource())
                }
                None => Err(Refusal::NoPage),
            },
            _ => Err(Refusal::NoPage),
        }
    }

    fn served(group: &str, version: &str, rest: &[&str]) -> Option<Self> {
        let (group, version) = served_group(group, Some(version))?;
        let resource = |plural: &str| {
            Resource::ALL
                .into_iter()
                .find(|resource| resource.names().group == group && resource.names().plural == plural)
        };
        let namespaced = |plural: &str| resource(plural).filter(|resource| resource.namespaced());
        match *rest {
            [] => Some(Self::Resources { group, version }),
            [plural] => Some(Self::Objects { resource: resource(plural)?, namespace: None }),
            ["namespaces", name] => {
                let resource = resource("namespaces")?;
                Some(Self::Object { resource, namespace: String::new(), name: name.to_owned() })
            }
            ["namespaces", namespace, plural] => {
                let namespace = (!namespace.is_empty()).then(|| namespace.to_owned());
                Some(Self::Objects { resource: namespaced(plural)?, namespace })
            }
            ["namespaces", namespace, plural, name] => {
                let (namespace, name) = (namespace.to_owned(), name.to_owned());
                Some(Self::Object { resource: namespaced(plural)?, namespace, name })
            }
            ["namespaces", namespace, "pods", name, "log"] if group.is_empty() => {
                Some(Self::Log { namespace: namespace.to_owned(), name: name.to_owned() })
            }
            _ => None,
        }
    }
}

/// A group that is served, and a version of it: that one, or the only one.
fn served_group(group: &str, version: Option<&str>) -> Option<(&'static str, &'static str)> {
    let mut names = Resource::ALL.into_iter().map(Resource::names);
    let names = names.find(|names| names.group == group && version.is_none_or(|version| names.version == version))?;
    Some((names.group, names.version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_objects_of_one_namespace_or_of_all() {
        let objects = |resource, namespace: Option<&str>| {
            Ok(Route::Objects { resource, namespace: namespace.map(str::to_owned) })
        };
        assert_eq!(Route::read("/api/v1/pods"), objects(Resource::Pods, None));
        assert_eq!(Route::read("/api/v1/pods/"), objects(Resource::Pods, None));
        assert_eq!(Route::read("/api/v1/namespaces//pods"), objects(Resource::Pods, None));
        assert_eq!(Route::read("/apis/batch/v1/namespaces/a/jobs"), objects(Resource::Jobs, Some("a")));
        assert_eq!(Route::read("/api/v1/namespaces"), objects(Resource::Namespaces, None));
    }

    #[test]
    fn a_path_names_one_object_or_the_log_of_a_pod() {
        let object = |resource, namespace: &str, name: &str| {
            Ok(Route::Object { resource, namespace: namespace.to_owned(), name: name.to_owned() })
        };
        assert_eq!(Route::read("/api/v1/namespaces/a"), object(Resource::Namespaces, "", "a"));
        let core = Route::read("/apis/apps.gitlab.com/v2alpha1/namespaces/a/gitlabcores/b");
        assert_eq!(core, object(Resource::GitLabCores, "a", "b"));
        let log = Route::Log { namespace: "a".to_owned(), name: "b".to_owned() };
        assert_eq!(Route::read("/api/v1/namespaces/a/pods/b/log"), Ok(log));
    }

    #[test]
    fn a_path_that_is_not_served_is_refused_as_kubernetes_does() {
        for path in
            ["", "/", "/foo", "//api/v1/pods", "/apis/foo", "/apis/foo/v1", "/apis/apps.gitlab.com/v2alpha1/foo"]
        {
            assert_eq!(Route::read(path), Err(Refusal::NoPage), "{path}");
        }
        for path in [
            "/api/v2",
            "/api/v1/foo",
            "/api/v1/jobs",
            "/api/v1/pods/foo",
            "/api/v1/namespaces/a/namespaces",
            "/api/v1/namespaces/a/pods/b/foo",
            "/apis/apps/v1/namespaces/a/deployments/b/log",
            "/apis/apps/v1/foo",
        ] {
            assert_eq!(Route::read(path), Err(Refusal::no_resource()), "{path}");
        }
    }
}
