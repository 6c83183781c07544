//! Upgrades in which nothing fails of itself.

use crate::stage::gate::{During, GateJob, GateKind};
use crate::stage::scenario::{Scenario, passed, title};

pub fn all() -> Vec<Scenario> {
    vec![smooth(), respec(), suspended(), deadline()]
}

/// The lines of the steps of one hop.
fn hop() -> Vec<String> {
    let [pre, full, wait] = [GateKind::Pre, GateKind::Full, GateKind::Wait].map(title);
    [pre, "Rollout", full, "Final rollout", wait].into_iter().flat_map(passed).collect()
}

const BEGINS: &str = "Upgrading from 18.9.2 to 18.11.0";
const SETTLED: &str = "Settled at 18.11.0";

/// Two minors, one after the other: a hop with Jobs of its own for each.
fn smooth() -> Scenario {
    let mut said = vec![format!("{BEGINS}, hop 1 of 2 (18.10.1)")];
    said.extend(hop());
    said.push("Hop 2 of 2 (18.11.0) begins".into());
    said.extend(hop());
    said.push(SETTLED.into());
    Scenario { name: "smooth", hops: &["18.10.1", "18.11.0"], gates: Vec::new(), said, code: 0 }
}

/// The spec changes while the full migrations run: its Jobs are new, and all begins anew.
fn respec() -> Scenario {
    let job = GateJob { during: Some(During::Respec), ..GateJob::of("sleep 600") };
    let lines = hop();
    let mut said = vec![BEGINS.to_owned()];
    // Up to the full migrations, which run.
    said.extend_from_slice(&lines[..5]);
    said.extend(["Pre-deployment migrations", "Rollout", "Full migrations"].map(|title| format!("{title}: pending")));
    said.extend(lines);
    said.push(SETTLED.into());
    Scenario { name: "respec", hops: &["18.11.0"], gates: vec![(GateKind::Full, job)], said, code: 0 }
}

/// A Job that is suspended loses its pod, and no attempt.
fn suspended() -> Scenario {
    let script = "if [ ! -f /state/once ]; then touch /state/once; sleep 600; fi; sleep 1";
    let job = GateJob { during: Some(During::Suspend), ..GateJob::of(script) };
    let said =
        ["Full migrations: running", "Full migrations: suspended", "Full migrations: running", "Full migrations: done"];
    Scenario::of_gate("suspended", GateKind::Full, job, &said)
}

/// The wait for background migrations takes longer than its Job may. Its log tells how many are pending.
fn deadline() -> Scenario {
    let script = "while :; do echo \"batched background migrations still pending: 7\"; sleep 1; done";
    let late = "DeadlineExceeded: Job was active longer than specified deadline, 7 still pending";
    let said = [
        "Background migrations: running",
        "Background migrations: running, 7 pending, has not moved for {some}; deadline {time}: will not make it \
         unless it moves",
        &format!("Background migrations: failing: {late}"),
        &format!("Background migrations: failed: {late}"),
    ];
    Scenario::of_gate("deadline", GateKind::Wait, GateJob { deadline: 15, ..GateJob::of(script) }, &said)
}
