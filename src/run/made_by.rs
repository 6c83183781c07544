//! What made a run, where that is told: it is named as what it is.

use std::fmt;

/// What made a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MadeBy {
    /// Helm: a hook, or where `hooks` is empty a part of a release.
    Helm {
        /// The release, where it is told.
        release: Option<String>,
        /// When it runs: `pre-upgrade`, …
        hooks: Vec<String>,
        /// Its weight: hooks of less weight run first.
        weight: i64,
        /// When it is deleted.
        deleted: Vec<HookDeletion>,
    },
    /// Argo CD: a hook, or where `hooks` is empty a part of an application.
    ArgoCd {
        /// The application, where it is told.
        application: Option<String>,
        /// When it runs: `PreSync`, …
        hooks: Vec<String>,
        /// When it is deleted.
        deleted: Vec<HookDeletion>,
    },
    /// Another object, which owns it: a CronJob, say.
    Owner {
        /// Its kind.
        kind: String,
        /// Its name.
        name: String,
    },
}

/// When a hook is deleted, by its policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookDeletion {
    /// Before the next one of its name is made.
    BeforeNext,
    /// Once it succeeded.
    Succeeded,
    /// Once it failed.
    Failed,
}

impl HookDeletion {
    /// The policy as Helm names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::BeforeNext => "before-hook-creation",
            Self::Succeeded => "hook-succeeded",
            Self::Failed => "hook-failed",
        }
    }
}

impl MadeBy {
    /// What kind of thing made it, in a word, as the report names it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Helm { .. } => "Helm",
            Self::ArgoCd { .. } => "ArgoCD",
            Self::Owner { .. } => "Owner",
        }
    }

    /// When it runs, where it is a hook; empty where it is none.
    pub fn hooks(&self) -> &[String] {
        match self {
            Self::Helm { hooks, .. } | Self::ArgoCd { hooks, .. } => hooks,
            Self::Owner { .. } => &[],
        }
    }

    /// When it is deleted, where it is a hook.
    pub fn deleted(&self) -> &[HookDeletion] {
        match self {
            Self::Helm { deleted, .. } | Self::ArgoCd { deleted, .. } => deleted,
            Self::Owner { .. } => &[],
        }
    }

    /// When it is deleted, in words: `deleted once it succeeded, and before the next one is made`; `None` where it is no hook.
    pub fn deletion_words(&self) -> Option<String> {
        let when = |policy: &HookDeletion| match policy {
            HookDeletion::Succeeded => "once it succeeded",
            HookDeletion::Failed => "once it failed",
            HookDeletion::BeforeNext => "before the next one is made",
        };
        let when: Vec<&str> = self.deleted().iter().map(when).collect();
        (!when.is_empty()).then(|| format!("deleted {}", when.join(", and ")))
    }
}

impl fmt::Display for MadeBy {
    /// In words: `Helm hook pre-install, pre-upgrade of release shop`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (maker, whole, name) = match self {
            Self::Helm { release, .. } => ("Helm", "release", release),
            Self::ArgoCd { application, .. } => ("Argo CD", "application", application),
            Self::Owner { kind, name } => return write!(out, "{kind} {name}"),
        };
        match (self.hooks(), name) {
            ([], Some(name)) => write!(out, "{maker} {whole} {name}"),
            ([], None) => out.write_str(maker),
            (hooks, None) => write!(out, "{maker} hook {}", hooks.join(", ")),
            (hooks, Some(name)) => write!(out, "{maker} hook {} of {whole} {name}", hooks.join(", ")),
        }
    }
}
