//! What a Job, its pods and its events mean: the state of a gate, its attempts, its last failure, what keeps it from
//! starting, the command to run next.
//!
//! In come the record of one Job and the world its pods live in ([`judge()`]); out comes a [`Gate`]. Nothing here has a
//! clock. The rules are those of the Job controller and of the kubelet, Kubernetes 1.25 to 1.37.
//!
//! | file | holds |
//! |---|---|
//! | `gate`, `state`, `attempts`, `failure`, `fault`, `command` | the values: everything that is told of a gate |
//! | `progress` | how far a Job is that needs more than one pod |
//! | `judge` | how it all comes together |
//! | `count`, `indexes` | counting as the Job controller counts, of the whole Job and of each of its indexes |
//! | `policy`, `disruption`, `terms` | what a pod failure policy says of a failed pod, who disrupted it; on what terms a Job counts |
//! | `taken` | what took a pod away, which is not how its containers ended |
//! | `history`, `events` | the attempts one by one, the last failure; what was said of an object and its pods |
//! | `logs` | the logs run by run |
//! | `backlog`, `forecast` | background migrations still pending; what becomes of a gate that retries |
//! | `start`, `image`, `pulls` | why a container can't start, whether that can clear by itself, and what was tried |
//! | `next`, `advice` | the next restart, the command to run, what to do |

mod advice;
mod attempts;
mod backlog;
mod command;
mod count;
mod disruption;
mod events;
mod failure;
mod fault;
mod forecast;
#[allow(clippy::module_inception, reason = "the folder is about gates, and this file is the gate")]
mod gate;
mod history;
mod image;
mod indexes;
mod judge;
mod logs;
mod next;
mod policy;
mod progress;
mod pulls;
#[cfg(test)]
mod rules;
mod start;
mod state;
#[cfg(test)]
mod symptoms;
mod taken;
mod terms;

pub use attempts::{Attempts, Count, Tally};
pub use backlog::{Backlog, Motion, Outlook, Pending};
pub use command::{Command, Target};
pub use disruption::Disruption;
pub use events::events_about;
pub use failure::{Ending, Exit, Failure, LastFailure, LogSource, Telling};
pub use fault::{Cause, StartFault};
pub use forecast::{Forecast, Limit, Took};
pub use gate::{Attempt, Deadline, Gate, GateJob, GatePod, Outcome};
pub use history::failure_of;
pub use indexes::JobIndexes;
pub use judge::{Purpose, judge};
pub use logs::RunLog;
pub use policy::{By, Counting, Matched};
pub use progress::Progress;
pub use pulls::{NextPull, Pulls};
pub use start::start_fault;
pub use state::{GateState, JobFailure, Unseen};
pub use terms::Terms;
