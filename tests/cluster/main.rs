//! gatewatch on a real cluster: a real Job controller and a real kubelet decide what is right.
//!
//! The cluster is raised once, and every test has a namespace of it. Tests of upgrades, and of faults that are a namespace's
//! own, run side by side; after them, one at a time, those that break something which all of the cluster needs. Where a
//! cluster can't be raised, one line says so and nothing is run, unless `GATEWATCH_CLUSTER=required` is in the environment:
//! then that is a failure.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]

mod commands;
mod faults;
mod harness;
#[path = "../common/names.rs"]
mod names;
#[allow(dead_code, reason = "the tests of terminals use all of it")]
#[path = "../terminal/pty.rs"]
mod pty;
mod scenarios;
mod stage;
mod upgrades;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use crate::harness::Cluster;

/// How many upgrades are played at once: they wait more than they work.
const AT_ONCE: usize = 12;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    stage::audit::holds_by_itself().expect("what is compared is compared rightly");
    if arguments.list {
        let all = beside(None).into_iter().chain(faults::trials(None));
        return libtest_mimic::run(&arguments, all.collect()).exit_code();
    }
    if let Some(missing) = harness::missing() {
        eprintln!("tests on a real cluster are skipped: {missing}");
        return if std::env::var_os("GATEWATCH_CLUSTER").is_some_and(|value| value == "required") {
            ExitCode::FAILURE
        } else {
            ExitCode::SUCCESS
        };
    }
    let cluster = match Cluster::raise() {
        Ok(cluster) => Arc::new(cluster),
        Err(error) => {
            eprintln!("the cluster did not come up: {error:#}");
            return ExitCode::FAILURE;
        }
    };
    arguments.test_threads.get_or_insert(AT_ONCE);
    let upgrades = libtest_mimic::run(&arguments, beside(Some(&cluster)));
    arguments.test_threads = Some(1);
    let faults = libtest_mimic::run(&arguments, faults::trials(Some(&cluster)));
    drop(cluster);
    if upgrades.has_failed() { upgrades.exit_code() } else { faults.exit_code() }
}

/// The tests that disturb nothing but their own namespace.
fn beside(cluster: Option<&Arc<Cluster>>) -> Vec<Trial> {
    let all = [upgrades::trials(cluster), commands::trials(cluster), faults::trials_beside(cluster)];
    all.into_iter().flatten().collect()
}
