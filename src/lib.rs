//! gatewatch watches zero-downtime GitLab upgrades on Kubernetes: a hop of an upgrade passes three gates, each a Job
//! that retries by itself.
//!
//! Data flows one way: a source says what it saw of a cluster, [`cluster::World`] takes it in, [`run::derive`] reduces it
//! to values that can be compared, and a sink shows them. `docs/architecture.md` has the map.

pub mod app;
pub mod cli;
pub mod clipboard;
pub mod clock;
pub mod cluster;
pub mod config;
pub mod demo;
pub mod error;
pub mod files;
#[cfg(test)]
mod fixture;
pub mod gate;
pub mod journal;
pub mod multiplexer;
pub mod notify;
pub mod output;
pub mod print;
pub mod record;
pub mod report;
pub mod run;
pub mod source;
pub mod state;
pub mod tape;
pub mod tui;
mod xdg;
