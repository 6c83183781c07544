//! What the annotations and labels of an object tell of what made it: Helm, or Argo CD, and whether it is a hook of theirs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read;

/// What an object's annotations and labels tell of what made it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// `helm.sh/hook`: when it runs as a hook of Helm; empty where it is none.
    pub helm_hooks: Vec<String>,
    /// `helm.sh/hook-weight`: hooks of less weight run first; 0 where it is left out.
    pub helm_weight: i64,
    /// `helm.sh/hook-delete-policy`, in Helm's words.
    pub helm_deletion: Vec<String>,
    /// The release it belongs to: `meta.helm.sh/release-name`, and where Helm is said to manage it, `app.kubernetes.io/instance`
    /// or the `release` of older charts.
    pub helm_release: Option<String>,
    /// `argocd.argoproj.io/hook`: when it runs as a hook of Argo CD; empty where it is none.
    pub argo_hooks: Vec<String>,
    /// `argocd.argoproj.io/hook-delete-policy`, in Argo CD's words.
    pub argo_deletion: Vec<String>,
    /// The application that tracks it, from `argocd.argoproj.io/tracking-id`.
    pub argo_application: Option<String>,
}

impl Provenance {
    pub(super) fn read(object: &Value) -> Self {
        let annotation = |key: &str| read::text(object, &["metadata", "annotations", key]);
        let label = |key: &str| read::text(object, &["metadata", "labels", key]);
        let words = |key: &str| -> Vec<String> {
            let text = annotation(key).unwrap_or_default();
            text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let helm =
            ["app.kubernetes.io/managed-by", "heritage"].into_iter().any(|key| label(key).as_deref() == Some("Helm"));
        let labelled = || label("app.kubernetes.io/instance").or_else(|| label("release")).filter(|_| helm);
        // `APPLICATION:GROUP/KIND:NAMESPACE/NAME`
        let tracked = annotation("argocd.argoproj.io/tracking-id");
        Self {
            helm_hooks: words("helm.sh/hook"),
            helm_weight: annotation("helm.sh/hook-weight").and_then(|weight| weight.trim().parse().ok()).unwrap_or(0),
            helm_deletion: words("helm.sh/hook-delete-policy"),
            helm_release: annotation("meta.helm.sh/release-name").or_else(labelled),
            argo_hooks: words("argocd.argoproj.io/hook"),
            argo_deletion: words("argocd.argoproj.io/hook-delete-policy"),
            argo_application: tracked
                .map(|id| id.split(':').next().unwrap_or_default().to_owned())
                .filter(|application| !application.is_empty()),
        }
    }
}
