//! What a Job, its pods and its events mean: the state of a gate, its attempts, its last failure, what keeps it from
//! starting, the command to run next.
//!
//! In come the records of one Job and of its pods; out comes a [`Gate`]. Nothing here knows GitLab or a clock. The rules
//! are those of the Job controller and of the kubelet, Kubernetes 1.25 to 1.37.
//!
//! | file | holds |
//! |---|---|
//! | `gate` | the value: everything that is told of a gate |
//! | `state` | its states |
//! | `attempts` | failed of limit, in both counts |
//! | `failure` | what failed last |
//! | `fault` | why a container can't start |
//! | `command` | the command to run next |

mod attempts;
mod command;
mod failure;
mod fault;
#[allow(clippy::module_inception, reason = "the folder is about gates, and this file is the gate")]
mod gate;
mod state;

pub use attempts::{Attempts, Count, Tally};
pub use command::{Command, Target};
pub use failure::{Ending, Exit, Failure, LastFailure};
pub use fault::{Cause, StartFault};
pub use gate::{Attempt, Deadline, Gate, GateJob, GatePod, Outcome};
pub use state::{GateState, JobFailure, Unseen};
