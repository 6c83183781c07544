//! `GitLabCore`, as either build of the operator writes it.

use serde_json::Value;

use super::meta::{Condition, Meta, condition};
use super::read;

/// A GitLab instance under the operator. Older builds name chart versions, newer ones GitLab versions; every field can
/// be absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitLabCore {
    /// Its metadata.
    pub meta: Meta,
    /// The version the spec asks for, where it names one: `spec.chart.version` of older builds, a `Static` version,
    /// version reference or chart version of newer ones.
    pub wanted: Option<String>,
    /// Whether the spec skips the third gate (`spec.upgrade.skipBatchedMigrationCheck`).
    pub skips_wait: bool,
    /// `status.phase`: `Preparing`, `Upgrading`, `Running` or `Failed`, or what a later build may say.
    pub phase: Option<String>,
    /// `status.version`, the version deployed.
    pub version: Option<String>,
    /// `status.targetVersion` of newer builds.
    pub target: Option<String>,
    /// `status.upgradeVersions` of newer builds: the hops of this upgrade, in their order.
    pub hops: Vec<String>,
    /// Every version that may name a Job of the current hop, in no order: all of the above, chart versions, and the two
    /// in the message of `Upgradeable` ("upgrading toward 10.3.0, next 10.2.0").
    pub versions: Vec<String>,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
}

impl GitLabCore {
    pub(crate) fn read(object: &Value) -> Option<Self> {
        let meta = Meta::read(object)?;
        let conditions = Condition::read_all(object);
        let wanted = wanted(object);
        let version = read::text(object, &["status", "version"]);
        let target = read::text(object, &["status", "targetVersion"]);
        let hops = read::texts(object, &["status", "upgradeVersions"]);
        let mut versions = hops.clone();
        versions.extend(target.clone());
        versions.extend(wanted.clone());
        versions.extend(version.clone());
        for field in ["targetChartVersion", "chartVersion", "gitlabVersion"] {
            versions.extend(read::text(object, &["status", field]));
        }
        for condition in conditions.iter().filter(|condition| condition.kind == "Upgradeable") {
            versions.extend(versions_in(&condition.message));
        }
        versions.sort();
        versions.dedup();
        Some(Self {
            skips_wait: read::flag(object, &["spec", "upgrade", "skipBatchedMigrationCheck"]).unwrap_or(false),
            phase: read::text(object, &["status", "phase"]),
            meta,
            wanted,
            version,
            target,
            hops,
            versions,
            conditions,
        })
    }
}

impl GitLabCore {
    /// The condition in which the operator tells of its progress.
    pub fn progressing(&self) -> Option<&Condition> {
        condition(&self.conditions, "Progressing")
    }

    /// Whether a condition of it speaks of the present spec, or does not tell of which.
    pub fn is_current(&self, condition: &Condition) -> bool {
        condition.observed_generation.is_none_or(|observed| observed >= self.meta.generation)
    }
}

/// The version a spec names. A type that lets the operator choose (`Latest`, `Patch`, …) names none.
fn wanted(object: &Value) -> Option<String> {
    read::text(object, &["spec", "chart", "version"]).or_else(|| {
        let version = read::at(object, &["spec", "version"])?;
        let inside = read::at(version, &["static"]).unwrap_or(version);
        ["version", "versionRef", "chartVersion"].iter().find_map(|field| read::text(inside, &[field]))
    })
}

/// The words of a message that look like versions.
fn versions_in(message: &str) -> impl Iterator<Item = String> {
    message
        .split(|character: char| character.is_whitespace() || character == ',')
        .map(|word| word.trim_matches(|character: char| !character.is_ascii_alphanumeric()))
        .filter(|word| word.split('.').count() >= 3 && word.starts_with(|first: char| first.is_ascii_digit()))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_builds_name_the_version_they_want() {
        let older = json!({"metadata": {"name": "gitlab"}, "spec": {"chart": {"version": "10.3.0"}}});
        let newer = json!({"metadata": {"name": "gitlab"}, "spec": {"version": {"type": "Static", "static": {"version": "18.11.0"}}}});
        let flat =
            json!({"metadata": {"name": "gitlab"}, "spec": {"version": {"type": "Static", "version": "18.11.0"}}});
        let latest = json!({"metadata": {"name": "gitlab"}, "spec": {"version": {"type": "Latest", "major": 18}}});
        assert_eq!(GitLabCore::read(&older).unwrap().wanted.as_deref(), Some("10.3.0"));
        assert_eq!(GitLabCore::read(&newer).unwrap().wanted.as_deref(), Some("18.11.0"));
        assert_eq!(GitLabCore::read(&flat).unwrap().wanted.as_deref(), Some("18.11.0"));
        assert_eq!(GitLabCore::read(&latest).unwrap().wanted, None);
    }

    #[test]
    fn the_message_of_upgradeable_names_the_next_hop() {
        let core = json!({"metadata": {"name": "gitlab"}, "status": {"conditions": [
            {"type": "Upgradeable", "status": "True", "reason": "UpgradePathValid", "message": "upgrading toward 10.3.0, next 10.2.0."}]}});
        assert_eq!(GitLabCore::read(&core).unwrap().versions, ["10.2.0", "10.3.0"]);
    }
}
