//! Why a container cannot start, and whether that can clear by itself.

use jiff::Timestamp;

use super::{Pulls, image};

/// What keeps a gate from starting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartFault {
    /// The kind of cause.
    pub cause: Cause,
    /// The kubelet's or the scheduler's word: `ErrImagePull`, `FailedMount`, `Unschedulable`, …
    pub reason: String,
    /// The words, the real error also while the kubelet only says that it backs off.
    pub message: String,
    /// The container that can't start, where it is one.
    pub container: Option<String>,
    /// The pod.
    pub pod: String,
    /// Whether it can't clear by itself: somebody has to mend something.
    pub permanent: bool,
    /// Since when.
    pub since: Option<Timestamp>,
    /// What was tried to pull the image, and when it is tried again, where that is what fails and it is told.
    pub pulls: Option<Pulls>,
}

impl StartFault {
    /// Whether it can clear by itself, in words.
    pub fn clears_words(&self) -> &'static str {
        if self.permanent { "cannot clear by itself" } else { "may clear by itself" }
    }

    /// The words without what a runtime puts before every error of a pull: the end of a long line says what is wrong.
    pub fn brief(&self) -> &str {
        match self.cause {
            Cause::Image => image::brief(&self.message),
            Cause::Config | Cause::Volume | Cause::Scheduling | Cause::Sandbox => &self.message,
        }
    }
}

/// The kind of cause that keeps a container from starting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Its image can't be had.
    Image,
    /// Its configuration is wrong: a Secret or a ConfigMap is missing.
    Config,
    /// A volume can't be mounted.
    Volume,
    /// No node takes the pod.
    Scheduling,
    /// The pod's sandbox (its network) can't be made.
    Sandbox,
}

impl Cause {
    /// The cause in one word, as the report names it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Image => "Image",
            Self::Config => "Config",
            Self::Volume => "Volume",
            Self::Scheduling => "Scheduling",
            Self::Sandbox => "Sandbox",
        }
    }
}
