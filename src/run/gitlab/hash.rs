//! The names that the operator gives to the Jobs of a hop.

use crate::cluster::{Job, Uid};
use crate::run::StepId;

/// The hash in the names of a hop's Jobs: FNV-1a (32 bit) of `<uid>-<generation>-<hop version>`, as eight hex digits. A
/// change of the spec or a new hop so names new Jobs, and older ones stay behind.
pub(super) fn job_hash(uid: &Uid, generation: i64, version: &str) -> u32 {
    let text = format!("{uid}-{generation}-{version}");
    text.bytes().fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The gate and the hash that a Job's name tells: `<base>-<hash>`, with `-pre` or `-bbm` behind it. `None` for a Job that
/// is named otherwise, as one left from an install is.
pub(super) fn named(job: &Job) -> Option<(StepId, u32)> {
    let name = job.meta.name.as_str();
    let (rest, step) = match name.rsplit_once('-') {
        Some((rest, "pre")) => (rest, StepId::PreMigrations),
        Some((rest, "bbm")) => (rest, StepId::BatchedMigrations),
        _ => (name, StepId::PostMigrations),
    };
    let (_, hash) = rest.rsplit_once('-')?;
    let digits = hash.len() == 8 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    digits.then(|| u32::from_str_radix(hash, 16).ok()).flatten().map(|hash| (step, hash))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cluster::Object;

    fn job(name: &str) -> Job {
        match Object::read(&json!({"kind": "Job", "metadata": {"name": name}})) {
            Ok(Object::Job(job)) => job,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_hash_is_that_of_the_operator() {
        // From a recorded upgrade: the instance's uid, its generation 2, and the name of its Jobs.
        let uid = Uid("ab5f0552-50bb-48da-bf7b-6ac9404bc51f".into());
        assert_eq!(job_hash(&uid, 2, "18.11.0"), 0x6da3_b811);
    }

    #[test]
    fn a_name_tells_its_gate() {
        assert_eq!(named(&job("gitlab-migrations-6da3b811")), Some((StepId::PostMigrations, 0x6da3_b811)));
        assert_eq!(named(&job("gitlab-migrations-6da3b811-pre")), Some((StepId::PreMigrations, 0x6da3_b811)));
        assert_eq!(named(&job("gitlab-migrations-6da3b811-bbm")), Some((StepId::BatchedMigrations, 0x6da3_b811)));
    }

    #[test]
    fn a_leftover_completed_unhashed_job_is_no_gate() {
        assert_eq!(named(&job("gitlab-migrations-1")), None);
        assert_eq!(named(&job("gitlab-migrations-ABCDEF01")), None);
        assert_eq!(named(&job("6da3b811")), None);
    }
}
