//! The frames of texts: logs and objects.

use ratatui::crossterm::event::KeyCode;
use serde_json::json;

use super::fixture::{self, COLOUR, JOB, MONO, feed, live, model, settings, shown, with_job};
use super::frames::{compare, drawn, every_size, every_way, pressed, text};
use super::model::Model;
use super::theme::Theme;
use crate::cluster::{Colour, LogEnd, LogLine, Look, Manifest, Paint, Via};
use crate::run::{Run, StepBody};

/// The failed upgrade, its Job and its resource as the server wrote them.
pub fn written() -> Run {
    let mut run = fixture::failed();
    let spec = json!({"backoffLimit": 6, "activeDeadlineSeconds": 3600, "template": {"spec": {"containers": [{
        "name": "migrations", "image": "registry.example.com/gitlab/toolbox:v18.10.1",
        "command": ["sh", "-c", "echo migrating\nexec /scripts/db-migrate"],
        "env": [{"name": "GITLAB_WEBSERVER", "value": "PUMA"}]}]}}});
    let written = |kind: &str, name: &str| {
        let metadata = json!({"name": name, "namespace": "gitlab", "uid": name, "labels": {"app": "migrations"}});
        Manifest::of(&json!({"apiVersion": "batch/v1", "kind": kind, "metadata": metadata, "spec": spec}))
    };
    run.manifest = written("GitLabCore", "gitlab");
    with_job(&mut run, |job| {
        job.manifest = written("Job", JOB);
        job.pods.iter_mut().for_each(|pod| pod.manifest = written("Pod", &pod.name));
    });
    run
}

/// A rollout that is stuck, its Deployments and their pods as the server wrote them.
pub fn written_rollout() -> Run {
    let mut run = fixture::stuck();
    let written = |kind: &str, name: &str, owner: Option<&str>| {
        let owners: Vec<_> = owner.map(|name| json!({"kind": "ReplicaSet", "name": name})).into_iter().collect();
        Manifest::of(&json!({"kind": kind, "metadata": {"name": name, "uid": name, "ownerReferences": owners},
            "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "webservice", "image": "r/web:v2"}]}}}}))
    };
    if let StepBody::Rollout(rollout) = &mut run.steps[1].body {
        for workload in &mut rollout.workloads {
            workload.manifest = written("Deployment", &workload.name, None);
            for replica in &mut workload.replicas {
                let set = replica.pod.rsplit_once('-').map(|(set, _)| set);
                replica.manifest = written("Pod", &replica.pod, set);
            }
        }
    }
    run
}

fn keys(keys: &str) -> Vec<KeyCode> {
    keys.chars().map(|key| if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) }).collect()
}

fn read(run: Run, typed: &str, theme: Theme, size: (u16, u16)) -> Model {
    pressed(shown(run, theme, size), &keys(typed))
}

/// The rows of a frame that say what is read.
fn said(run: Run, typed: &str) -> String {
    let frame = text(&drawn(&read(run, typed, COLOUR, (100, 30))));
    frame.lines().skip(2).take(3).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_log_of_the_running_attempt() {
    every_way("logs", |theme, size| read(fixture::logged(), "l", theme, size));
}

#[test]
fn the_log_of_an_attempt_whose_pod_is_gone_with_times_and_what_was_searched() {
    every_way("logs-first", |theme, size| read(fixture::logged(), "l[[[t/lock\nN", theme, size));
}

#[test]
fn a_log_that_nobody_read() {
    every_size("logs-message", |theme, size| read(fixture::logged(), "l[[", theme, size));
}

#[test]
fn a_log_whose_lines_do_not_break() {
    compare("logs-cut", text(&drawn(&read(fixture::logged(), "lw", COLOUR, (60, 15)))));
}

#[test]
fn a_search_while_it_is_typed() {
    compare("logs-searching", text(&drawn(&read(fixture::logged(), "l/ti", COLOUR, (100, 30)))));
}

#[test]
fn an_object_as_yaml() {
    every_way("yaml", |theme, size| read(written(), "y", theme, size));
}

#[test]
fn an_object_described() {
    every_way("describe", |theme, size| read(written(), "d", theme, size));
}

#[test]
fn the_deployments_of_a_rollout() {
    every_size("yaml-rollout", |theme, size| read(written_rollout(), "y", theme, size));
    every_size("describe-rollout", |theme, size| read(written_rollout(), "d", theme, size));
}

#[test]
fn where_a_log_is_from_is_told() {
    let with = |end: Option<LogEnd>, lines: usize, via: Via, message: &str| {
        let mut run = fixture::logged();
        with_job(&mut run, |job| {
            job.logs[4].log = Some(fixture::log(100, lines, via, end));
            job.logs[4].message = message.into();
        });
        said(run, "l")
    };
    let refused = LogEnd::Forbidden("pods \"a\" is forbidden: cannot get resource \"pods/log\"".into());
    for (end, lines, via, message, told) in [
        (None, 3, Via::Followed, "", "following"),
        (Some(LogEnd::Complete), 3, Via::Followed, "", "followed to its end"),
        (Some(LogEnd::Complete), 3, Via::Afterwards, "", "read after it ended"),
        (Some(LogEnd::Complete), 3, Via::Previous, "", "read with --previous"),
        (Some(refused.clone()), 0, Via::Afterwards, "", "you may not read logs: pods \"a\" is forbidden"),
        (Some(refused), 0, Via::Afterwards, "bye", "termination message; you may not read logs"),
        (Some(LogEnd::Gone), 0, Via::Previous, "bye", "termination message; the kubelet had its log no more"),
        (Some(LogEnd::Broken("eof".into())), 3, Via::Followed, "", "followed, and broke off: eof"),
    ] {
        let said = with(end, lines, via, message);
        assert!(said.contains(told), "{told}\n{said}");
    }
}

#[test]
fn where_there_is_no_log_it_says_why() {
    let without = |gone: bool| {
        let mut run = fixture::logged();
        with_job(&mut run, |job| {
            (job.logs[4].log, job.pods[1].gone) = (None, gone);
        });
        said(run, "l")
    };
    let runs = without(false);
    assert!(runs.contains("no log was read yet") && !runs.contains("message"), "it is yet to leave one: {runs}");
    assert!(without(true).contains("no log was read before its pod went, and it left no message"));
    assert!(said(fixture::running(), "l").contains("no log: no container of it has run, as far as was seen"));
    let mut before = fixture::failed();
    with_job(&mut before, |job| job.logs.clear());
    assert!(said(before.clone(), "l").contains("no log: it ran before gatewatch looked"), "{}", said(before, "l"));
    let origin = super::Origin::Replay;
    let settings = super::Settings { origin, ..settings(COLOUR) };
    let replay = model(settings, (100, 30), vec![fixture::logged()], feed(&live()));
    let frame = text(&drawn(&pressed(replay, &keys("l[["))));
    assert!(frame.contains("termination message; no log of it was recorded so far"), "{frame}");
}

#[test]
fn in_a_narrow_terminal_what_is_said_of_a_run_is_whole() {
    use crate::gate::Outcome;
    let mut run = fixture::logged();
    with_job(&mut run, |job| (job.history[2].outcome, job.pods[0].gone) = (Outcome::Stopped, true));
    let frame = text(&drawn(&read(run, "l[", COLOUR, (60, 15))));
    let stopped = frame.lines().nth(2).unwrap_or_default();
    assert!(stopped.contains("stopped with its Job  ") && stopped.contains("took"), "{stopped}");
}

#[test]
fn what_is_over_is_not_followed() {
    let followed = said(fixture::logged(), "l");
    assert!(followed.contains("following") && !followed.contains("followed"), "once: {followed}");
    assert!(said(fixture::logged(), "lg").contains("followed"));
    let mut over = fixture::logged();
    with_job(&mut over, |job| job.ended = Some(fixture::ago(1)));
    assert!(!said(over, "l").contains("following"));
}

#[test]
fn without_the_room_for_a_line_what_is_said_of_a_text_is_underlined() {
    for (typed, row) in [("l", 3), ("y", 1)] {
        let buffer = drawn(&read(written(), typed, MONO, (60, 15)));
        let underlined = |y| (0..60).all(|x| buffer[(x, y)].modifier.contains(ratatui::style::Modifier::UNDERLINED));
        let rows: Vec<u16> = (0..15).filter(|y| underlined(*y)).collect();
        assert_eq!(rows, [row], "{typed}\n{}", text(&buffer));
    }
}

#[test]
fn help_begins_with_the_keys_of_the_place_it_was_called_from() {
    for (typed, first) in
        [("?", "Dashboard"), ("\n?", "Detail"), ("l?", "Logs, YAML and description"), ("J?", "Journal")]
    {
        let frame = text(&drawn(&read(written(), typed, COLOUR, (60, 15))));
        assert_eq!(frame.lines().nth(2).map(str::trim), Some(first), "{typed}");
    }
}

#[test]
fn how_a_run_ended_is_told_in_words() {
    use crate::gate::{Ending, Exit};
    let with = |ending: Ending| {
        let mut run = fixture::logged();
        with_job(&mut run, |job| {
            job.history[2].outcome = fixture::counted_failure(ending, "");
        });
        said(run, "l[")
    };
    let exited = |code, signal, reason: &str| Ending::Container {
        container: "migrations".into(),
        exit: Exit { code, signal },
        reason: reason.into(),
    };
    for (ending, told) in [
        (exited(1, None, "Error"), "exited 1 (Error)  "),
        (exited(137, None, "OOMKilled"), "ran out of memory (OOMKilled, 137)  "),
        (exited(143, Some(15), "Error"), "was killed by SIGTERM (143)  "),
        (Ending::Pod { reason: "Evicted".into() }, "pod failed (Evicted)"),
    ] {
        assert!(with(ending.clone()).contains(told), "{}", with(ending));
    }
}

#[test]
fn a_log_keeps_its_colours_where_there_are_any() {
    let red = Look { foreground: Some(Colour::Indexed(1)), ..Look::default() };
    let line = LogLine { text: "plain red".into(), paints: vec![Paint { from: 6, look: red }], ..LogLine::default() };
    let mut run = fixture::logged();
    with_job(&mut run, |job| {
        let mut log = crate::cluster::Log::new(Via::Followed);
        log.push(line);
        job.logs[4].log = Some(log.into());
    });
    let red_cells = |theme| {
        let buffer = drawn(&read(run.clone(), "l", theme, (100, 30)));
        let red = |cell: &&ratatui::buffer::Cell| cell.fg == ratatui::style::Color::Red;
        buffer.content.iter().filter(red).map(|cell| cell.symbol().to_owned()).collect::<String>()
    };
    assert_eq!((red_cells(COLOUR).as_str(), red_cells(MONO).as_str()), ("red", ""));
}
