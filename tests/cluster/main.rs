//! gatewatch on a real cluster: a real Job controller and a real kubelet decide what is right.
//!
//! The cluster is raised once, and every test has a namespace of it. Tests of upgrades, and of faults that nobody else feels,
//! run side by side; after them, one at a time, those that break something which all of the cluster needs. Where a cluster
//! can't be raised, one line says so and nothing is run, unless `GATEWATCH_CLUSTER=required` is in the environment: then that is a failure.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]

mod faults;
mod harness;
mod scenarios;
mod stage;
mod upgrades;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::Arguments;

use crate::harness::Cluster;

/// How many upgrades are played at once: they wait more than they work.
const AT_ONCE: usize = 12;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    stage::audit::holds_by_itself().expect("what is compared is compared rightly");
    if arguments.list {
        let all = [upgrades::trials(None), faults::trials_beside(None), faults::trials(None)];
        return libtest_mimic::run(&arguments, all.into_iter().flatten().collect()).exit_code();
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
    let beside = [upgrades::trials(Some(&cluster)), faults::trials_beside(Some(&cluster))];
    let upgrades = libtest_mimic::run(&arguments, beside.into_iter().flatten().collect());
    arguments.test_threads = Some(1);
    let faults = libtest_mimic::run(&arguments, faults::trials(Some(&cluster)));
    drop(cluster);
    if upgrades.has_failed() { upgrades.exit_code() } else { faults.exit_code() }
}
