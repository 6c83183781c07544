//! What is printed without a screen.
//!
//! In come runs and their changes; out come lines for people and documents for machines. The shapes of the documents
//! are a promise, kept in `assets/report.schema.json`: types of their own, so that the domain stays free to move.
//!
//! | file | holds |
//! |---|---|
//! | `report`, `step`, `evidence` | the documents: a `StatusList`, a `Change` |
//! | `rollout`, `stage`, `terms` | of the documents, a rollout, a stage of an operator, and on what terms failures count |
//! | `status`, `headline`, `details` | one look: the runs as text, JSON or YAML |
//! | `jobs` | the Jobs there are, one a line |
//! | `feed` | what is old, hidden, or off by a clock, in sentences |
//! | `text` | wrapping |
//! | `missing` | what there is none of |
//! | `wait`, `goal` | what `wait` prints, and when it ends |
//! | `closing` | what it ends with, for people |
//! | `junit` | what it ends with, for pipelines |
//! | `style` | colours |
//! | `rbac` | a Role |

mod closing;
mod details;
mod evidence;
mod feed;
mod goal;
mod headline;
mod jobs;
mod junit;
mod missing;
mod rbac;
mod report;
mod rollout;
#[cfg(test)]
mod schema;
mod stage;
mod status;
mod step;
mod style;
mod terms;
mod text;
mod wait;

pub use closing::closing;
pub use feed::sentences;
pub use goal::Goal;
pub use jobs::print_jobs;
pub use junit::{Ended, write_junit};
pub use missing::{Missing, Why};
pub use rbac::{Access, Rule, Subject, Subjects};
pub use report::{ChangeReport, StatusList};
pub use status::{Look, StatusFormat};
pub use wait::{WaitFormat, Waiter, print_change};
