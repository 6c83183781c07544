//! What happens in an upgrade, and what has to be said of it.

use super::gate::{GateJob, GateKind};

/// An upgrade. It starts at 18.9.2, with the target in the spec.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name, which is its test's and its namespace's.
    pub name: &'static str,
    /// The versions it passes through, the target last.
    pub hops: &'static [&'static str],
    /// The gates that run something else than a Job that passes.
    pub gates: Vec<(GateKind, GateJob)>,
    /// Every line that `gatewatch wait` prints, in order and without its time and instance. `{hash}` stands for the hash in
    /// the names of the first hop's Jobs, `{pod}` for the last part of any pod's name. A line that begins with `?` may be
    /// missing: what it says of a state may be over before it is told. One that begins with `*` may come any number of times.
    pub said: Vec<String>,
    /// The exit code of `gatewatch wait`.
    pub code: i32,
}

impl Scenario {
    /// An upgrade of one hop in which one gate runs that. `said` are the lines of that gate; those of the others, before
    /// and after it, are what is said of gates that pass.
    pub fn of_gate(name: &'static str, kind: GateKind, job: GateJob, said: &[impl AsRef<str>]) -> Self {
        let failed = said.last().is_some_and(|line| line.as_ref().contains(": failed"));
        let mut all = vec!["Upgrading from 18.9.2 to 18.11.0".to_owned()];
        for step in [GateKind::Pre, GateKind::Full, GateKind::Wait] {
            if step == kind {
                all.extend(said.iter().map(|line| line.as_ref().to_owned()));
                if failed {
                    all.push(format!("Failed at {} (job/gitlab-migrations-{{hash}}{})", title(step), step.suffix()));
                    break;
                }
            } else {
                all.extend(passed(title(step)));
            }
            match step {
                GateKind::Pre => all.extend(passed("Rollout")),
                GateKind::Full => all.extend(passed("Final rollout")),
                GateKind::Wait => all.push("Settled at 18.11.0".into()),
            }
        }
        let code = i32::from(failed);
        Self { name, hops: &["18.11.0"], gates: vec![(kind, job)], said: all, code }
    }

    /// The Job of a gate.
    pub fn gate(&self, kind: GateKind) -> GateJob {
        let found = self.gates.iter().find(|(of, _)| *of == kind).map(|(_, job)| job.clone());
        found.unwrap_or_else(|| if kind == GateKind::Wait { waiting() } else { GateJob::passing() })
    }
}

/// What is said of a step that passes.
pub fn passed(title: &str) -> [String; 2] {
    [format!("{title}: running"), format!("{title}: done")]
}

/// What is said of a gate when so many of its runs have failed, the last of them for that reason.
pub fn retrying(gate: GateKind, failed: u32, limit: u32, why: &str) -> String {
    let left = if failed == limit { "none".into() } else { (limit - failed).to_string() };
    format!("{}: retrying, {failed} of {limit} failed, {left} left: {why}", title(gate))
}

/// What a gate is called.
pub fn title(kind: GateKind) -> &'static str {
    match kind {
        GateKind::Pre => "Pre-deployment migrations",
        GateKind::Full => "Full migrations",
        GateKind::Wait => "Background migrations",
    }
}

/// A wait for batched background migrations that drain.
fn waiting() -> GateJob {
    GateJob::of(
        "for n in 12 5; do echo \"batched background migrations still pending: $n\"; sleep 1; done
echo \"no batched background migrations pending\"",
    )
}
