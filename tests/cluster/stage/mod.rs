//! An upgrade on the cluster: who plays it, who watches it, and how what was said is held against what was.
//!
//! | file | what |
//! |---|---|
//! | `scenario` | what happens in an upgrade, and what has to be said of it |
//! | `gate` | the Job of a gate |
//! | `disturbance` | what is done to a gate while its Job runs |
//! | `operator` | plays the operator: takes an instance through an upgrade |
//! | `witness` | hears all that the API server tells of a namespace |
//! | `watcher` | `gatewatch wait`, line by line |
//! | `dashboard` | the dashboard in a terminal |
//! | `audit` | holds the lines against what the witness heard |

pub mod audit;
pub mod dashboard;
pub mod disturbance;
pub mod gate;
pub mod operator;
pub mod scenario;
pub mod watcher;
pub mod witness;
