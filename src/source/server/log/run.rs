//! Which run's log is asked for, as the API server and the kubelet resolve it, and their words where there is none
//! (`LogLocation` in `pkg/registry/core/pod`, `validateContainerLogStatus` in `pkg/kubelet`).

use serde_json::Value;

use super::super::refusal::Refusal;
use crate::cluster::{RunId, read};

const SPECS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];
const STATUSES: [&str; 3] = ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"];

/// The container of a pod that is meant.
///
/// # Errors
/// A [`Refusal`] if there is no such container, or if there are several and none was named.
pub(super) fn container(name: &str, pod: &Value, asked: Option<&str>) -> Result<String, Refusal> {
    let names = |field: &str| -> Vec<String> {
        let containers = read::list(pod, &["spec", field]).iter();
        containers.filter_map(|container| read::text(container, &["name"])).collect()
    };
    let [main, init, ephemeral] = SPECS.map(names);
    if let Some(asked) = asked {
        let known = main.iter().chain(&init).chain(&ephemeral).any(|known| known == asked);
        let unknown = || Refusal::bad_request(format!("container {asked} is not valid for pod {name}"));
        return known.then(|| asked.to_owned()).ok_or_else(unknown);
    }
    let mut message = format!("a container name must be specified for pod {name}");
    match main.as_slice() {
        [one] => return Ok(one.clone()),
        [] => {}
        several => {
            message += &format!(", choose one of: [{}]", several.join(" "));
            for (names, what) in [(init, "init"), (ephemeral, "debug")] {
                if !names.is_empty() {
                    message += &format!(" or one of the {what} containers: [{}]", names.join(" "));
                }
            }
        }
    }
    Err(Refusal::bad_request(message))
}

/// The run of a container whose log is meant, by the pod's status.
///
/// # Errors
/// The kubelet's words, if there is none.
pub(super) fn resolve(name: &str, pod: &Value, container: &str, previous: bool) -> Result<RunId, String> {
    let mut statuses = STATUSES.into_iter().flat_map(|field| read::list(pod, &["status", field]));
    let status = statuses.find(|status| read::text(status, &["name"]).as_deref() == Some(container));
    let status = status.ok_or_else(|| format!("container {container:?} in pod {name:?} is not available"))?;
    let run = |id: Option<String>| id.map(|id| RunId { container: container.to_owned(), id });
    let last = || run(read::text(status, &["lastState", "terminated", "containerID"]));
    if previous {
        return last().ok_or_else(|| format!("previous terminated container {container:?} in pod {name:?} not found"));
    }
    let there = |path: &[&str]| read::at(status, path).is_some();
    let terminated = || format!("container {container:?} in pod {name:?} is terminated");
    if there(&["state", "running"]) {
        let id = read::text(status, &["containerID"]);
        return run(id)
            .ok_or_else(|| format!("container {container:?} in pod {name:?} is waiting to start - no logs yet"));
    }
    if there(&["state", "terminated"]) {
        let ended = run(read::text(status, &["state", "terminated", "containerID"]));
        return ended.or_else(last).ok_or_else(terminated);
    }
    if there(&["lastState", "terminated"]) {
        return last().ok_or_else(terminated);
    }
    let waits = match read::text(status, &["state", "waiting", "reason"]).as_deref() {
        Some("ErrImagePull") => ": image can't be pulled".to_owned(),
        Some("ImagePullBackOff") => ": trying and failing to pull image".to_owned(),
        Some(reason) => format!(": {reason}"),
        None if there(&["state", "waiting"]) => ": ".to_owned(),
        None => " - no logs yet".to_owned(),
    };
    Err(format!("container {container:?} in pod {name:?} is waiting to start{waits}"))
}

/// Whether that run of a container is the one that runs.
pub(super) fn runs(pod: &Value, run: &RunId) -> bool {
    let mut statuses = STATUSES.into_iter().flat_map(|field| read::list(pod, &["status", field]));
    statuses.any(|status| {
        read::text(status, &["name"]).as_ref() == Some(&run.container)
            && read::at(status, &["state", "running"]).is_some()
            && read::text(status, &["containerID"]).as_ref() == Some(&run.id)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fixture::{ended, pod, running, waiting, with};

    fn resolved(main: Value, previous: bool) -> Result<String, String> {
        resolve("p", &pod("p", 0, main), "migrations", previous).map(|run| run.id.replace("containerd://", ""))
    }

    #[test]
    fn the_current_run_runs_or_ended_last_and_the_previous_is_the_one_before() {
        // `ended` names a run by the second it started in.
        let first = json!({"state": running(2), "containerID": "containerd://2"});
        assert_eq!(resolved(first.clone(), false), Ok("2".into()));
        let none = "previous terminated container \"migrations\" in pod \"p\" not found";
        assert_eq!(resolved(first, true), Err(none.into()));
        let second = json!({"state": ended(1, 20, 25), "lastState": ended(1, 2, 9)});
        assert_eq!((resolved(second.clone(), false), resolved(second, true)), (Ok("20".into()), Ok("2".into())));
        let waits = json!({"state": waiting("CrashLoopBackOff", ""), "lastState": ended(1, 20, 25)});
        assert_eq!((resolved(waits.clone(), false), resolved(waits, true)), (Ok("20".into()), Ok("20".into())));
        let unstarted = json!({"state": {"terminated": {"exitCode": 128}}, "lastState": ended(1, 2, 9)});
        assert_eq!(resolved(unstarted, false), Ok("2".into()));
    }

    #[test]
    fn a_container_that_has_not_started_says_what_it_waits_for() {
        let says = |state: Value| resolved(json!({"state": state}), false).unwrap_err();
        for (reason, expected) in [
            ("PodInitializing", "PodInitializing"),
            ("ErrImagePull", "image can't be pulled"),
            ("ImagePullBackOff", "trying and failing to pull image"),
            ("CreateContainerConfigError", "CreateContainerConfigError"),
        ] {
            let expected = format!("container \"migrations\" in pod \"p\" is waiting to start: {expected}");
            assert_eq!(says(waiting(reason, "")), expected);
        }
        let never = json!({"terminated": {"exitCode": 137, "reason": "ContainerStatusUnknown"}});
        assert_eq!(says(never), "container \"migrations\" in pod \"p\" is terminated");
        let unknown = with(pod("p", 0, json!({})), json!({"status": {"containerStatuses": []}}));
        let error = resolve("p", &unknown, "migrations", false).unwrap_err();
        assert_eq!(error, "container \"migrations\" in pod \"p\" is not available");
    }

    #[test]
    fn a_container_is_named_where_there_are_several() {
        let says = |spec: Value, asked: Option<&str>| {
            container("p", &json!({"spec": spec}), asked).map_err(|refusal| refusal.object()["message"].clone())
        };
        let one = || json!({"containers": [{"name": "a"}], "initContainers": [{"name": "i"}]});
        assert_eq!((says(one(), None), says(one(), Some("i"))), (Ok("a".into()), Ok("i".into())));
        assert_eq!(says(one(), Some("x")), Err("container x is not valid for pod p".into()));
        let two = json!({"containers": [{"name": "a"}, {"name": "b"}], "initContainers": [{"name": "i"}]});
        let expected =
            "a container name must be specified for pod p, choose one of: [a b] or one of the init containers: [i]";
        assert_eq!(says(two, None), Err(expected.into()));
        assert_eq!(says(json!({}), None), Err("a container name must be specified for pod p".into()));
    }
}
