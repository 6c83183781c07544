//! The live feed against an API server that follows a script, in virtual time; and the way to a cluster.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "the helpers of a test fail as the test does"
)]

mod common;
#[path = "live_feed/connect.rs"]
mod connect;
#[path = "live_feed/credentials.rs"]
mod credentials;
#[path = "live_feed/endpoint.rs"]
mod endpoint;
#[path = "live_feed/events.rs"]
mod events;
#[path = "live_feed/faults.rs"]
mod faults;
#[path = "live_feed/feed.rs"]
mod feed;
#[path = "live_feed/in_the_box.rs"]
mod in_the_box;
#[path = "live_feed/lists.rs"]
mod lists;
#[path = "live_feed/logs.rs"]
mod logs;
#[path = "live_feed/server.rs"]
mod server;
#[path = "live_feed/several.rs"]
mod several;
