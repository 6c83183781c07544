//! `GluesyncPlatform`, the platform of Gluesync under its operator.
//!
//! The page that tells of it names a few fields and no schema: where what it tells of must stand in one that it does not
//! name, every plausible name is read. Any field may be absent, and none of another type fails the object.
//!
//! | file | holds |
//! |---|---|
//! | `attempt` | an update that has ended, and the results of its components |
//! | `under_way` | an update that runs |
//! | `lenient` | fields that go by several names; maps that may be lists |

mod attempt;
mod lenient;
mod under_way;

use std::collections::BTreeMap;

use serde_json::Value;

pub use attempt::{ComponentResult, ResultWord, UpdateAttempt, UpdateResult};
pub use under_way::{UpdateStep, UpdateUnderWay};

use self::lenient::{entries, first, seconds, told};
use super::meta::{Condition, Meta};
use super::read;

/// A Gluesync platform under its operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GluesyncPlatform {
    /// Its metadata.
    pub meta: Meta,
    /// `spec.version`: the version it is to have.
    pub version: Option<String>,
    /// `spec.modules`: versions that are pinned, by the module's name.
    pub pins: BTreeMap<String, String>,
    /// `spec.updatePolicy`: with `gitops`, Git alone changes the spec.
    pub update_policy: Option<String>,
    /// `spec.selfUpdate.enabled`; true where the spec leaves it out.
    pub self_update: bool,
    /// `spec.maintenance.drainTimeoutSeconds`; 600 where the spec leaves it out.
    pub drain_seconds: i64,
    /// `spec.stability.windowSeconds`; 20 where the spec leaves it out.
    pub window_seconds: i64,
    /// `spec.stability.maxWaitSeconds`; 180 where the spec leaves it out.
    pub max_wait_seconds: i64,
    /// The version that the status says it has.
    pub current_version: Option<String>,
    /// The generation of the spec that the status speaks of, where it tells that.
    pub observed_generation: Option<i64>,
    /// `status.update`: the update that runs.
    pub update: Option<Box<UpdateUnderWay>>,
    /// `status.lastAttempt`: the update that ended last.
    pub last_attempt: Option<Box<UpdateAttempt>>,
    /// `status.history`: updates that ended, as they stand there.
    pub history: Vec<UpdateAttempt>,
    /// `status.conditions`.
    pub conditions: Vec<Condition>,
}

impl GluesyncPlatform {
    pub(crate) fn read(object: &Value) -> Option<Self> {
        let spec = |path: &[&str]| path.iter().try_fold(read::at(object, &["spec"])?, |value, key| value.get(key));
        let status = read::at(object, &["status"]).unwrap_or(&Value::Null);
        let modules = spec(&["modules"]).map(entries).unwrap_or_default();
        let pin = |(name, value): (String, &Value)| {
            Some((name, told(value, &["version", "tag", "pin", "image"])?)).filter(|(name, _)| !name.is_empty())
        };
        let within = |path: &[&str], default| spec(path).and_then(seconds).unwrap_or(default);
        Some(Self {
            meta: Meta::read(object)?,
            version: read::text(object, &["spec", "version"]),
            pins: modules.into_iter().filter_map(pin).collect(),
            update_policy: read::text(object, &["spec", "updatePolicy"]),
            self_update: read::flag(object, &["spec", "selfUpdate", "enabled"]).unwrap_or(true),
            drain_seconds: within(&["maintenance", "drainTimeoutSeconds"], 600),
            window_seconds: within(&["stability", "windowSeconds"], 20),
            max_wait_seconds: within(&["stability", "maxWaitSeconds"], 180),
            current_version: first(status, &["version", "currentVersion", "coreHubVersion", "installedVersion"]),
            observed_generation: read::number(status, &["observedGeneration"]),
            update: read::at(status, &["update"]).and_then(UpdateUnderWay::read).map(Box::new),
            last_attempt: read::at(status, &["lastAttempt"]).and_then(UpdateAttempt::read).map(Box::new),
            history: read::at(status, &["history"]).map(history).unwrap_or_default(),
            conditions: Condition::read_all(object),
        })
    }

    /// Whether Git alone changes the spec.
    pub fn by_git(&self) -> bool {
        self.update_policy.as_deref().is_some_and(|policy| policy.eq_ignore_ascii_case("gitops"))
    }
}

/// The attempts of a history, oldest first where all of them have a time.
fn history(value: &Value) -> Vec<UpdateAttempt> {
    let mut attempts: Vec<_> = entries(value).into_iter().filter_map(|(_, value)| UpdateAttempt::read(value)).collect();
    let when = |attempt: &UpdateAttempt| attempt.ended.or(attempt.started);
    if attempts.iter().all(|attempt| when(attempt).is_some()) {
        attempts.sort_by_key(when);
    }
    attempts
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn platform(spec: Value, status: Value) -> GluesyncPlatform {
        let meta = json!({"name": "gluesync", "namespace": "gluesync-dev", "uid": "p", "generation": 3});
        GluesyncPlatform::read(&json!({"metadata": meta, "spec": spec, "status": status})).unwrap()
    }

    #[test]
    fn a_platform_of_which_nothing_is_told_has_the_defaults_of_the_page() {
        for nothing in [json!({}), Value::Null, json!("?"), json!([1, 2])] {
            let read = platform(nothing.clone(), nothing);
            assert_eq!((read.drain_seconds, read.window_seconds, read.max_wait_seconds), (600, 20, 180));
            assert_eq!((read.update, read.last_attempt, read.history.len()), (None, None, 0));
            assert!(read.self_update && read.pins.is_empty() && read.version.is_none());
        }
    }

    #[test]
    fn what_the_spec_says_is_taken_in_whatever_form() {
        let read = platform(
            json!({"version": "2.3.2.2", "modules": {"kafka": "1.4", "mssql": {"version": 2}}, "updatePolicy": "gitops",
                "maintenance": {"drainTimeoutSeconds": "90"}, "stability": {"windowSeconds": 5, "maxWaitSeconds": "2m"},
                "selfUpdate": {"enabled": false}}),
            json!({}),
        );
        assert_eq!((read.drain_seconds, read.window_seconds, read.max_wait_seconds), (90, 5, 120));
        assert_eq!(
            read.pins.into_iter().collect::<Vec<_>>(),
            [("kafka".into(), "1.4".into()), ("mssql".into(), "2".into())]
        );
        assert!(!read.self_update && read.update_policy.as_deref() == Some("gitops"));
        let list =
            platform(json!({"modules": [{"name": "kafka", "version": "1.4"}, {"tag": "nameless"}, 7]}), json!({}));
        assert_eq!(list.pins.into_iter().collect::<Vec<_>>(), [("kafka".into(), "1.4".into())]);
        let absurd = platform(json!({"stability": {"windowSeconds": -5, "maxWaitSeconds": 1e300}}), json!({}));
        assert_eq!(absurd.window_seconds, 0);
        assert!(absurd.max_wait_seconds <= 366 * 24 * 3600);
    }

    #[test]
    fn a_history_is_told_oldest_first_where_it_has_times() {
        let ended = |time: &str| json!({"result": "Succeeded", "finishedAt": time});
        let read =
            platform(json!({}), json!({"history": [ended("2026-11-29T15:00:00Z"), ended("2026-11-28T15:00:00Z")]}));
        assert!(read.history.is_sorted_by_key(|attempt| attempt.ended) && read.history.len() == 2);
    }
}
