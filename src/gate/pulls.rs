//! What was tried to pull an image, and when it is tried again.

use jiff::{SignedDuration, Timestamp};

use super::next::back_off;
use super::start::{about, pull_error};
use crate::cluster::{Container, Event, PodRecord};

/// The kubelet waits 10 s after a pull that failed, then 20 s, 40 s … and at most this long.
const LONGEST: i64 = 300;

/// How long after a pull failed the status may still begin to tell of it: the kubelet writes it when it looks at the pod again
/// (15 s later, seen on a real cluster).
const LAG: SignedDuration = SignedDuration::from_secs(20);

/// What was tried to pull an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pulls {
    /// How often it failed, as far as that was told.
    pub failed: u32,
    /// When it failed last.
    pub last: Timestamp,
    /// When it is tried again.
    pub next: NextPull,
}

/// When an image is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextPull {
    /// It is being pulled.
    UnderWay {
        /// Since when.
        since: Timestamp,
    },
    /// About then: an estimate, which the kubelet exceeds by up to fifteen seconds, as it looks at a pod only so often.
    About(Timestamp),
}

/// What was tried to pull that container's image: by the events about its pod, and by how its status went. A kubelet says
/// so much about one pod and then falls silent but for one event in five minutes, while the status goes on; and where nobody
/// may see events there is the status alone.
pub(super) fn pulls(record: &PodRecord, container: &Container, events: &[&Event]) -> Option<Pulls> {
    let events: Vec<&Event> = events.iter().copied().filter(|event| about(event, container)).collect();
    let named = |event: &&Event| names_image(event, container);
    let failures: Vec<&Event> =
        events.iter().copied().filter(|event| pull_error(event).is_some()).filter(named).collect();
    let told = failures.iter().filter_map(|event| event.last).max();
    let seen = record.failed_pulls(container);
    let after: Vec<Timestamp> =
        seen.iter().copied().filter(|seen| told.is_none_or(|told| seen.duration_since(told) > LAG)).collect();
    let later = u32::try_from(after.len()).unwrap_or(u32::MAX);
    let failed = total(&failures).saturating_add(later).max(u32::try_from(seen.len()).unwrap_or(u32::MAX));
    let last = after.last().copied().or(told)?;
    let pulling = events.iter().filter(|event| event.reason == "Pulling" && named(event));
    let next = match pulling.filter_map(|event| event.last).max().filter(|since| *since > last) {
        Some(since) => NextPull::UnderWay { since },
        None => {
            let in_a_row = since_restart(&failures).saturating_add(later).max(1);
            NextPull::About(last.checked_add(back_off(in_a_row, LONGEST)).ok()?)
        }
    };
    Some(Pulls { failed, last, next })
}

/// Whether an event names that container's image, in quotes: `r.io/a:v1` is also the beginning of `r.io/a:v10`.
pub(super) fn names_image(event: &Event, container: &Container) -> bool {
    event.message.contains(&format!("\"{}\"", container.image))
}

fn total(failures: &[&Event]) -> u32 {
    failures.iter().map(|event| event.count).fold(0, u32::saturating_add)
}

/// How often it failed since the kubelet started, which forgets its back-offs with a restart, and begins an event anew that
/// it had told before.
fn since_restart(failures: &[&Event]) -> u32 {
    let again =
        |event: &&&Event| failures.iter().any(|later| later.message == event.message && later.first > event.last);
    let restarted = failures.iter().filter(again).filter_map(|event| event.last).max();
    let since: Vec<&Event> = failures.iter().copied().filter(|event| event.first > restarted).collect();
    total(&since)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::cluster::{Change, ClusterEvent, Object};
    use crate::fixture::{Cluster, at, event, job, pod, waiting, with};
    use crate::gate::GateState;

    const ERROR: &str = "dial tcp 127.0.0.1:5999: connect: connection refused";

    /// The events that tell of pulls that failed so, the first at that second and the last at that one.
    fn failed(error: &str, first: i64, last: i64, count: u32) -> Value {
        let message = format!("Failed to pull image \"r.io/a:v1\": {error}");
        with(event("a", "Failed", &message, first), json!({"count": count, "lastTimestamp": at(last)}))
    }

    fn pulling(last: i64) -> Value {
        with(event("a", "Pulling", "Pulling image \"r.io/a:v1\"", 14), json!({"lastTimestamp": at(last)}))
    }

    fn waits(reason: &str, message: &str) -> Value {
        with(pod("a", 0, json!({"state": waiting(reason, message)})), json!({"status": {"phase": "Pending"}}))
    }

    fn of(cluster: &Cluster) -> Option<Pulls> {
        match cluster.gate().state {
            GateState::Blocked(fault) => fault.pulls,
            other => panic!("{other:?}"),
        }
    }

    fn by(events: impl IntoIterator<Item = Value>) -> Option<Pulls> {
        of(&Cluster::of([job(), waits("ErrImagePull", ERROR)].into_iter().chain(events)))
    }

    fn pulls(failed: u32, last: i64, next: i64) -> Option<Pulls> {
        Some(Pulls { failed, last: at(last), next: NextPull::About(at(next)) })
    }

    /// As on a real cluster: tried at 14, 24 and 50 seconds.
    #[test]
    fn the_next_try_is_about_as_far_off_as_the_kubelet_backs_off_10_s_doubling_to_300_s() {
        assert_eq!(by([failed(ERROR, 14, 14, 1)]), pulls(1, 14, 24));
        assert_eq!(by([failed(ERROR, 14, 24, 2)]), pulls(2, 24, 44));
        assert_eq!(by([failed(ERROR, 14, 50, 3)]), pulls(3, 50, 90));
        assert_eq!(by([failed(ERROR, 14, 1000, 5)]), pulls(5, 1000, 1160));
        assert_eq!(by([failed(ERROR, 14, 2000, 99)]), pulls(99, 2000, 2300));
    }

    #[test]
    fn a_pull_that_is_told_after_the_last_failure_is_under_way() {
        let told = by([failed(ERROR, 14, 24, 2), pulling(24)]);
        assert_eq!(told, pulls(2, 24, 44), "it is the one that failed");
        let told = by([failed(ERROR, 14, 24, 2), pulling(50)]);
        assert_eq!(told.map(|pulls| pulls.next), Some(NextPull::UnderWay { since: at(50) }));
    }

    #[test]
    fn errors_in_other_words_and_those_that_the_kubelet_puts_together_are_tries_all_the_same() {
        let combined = with(
            failed("read tcp 10.0.0.2:40312", 60, 90, 2),
            json!({"message": "(combined from similar events): Failed to pull image \"r.io/a:v1\": read tcp 10.0.0.2:1: EOF"}),
        );
        assert_eq!(by([failed(ERROR, 14, 24, 2), combined]).map(|pulls| (pulls.failed, pulls.last)), Some((4, at(90))));
    }

    #[test]
    fn tries_with_another_image_and_of_another_container_are_others() {
        let other = with(failed(ERROR, 60, 60, 9), json!({"message": "Failed to pull image \"r.io/a:v10\": EOF"}));
        let container = with(failed("EOF", 60, 60, 9), json!({"involvedObject": {"fieldPath": "spec.containers{b}"}}));
        assert_eq!(by([failed(ERROR, 14, 24, 2), other, container]), pulls(2, 24, 44));
    }

    #[test]
    fn an_error_of_pulling_an_image_whose_name_begins_alike_is_of_that_one() {
        let fault = |image: &str| {
            let waits = with(
                waits("ImagePullBackOff", "Back-off"),
                json!({"spec": {"containers": [{"name": "migrations", "image": image}]}}),
            );
            match Cluster::of([job(), waits, failed("r.io/a:v1: not found", 14, 14, 1)]).gate().state {
                GateState::Blocked(fault) => (fault.message, fault.permanent),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(fault("r.io/a:v1"), ("r.io/a:v1: not found".into(), true));
        for other in ["r.io/a:v", "r.io/a", ""] {
            assert_eq!(fault(other), ("Back-off".into(), false), "{other}");
        }
    }

    #[test]
    fn after_a_restart_of_the_kubelet_its_back_off_begins_anew_and_the_tries_go_on() {
        let before = failed(ERROR, 14, 400, 6);
        assert_eq!(by([before.clone(), failed(ERROR, 500, 500, 1)]), pulls(7, 500, 510));
        assert_eq!(by([before, failed("EOF", 500, 500, 1)]), pulls(7, 500, 800), "another error is no restart");
    }

    fn see(cluster: &mut Cluster, seconds: i64, reason: &str, message: &str) {
        let object = Object::read(&waits(reason, message)).unwrap();
        cluster.world.apply(ClusterEvent {
            cluster: None,
            time: at(seconds),
            change: Change::Applied(Box::new(object)),
        });
    }

    #[test]
    fn where_the_events_fall_silent_the_status_tells() {
        let mut cluster = Cluster::of([job(), failed(ERROR, 14, 50, 3)]);
        for (seconds, reason) in [(51, "ErrImagePull"), (65, "ImagePullBackOff"), (66, "ImagePullBackOff")] {
            see(&mut cluster, seconds, reason, if reason == "ErrImagePull" { ERROR } else { "Back-off" });
        }
        assert_eq!(of(&cluster), pulls(3, 50, 90), "the status lags behind the event");
        see(&mut cluster, 96, "ErrImagePull", ERROR);
        see(&mut cluster, 97, "ErrImagePull", ERROR);
        assert_eq!(of(&cluster), pulls(4, 96, 176));
        see(&mut cluster, 110, "ImagePullBackOff", "Back-off");
        see(&mut cluster, 180, "ErrImagePull", ERROR);
        assert_eq!(of(&cluster), pulls(5, 180, 340));
    }

    #[test]
    fn where_nobody_may_see_events_the_status_tells_and_where_it_does_not_either_nothing_is_told() {
        let mut cluster = Cluster::of([job()]);
        see(&mut cluster, 20, "ImagePullBackOff", "Back-off pulling image \"r.io/a:v1\"");
        assert_eq!(of(&cluster), None);
        see(&mut cluster, 40, "ErrImagePull", ERROR);
        assert_eq!(of(&cluster), pulls(1, 40, 50));
    }

    #[test]
    fn the_last_real_error_stays_with_its_image_where_a_kubelet_that_restarted_only_says_that_it_backs_off() {
        let mut cluster = Cluster::of([job()]);
        let message = |cluster: &Cluster| match cluster.gate().state {
            GateState::Blocked(fault) => (fault.message, fault.permanent),
            other => panic!("{other:?}"),
        };
        see(&mut cluster, 20, "ErrImagePull", ERROR);
        see(
            &mut cluster,
            35,
            "ImagePullBackOff",
            "Back-off pulling image \"r.io/a:v1\": ErrImagePull: r.io/a:v1: not found",
        );
        let back_off = "Back-off pulling image \"r.io/a:v1\"";
        see(&mut cluster, 50, "ImagePullBackOff", back_off);
        assert_eq!(message(&cluster), ("r.io/a:v1: not found".into(), true));
        let other = json!({"spec": {"containers": [{"name": "migrations", "image": "r.io/a:v2"}]}});
        let other = with(waits("ImagePullBackOff", back_off), other);
        cluster.apply(other);
        assert_eq!(message(&cluster), (back_off.into(), false), "that was another image");
        assert_eq!(of(&cluster), None);
    }

    #[test]
    fn of_a_fault_that_is_no_pull_nothing_is_told() {
        for reason in ["InvalidImageName", "ErrImageNeverPull"] {
            let cluster = Cluster::of([job(), waits(reason, ""), failed(ERROR, 14, 24, 2)]);
            assert_eq!(of(&cluster), None, "{reason}");
        }
    }
}
