//! A Job and its pods as `kubectl describe` prints them, in its order and its words.
//!
//! What differs: a moment is told as a time in the user's zone instead of an age, which would not be true for long; and the
//! Job's conditions are shown, which kubectl leaves out.
//!
//! | file | holds |
//! |---|---|
//! | `job`, `pod` | what stands at the top of each |
//! | `template` | what a pod and the template of one share: containers, volumes, where it may run |
//! | `events` | conditions and events |
//! | `sheet` | labels and values in columns |

mod events;
mod job;
mod pod;
mod sheet;
mod template;

use jiff::tz::TimeZone;

use self::sheet::Sheet;
use crate::cluster::{Event, LogLine, Manifest};

/// A pod of a Job.
#[derive(Clone, Copy, Debug)]
pub struct DescribedPod<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it is gone, and this is the last there was of it.
    pub gone: bool,
    /// The pod as the server wrote it.
    pub manifest: &'a Manifest,
}

/// A Job, and below it each of its pods; `None` where the Job was not kept. `events` are those about any of them.
pub fn describe_job(
    job: &Manifest,
    pods: &[DescribedPod<'_>],
    events: &[Event],
    zone: &TimeZone,
) -> Option<Vec<LogLine>> {
    let mut sheet = Sheet::new(zone);
    job::job(&mut sheet, &job.object()?, events);
    for pod in pods {
        sheet.blank();
        let gone = if pod.gone { ", which is gone: this is the last there was of it" } else { "" };
        sheet.title(&format!("Pod {}{gone}", pod.name));
        match pod.manifest.object() {
            Some(object) => pod::pod(&mut sheet, &object, events),
            None => sheet.line(0, "  nothing else was kept of it"),
        }
    }
    Some(sheet.lines)
}

#[cfg(test)]
mod tests;
