//! Every fault of a cluster, played to the screens: the server in the box behind a service that injects the fault, the real
//! feed on it in virtual time, and the dashboard that comes of it. What was seen stays shown and is marked stale, keys answer
//! meanwhile, no server is stormed, and nothing is counted or told twice once the fault is over.
//!
//! | file | holds |
//! |---|---|
//! | `api` | the server, the faults between it and the feed, and the list of what was asked |
//! | `field` | a recorded upgrade that goes on, and two who watch it: one with the faults, one without |
//! | `watches`, `lists`, `refusals`, `outages`, `clocks` | the faults |
//! | `sockets`, `way` | those of the way to a cluster, over real sockets: tokens, plugins, proxies, certificates |

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "the helpers of a test fail as the test does"
)]

#[path = "faults/api.rs"]
mod api;
#[path = "faults/clocks.rs"]
mod clocks;
#[path = "faults/field.rs"]
mod field;
#[path = "faults/lists.rs"]
mod lists;
#[path = "faults/outages.rs"]
mod outages;
#[path = "faults/refusals.rs"]
mod refusals;
#[path = "faults/sockets.rs"]
mod sockets;
#[path = "faults/watches.rs"]
mod watches;
#[path = "faults/way.rs"]
mod way;
