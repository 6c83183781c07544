//! The logs of containers, as the kubelet has them: of each container the log of its current run, and that of the run
//! before.
//!
//! | file | holds |
//! |---|---|
//! | `kept` | the logs of all pods, run by run |
//! | `options` | what of a log is asked for |
//! | `run` | which run's log that is, by the pod's status, and what the kubelet says where there is none |
//! | `line` | a line as the container printed it, colours too |
//! | `reading` | one log that is sent, and followed |

mod kept;
mod line;
mod options;
mod reading;
mod run;

use futures::stream;
use http::Response;
use jiff::Timestamp;
use tokio::sync::watch::Receiver;

use super::body::{self, Body};
use super::query::Query;
use super::refusal::Refusal;
use super::store::{Key, Store};
use crate::cluster::{Uid, read};
pub(super) use kept::RunLogs;
use options::LogOptions;
use reading::Reading;

/// The log of a container of a pod.
///
/// # Errors
/// A [`Refusal`] if there is no such pod or container, if it has not started or had no run before, or if the options make
/// no sense.
pub(super) fn answer(
    store: Receiver<Store>,
    pod: &Key,
    query: &Query<'_>,
    now: Timestamp,
) -> Result<Response<Body>, Refusal> {
    let options = LogOptions::read(&pod.name, query, now)?;
    let (uid, run) = {
        let store = store.borrow();
        let object = &store.get(pod).ok_or_else(|| Refusal::no_object(pod.resource, &pod.name))?.object;
        let container = run::container(&pod.name, object, options.container.as_deref())?;
        // A pod that is on no node has no kubelet to ask.
        if read::text(object, &["spec", "nodeName"]).is_none() {
            return Ok(body::nothing());
        }
        let run = run::resolve(&pod.name, object, &container, options.previous).map_err(Refusal::bad_request)?;
        (Uid(read::text(object, &["metadata", "uid"]).unwrap_or_default()), run)
    };
    let reading = Reading::new(store, pod.clone(), uid, run, options);
    Ok(body::log(stream::unfold(reading, |mut reading| async move {
        let lines = reading.next().await?;
        Some((lines, reading))
    })))
}
