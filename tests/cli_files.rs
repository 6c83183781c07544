//! `status` and `wait` on files, by the real program: recordings, dumps made from one, and what is neither.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

mod common;
#[path = "cli_files/waits.rs"]
mod waits;

use std::fs;
use std::process::{Command, Stdio};

use common::bound::Bound;
use common::recorded::{MOMENT, gzip, lines_of, list, objects, yaml};
use common::{assert_refused, gatewatch, gatewatch_reading, recording};
use serde_json::Value;
use tempfile::TempDir;

/// The items of the status of what stands on standard input.
fn items(input: &[u8]) -> Value {
    let ran = gatewatch_reading(&["status", "-o", "json", "-f", "-"], input);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    serde_json::from_str::<Value>(&ran.stdout).unwrap()["items"].take()
}

#[test]
fn a_recording_shows_how_things_stood_at_a_moment() {
    let ran = gatewatch(&["status", "-f", &recording("retry"), "--at", "15:34:20"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for shown in [
        "gitlab/gitlab: upgrading, 18.9.2 to 18.11.0\n",
        "  2  Full migrations            retrying",
        "3 of 6 failed, 3 left\n",
        "PG::LockNotAvailable",
        "\n  kubectl -n gitlab logs job/gitlab-migrations-6da3b811 -c migrations\n",
    ] {
        assert!(ran.stdout.contains(shown), "{shown:?} is expected in\n{}", ran.stdout);
    }
}

#[test]
fn the_command_carries_the_context_that_was_chosen() {
    let words = ["status", "-f", &recording("retry"), "--at", MOMENT, "--context", "prod eu", "--kubeconfig", "/k"];
    let ran = gatewatch(&words);
    assert!(ran.stdout.contains("\n  kubectl --kubeconfig /k --context 'prod eu' -n gitlab logs "), "{}", ran.stdout);
}

#[test]
fn every_form_of_a_dump_gives_the_report_of_the_recording_at_that_moment() {
    let ran = gatewatch(&["status", "-o", "json", "-f", &recording("retry"), "--at", MOMENT]);
    let mut expected = serde_json::from_str::<Value>(&ran.stdout).unwrap()["items"].take();
    let gate = &mut expected[0]["steps"][2];
    assert_eq!(gate["attempts"]["failed"], 3);
    // An object tells of the last two runs of a container; how long the one before took is not in a dump.
    assert_eq!(gate["forecast"]["took"]["attempts"].take(), 3);
    gate["forecast"]["took"]["attempts"] = 2.into();
    let objects = objects();
    let pretty = |value: &Value| serde_json::to_string_pretty(value).unwrap();
    let documents = objects.iter().map(pretty).collect::<Vec<_>>().join("\n");
    let yaml_documents = objects.iter().map(|object| format!("---\n{}", yaml(object))).collect::<String>();
    for (form, text) in [
        ("a list", list().to_string()),
        ("a pretty list", pretty(&list())),
        ("documents", documents),
        ("a YAML list", yaml(&list())),
        ("YAML documents", yaml_documents),
    ] {
        assert_eq!(items(text.as_bytes()), expected, "{form}");
        assert_eq!(items(&gzip(text.as_bytes())), expected, "{form}, packed");
    }
}

#[test]
fn a_single_object_is_enough() {
    let core = objects().into_iter().find(|object| object["kind"] == "GitLabCore").unwrap();
    let items = items(core.to_string().as_bytes());
    assert_eq!(items[0]["name"], "gitlab");
    assert_eq!(items[0]["operator"]["reason"], "RetryingPostMigrations");
}

#[test]
fn what_kubectl_prints_of_a_watch_is_a_recording() {
    let events: String = lines_of("retry")
        .iter()
        .map(|line| {
            let mut event: Value = serde_json::from_str(line).unwrap();
            event.as_object_mut().unwrap().remove("time");
            serde_json::to_string_pretty(&event).unwrap() + "\n"
        })
        .collect();
    let ran = gatewatch_reading(&["wait", "-f", "-"], events.as_bytes());
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains(" gitlab/gitlab Full migrations: retrying, 3 of 6 failed, 3 left: "), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("Settled at 18.11.0\n"), "{}", ran.stdout);
}

#[test]
fn a_namespace_leaves_the_others_out() {
    let recording = recording("retry");
    let count = |namespace| {
        let ran = gatewatch(&["status", "-o", "json", "-f", &recording, "-n", namespace]);
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["items"].as_array().unwrap().len()
    };
    assert_eq!((count("gitlab"), count("other")), (1, 0));
}

#[test]
fn kapp_779_the_log_is_flooded() {
    let ran = gatewatch(&["wait", "-f", &recording("retry")]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let of_gate: Vec<String> = ran
        .stdout
        .lines()
        .filter_map(|line| line.split_once("Full migrations: "))
        .map(|(_, text)| text.split(": ").next().unwrap().to_owned())
        .collect();
    assert_eq!(
        of_gate,
        [
            "running",
            "retrying, 1 of 6 failed, 5 left",
            "retrying, 2 of 6 failed, 4 left",
            "retrying, 3 of 6 failed, 3 left",
            "running, about to complete, 3 of 6 failed",
            "done, 3 of 6 failed"
        ]
    );
    assert!(ran.stdout.ends_with("15:35:37Z gitlab/gitlab Settled at 18.11.0\n"), "{}", ran.stdout);
}

#[test]
fn helm_3370_the_job_that_failed_is_not_named() {
    let [status, wait] = ["status", "wait"].map(|command| gatewatch(&[command, "-f", &recording("exhausted")]).stdout);
    for named in ["Full migrations", "job/gitlab-migrations-", "migrations exited 1 (Error)"] {
        assert!(status.contains(named), "{named:?} is expected in\n{status}");
        let (_, end) = wait.split_once("Full migrations: failed").unwrap();
        assert!(end.contains(named), "{named:?} is expected in\n{end}");
    }
}

#[test]
fn the_exit_code_is_the_outcome() {
    assert_eq!(gatewatch(&["wait", "-f", &recording("exhausted")]).code, 1);
    assert_eq!(gatewatch(&["status", "-f", &recording("exhausted")]).code, 1);
    let half = ["-f", &recording("exhausted"), "--at", "15:34:00"];
    assert_eq!(gatewatch(&[&["status"], &half[..]].concat()).code, 0);
    let unfinished = gatewatch(&[&["wait"], &half[..]].concat());
    assert_eq!(unfinished.code, 3);
    assert!(
        unfinished.stdout.contains(
            "15:34:00Z gitlab/gitlab Upgrading from 18.9.2 to 18.11.0\n\nFull migrations, job/gitlab-migrations-"
        ),
        "{unfinished:?}"
    );
    let gone = gatewatch(&["wait", "-f", &recording("retry"), "-n", "other"]);
    assert_eq!((gone.code, gone.stdout.as_str()), (5, ""));
    assert!(gone.stderr.starts_with("gatewatch: there is no GitLabCore"), "{gone:?}");
}

#[test]
fn a_recording_that_was_cut_off_is_used_up_to_the_cut_and_says_so() {
    let folder = TempDir::new().unwrap();
    let lines = lines_of("retry");
    let path = folder.path().join("cut.jsonl");
    fs::write(&path, lines[..200].join("\n") + "\n" + &lines[200][..100]).unwrap();
    let ran = gatewatch(&["status", "-f", path.to_str().unwrap()]);
    let warning =
        format!("gatewatch: warning: `{}` is cut off in line 201; what comes before is used\n", path.display());
    assert_eq!((ran.code, ran.stderr), (0, warning));
    assert!(ran.stdout.contains("Full migrations"), "{}", ran.stdout);

    let packed = fs::read(recording("retry")).unwrap();
    let path = folder.path().join("cut.jsonl.gz");
    fs::write(&path, &packed[..packed.len() / 2]).unwrap();
    let ran = gatewatch(&["status", "-f", path.to_str().unwrap()]);
    assert_eq!(ran.code, 0);
    assert!(ran.stderr.contains(" is cut off in line "), "{}", ran.stderr);
}

#[test]
fn what_is_no_dump_and_no_recording_is_refused_in_one_sentence() {
    let folder = TempDir::new().unwrap();
    let refused = |name: &str, content: &[u8], start: &str| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        for command in ["status", "wait"] {
            let ran = gatewatch(&[command, "-f", path.to_str().unwrap()]);
            assert_refused(&ran, &format!("`{}` {start}", path.display()));
            assert!(
                ran.stderr.contains("; write one with `kubectl get glc,jobs,pods,events,deployments -o json`"),
                "{ran:?}"
            );
        }
    };
    let whole = list().to_string();
    refused("empty.json", b"", "is empty");
    refused("empty.json.gz", &gzip(b""), "is empty");
    refused("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is no text: line 3 holds binary data");
    refused("cut.json", &whole.as_bytes()[..whole.len() / 2], "is cut off in line 1");
    refused("cut.json.gz", &gzip(whole.as_bytes())[..1000], "is cut off in line 1");
    refused("cut.jsonl", &lines_of("retry")[0].as_bytes()[..100], "is cut off in line 1");
    refused("broken.json", b"{\"kind\": \"List\",\n\"items\": [,]}", "is broken in line 2: expected value");
    refused("page.html", b"<html>\n<body>404</body>\n</html>\n", "does not come from Kubernetes in line 1");
    refused(
        "notes.yaml",
        b"a: 1\nb: 2\n",
        "does not come from Kubernetes in line 1: no Kubernetes object, as it has no `kind`",
    );
    refused(
        "map.yaml",
        b"kind: ConfigMap\nmetadata: {name: a}\n",
        "holds nothing that gatewatch reads, only ConfigMap (1 object)",
    );
    refused("none.json", br#"{"kind":"List","items":[]}"#, "holds nothing that gatewatch reads, only an empty list");
}

#[test]
fn a_file_that_cannot_be_opened_is_named() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("missing.json");
    let ran = gatewatch(&["status", "-f", missing.to_str().unwrap()]);
    assert_refused(&ran, &format!("there is no file `{}`; check the path", missing.display()));
    let ran = gatewatch(&["wait", "-f", folder.path().to_str().unwrap()]);
    assert_refused(&ran, &format!("`{}` is empty; write one with ", folder.path().display()));
    assert_refused(&gatewatch(&["status", "-f", "-"]), "standard input is empty; write one with ");
}

#[test]
fn a_moment_that_is_not_in_the_file_is_refused() {
    let ran = gatewatch(&["status", "-f", &recording("retry"), "--at", "15:00"]);
    assert_refused(
        &ran,
        "the recording begins after 2026-11-29T15:00:00Z; give a time from 2026-11-29T15:32:48.363Z to ",
    );
    let ran = gatewatch_reading(&["status", "-f", "-", "--at", "15:00"], list().to_string().as_bytes());
    assert_refused(&ran, "`-` shows one moment, so there is no other to stop at; leave `--at` out");
    let after = gatewatch(&["status", "-f", &recording("retry"), "--at", "23:00"]);
    assert_eq!(after.code, 0);
    assert!(after.stdout.starts_with("gitlab/gitlab: settled, 18.11.0\n"), "{}", after.stdout);
}

#[test]
fn wrong_use_exits_2_and_help_exits_0() {
    for words in
        [&["status", "-n", "a", "-A"][..], &["status", "--at", "15:00"], &["wait", "-o", "yaml"], &["nonsense"]]
    {
        let ran = gatewatch(words);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{words:?}");
        assert!(ran.stderr.starts_with("error: "), "{ran:?}");
    }
    let help = gatewatch(&["--help"]);
    assert_eq!(help.code, 0);
    assert!(help.stdout.contains("gatewatch status"), "{}", help.stdout);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gatewatch"))
        .args(["wait", "-f", &recording("smooth")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _bound = Bound::of(&child);
    drop(child.stdout.take());
    let ran = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(ran.stderr).unwrap(), "");
    assert!(ran.status.code().is_some(), "{:?}", ran.status);
}

/// The lines of a recording that are about Jobs, as `kubectl get jobs -w --output-watch-events` would have printed them.
fn of_jobs() -> String {
    let is_job = |line: &&String| serde_json::from_str::<Value>(line).unwrap()["object"]["kind"] == "Job";
    lines_of("retry").iter().filter(is_job).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_recording_that_says_nothing_of_instances_is_of_its_jobs() {
    let jobs = of_jobs();
    let (names, looked) =
        (["status", "-o", "name", "-f", "-"], gatewatch_reading(&["status", "-f", "-"], jobs.as_bytes()));
    let names = gatewatch_reading(&names, jobs.as_bytes()).stdout;
    assert!(names.lines().count() > 2 && names.lines().all(|name| name.starts_with("job.batch/")), "{names}");
    assert_eq!((looked.code, looked.stderr.as_str()), (0, ""));
    let waited = gatewatch_reading(&["wait", "-f", "-"], jobs.as_bytes());
    assert_eq!(waited.code, 0, "{waited:?}");
    // Whoever names an instance is told that there is none.
    let named = gatewatch_reading(&["status", "gitlab", "-f", "-"], jobs.as_bytes());
    assert_eq!((named.code, named.stderr.as_str()), (5, "gatewatch: there is no GitLabCore `gitlab`\n"));
}

#[test]
fn a_recording_says_what_it_is_of_and_who_reads_it_can_name_another() {
    let jobs = of_jobs();
    let names = gatewatch_reading(&["status", "-o", "name", "-f", "-"], jobs.as_bytes()).stdout;
    let [one, other] = [0, 1].map(|at| names.lines().nth(at).unwrap().strip_prefix("job.batch/").unwrap());
    let selection = serde_json::json!({"type": "SELECTION", "time": "2026-11-29T15:00:00Z",
        "object": {"apiVersion": "gatewatch/v1", "kind": "Selection", "picks": [format!("job/{one}")]}});
    let recording = format!("{selection}\n{jobs}");
    let shown = |words: &[&str]| {
        gatewatch_reading(&[&["status", "-o", "name"], words, &["-f", "-"]].concat(), recording.as_bytes()).stdout
    };
    assert_eq!(shown(&[]), format!("job.batch/{one}\n"));
    assert_eq!(shown(&[&format!("job/{other}")]), format!("job.batch/{other}\n"));
}

#[test]
fn what_is_named_is_looked_for_in_each_cluster_of_a_recording() {
    let in_cluster = |line: &str, cluster: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["cluster"] = cluster.into();
        format!("{line}\n")
    };
    let jobs = of_jobs();
    let both: String = jobs.lines().flat_map(|line| ["eu", "us"].map(|cluster| in_cluster(line, cluster))).collect();
    let names = gatewatch_reading(&["status", "-o", "name", "-f", "-"], jobs.as_bytes()).stdout;
    let job = names.lines().next().unwrap().strip_prefix("job.batch/").unwrap();
    let ran = gatewatch_reading(&["status", &format!("job/{job}"), "-o", "json", "-f", "-"], both.as_bytes());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    let status: Value = serde_json::from_str(&ran.stdout).unwrap();
    let found: Vec<_> = status["items"].as_array().unwrap().iter().map(|run| (&run["context"], &run["name"])).collect();
    assert_eq!(found, [(&"eu".into(), &job.into()), (&"us".into(), &job.into())]);
}

#[test]
fn an_instance_is_looked_at_by_its_name_as_it_is_printed() {
    let recording = recording("retry");
    let names = gatewatch(&["status", "-o", "name", "-f", &recording]);
    assert_eq!((names.code, names.stdout.as_str()), (0, "gitlabcore.apps.gitlab.com/gitlab\n"));
    for command in ["status", "wait"] {
        let ran = gatewatch(&[command, names.stdout.trim(), "-f", &recording]);
        assert!(ran.code == 0 && ran.stdout.contains("18.11.0"), "{ran:?}");
        let other = gatewatch(&[command, "other", "-f", &recording]);
        let said = "gatewatch: there is no GitLabCore `other`, only `gitlab`\n";
        assert_eq!((other.code, other.stdout.as_str(), other.stderr.as_str()), (5, "", said), "{command}");
    }
}
