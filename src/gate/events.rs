//! What controllers and kubelets said of a Job or a Deployment and its pods, as far as it is worth showing.

use crate::cluster::{Event, Uid, World};

/// The events about those objects that are worth showing, each said once, oldest first.
pub fn events_about<'a>(objects: impl IntoIterator<Item = &'a Uid>, world: &'a World) -> Vec<Event> {
    let mut events: Vec<&Event> = objects.into_iter().flat_map(|uid| world.events_about(uid)).collect();
    events.retain(|event| worth_showing(event));
    events.sort_by_key(|event| (event.last, &event.meta.uid));
    let mut told: Vec<Event> = Vec::new();
    for event in events {
        match told.iter_mut().find(|earlier| same(earlier, event)) {
            Some(earlier) => {
                earlier.count = earlier.count.saturating_add(event.count);
                earlier.first = [earlier.first, event.first].into_iter().flatten().min();
                earlier.last = earlier.last.max(event.last);
            }
            None => told.push(event.clone()),
        }
    }
    told.sort_by_key(|event| event.last);
    told
}

/// Whether the same is said of the same object. The API server begins a new event after an hour, and a kubelet after its
/// restart.
fn same(one: &Event, other: &Event) -> bool {
    one.about == other.about && one.reason == other.reason && one.message == other.message
}

/// Events that say something about attempts or replicas and what hinders them.
fn worth_showing(event: &Event) -> bool {
    event.warning
        || matches!(
            event.reason.as_str(),
            "SuccessfulCreate"
                | "SuccessfulDelete"
                | "Killing"
                | "BackOff"
                | "Preempted"
                | "Suspended"
                | "Resumed"
                | "Completed"
                | "ScalingReplicaSet"
        )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::fixture::{Cluster, at, event, job, pod, running, with};

    fn told(events: impl IntoIterator<Item = Value>) -> Vec<(String, u32, i64, i64)> {
        let objects = [job(), pod("a", 0, json!({"state": running(2)}))];
        let job = Cluster::of(objects.into_iter().chain(events)).gate().job.unwrap();
        let seconds = |time: Option<jiff::Timestamp>| time.unwrap().duration_since(at(0)).as_secs();
        let of = |event: &crate::cluster::Event| {
            (event.reason.clone(), event.count, seconds(event.first), seconds(event.last))
        };
        job.events.iter().map(of).collect()
    }

    #[test]
    fn what_is_said_again_of_the_same_object_is_one_event_with_its_first_and_its_last_time() {
        let again = with(event("a", "BackOff", "Back-off", 90), json!({"count": 4, "firstTimestamp": at(60)}));
        let events = [event("a", "BackOff", "Back-off", 9), again, event("a", "FailedMount", "no", 30)];
        assert_eq!(told(events), [("FailedMount".into(), 1, 30, 30), ("BackOff".into(), 5, 9, 90)]);
    }

    #[test]
    fn another_message_or_another_object_is_another_event() {
        let of_job =
            json!({"involvedObject": {"kind": "Job", "name": "mig", "uid": "job-1"}, "metadata": {"uid": "x"}});
        let events = [
            event("a", "BackOff", "one", 1),
            event("a", "BackOff", "two", 2),
            with(event("a", "BackOff", "one", 3), of_job),
        ];
        assert_eq!(told(events).len(), 3);
    }

    #[test]
    fn what_says_nothing_of_attempts_is_left_out() {
        let normal = |reason: &str| with(event("a", reason, "", 1), json!({"type": "Normal"}));
        assert_eq!(told(["Scheduled", "Pulled", "Created", "Started"].map(normal)), []);
        assert_eq!(told([normal("Killing")]).len(), 1);
    }

    #[test]
    fn events_of_others_are_not_shown() {
        assert_eq!(told([event("b", "BackOff", "", 1)]), []);
    }
}
