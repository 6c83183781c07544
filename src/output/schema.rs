//! The documents held against the schema that is published, in both directions, on a run in every state.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{ChangeReport, StatusList};
use crate::cluster::{Change, ClusterEvent, Kind, UpdateStep, WatchState, World};
use crate::gate::{Ending, Failure, Gate, GateState, LastFailure, Target, Unseen};
use crate::run::{
    HookDeletion, MadeBy, RolloutState, Run, Source, Step, StepBody, StepId, UnseenDeployments, changes, feed_change,
    sample,
};

fn schema() -> Value {
    serde_json::from_str(include_str!("../../assets/report.schema.json")).unwrap()
}

/// The schema as it is, but that an object may hold nothing it does not name.
fn strict() -> Value {
    let mut schema = schema();
    for (_, definition) in schema["$defs"].as_object_mut().unwrap() {
        if definition["type"] == "object" {
            definition["additionalProperties"] = json!(false);
        }
    }
    schema
}

/// A run in every state of a gate and of a rollout, one after the other.
fn runs() -> Vec<Run> {
    let fault = sample::image_fault();
    let gates = [
        sample::gate(GateState::Running { finishing: false }, 0),
        sample::gate(GateState::Blocked(fault.clone()), 1),
        sample::gate(GateState::Retrying { next_restart: Some(sample::time("15:21:00")) }, 3),
        sample::gate(GateState::Failing(sample::exhausted()), 6),
        sample::gate(GateState::Failed(sample::exhausted()), 6),
        sample::gate(GateState::Suspended, 0),
        sample::gate(GateState::Done, 2),
        Gate::without_job(GateState::Pending),
        Gate::without_job(GateState::Skipped),
        Gate::without_job(GateState::Unknown(Unseen::Forbidden)),
        lost(),
        evicted(),
        logged(),
        waiting(&[41, 20, 12]),
        waiting(&[7, 7, 7]),
        waiting(&[7, 8, 9]),
        waiting(&[1, 0, 0]),
        sample::policed(),
        sample::failed_by_policy(),
        sample::managed(),
    ];
    let unknown = RolloutState::Unknown(UnseenDeployments::Absent);
    let blocked = RolloutState::Blocked { workload: "gitlab-sidekiq".into(), message: "timed out".into() };
    let rollouts = [RolloutState::Pending, RolloutState::Running, blocked, RolloutState::Done, unknown].into_iter();
    let with = |index: usize, body: StepBody| {
        let mut run = sample::run();
        run.steps[index].body = body;
        run
    };
    let gates = gates.into_iter().map(|gate| with(2, StepBody::Gate(Box::new(gate))));
    let rollouts = rollouts.map(sample::rollout).chain([sample::stuck_rollout()]);
    let jobs = made_by().map(|made_by| Run { made_by: Some(made_by), ..sample::job_run(sample::indexed()) });
    gates
        .chain(rollouts.map(|rollout| with(1, rollout)))
        .chain([of_stages(), sample::stateful_set()])
        .chain(jobs)
        .collect()
}

/// All that can make a run.
fn made_by() -> [MadeBy; 4] {
    let hooks = vec!["pre-upgrade".to_owned()];
    let deleted = vec![HookDeletion::BeforeNext, HookDeletion::Succeeded, HookDeletion::Failed];
    [
        MadeBy::Helm { release: Some("shop".into()), hooks: hooks.clone(), weight: -5, deleted: deleted.clone() },
        MadeBy::Helm { release: Some("shop".into()), hooks: Vec::new(), weight: 0, deleted: Vec::new() },
        MadeBy::ArgoCd { application: Some("shop".into()), hooks, deleted },
        MadeBy::Owner { kind: "CronJob".into(), name: "backup".into() },
    ]
}

/// A run of stages.
fn of_stages() -> Run {
    let steps = vec![Step { id: StepId::Stage(UpdateStep::Modules), body: StepBody::Stage(Box::new(sample::stage())) }];
    Run { source: Source::GluesyncPlatform, steps, ..sample::run() }
}

/// A gate of whose failure nothing is left.
fn lost() -> Gate {
    let mut gate = sample::gate(GateState::Retrying { next_restart: None }, 1);
    gate.job.as_mut().unwrap().last_failure = Some(LastFailure::Lost);
    gate
}

/// A gate whose pod failed as a whole.
fn evicted() -> Gate {
    let mut gate = sample::gate(GateState::Retrying { next_restart: None }, 1);
    let ending = Ending::Pod { reason: "Evicted".into() };
    gate.job.as_mut().unwrap().last_failure = Some(LastFailure::Known(Failure { ending, ..sample::failure() }));
    gate
}

/// A gate whose last failure was read from its log, and that has a forecast.
fn logged() -> Gate {
    let mut gate = sample::gate(GateState::Retrying { next_restart: None }, 2);
    let job = gate.job.as_mut().unwrap();
    job.last_failure = Some(LastFailure::Known(sample::logged_failure()));
    job.forecast = Some(sample::forecast());
    gate
}

/// A gate that waits for background migrations.
fn waiting(pending: &[u64]) -> Gate {
    let mut gate = sample::gate(GateState::Running { finishing: false }, 0);
    gate.job.as_mut().unwrap().backlog = Some(sample::backlog(pending));
    gate
}

/// Everything that is printed of these runs, in every state of the feed.
fn documents() -> Vec<Value> {
    let target = Target { context: Some("prod".into()), kubeconfig: None };
    let at = sample::time("15:20:24");
    let runs = runs();
    let stale = WatchState::Broken { since: at, error: "connection refused".into() };
    let forbidden = WatchState::Forbidden { message: "no".into(), heard: None };
    let withdrawn = WatchState::Forbidden { message: "no".into(), heard: Some(at) };
    let states =
        [WatchState::Starting, WatchState::Live { since: at }, stale, withdrawn, WatchState::Ended, WatchState::Absent];
    let worlds = states.map(|state| {
        let mut world = World::default();
        let said = [(Kind::Job, state), (Kind::Pod, forbidden.clone())];
        for (kind, state) in said {
            world.apply(ClusterEvent { cluster: None, time: at, change: Change::Watch { kind, state } });
        }
        let ahead = jiff::SignedDuration::from_secs(600);
        world.apply(ClusterEvent { cluster: None, time: at, change: Change::Clock { ahead } });
        world
    });
    let mut several = World::default();
    let live = ClusterEvent::watches([Kind::Job], at, &WatchState::Live { since: at });
    for cluster in ["eu", "us"] {
        let of = live.iter().cloned().map(|event| ClusterEvent { cluster: Some(cluster.into()), ..event });
        of.for_each(|event| several.apply(event));
    }
    let worlds = worlds.into_iter().chain([several]).collect::<Vec<_>>();
    let mut told: Vec<_> = runs
        .windows(2)
        .flat_map(|pair| changes(&pair[..1], &pair[1..], at))
        .chain(changes(&[], &runs[..1], at))
        .chain(changes(&runs[..1], &[], at))
        .collect();
    told.extend(feed_change(None, &worlds[1].feed().state(), &worlds[2].feed().state(), at));
    told.extend(feed_change(None, &worlds[1].feed().state(), &worlds[3].feed().state(), at));
    let lists = worlds.iter().map(|world| serde_json::to_value(StatusList::new(&runs, world.feed(), at, &target)));
    let changes = told.iter().map(|change| serde_json::to_value(ChangeReport::new(change, &target)));
    lists.chain(changes).map(Result::unwrap).collect()
}

#[test]
fn every_document_keeps_the_schema_and_holds_nothing_it_does_not_name() {
    let validator = jsonschema::draft202012::new(&strict()).unwrap();
    for document in documents() {
        if let Err(error) = validator.validate(&document) {
            panic!("{error}\nat {} of {document:#}", error.instance_path());
        }
    }
}

#[test]
fn everything_the_schema_names_is_printed_somewhere() {
    let mut printed = BTreeSet::new();
    documents().iter().for_each(|document| collect(document, &mut printed));
    for (name, definition) in schema()["$defs"].as_object().unwrap() {
        for property in definition["properties"].as_object().unwrap_or(&Map::new()).keys() {
            assert!(printed.contains(property), "nothing prints `{property}` of {name}");
        }
    }
}

#[test]
fn a_kind_that_may_not_be_seen_any_more_makes_the_feed_stale_and_is_dated() {
    let feed = &documents().swap_remove(3)["feed"];
    let heard = "2026-11-29T15:20:24Z";
    let told = json!({"state": "stale", "since": heard, "error": "no", "refused": ["jobs", "pods"],
        "lastHeard": {"jobs": heard}, "clockBehindSeconds": 600});
    assert_eq!(*feed, told);
}

#[test]
fn a_log_is_told_by_its_last_twenty_lines_and_in_place_of_an_empty_message() {
    let list = documents().swap_remove(0);
    let of = |index: usize| &list["items"][index]["steps"][2];
    let failure = &of(12)["lastFailure"];
    assert_eq!(failure["message"], "PG::LockNotAvailable: ERROR:  canceling statement due to lock timeout");
    assert_eq!((failure["log"].as_array().map(Vec::len), &failure["log"][19]), (Some(20), &json!("line 29")));
    assert_eq!(failure["logSource"], "followed");
    let backlog = &of(14)["backlog"];
    assert_eq!(
        (&backlog["pending"], &backlog["motion"], &backlog["outlook"]),
        (&json!(7), &json!("still"), &json!("too-late"))
    );
    assert_eq!(of(15)["backlog"]["since"], "2026-11-29T15:00:00Z", "rising since");
}

#[test]
fn the_schema_refuses_what_is_no_report() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let mut list = documents().swap_remove(0);
    assert!(validator.is_valid(&list));
    list["items"][0]["steps"][0]["state"] = json!("Done");
    assert!(!validator.is_valid(&list));
    let mut blocked = documents().swap_remove(0);
    let gate = blocked["items"][1]["steps"][2].as_object_mut().unwrap();
    assert_eq!(gate["state"], "blocked");
    gate.remove("blocked");
    assert!(!validator.is_valid(&blocked));
}

#[test]
fn a_field_that_is_added_later_breaks_nobody() {
    let mut list = documents().swap_remove(0);
    list["items"][0]["later"] = json!(1);
    assert!(jsonschema::draft202012::new(&schema()).unwrap().is_valid(&list));
}

fn collect(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                names.insert(name.clone());
                collect(field, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, names)),
        _ => {}
    }
}
