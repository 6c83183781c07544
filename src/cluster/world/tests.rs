use serde_json::json;

use super::*;
use crate::fixture::{Cluster, at, ended, event, job, pod, running, with};

fn job_pods(cluster: &Cluster) -> Vec<(String, bool)> {
    let uid = Uid("job-1".into());
    cluster.world.pods_of(&uid).map(|record| (record.pod.meta.name.clone(), record.gone)).collect()
}

#[test]
fn a_relist_buries_what_it_lacks_and_keeps_what_was_seen_of_it() {
    let failed = json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)});
    let mut cluster = Cluster::of([job(), pod("a", 0, failed), pod("b", 30, json!({"state": running(31)}))]);
    cluster.replace(Kind::Pod, [pod("b", 30, json!({"state": running(31)}))]);
    assert_eq!(job_pods(&cluster), [("a".into(), true), ("b".into(), false)]);
    let uid = Uid("job-1".into());
    assert_eq!(cluster.world.pods_of(&uid).map(|record| record.runs.len()).sum::<usize>(), 3);
}

#[test]
fn a_relist_of_one_kind_leaves_the_others() {
    let mut cluster = Cluster::of([job(), pod("a", 0, json!({"state": running(2)}))]);
    cluster.replace(Kind::Job, [job()]);
    assert_eq!(job_pods(&cluster), [("a".into(), false)]);
}

#[test]
fn a_pod_is_matched_by_the_uid_of_its_owner_and_not_by_name() {
    let orphan = with(pod("a", 0, json!({"state": running(2)})), json!({"metadata": {"ownerReferences": null}}));
    assert_eq!(job_pods(&Cluster::of([job(), orphan])), []);
}

#[test]
fn a_pod_that_its_job_disowned_as_it_was_deleted_stays_what_the_job_went_through() {
    let runs = || pod("a", 0, json!({"state": running(2)}));
    let disowned = || with(runs(), json!({"metadata": {"ownerReferences": null}}));
    let mut cluster = Cluster::of([job(), runs(), disowned()]);
    assert_eq!(job_pods(&cluster), [("a".into(), false)]);
    cluster.delete(disowned());
    assert_eq!(job_pods(&cluster), [("a".into(), true)]);
}

#[test]
fn the_first_deletion_seen_stays() {
    let deleted = |deletion: i64, grace: i64| {
        let metadata = json!({"metadata": {"deletionTimestamp": at(deletion), "deletionGracePeriodSeconds": grace}});
        with(pod("a", 0, json!({"state": running(2)})), metadata)
    };
    let mut cluster = Cluster::of([job(), deleted(50, 40)]);
    cluster.delete(deleted(48, 0));
    let uid = Uid("job-1".into());
    let requested: Vec<_> = cluster.world.pods_of(&uid).map(|record| record.deletion_requested).collect();
    assert_eq!(requested, [Some(at(10))]);
}

#[test]
fn a_relist_of_events_about_one_object_leaves_the_others() {
    let mut world = Cluster::of([event("a", "BackOff", "", 1), event("b", "BackOff", "", 1)]).world;
    let about = |name: &str| Uid(name.to_owned());
    let change = Change::Replaced { kind: Kind::Event, scope: Scope::About(about("a")), objects: Vec::new() };
    world.apply(ClusterEvent { cluster: None, time: at(2), change });
    assert_eq!((world.events_about(&about("a")).count(), world.events_about(&about("b")).count()), (0, 1));
}

#[test]
fn the_origin_of_an_upgrade_outlives_its_first_hop() {
    let core = |version: &str, target: &str| {
        json!({"kind": "GitLabCore", "metadata": {"name": "gitlab", "uid": "core-1"},
            "spec": {"chart": {"version": target}}, "status": {"version": version}})
    };
    let mut cluster = Cluster::of([core("1.0.0", "1.0.0"), core("1.0.0", "3.0.0"), core("2.0.0", "3.0.0")]);
    assert_eq!(cluster.world.origin(&Uid("core-1".into())), Some("1.0.0"));
    cluster.apply(core("3.0.0", "4.0.0"));
    assert_eq!(cluster.world.origin(&Uid("core-1".into())), Some("3.0.0"));
}

#[test]
fn the_origin_of_an_upgrade_is_the_first_version_that_was_told() {
    let core = |status: serde_json::Value| {
        json!({"kind": "GitLabCore", "metadata": {"name": "gitlab", "uid": "core-1"},
            "spec": {"chart": {"version": "3.0.0"}}, "status": status})
    };
    let cluster = Cluster::of([core(json!({})), core(json!({"version": "1.0.0"})), core(json!({"version": "2.0.0"}))]);
    assert_eq!(cluster.world.origin(&Uid("core-1".into())), Some("1.0.0"));
}

#[test]
fn a_pod_of_a_job_is_remembered_and_another_is_not() {
    let labelled = |labels: serde_json::Value| {
        let mut pod = pod("a", 0, json!({"state": running(2)}));
        pod["metadata"]["labels"] = labels;
        let mut cluster = Cluster::of([job(), pod.clone()]);
        cluster.delete(pod);
        job_pods(&cluster).len()
    };
    let known = ["batch.kubernetes.io/job-name", "job-name"].map(|label| labelled(json!({label: "mig"})));
    assert_eq!((known, labelled(json!({"app": "migrations"}))), ([1, 1], 0));
}

#[test]
fn what_the_server_wrote_is_kept_of_what_a_run_is_made_of_alone() {
    let event = event("a", "BackOff", "", 1);
    let [job, event] = [job(), event].map(|value| Object::read(&value).unwrap().whole(&value));
    let mut world = World::default();
    for object in [job, event] {
        world.apply(ClusterEvent { cluster: None, time: at(0), change: Change::Applied(Box::new(object)) });
    }
    assert!(world.jobs().all(|record| record.job.meta.manifest.object().is_some()));
    let about = Uid("a".into());
    let mut events = world.events_about(&about);
    assert!(events.next().is_some_and(|event| event.meta.manifest.object().is_none()));
}

#[test]
fn the_events_about_a_job_go_with_what_is_remembered_of_it() {
    let named = |number: i64| with(job(), json!({"metadata": {"name": "mig", "uid": format!("job-{number}")}}));
    let mut cluster = Cluster::of([event("job-0", "BackoffLimitExceeded", "", 1)]);
    (0..=MOST_GONE as i64).for_each(|number| cluster.delete(named(number)));
    assert_eq!((cluster.world.jobs().count(), cluster.world.events.len()), (MOST_GONE, 0));
}

#[test]
fn what_is_gone_is_remembered_only_so_long() {
    let mut cluster = Cluster::of([job()]);
    for number in 0..=MOST_GONE as i64 {
        cluster.delete(pod(&format!("pod-{number}"), number, json!({"state": running(number)})));
    }
    let names = job_pods(&cluster);
    assert_eq!(names.len(), MOST_GONE);
    assert!(!names.iter().any(|(name, _)| name == "pod-0"));
}

#[test]
fn of_what_is_gone_and_not_remembered_nothing_is_left_whether_it_was_deleted_or_a_relist_lacks_it() {
    let labelled = |kind: &str| {
        json!({"kind": kind, "metadata": {"name": "a", "uid": "a", "labels": {"com.molo17.conductor.type": "core-hub"}},
            "spec": {"template": {"spec": {"containers": [{"name": "a", "image": "r.io/a:1"}]}}},
            "status": {"version": "1.0.0", "update": {}}})
    };
    let replica = with(pod("a", 0, json!({"state": running(2)})), json!({"metadata": {"labels": null}}));
    let kinds = [Kind::GitLabCore, Kind::Deployment, Kind::StatefulSet, Kind::DaemonSet, Kind::GluesyncPlatform];
    let objects = kinds.map(|kind| (kind, labelled(kind.name()))).into_iter().chain([(Kind::Pod, replica)]);
    for (kind, object) in objects {
        let world_of = |gone: &dyn Fn(&mut Cluster)| {
            let mut cluster = Cluster::of([object.clone(), event("a", "BackOff", "", 1)]);
            gone(&mut cluster);
            World { listed: BTreeSet::new(), feed: Feed::default(), time: None, ..cluster.world }
        };
        assert_ne!(world_of(&|_| {}), World::default());
        assert_eq!(world_of(&|cluster| cluster.delete(object.clone())), World::default(), "{kind} is deleted");
        assert_eq!(world_of(&|cluster| cluster.replace(kind, [])), World::default(), "a relist lacks {kind}");
    }
}
