//! A Job or a workload and its pods as `kubectl describe` prints them, in its order and its words.
//!
//! What differs: a moment is told as a time in the user's zone instead of an age, which would not be true for long; a
//! Job's conditions are shown whole, which kubectl leaves out; and its pods stand below it.
//!
//! | file | holds |
//! |---|---|
//! | `job`, `deployment`, `ordered`, `pod` | what stands at the top of each |
//! | `template` | what a pod and the template of one share: containers, volumes, where it may run |
//! | `events` | conditions and events |
//! | `sheet` | labels and values in columns |

mod deployment;
mod events;
mod job;
mod ordered;
mod pod;
mod sheet;
mod template;

use jiff::tz::TimeZone;

use self::sheet::Sheet;
use crate::cluster::{Event, LogLine, Manifest, WorkloadKind};

/// An object that is described, and its pods.
#[derive(Clone, Debug, PartialEq)]
pub struct Described {
    /// What it is.
    pub kind: Kind,
    /// The object as the server wrote it.
    pub manifest: Manifest,
    /// Its pods.
    pub pods: Vec<DescribedPod>,
    /// Events about any of them.
    pub events: Vec<Event>,
}

/// What is described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A Job.
    Job,
    /// A Deployment.
    Deployment,
    /// A StatefulSet.
    StatefulSet,
    /// A DaemonSet.
    DaemonSet,
}

impl From<WorkloadKind> for Kind {
    fn from(kind: WorkloadKind) -> Self {
        match kind {
            WorkloadKind::Deployment => Self::Deployment,
            WorkloadKind::StatefulSet => Self::StatefulSet,
            WorkloadKind::DaemonSet => Self::DaemonSet,
        }
    }
}

/// A pod of what is described.
#[derive(Clone, Debug, PartialEq)]
pub struct DescribedPod {
    /// Its name.
    pub name: String,
    /// How it stands to the object.
    pub standing: Standing,
    /// The pod as the server wrote it.
    pub manifest: Manifest,
}

/// How a pod stands to what it is a pod of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is there, and made from the present template.
    Present,
    /// It is there, and made from an earlier template.
    Old,
    /// It is gone, and this is the last there was of it.
    Gone,
}

/// The objects one after the other, and below each its pods; `None` where none of them was kept.
pub fn describe(objects: &[Described], zone: &TimeZone) -> Option<Vec<LogLine>> {
    let mut sheet = Sheet::new(zone);
    for of in objects {
        let Some(object) = of.manifest.object() else { continue };
        if !sheet.lines.is_empty() {
            (0..2).for_each(|_| sheet.blank());
        }
        match of.kind {
            Kind::Job => job::job(&mut sheet, &object, &of.events),
            Kind::Deployment => deployment::deployment(&mut sheet, &object, &of.pods, &of.events),
            Kind::StatefulSet => ordered::stateful_set(&mut sheet, &object, &of.pods, &of.events),
            Kind::DaemonSet => ordered::daemon_set(&mut sheet, &object, &of.pods, &of.events),
        }
        of.pods.iter().for_each(|pod| below(&mut sheet, pod, &of.events));
    }
    (!sheet.lines.is_empty()).then_some(sheet.lines)
}

fn below(sheet: &mut Sheet<'_>, pod: &DescribedPod, events: &[Event]) {
    let standing = match pod.standing {
        Standing::Present => "",
        Standing::Old => ", on an earlier template",
        Standing::Gone => ", which is gone: this is the last there was of it",
    };
    sheet.blank();
    sheet.title(&format!("Pod {}{standing}", pod.name));
    match pod.manifest.object() {
        Some(object) => pod::pod(sheet, &object, events),
        None => sheet.line(0, "  nothing else was kept of it"),
    }
}

#[cfg(test)]
mod tests;
