//! What a wait on a file tells, and what it leaves for a pipeline.

use std::fs;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::common::recorded::list;
use crate::common::{gatewatch, gatewatch_reading, recording};

#[test]
fn wait_on_a_dump_tells_what_has_begun_and_the_verdict() {
    let ran = gatewatch_reading(&["wait", "-o", "json", "-f", "-"], list().to_string().as_bytes());
    let changes: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<_> = changes.iter().map(|change| (change["subject"].as_str(), change["to"].as_str())).collect();
    assert_eq!(
        told,
        [
            (Some("pre-migrations"), Some("done")),
            (Some("rails-rollout"), Some("done")),
            (Some("post-migrations"), Some("retrying")),
            (Some("upgrade"), Some("upgrading"))
        ]
    );
    assert_eq!(ran.code, 3);
}

#[test]
fn a_wait_that_fails_ends_with_all_that_the_log_of_a_pipeline_needs() {
    let ran = gatewatch(&["wait", "-f", &recording("exhausted")]);
    let (changes, end) = ran.stdout.split_once("\n\n").unwrap();
    assert!(changes.lines().all(|line| line.get(8..10) == Some("Z ")), "{changes}");
    assert!(changes.lines().last().unwrap().contains(" gitlab/gitlab Failed at Full migrations (job/"), "{changes}");
    let places = [
        "Full migrations, job/gitlab-migrations-",
        "\n  Failed        BackoffLimitExceeded: Job has reached the specified backoff\n                limit\n",
        "\n  Last failure  migrations exited 1 (Error), ",
        "\n  To do         Mend the cause, then change the spec of ",
        "\n\n  kubectl -n gitlab describe job/gitlab-migrations-",
    ]
    .map(|part| end.find(part).unwrap_or_else(|| panic!("{part:?} is expected in\n{end}")));
    assert!(places.is_sorted(), "{end}");
    let demo = format!("{}/assets/demo/exhausted.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
    let logged = gatewatch(&["wait", "-f", &demo]).stdout;
    let (_, log) = logged.split_once("\n  Log           its last ").unwrap_or_else(|| panic!("{logged}"));
    assert!(log.contains("\n    ") && log.contains("\n  To do "), "{logged}");
    let of_json = gatewatch(&["wait", "-f", &recording("exhausted"), "-o", "json"]).stdout;
    assert!(of_json.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{of_json}");
}

#[test]
fn a_goal_on_the_way_ends_a_recording_there_and_one_that_is_unknown_is_told_what_there_is() {
    let goal = |goal: &str, name: &str| gatewatch(&["wait", "--for", goal, "-f", &recording(name)]);
    let passed = goal("gate=pre-migrations:done", "exhausted");
    assert_eq!(passed.code, 0, "{passed:?}");
    // The rollout begins with the same event.
    let end = " gitlab/gitlab Pre-deployment migrations: done\n15:33:14Z gitlab/gitlab Rollout: running\n";
    assert!(passed.stdout.ends_with(end), "{}", passed.stdout);
    assert_eq!(goal("gate=post-migrations:done", "exhausted").code, 1);
    let whole = goal("settled", "retry");
    assert_eq!((whole.code, goal("gate=batched-migrations:done", "retry").code), (0, 0));
    let unknown = goal("gate=migrations:done", "retry");
    assert_eq!((unknown.code, unknown.stdout.as_str()), (2, ""));
    for step in ["pre-migrations", "rails-rollout", "post-migrations", "final-rollout", "batched-migrations"] {
        assert!(unknown.stderr.contains(step), "{}", unknown.stderr);
    }
}

#[test]
fn colours_are_for_a_terminal_or_whoever_wants_them_and_say_nothing_of_their_own() {
    let run = |command: &str, set: &[(&str, &str)]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_gatewatch"));
        program.args([command, "-f", &recording("exhausted")]);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            program.env_remove(name);
        }
        String::from_utf8(program.envs(set.iter().copied()).output().unwrap().stdout).unwrap()
    };
    for (command, told) in [("status", "gitlab/gitlab: failed"), ("wait", "Failed at Full migrations")] {
        let plain = run(command, &[]);
        assert!(!plain.contains('\x1b'), "{plain}");
        let coloured = run(command, &[("CLICOLOR_FORCE", "1")]);
        assert!(coloured.contains(&format!("\x1b[1m\x1b[31m{told}")), "{coloured:?}");
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
        assert_eq!(run(command, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), plain);
    }
}

/// The test cases of a file: the suite and the name of each, and what became of it.
fn cases(xml: &str) -> Vec<(String, String, Option<String>)> {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut cases: Vec<(String, String, Option<String>)> = Vec::new();
    loop {
        use quick_xml::XmlVersion;
        use quick_xml::events::Event;
        match reader.read_event().unwrap() {
            Event::Eof => return cases,
            Event::Start(element) | Event::Empty(element) => {
                let of = |name: &str| {
                    let attribute = element.try_get_attribute(name).unwrap();
                    attribute
                        .map(|found| found.normalized_value(XmlVersion::Explicit1_0).unwrap().into_owned())
                        .unwrap_or_default()
                };
                match element.name().as_ref() {
                    b"testcase" => cases.push((of("classname"), of("name"), None)),
                    b"failure" | b"error" | b"skipped" => {
                        let kind = std::str::from_utf8(element.name().as_ref()).unwrap().to_owned();
                        cases.last_mut().unwrap().2 = Some(format!("{kind} {} {}", of("type"), of("message")));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

#[test]
fn every_step_is_a_test_case_of_the_file_that_is_left() {
    let folder = TempDir::new().unwrap();
    let left = |words: &[&str]| {
        let file = folder.path().join("gatewatch.xml");
        let ran = gatewatch(&[&["wait", "--junit", file.to_str().unwrap()], words].concat());
        let xml = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        (ran.code, xml)
    };
    let skipped = |word: &str| Some(format!("skipped  {word}"));
    let told = |xml: &str| {
        let cases = cases(xml).into_iter().inspect(|(suite, ..)| assert_eq!(suite, "gitlab/gitlab"));
        cases.map(|(_, name, outcome)| (name, outcome)).collect::<Vec<_>>()
    };
    let case = |name: &str, outcome: Option<String>| (name.to_owned(), outcome);

    let (code, xml) = left(&["-f", &recording("exhausted")]);
    let limit = "failure BackoffLimitExceeded Job has reached the specified backoff limit";
    let failed = [
        case("Pre-deployment migrations", None),
        case("Rollout", None),
        case("Full migrations", Some(limit.into())),
        case("Final rollout", skipped("pending")),
        case("Background migrations", skipped("pending")),
    ];
    assert_eq!((code, told(&xml)), (1, failed.to_vec()));
    assert!(xml.contains("<testsuites tests=\"5\" failures=\"1\" errors=\"0\" skipped=\"2\""), "{xml}");
    assert!(xml.contains("kubectl -n gitlab describe job/gitlab-migrations-"), "{xml}");

    let (code, xml) = left(&["-f", &recording("exhausted"), "--at", "15:34:00"]);
    let open = told(&xml).swap_remove(2).1.unwrap();
    assert!(code == 3 && open.starts_with("error timed out retrying, "), "{open}");

    // Two hops: both are told, and told apart.
    let (code, xml) = left(&["-f", &recording("smooth")]);
    let names: Vec<String> = told(&xml).into_iter().map(|(name, outcome)| format!("{name} {outcome:?}")).collect();
    assert_eq!(code, 0);
    assert!(names.contains(&"Full migrations (18.10.1) None".into()), "{names:#?}");
    assert!(names.contains(&"Full migrations (18.11.0) None".into()), "{names:#?}");

    let (code, xml) = left(&["-f", &recording("retry"), "-n", "other"]);
    assert_eq!((code, cases(&xml).len()), (5, 1), "{xml}");
    assert!(xml.contains("There is no GitLabCore."), "{xml}");
}

#[test]
fn a_file_for_a_pipeline_that_cannot_be_written_is_refused_before_the_wait() {
    let folder = TempDir::new().unwrap();
    let nowhere = folder.path().join("missing/gatewatch.xml");
    for file in [nowhere.to_str().unwrap(), folder.path().to_str().unwrap(), "/dev/null", "-"] {
        let ran = gatewatch(&["wait", "-f", &recording("retry"), "--junit", file]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{file}: {ran:?}");
        assert!(ran.stderr.contains("name another"), "{ran:?}");
    }
}
