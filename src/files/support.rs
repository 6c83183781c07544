//! KubeSOS, the script with which GitLab's support collects what a cluster tells: <https://gitlab.com/gitlab-com/support/toolbox/kubesos>.
//!
//! It writes `kubesos-TIME.tar.gz` with the text that `kubectl get` and `kubectl describe` print for people (`get_pods`,
//! `describe_pods`, …), the versions of the tools (`kubectl-check`, `helm-version`), the values of the Helm release and logs.
//! No object is among them.

/// Names of its files, whatever they end in. Few tell nothing: others write such names, too.
const FILES: [&str; 5] = ["kubectl-check", "helm-version", "user_supplied_values", "get_", "describe_"];
/// So many of them tell that it is one.
const ENOUGH: usize = 3;

/// What names tell of where files come from.
#[derive(Debug, Default)]
pub(super) struct Signs {
    named: bool,
    files: usize,
}

impl Signs {
    /// Notes the name of a file or of a folder, or a path.
    pub(super) fn note(&mut self, name: &str) {
        let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
        self.named |= name.starts_with("kubesos-");
        self.files += usize::from(FILES.iter().any(|file| name.starts_with(file)));
    }

    /// Whether it is an archive of KubeSOS, or was one before it was unpacked.
    pub(super) fn are_of_kubesos(&self) -> bool {
        self.files >= ENOUGH || (self.named && self.files > 0)
    }
}
