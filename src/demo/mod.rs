//! A recorded upgrade, played as if it happened now: to the API server in the box, so that the whole program runs without
//! a cluster.
//!
//! In goes one of the recordings that are part of the program; out come the changes of a cluster, into a
//! [`Server`](crate::source::server::Server), at their pace and with times of today.
//!
//! | file | holds |
//! |---|---|
//! | `scenario` | the recordings there are |
//! | `shift` | the times in a recording, moved |
//! | `player` | what plays it |
//! | `kubeconfig` | how a client finds the server |

mod kubeconfig;
mod player;
mod scenario;
mod shift;

pub use kubeconfig::{CONTEXT, kubeconfig, token};
pub use player::{Player, fitting_speed, length};
pub use scenario::{DEFAULT, SCENARIOS, Scenario};
