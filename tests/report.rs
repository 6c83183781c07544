//! `report` by the real program: what recordings and dumps tell, in both formats, and nothing that a reader would carry out.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking, its helpers too")]

mod common;

use std::collections::BTreeMap;
use std::fs;

use common::recorded::{lines_of, objects_at};
use common::{gatewatch, gatewatch_reading, recording, recordings};
use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::{Value, json};
use tempfile::TempDir;

/// What a message of a run can hold: each of it would do something somewhere.
const HOSTILE: &str = "<script>alert(1)</script> <img src=x onerror=y> | \\| `x` ``` [a](http://b) @all #1 !2 ~bug\n\
                       /close\n```\n/label ~x\n</pre></details>\u{1b}[31m\u{202e}";

fn report(words: &[&str]) -> String {
    let ran = gatewatch(&[&["report"], words].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{words:?}");
    ran.stdout
}

fn markdown(name: &str) -> String {
    report(&[&recording(name)])
}

/// The rows of the table below a heading, cell by cell.
fn rows(markdown: &str, heading: &str) -> Vec<Vec<String>> {
    let below = markdown.lines().skip_while(|line| *line != heading).skip(1);
    let table = below.skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|')).skip(2);
    table.map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// Panics unless every element is closed where it was opened; returns the names of the elements, with an `@` those of the
/// attributes, and all text.
fn parsed(html: &str) -> (Vec<String>, String) {
    let mut reader = Reader::from_str(html);
    let (mut names, mut text) = (Vec::new(), String::new());
    loop {
        match reader.read_event().unwrap_or_else(|error| panic!("{error} at {}", reader.error_position())) {
            Event::Start(element) | Event::Empty(element) => {
                names.push(String::from_utf8(element.name().as_ref().to_vec()).unwrap());
                for attribute in element.attributes() {
                    names.push(format!("@{}", std::str::from_utf8(attribute.unwrap().key.as_ref()).unwrap()));
                }
            }
            Event::Text(part) => text.push_str(std::str::from_utf8(&part).unwrap()),
            Event::GeneralRef(name) => {
                text.push_str(match std::str::from_utf8(&name).unwrap() {
                    "lt" => "<",
                    "gt" => ">",
                    "amp" => "&",
                    "quot" => "\"",
                    "#39" => "'",
                    other => panic!("{other}"),
                });
            }
            Event::Eof => return (names, text),
            _ => {}
        }
    }
}

/// The cells of a row: a bar ends one, unless a backslash stands before it.
fn cells(row: &str) -> usize {
    let mut characters = row.chars();
    let mut bars = 0;
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '|' => bars += 1,
            _ => {}
        }
    }
    bars - 1
}

/// A line of Markdown without what stands as code in it.
fn without_code(line: &str) -> String {
    let (mut left, mut rest) = (String::new(), line);
    while let Some(start) = rest.find('`') {
        left.push_str(&rest[..start]);
        let fence = rest[start..].chars().take_while(|character| *character == '`').count();
        let after = &rest[start + fence..];
        let closing = "`".repeat(fence);
        let mut ends = after.match_indices(&closing).map(|(end, _)| end);
        let is_alone = |end: &usize| !after[..*end].ends_with('`') && !after[*end + fence..].starts_with('`');
        let end = ends.find(is_alone).unwrap_or_else(|| panic!("code without an end: {line}"));
        rest = &after[end + fence..];
    }
    left + rest
}

/// Panics where anything but our own words stands outside of code, and where a row has another number of cells than the
/// head of its table.
fn assert_harmless(markdown: &str) {
    let mut columns = None;
    for line in markdown.lines().filter(|line| !line.starts_with("    ")) {
        let ours = without_code(line);
        let dangerous = ['<', '>', '[', ']', '@', '!', '\\', '~', '*', '_', '\u{1b}', '\u{202e}'];
        assert!(!ours.contains(dangerous) && !line.starts_with('/'), "{line}");
        assert_eq!(ours.contains('#'), ours.starts_with('#'), "{line}");
        columns = line.starts_with('|').then(|| columns.unwrap_or_else(|| cells(line)));
        assert!(columns.is_none_or(|columns| cells(line) == columns), "{line}");
    }
}

/// A recording in which every message, and every name of a node, is hostile.
fn hostile(folder: &TempDir) -> String {
    fn poison(value: &mut Value) {
        match value {
            Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| match (name.as_str(), &value) {
                ("message", Value::String(_)) => *value = HOSTILE.into(),
                ("nodeName", Value::String(_)) => *value = "<b>|`@all".into(),
                _ => poison(value),
            }),
            Value::Array(values) => values.iter_mut().for_each(poison),
            _ => {}
        }
    }
    let lines = lines_of("exhausted").into_iter().map(|line| {
        let mut event: Value = serde_json::from_str(&line).unwrap();
        poison(&mut event["object"]);
        event.to_string() + "\n"
    });
    let path = folder.path().join("<img src=x>|`.jsonl");
    fs::write(&path, lines.collect::<String>()).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Attempt, started, ended, took and outcome of each attempt of the full migrations.
fn attempts(markdown: &str, state: &str) -> Vec<String> {
    let below: String = markdown
        .lines()
        .skip_while(|line| !line.starts_with("### Full migrations") || !line.ends_with(state))
        .skip_while(|line| !line.starts_with("| Attempt |"))
        .take_while(|line| line.starts_with('|'))
        .map(|line| format!("{line}\n"))
        .collect();
    rows(&format!("heading\n{below}"), "heading").iter().map(|row| row[..5].join(" ")).collect()
}

#[test]
fn a_retry_is_told_attempt_by_attempt() {
    let told = markdown("retry");
    // As the statuses of the pod tell.
    let failed = |number, times: &str| format!("{number} {times} 4s failed: `migrations exited 1 (Error)`");
    assert_eq!(
        attempts(&told, "done"),
        [
            failed(1, "15:33:36 15:33:40"),
            failed(2, "15:33:41 15:33:45"),
            failed(3, "15:33:59 15:34:03"),
            "4 15:34:30 15:34:34 4s succeeded".to_owned(),
        ]
    );
    let steps = rows(&told, "### Steps");
    assert_eq!(steps.len(), 5);
    assert_eq!(steps[2][..7], ["Full migrations", "done", "15:33:33", "15:34:37", "1m04s", "3 of 6", "16:33:33"]);
    assert_eq!(steps[4][..5], ["Background migrations", "done", "15:34:48", "15:35:21", "33s"]);
    for words in [
        "\n## `gitlab/gitlab`: settled\n\n`Settled at 18.11.0`\n",
        "| From | `18.9.2` |\n| To | `18.11.0` |\n| Began | 2026-11-29 15:33:05 UTC |\n",
        "    PG::LockNotAvailable: ERROR:  canceling statement due to lock timeout\n",
        "| 15:33:41 | Full migrations | running → retrying | `1 of 6 failed, 5 left: migrations exited 1 (Error)",
        "| 15:35:37 | Upgrade | upgrading → settled | `Settled at 18.11.0` |\n",
    ] {
        assert!(told.contains(words), "{words:?} is expected in\n{told}");
    }
}

#[test]
fn a_failure_is_told_with_its_cause_and_the_run_that_was_stopped_is_none() {
    let told = markdown("exhausted");
    let failed = |number, times: &str| format!("{number} {times} 4s failed: `migrations exited 1 (Error)`");
    assert_eq!(
        attempts(&told, "failed"),
        [
            failed(1, "15:33:29 15:33:33"),
            failed(2, "15:33:34 15:33:38"),
            failed(3, "15:33:51 15:33:55"),
            failed(4, "15:34:26 15:34:30"),
            "5 15:35:28 15:35:32 4s stopped".to_owned(),
        ]
    );
    let steps = rows(&told, "### Steps");
    assert_eq!(steps[2][..7], ["Full migrations", "failed", "15:33:27", "15:35:33", "2m06s", "4 of 4", "16:33:27"]);
    assert_eq!(steps[4][..2], ["Background migrations", "pending"]);
    for words in [
        "## `gitlab/gitlab`: failed\n\n`Failed at Full migrations (job/gitlab-migrations-8772fc99)`\n",
        "| Ended | 2026-11-29 15:35:33 UTC |",
        "| Cause | `BackoffLimitExceeded`: `Job has reached the specified backoff limit` |",
        "| 15:35:29 | Full migrations | retrying → failing |",
        // It said so a second after the Job had failed, at 15:35:33.
        "| 15:35:34 | `MigrationsJobFailed` |",
    ] {
        assert!(told.contains(words), "{words:?} is expected in\n{told}");
    }
}

#[test]
fn both_hops_are_told_with_their_gates_and_rollouts() {
    let steps = rows(&markdown("smooth"), "### Steps");
    let told: Vec<String> = steps.iter().map(|row| row[..5].join(" ")).collect();
    assert_eq!(
        told,
        [
            "`18.10.1` Pre-deployment migrations done 15:33:05 15:33:17",
            "`18.10.1` Rollout done 15:33:17 15:33:33",
            "`18.10.1` Full migrations done 15:33:34 15:33:46",
            "`18.10.1` Final rollout done 15:33:46 15:33:59",
            "`18.10.1` Background migrations done 15:33:59 15:34:33",
            "`18.11.0` Pre-deployment migrations done 15:35:03 15:35:15",
            "`18.11.0` Rollout done 15:35:15 15:35:28",
            "`18.11.0` Full migrations done 15:35:28 15:35:40",
            "`18.11.0` Final rollout done 15:35:40 15:35:53",
            "`18.11.0` Background migrations done 15:35:53 15:36:27",
        ]
    );
    let (_, text) = parsed(&report(&[&recording("smooth"), "-o", "html"]));
    assert!(text.contains("Hop 18.10.1") && text.contains("Hop 18.11.0"), "{text}");
}

#[test]
fn a_report_of_a_moment_knows_nothing_of_what_came_after() {
    let told = report(&[&recording("exhausted"), "--at", "15:34:00"]);
    assert_eq!(attempts(&told, "retrying").len(), 3);
    assert!(told.contains("## `gitlab/gitlab`: upgrading\n") && !told.contains("BackoffLimitExceeded"), "{told}");
    assert!(told.contains(" to 2026-11-29 15:34:00 UTC (1m11s)"), "{told}");
}

#[test]
fn every_recording_gives_a_page_that_is_well_formed_and_markdown_without_a_word_of_others_outside_of_code() {
    for path in recordings() {
        let (names, _) = parsed(&report(&[&path, "-o", "html"]));
        assert_eq!(names.iter().filter(|name| *name == "figure").count(), 1, "{path}");
        assert_harmless(&report(&[&path]));
    }
}

#[test]
fn kubernetes_101695_hostile_text_stays_text() {
    let folder = TempDir::new().unwrap();
    let path = hostile(&folder);
    let html = report(&[&path, "-o", "html"]);
    let (names, text) = parsed(&html);
    let elements = "html head meta title style body main h1 h2 h3 dl dt dd p span time figure svg desc defs pattern path line \
        text tspan rect ul li div table thead tbody tr th td pre details summary";
    let attributes = "@lang @charset @http-equiv @content @name @class @datetime @title @tabindex @scope @role \
        @aria-labelledby @aria-hidden @xmlns @id @width @height @x @y @x1 @x2 @y1 @y2 @d @fill @patternUnits @text-anchor";
    let ours: Vec<&str> = elements.split_whitespace().chain(attributes.split_whitespace()).collect();
    let foreign: Vec<_> = names.iter().filter(|name| !ours.contains(&name.as_str())).collect();
    assert_eq!(foreign, Vec::<&String>::new());
    assert!(text.contains("<script>alert(1)</script> <img src=x onerror=y>") && text.contains("<b>|`@all"), "{text}");
    assert!(!html.contains(['\u{1b}', '\u{202e}']));
    let markdown = report(&[&path]);
    assert_harmless(&markdown);
    let code = r"```` <script>alert(1)</script> <img src=x onerror=y> \| \ \| `x` ``` [a](http://b) @all #1 !2 ~bug /close ```";
    assert!(markdown.contains(code) && markdown.contains(r"`` <b>\|`@all ``"), "{markdown}");
}

#[test]
fn a_page_asks_for_nothing_from_elsewhere() {
    let html = report(&[&recording("exhausted"), "-o", "html"]);
    assert!(html.contains("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "));
    // The name of a namespace is no address.
    let addresses = html.matches("http://").count() - html.matches("xmlns=\"http://www.w3.org/2000/svg\"").count();
    assert_eq!((addresses, html.matches("https://").count(), html.matches("@import").count()), (0, 0, 0));
    assert!(html.contains("role=\"img\" aria-labelledby=\"t0 d0\"") && html.contains("<title id=\"t0\">Time line of "));
}

#[test]
fn redacted_it_tells_when_and_how_often_and_no_message_command_or_log() {
    for name in ["exhausted", "image-missing", "rails", "deadline"] {
        for format in ["md", "html"] {
            let told = report(&[&recording(name), "-o", format, "--redact"]);
            for hidden in
                ["PG::", "rake", "kubectl", "rpc error", "has reached", "canceling", "timed out", "localhost:5000"]
            {
                assert!(!told.contains(hidden), "{hidden} in {name}\n{told}");
            }
            assert!(told.contains("messages, commands and logs (--redact)"), "{told}");
        }
    }
    let told = report(&[&recording("exhausted"), "--redact"]);
    assert_eq!(attempts(&told, "failed").len(), 5);
    assert!(told.contains("| Cause | `BackoffLimitExceeded` |") && told.contains("| `4 of 4 failed` |"), "{told}");
}

#[test]
fn a_dump_is_a_report_of_one_moment_without_values_of_variables() {
    let mut objects = objects_at("retry", "2026-11-29T15:34:20Z");
    for object in &mut objects {
        let spec = match object["kind"].as_str().unwrap() {
            "Pod" => &mut object["spec"],
            "Job" => &mut object["spec"]["template"]["spec"],
            _ => continue,
        };
        spec["containers"][0]["env"] = json!([{"name": "TOKEN", "value": "hunter2"}]);
    }
    let dump = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
    for format in ["md", "html"] {
        let ran = gatewatch_reading(&["report", "-", "-o", format], dump.as_bytes());
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
        assert!(ran.stdout.contains("standard input") && ran.stdout.contains("a dump: it shows one moment"), "{ran:?}");
        assert!(!ran.stdout.contains("hunter2") && !ran.stdout.contains("TOKEN"), "{ran:?}");
        // An object tells of the last two runs of a container, and of how many there were.
        assert!(ran.stdout.contains("3 of 6") && ran.stdout.contains("not watched"), "{}", ran.stdout);
    }
    let ran = gatewatch_reading(&["report", "-", "--at", "15:34"], dump.as_bytes());
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.starts_with("gatewatch: `-` shows one moment"), "{}", ran.stderr);
}

#[test]
fn several_recordings_are_one() {
    let folder = TempDir::new().unwrap();
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for line in lines_of("retry") {
        let event: Value = serde_json::from_str(&line).unwrap();
        *files.entry(event["object"]["kind"].as_str().unwrap().to_owned()).or_default() += &(line + "\n");
    }
    let paths: Vec<String> = files
        .iter()
        .map(|(kind, text)| {
            let path = folder.path().join(kind);
            fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect();
    let told = report(&paths.iter().map(String::as_str).collect::<Vec<_>>());
    let (title, told) = told.split_once('\n').unwrap();
    assert!(title.contains(" more`"), "{title}");
    assert_eq!(told, markdown("retry").split_once('\n').unwrap().1);
}

#[test]
fn nothing_to_report_on_is_said_in_one_sentence() {
    let ran = gatewatch(&["report", &recording("retry"), "-n", "other"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (5, ""));
    assert!(ran.stderr.starts_with("gatewatch: there is no GitLabCore to report on; "), "{ran:?}");
    for wrong in [&["report", "--at", "15:34"][..], &["report", "x", "-o", "pdf"], &["report", "x", "--no-state"]] {
        assert_eq!(gatewatch(wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn the_report_of_a_failure_reads_well() {
    let settings = {
        let mut settings = insta::Settings::clone_current();
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings
    };
    settings.bind(|| {
        let told = markdown("exhausted").replace(concat!("gatewatch ", env!("CARGO_PKG_VERSION")), "gatewatch VERSION");
        insta::assert_snapshot!("report-exhausted", told);
        let html = report(&[&recording("exhausted"), "-o", "html"]);
        let figure = html.split_once("<figure>").unwrap().1.split_once("</figure>").unwrap().0;
        insta::assert_snapshot!("report-exhausted-picture", figure);
    });
}
