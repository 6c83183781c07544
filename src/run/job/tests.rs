use serde_json::{Value, json};

use crate::cluster::{Change, ClusterEvent, Kind, Selection};
use crate::fixture::{Cluster, at, ended, event, holds, job, pod, running, with};
use crate::gate::GateState;
use crate::run::{GONE, HookDeletion, MadeBy, Run, Source, Subject, Verdict, WhyPast, changes, derive};

/// A Job of nobody, of that name and uid, made so many seconds after the start.
fn plain(name: &str, uid: &str, created: i64) -> Value {
    let metadata = json!({"name": name, "uid": uid, "creationTimestamp": at(created), "labels": {"app": null, "release": null},
        "ownerReferences": null});
    with(job(), json!({"metadata": metadata, "status": {"startTime": at(created)}}))
}

fn annotated(annotations: Value, labels: Value) -> Value {
    with(plain("mig", "job-1", 0), json!({"metadata": {"annotations": annotations, "labels": labels}}))
}

fn complete(job: Value, seconds: i64) -> Value {
    with(
        job,
        json!({"status": {"active": 0, "completionTime": at(seconds), "conditions": [holds("Complete", "", seconds)]}}),
    )
}

fn failed(job: Value, seconds: i64) -> Value {
    with(
        job,
        json!({"status": {"active": 0, "failed": 1, "conditions": [holds("Failed", "BackoffLimitExceeded", seconds)]}}),
    )
}

fn picking(word: &str) -> Cluster {
    let mut cluster = Cluster::default();
    let change = Change::Selected(Selection::of([word.parse().unwrap()]));
    cluster.world.apply(ClusterEvent { cluster: None, time: at(0), change });
    cluster
}

fn runs(word: &str, objects: impl IntoIterator<Item = Value>) -> Vec<Run> {
    let mut cluster = picking(word);
    objects.into_iter().for_each(|object| cluster.apply(object));
    derive(&cluster.world)
}

fn only(object: Value) -> Run {
    let mut runs = runs("job", [object]);
    assert_eq!(runs.len(), 1);
    runs.swap_remove(0)
}

fn advice(run: &Run) -> String {
    run.steps[0].gate().unwrap().job.as_ref().unwrap().advice.clone().unwrap_or_default()
}

#[test]
fn a_hook_of_helm_is_named_with_its_release_and_its_policies() {
    let hook = json!({"helm.sh/hook": "pre-install, pre-upgrade", "helm.sh/hook-weight": "-5",
        "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded"});
    let labels = json!({"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/instance": "shop"});
    let made_by = only(annotated(hook, labels)).made_by.unwrap();
    let hooks = vec!["pre-install".to_owned(), "pre-upgrade".to_owned()];
    let deleted = vec![HookDeletion::BeforeNext, HookDeletion::Succeeded];
    assert_eq!(made_by, MadeBy::Helm { release: Some("shop".into()), hooks, weight: -5, deleted });
    assert_eq!(made_by.to_string(), "Helm hook pre-install, pre-upgrade of release shop");
    assert_eq!(made_by.deletion_words().unwrap(), "deleted before the next one is made, and once it succeeded");
}

#[test]
fn the_release_is_that_of_the_annotation_or_of_labels_that_helm_is_said_to_have_set() {
    let told = |annotations: Value, labels: Value| {
        only(annotated(annotations, labels)).made_by.map(|made_by| made_by.to_string())
    };
    let instance = json!({"app.kubernetes.io/instance": "shop"});
    let hook = || json!({"helm.sh/hook": "post-upgrade"});
    assert_eq!(told(hook(), instance.clone()).unwrap(), "Helm hook post-upgrade");
    assert_eq!(
        told(hook(), json!({"heritage": "Helm", "release": "old"})).unwrap(),
        "Helm hook post-upgrade of release old"
    );
    assert_eq!(told(json!({"meta.helm.sh/release-name": "shop"}), json!({})).unwrap(), "Helm release shop");
    assert_eq!(told(json!({}), instance), None, "anybody sets that label");
}

#[test]
fn a_hook_of_argo_cd_goes_before_one_of_helm_and_a_chart_that_it_tracks_is_its() {
    let told = |annotations: Value| only(annotated(annotations, json!({}))).made_by.unwrap().to_string();
    let both = json!({"argocd.argoproj.io/hook": "PostSync", "helm.sh/hook": "post-upgrade"});
    assert_eq!(told(both), "Argo CD hook PostSync");
    let tracked =
        |hooks: &str| json!({"helm.sh/hook": hooks, "argocd.argoproj.io/tracking-id": "shop:batch/Job:gitlab/mig"});
    assert_eq!(told(tracked("pre-install")), "Argo CD hook PreSync of application shop");
    assert_eq!(told(tracked("post-delete")), "Argo CD hook PostDelete of application shop");
    let ordinary = json!({"argocd.argoproj.io/tracking-id": "shop:batch/Job:gitlab/mig"});
    assert_eq!(told(ordinary), "Argo CD application shop");
    let run = only(annotated(json!({"argocd.argoproj.io/hook": "SyncFail"}), json!({})));
    assert_eq!(run.made_by.unwrap().deleted(), [HookDeletion::BeforeNext], "as Argo CD does without a policy");
}

#[test]
fn what_a_controller_owns_is_named_by_its_owner() {
    let owner = |kind: &str| json!([{"kind": kind, "name": "backup", "uid": "c", "controller": true}]);
    let of = |kind: &str| only(with(plain("mig", "job-1", 0), json!({"metadata": {"ownerReferences": owner(kind)}})));
    assert_eq!(of("CronJob").made_by.unwrap().to_string(), "CronJob backup");
    assert_eq!(of("Workflow").made_by.unwrap().to_string(), "Workflow backup");
    assert_eq!(only(plain("mig", "job-1", 0)).made_by, None);
}

#[test]
fn advice_says_how_what_made_it_runs_it_again_and_speaks_of_no_upgrade_of_gitlab() {
    let fails = |annotations: Value| advice(&only(failed(annotated(annotations, json!({})), 30)));
    let told = fails(json!({"helm.sh/hook": "pre-upgrade"}));
    assert!(told.contains("`helm upgrade` again: a hook that failed has failed the release"), "{told}");
    assert!(fails(json!({"helm.sh/hook": "test"})).contains("`helm test` again"));
    assert!(fails(json!({"helm.sh/hook": "pre-delete"})).contains("`helm uninstall` again"));
    assert!(fails(json!({"argocd.argoproj.io/hook": "PreSync"})).contains("sync again"));
    assert!(fails(json!({})).contains("delete the Job and make it again"));
    let cron = json!([{"kind": "CronJob", "name": "backup", "uid": "c", "controller": true}]);
    let owned = with(plain("mig", "job-1", 0), json!({"metadata": {"ownerReferences": cron}}));
    assert!(advice(&only(failed(owned, 30))).contains("the next Job of CronJob backup"));

    let retries = json!({"restartCount": 1, "state": running(20), "lastState": ended(1, 2, 9)});
    let told = advice(&runs("job", [plain("mig", "job-1", 0), pod("a", 0, retries)])[0]);
    assert_eq!(told, "Kubernetes tries again by itself.");
}

#[test]
fn a_release_whose_name_is_hostile_stands_in_no_command() {
    let annotations = json!({"helm.sh/hook": "pre-upgrade", "meta.helm.sh/release-name": "x`; rm -rf ~; `"});
    let told = advice(&only(failed(annotated(annotations, json!({})), 30)));
    assert!(!told.contains("rm -rf"), "{told}");
}

#[test]
fn a_job_that_is_made_again_goes_on_in_the_same_run_and_the_one_before_is_its_history() {
    let mut cluster = picking("job/mig");
    cluster.apply(failed(plain("mig", "job-1", 0), 30));
    let before = derive(&cluster.world);
    assert_eq!((before[0].verdict, before[0].history.len()), (Verdict::Failed, 0));
    cluster.delete(failed(plain("mig", "job-1", 0), 30));
    assert_eq!(derive(&cluster.world)[0].verdict, Verdict::Failed, "that it is gone does not undo it");
    cluster.apply(plain("mig", "job-2", 60));
    let after = derive(&cluster.world);
    let [run] = after.as_slice() else { panic!("{after:?}") };
    assert_eq!((run.verdict, &run.uid, run.resource_uid().0.as_str()), (Verdict::Upgrading, &before[0].uid, "job-2"));
    let [past] = run.history.as_slice() else { panic!("{:?}", run.history) };
    assert_eq!((past.uid.0.as_str(), past.why, past.ended), ("job-1", WhyPast::Replaced, Some(at(30))));
    let told: Vec<_> = changes(&before, &after, at(60)).into_iter().map(|change| (change.from, change.to)).collect();
    assert_eq!(told, [(Some("failed"), "running"), (Some("failed"), "upgrading")]);
}

#[test]
fn a_job_that_fails_as_the_one_before_it_did_is_told_of_all_the_same() {
    let mut cluster = picking("job/mig");
    cluster.apply(failed(plain("mig", "job-1", 0), 30));
    let before = derive(&cluster.world);
    cluster.replace(Kind::Job, [failed(plain("mig", "job-2", 60), 90)]);
    let told = changes(&before, &derive(&cluster.world), at(95));
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!((told[0].from, told[0].to), (Some("failed"), "failed"));
}

#[test]
fn a_job_that_ended_stays_as_it_ended_once_it_is_gone_and_one_that_had_not_is_gone() {
    let gone = |job: Value| {
        let mut cluster = picking("job/mig");
        cluster.apply(job.clone());
        let before = derive(&cluster.world);
        cluster.delete(job);
        let after = derive(&cluster.world);
        (after.first().map(|run| run.verdict), changes(&before, &after, at(99)))
    };
    assert_eq!(gone(complete(plain("mig", "job-1", 0), 30)).0, Some(Verdict::Settled));
    assert_eq!(gone(failed(plain("mig", "job-1", 0), 30)).0, Some(Verdict::Failed));
    let (verdict, told) = gone(plain("mig", "job-1", 0));
    assert_eq!((verdict, told.len()), (None, 1));
    assert_eq!((told[0].to, told[0].subject, told[0].text.as_str()), (GONE, Subject::Upgrade, "The Job is gone"));
}

#[test]
fn of_the_jobs_of_a_cron_job_those_it_cleared_away_go_where_all_are_picked() {
    let owner = json!([{"kind": "CronJob", "name": "backup", "uid": "c", "controller": true}]);
    let child = |name: &str, created: i64| {
        let owned = with(plain(name, name, created), json!({"metadata": {"ownerReferences": owner}}));
        complete(owned, created + 5)
    };
    let names = |word: &str| {
        let mut cluster = picking(word);
        ["backup-1", "backup-2"]
            .into_iter()
            .zip([0, 60])
            .for_each(|(name, created)| cluster.apply(child(name, created)));
        cluster.delete(child("backup-1", 0));
        let first = derive(&cluster.world).into_iter().map(|run| run.name).collect::<Vec<_>>();
        cluster.delete(child("backup-2", 60));
        (first, derive(&cluster.world).len())
    };
    assert_eq!(names("job"), (vec!["backup-2".to_owned()], 1), "the newest stays");
    assert_eq!(names("job/backup-1"), (vec!["backup-1".to_owned()], 1));
}

#[test]
fn each_name_in_each_namespace_is_a_run_of_its_own() {
    let elsewhere = with(plain("mig", "job-2", 0), json!({"metadata": {"namespace": "another"}}));
    let runs = runs("job", [plain("mig", "job-1", 0), elsewhere, plain("aaa", "job-3", 0)]);
    let names: Vec<String> = runs.iter().map(|run| run.full_name().to_string()).collect();
    assert_eq!(names, ["another/mig", "gitlab/aaa", "gitlab/mig"]);
}

#[test]
fn how_a_job_stands_is_told_as_that_of_a_job() {
    let told = |object: Value| {
        let run = only(object);
        (run.word(), run.standing(at(99)).text)
    };
    assert_eq!(told(plain("mig", "job-1", 0)), ("running", "Job running".into()));
    assert_eq!(told(complete(plain("mig", "job-1", 0), 30)), ("done", "Job complete".into()));
    assert_eq!(told(failed(plain("mig", "job-1", 0), 30)), ("failed", "Job failed".into()));
    let suspended = with(plain("mig", "job-1", 0), json!({"spec": {"suspend": true}, "status": {"active": 0}}));
    assert_eq!(told(suspended), ("suspended", "Job suspended".into()));
    assert_eq!(only(plain("mig", "job-1", 0)).source, Source::Job);
}

#[test]
fn a_job_that_cannot_start_and_never_will_is_stuck() {
    let pending = json!({"status": {"phase": "Pending", "containerStatuses": [], "initContainerStatuses": []}});
    let waits = || with(pod("a", 0, json!({})), pending.clone());
    let held = |reason: &str, message: &str| {
        let run = runs("job", [plain("mig", "job-1", 0), waits(), event("a", reason, message, 5)]).swap_remove(0);
        (run.steps[0].word(), run.word(), run.verdict)
    };
    assert_eq!(held("FailedMount", "secret \"none\" not found"), ("blocked", "stuck", Verdict::Stuck));
    let again = held("FailedCreatePodSandBox", "failed to set up the network");
    assert_eq!(again, ("blocked", "blocked", Verdict::Upgrading), "it is tried again");
}

#[test]
fn when_a_job_goes_is_told_from_its_end_and_not_before() {
    let expires = |object: Value| {
        let run = only(with(object, json!({"spec": {"ttlSecondsAfterFinished": 20}})));
        run.steps[0].gate().unwrap().job.as_ref().unwrap().expires
    };
    assert_eq!(expires(plain("mig", "job-1", 0)), None);
    assert_eq!(expires(complete(plain("mig", "job-1", 0), 30)), Some(at(50)));
    assert_eq!(expires(failed(plain("mig", "job-1", 0), 31)), Some(at(51)));
}

#[test]
fn a_job_of_another_controller_is_told_to_be_its_and_stands_by_its_conditions() {
    let managed = |job: Value| only(with(job, json!({"spec": {"managedBy": "kueue.x-k8s.io/multikueue"}})));
    let run = managed(plain("mig", "job-1", 0));
    let job = run.steps[0].gate().unwrap().job.clone().unwrap();
    assert_eq!((job.terms.managed_by.as_deref(), run.verdict), (Some("kueue.x-k8s.io/multikueue"), Verdict::Upgrading));
    assert_eq!(managed(complete(plain("mig", "job-1", 0), 30)).verdict, Verdict::Settled);
    let own = only(with(plain("mig", "job-1", 0), json!({"spec": {"managedBy": "kubernetes.io/job-controller"}})));
    assert_eq!(own.steps[0].gate().unwrap().job.as_ref().unwrap().terms.managed_by, None);
    assert_eq!(own.steps[0].gate().unwrap().state, GateState::Running { finishing: false });
}
