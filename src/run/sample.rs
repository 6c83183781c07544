//! A run for tests: an upgrade in two hops, its second gate running.

mod terms;

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};

pub(crate) use self::terms::{failed_by_policy, managed, policed};
use super::{
    Component, Course, Crash, Fate, Held, Hop, LimitOf, OperatorReport, Part, Replica, ReplicaState, Rollout,
    RolloutState, Run, Source, Stability, Stage, StageState, Step, StepBody, StepId, Stuck, Template, TimeLimit,
    Verdict, Workload,
};
use crate::cluster::{
    ComponentResult, Excerpt, ExcerptKind, Log, LogLine, Manifest, ResultWord, Uid, UpdateAttempt, UpdateResult, Via,
    WorkloadKind,
};
use crate::fixture::counted;
pub(crate) use crate::fixture::run_log;
use crate::gate::{
    Attempts, Backlog, Cause, Command, Counting, Deadline, Ending, Exit, Failure, Forecast, Gate, GateJob, GateState,
    JobFailure, LastFailure, Limit, NextPull, Progress, Pulls, StartFault, Terms, Took,
};

/// That time on the day of the upgrade.
pub(crate) fn time(of_day: &str) -> Timestamp {
    format!("2026-11-29T{of_day}Z").parse().unwrap()
}

/// A stage of which one component was rolled back.
pub(crate) fn stage() -> Stage {
    let begins = time("15:00:00");
    Stage {
        state: StageState::Running,
        message: "1 of 2".into(),
        said: "agent was rolled back".into(),
        components: vec![Component {
            name: "agent".into(),
            state: StageState::Failed,
            workload: Some("deployment/agent".into()),
            result: Some("ROLLED_BACK".into()),
            before: Some("r.io/agent:1".into()),
            image: Some("r.io/agent:2".into()),
            stability: Some(Stability {
                desired: 2,
                ready: 1,
                old: 1,
                changed: Some(begins),
                until: Some(time("15:03:00")),
                restarted: Some(time("15:00:30")),
                passes: Some(time("15:00:50")),
            }),
            held: Some(Held {
                reason: "ErrImagePull".into(),
                message: "denied: Quota exceeded".into(),
                pod: "agent-1".into(),
                container: Some("agent".into()),
                since: Some(time("15:00:10")),
                fate: Fate::FailsAtOnce,
                clears: Some(true),
            }),
            message: "not ready within 180s".into(),
        }],
        pipelines: vec!["orders".into()],
        parts: vec![Part { title: "put the previous image back".into(), state: StageState::Done }],
        limit: Some(TimeLimit { of: LimitOf::Drain, began: begins, ends: time("15:10:00") }),
        past: vec![UpdateAttempt {
            result: Some(UpdateResult::Degraded),
            version: Some("2".into()),
            generation: None,
            results: vec![ComponentResult {
                name: "agent".into(),
                word: ResultWord::RolledBack,
                before: Some("1".into()),
                target: Some("2".into()),
                message: "not ready within 180s".into(),
            }],
            not_resumed: vec!["orders".into()],
            message: "agent was rolled back".into(),
            started: Some(begins),
            ended: Some(time("15:03:00")),
        }],
        command: Some(Command::new("gluesync", &["get", "gsp"])),
        advice: Some("change the spec".into()),
        started: Some(time("15:00:00")),
        ended: Some(time("15:01:00")),
    }
}

/// Pre-deployment migrations and the first rollout done, full migrations running, the rest pending.
pub(crate) fn run() -> Run {
    let pending = RolloutState::Pending;
    let bodies = [
        (StepId::PreMigrations, StepBody::Gate(Box::new(gate(GateState::Done, 0)))),
        (StepId::RailsRollout, rollout(RolloutState::Done)),
        (StepId::PostMigrations, StepBody::Gate(Box::new(gate(GateState::Running { finishing: false }, 0)))),
        (StepId::FinalRollout, rollout(pending)),
        (StepId::BatchedMigrations, StepBody::Gate(Box::new(Gate::without_job(GateState::Pending)))),
    ];
    Run {
        source: Source::GitLabCore,
        made_by: None,
        cluster: None,
        namespace: "gitlab".into(),
        name: "gitlab".into(),
        uid: Uid("ab5f0552".into()),
        verdict: Verdict::Upgrading,
        phase: Some("Upgrading".into()),
        course: Course {
            from: Some("18.9.2".into()),
            target: Some("18.11.0".into()),
            hops: vec!["18.10.1".into(), "18.11.0".into()],
            hop: Some(Hop { version: "18.10.1".into(), number: 1, of: 2 }),
        },
        operator: Some(OperatorReport {
            reason: "UpgradingRails".into(),
            message: "rolling out webservice and sidekiq".into(),
            since: Some(time("15:10:00")),
            current: true,
            agrees: false,
            behind_since: Some(time("15:20:12")),
        }),
        steps: bodies.into_iter().map(|(id, body)| Step { id, body }).collect(),
        started: Some(time("15:00:00")),
        ended: None,
        history: Vec::new(),
        manifest: Manifest::default(),
    }
}

/// A plain Job, `shop/reindex`, that is that gate.
pub(crate) fn job_run(gate: Gate) -> Run {
    let verdict = match gate.state {
        GateState::Done => Verdict::Settled,
        GateState::Failed(_) => Verdict::Failed,
        _ => Verdict::Upgrading,
    };
    Run {
        source: Source::Job,
        namespace: "shop".into(),
        name: "reindex".into(),
        uid: Uid("job/shop/reindex".into()),
        verdict,
        phase: None,
        course: Course::default(),
        operator: None,
        ended: gate.job.as_ref().and_then(|job| job.ended),
        steps: vec![Step { id: StepId::Job, body: StepBody::Gate(Box::new(gate)) }],
        ..run()
    }
}

/// An Indexed Job of six completions, half of them done.
pub(crate) fn indexed() -> Gate {
    let mut gate = gate(GateState::Running { finishing: false }, 0);
    if let Some(job) = &mut gate.job {
        job.name = "reindex".into();
        job.expires = Some(time("15:21:02"));
        job.terms.managed_by = Some("kueue.x-k8s.io/multikueue".into());
        job.progress =
            Some(Progress { succeeded: 3, wanted: Some(6), running: 2, parallelism: 2, indexes: Some("0-1,4".into()) });
    }
    gate
}

/// A rollout of `webservice` and `sidekiq`.
pub(crate) fn rollout(state: RolloutState) -> StepBody {
    let workload = |app: &str| Workload {
        kind: WorkloadKind::Deployment,
        name: format!("gitlab-{app}"),
        app: app.into(),
        desired: 2,
        updated: 2,
        ready: 2,
        paused: false,
        on_delete: false,
        in_order: false,
        partition: 0,
        refused: None,
        replicas: vec![replica(&format!("gitlab-{app}-7589bc446-45jtk"), ReplicaState::Ready { since: None })],
        events: Vec::new(),
        manifest: Manifest::default(),
    };
    let begun = !matches!(state, RolloutState::Pending | RolloutState::Unknown(_));
    StepBody::Rollout(Rollout {
        state,
        workloads: if begun { vec![workload("sidekiq"), workload("webservice")] } else { Vec::new() },
        started: begun.then(|| time("15:04:12")),
        ended: begun.then(|| time("15:10:15")),
        command: None,
        advice: None,
    })
}

/// A rollout past its progress deadline, its replicas in every state, and one of its Deployments held up besides.
pub(crate) fn stuck_rollout() -> StepBody {
    let blocked = RolloutState::Blocked { workload: "gitlab-webservice".into(), message: "timed out".into() };
    let StepBody::Rollout(mut rollout) = rollout(blocked) else { panic!("a rollout") };
    let crash = Crash {
        container: "webservice".into(),
        failed: 3,
        exit: Exit { code: 1, signal: None },
        reason: "Error".into(),
        message: "no database".into(),
        ended: Some(time("15:12:00")),
    };
    let states = [
        ReplicaState::Stuck(Stuck::Start(image_fault())),
        ReplicaState::Stuck(Stuck::CrashLoop(crash)),
        ReplicaState::Stuck(Stuck::NotReady { container: None, message: "503".into(), since: None }),
        ReplicaState::Starting { container: Some("webservice".into()), message: "503".into() },
        ReplicaState::Terminating,
        ReplicaState::Ready { since: Some(time("15:05:00")) },
    ];
    let named = |(number, state)| replica(&format!("gitlab-webservice-7589bc446-{number}"), state);
    let [sidekiq, webservice] = rollout.workloads.as_mut_slice() else { panic!("two Deployments") };
    webservice.replicas = states.into_iter().enumerate().map(named).collect();
    sidekiq.paused = true;
    sidekiq.refused = Some("exceeded quota".into());
    rollout.command = Some(Command::new("gitlab", &["describe", "pod/gitlab-webservice-7589bc446-0"]));
    StepBody::Rollout(rollout)
}

/// A replica on the new template.
pub(crate) fn replica(pod: &str, state: ReplicaState) -> Replica {
    Replica {
        pod: pod.into(),
        template: Template::New,
        state,
        restarts: 0,
        node: Some("node-1".into()),
        created: Some(time("15:04:20")),
        manifest: Manifest::default(),
    }
}

/// A gate whose Job has that many failed restarts of six, the last of them [`failure`].
pub(crate) fn gate(state: GateState, restarts: u32) -> Gate {
    let retrying = matches!(state, GateState::Retrying { .. });
    let ended = matches!(state, GateState::Done | GateState::Failed(_));
    Gate {
        state,
        job: Some(GateJob {
            namespace: "gitlab".into(),
            name: "gitlab-migrations-5f2c9a1e".into(),
            uid: Uid("0d2b71f4".into()),
            gone: false,
            since: Some(time("15:18:08")),
            started: Some(time("15:00:00")),
            ended: ended.then(|| time("15:04:12")),
            deadline: Some(Deadline { at: time("16:00:00"), seconds: 3600 }),
            expires: None,
            progress: None,
            attempts: Attempts::new(restarts, 0, 6, true),
            terms: Terms::default(),
            history: Vec::new(),
            logs: Vec::new(),
            forecast: None,
            backlog: None,
            manifest: Manifest::default(),
            last_failure: (restarts > 0).then(|| LastFailure::Known(failure())),
            command: retrying.then(|| {
                let words = ["logs", "job/gitlab-migrations-5f2c9a1e", "-c", "migrations", "--previous"];
                Command::new("gitlab", &words)
            }),
            advice: retrying
                .then(|| "Read the log of the run that failed. The Job starts the next one by itself.".into()),
            pods: Vec::new(),
            orphans: Vec::new(),
            conditions: Vec::new(),
            events: Vec::new(),
        }),
    }
}

/// So many background migrations pending, counted every ten minutes until 15:20, by a Job whose deadline is 16:00.
pub(crate) fn backlog(pending: &[u64]) -> Backlog {
    let times = (0..).map(|number| time("15:20:00") - SignedDuration::from_mins(10 * number));
    let counts: Vec<(Timestamp, u64)> = times.zip(pending.iter().rev().copied()).collect();
    Backlog::read(&[counted(counts.into_iter().rev())], Some(time("16:00:00"))).unwrap()
}

/// A run of `migrations` that met a lock.
pub(crate) fn failure() -> Failure {
    Failure {
        time: Some(time("15:18:08")),
        pod: "gitlab-migrations-5f2c9a1e-9k67t".into(),
        pod_gone: false,
        ending: Ending::Container {
            container: "migrations".into(),
            exit: Exit { code: 1, signal: None },
            reason: "Error".into(),
        },
        message: "PG::LockNotAvailable: ERROR: canceling statement due to lock timeout".into(),
        counting: Counting::default(),
        log: None,
        excerpt: None,
    }
}

/// The same without a termination message, told by its log of thirty lines.
pub(crate) fn logged_failure() -> Failure {
    let mut log = Log::new(Via::Followed);
    (0..30).for_each(|number| log.push(LogLine::printed(format!("line {number}").as_bytes())));
    let lines = [failure().message.replace("ERROR:", "ERROR: "), "CONTEXT:  while waiting for ShareLock".into()];
    Failure {
        message: String::new(),
        log: Some(Arc::new(log)),
        excerpt: Some(Box::new(Excerpt {
            kind: ExcerptKind::Error,
            lines: lines.to_vec(),
            migration: Some("20261001120000 AddIndexToCiBuildsOnProject".into()),
        })),
        ..failure()
    }
}

/// A forecast: two attempts of about three minutes, and the deadline comes first.
pub(crate) fn forecast() -> Forecast {
    let seconds = SignedDuration::from_secs;
    Forecast {
        took: Took { median: seconds(182), shortest: seconds(178), longest: seconds(250), attempts: 2 },
        exhausted: time("16:12:00"),
        first: Limit::Deadline(time("16:00:00")),
    }
}

/// The end of a Job that ran out of attempts.
pub(crate) fn exhausted() -> JobFailure {
    JobFailure {
        reason: "BackoffLimitExceeded".into(),
        message: "Job has reached the specified backoff limit".into(),
        since: Some(time("15:20:20")),
    }
}

/// The rollout of a StatefulSet: one of its pods waits for a registry, and one is being pulled for again.
pub(crate) fn stateful_set() -> Run {
    let StepBody::Rollout(mut rollout) = rollout(RolloutState::Running) else { panic!("a rollout") };
    rollout.workloads.truncate(1);
    let waits = |name: &str, next| {
        let pulls = Some(Pulls { failed: 3, last: time("15:19:44"), next });
        let fault = StartFault { permanent: false, message: "i/o timeout".into(), pulls, ..image_fault() };
        replica(name, ReplicaState::Stuck(Stuck::Start(fault)))
    };
    for workload in &mut rollout.workloads {
        *workload = Workload {
            kind: WorkloadKind::StatefulSet,
            name: "db".into(),
            app: "db".into(),
            desired: 3,
            updated: 2,
            ready: 0,
            on_delete: true,
            in_order: true,
            partition: 1,
            replicas: vec![
                waits("db-1", NextPull::UnderWay { since: time("15:20:20") }),
                waits("db-2", NextPull::About(time("15:20:24"))),
            ],
            ..workload.clone()
        };
    }
    rollout.ended = None;
    rollout.command = Some(Command::new("shop", &["describe", "pod/db-1"]));
    rollout.advice = Some("The kubelet tries again by itself.".into());
    Run {
        source: Source::Rollout(WorkloadKind::StatefulSet),
        namespace: "shop".into(),
        name: "db".into(),
        course: Course::default(),
        operator: None,
        steps: vec![Step { id: StepId::Rollout, body: StepBody::Rollout(rollout) }],
        ..run()
    }
}

/// An image that its registry does not have.
pub(crate) fn image_fault() -> StartFault {
    StartFault {
        cause: Cause::Image,
        reason: "ErrImagePull".into(),
        message: "not found".into(),
        container: Some("migrations".into()),
        pod: "gitlab-migrations-5f2c9a1e-9k67t".into(),
        permanent: true,
        since: Some(time("15:18:00")),
        pulls: None,
    }
}
