//! The upgrades that are played, each with what has to be said of it. What is said is written from what the Job controller
//! and the kubelet do, and never from what the program printed.
//!
//! | file | what goes wrong |
//! |---|---|
//! | `retries` | runs that fail and are started again in the same pod |
//! | `disruptions` | pods that fail or go as a whole |
//! | `starts` | containers and pods that can't start |
//! | `course` | nothing, or what the administrator does: hops, a suspended Job, a changed spec, a deadline |

mod course;
mod disruptions;
mod retries;
mod starts;

use crate::stage::scenario::Scenario;

/// All of them, those that take longest first.
pub fn all(registry: &str) -> Vec<Scenario> {
    let all = [course::all(), starts::all(registry), disruptions::all(), retries::all()];
    all.into_iter().flatten().collect()
}
