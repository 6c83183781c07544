//! What a report tells of what no recording holds: outages, restarts of the program, instances that go, logs without end.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::jobs::MOST_LOG_BYTES;
use super::*;
use crate::cluster::{Feed, Kind, Log, LogEnd, LogLine, RunId, Uid, Via, WatchState};
use crate::fixture::at;
use crate::gate::{Attempt, Attempts, Counting, Ending, Exit, GateJob, GateState, Outcome, RunLog, Target};
use crate::journal::{Journal, Journals};
use crate::run::{Run, StepBody, Verdict, sample};
use crate::tape::Moment;

fn given(origin: Origin) -> Given {
    Given { source: "it".into(), origin, notes: Vec::new(), redact: false, target: Target::default() }
}

fn cluster() -> Given {
    given(Origin::Cluster)
}

fn feed(state: &WatchState) -> Feed {
    let mut feed = Feed::default();
    Kind::ALL.into_iter().for_each(|kind| feed.note(kind, state.clone()));
    feed
}

fn live() -> Feed {
    feed(&WatchState::Live { since: at(0) })
}

fn broken() -> Feed {
    feed(&WatchState::Broken { since: at(1_320), error: "connection refused".into() })
}

/// The second gate in a state, with that many failed restarts of six.
fn run_with(state: GateState, restarts: u32) -> Run {
    let mut run = sample::run();
    run.steps[2].body = StepBody::Gate(Box::new(sample::gate(state, restarts)));
    run
}

fn retrying(restarts: u32) -> Run {
    run_with(GateState::Retrying { next_restart: None }, restarts)
}

fn moment(runs: &[Run], feed: Feed, seconds: i64) -> Moment {
    Moment { runs: runs.into(), feed, time: at(seconds) }
}

fn course(moments: impl IntoIterator<Item = Moment>) -> Course {
    let mut course = Course::default();
    moments.into_iter().for_each(|moment| course.see(moment, &mut BTreeMap::new()));
    course
}

fn written(course: &Course, given: &Given, format: ReportFormat) -> String {
    let mut out = Vec::new();
    Report::of(course, given).print(format, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn markdown(course: &Course, given: &Given) -> String {
    written(course, given, ReportFormat::Markdown)
}

#[test]
fn an_outage_is_told_and_drawn() {
    let course = course([
        moment(&[retrying(1)], live(), 1_260),
        moment(&[retrying(1)], broken(), 1_320),
        moment(&[retrying(2)], live(), 1_380),
    ]);
    let told = markdown(&course, &cluster());
    assert!(
        told.contains("| 15:22:00 | Feed | live → stale | `The cluster does not answer: connection refused` |"),
        "{told}"
    );
    let html = written(&course, &cluster(), ReportFormat::Html);
    assert!(html.contains("<title>The cluster did not answer from 15:22:00 to 15:23:00</title>"), "{html}");
    let hidden = markdown(&course, &Given { redact: true, ..cluster() });
    assert!(!hidden.contains("refused") && hidden.contains("| 15:22:00 | Feed | live → stale |"), "{hidden}");
}

#[test]
fn a_cluster_that_does_not_answer_at_the_end_is_noted_without_its_words_where_they_are_hidden() {
    let course = course([moment(&[retrying(1)], live(), 1_260), moment(&[retrying(1)], broken(), 1_380)]);
    assert!(
        markdown(&course, &cluster()).contains("Note: `The cluster has not answered for 1m00s: connection refused`")
    );
    assert!(!markdown(&course, &Given { redact: true, ..cluster() }).contains("refused"));
}

#[test]
fn an_instance_that_is_gone_is_told_with_when() {
    let course = course([moment(&[retrying(1)], live(), 1_260), moment(&[], live(), 1_290)]);
    let told = markdown(&course, &cluster());
    assert!(
        told.contains("## `gitlab/gitlab`: gone\n") && told.contains("| Ended | 2026-11-29 15:21:30 UTC |"),
        "{told}"
    );
    assert!(told.contains("| 15:21:30 | Upgrade | upgrading → gone |"), "{told}");
}

/// What was kept of a run by a program that saw it in these states.
fn kept(runs: &[(Run, i64)]) -> BTreeMap<Uid, Journal> {
    let mut journals = Journals::default();
    let mut before: Vec<Run> = Vec::new();
    for (run, seconds) in runs {
        let (now, state) = (vec![run.clone()], live());
        let seen = journals.see(&before, &now, &state, at(*seconds));
        if !seen.asked.is_empty() {
            journals.recall(&run.uid, None);
            let _ = journals.see(&now, &now, &state, at(*seconds));
        }
        before = now;
    }
    let uid = runs[0].0.uid.clone();
    let journal = journals.of(&uid).unwrap().clone();
    BTreeMap::from([(uid, journal)])
}

#[test]
fn one_look_goes_on_from_the_journal_that_was_kept() {
    let running = run_with(GateState::Running { finishing: false }, 0);
    let kept = kept(&[(running, 600), (retrying(1), 660), (retrying(2), 720)]);
    let told = markdown(&Course::of_moment(moment(&[retrying(3)], live(), 1_300), kept), &cluster());
    for words in [
        "one look at the cluster, at 2026-11-29 15:21:40 UTC, and the journal that gatewatch kept here since 2026-11-29 15:10:00 UTC |",
        "| 15:11:00 | Full migrations | running → retrying | `1 of 6 failed",
        "| 15:12:00 | Full migrations | retrying | `2 of 6 failed",
        "| 15:21:40 | Full migrations | retrying | while nobody watched: `3 of 6 failed",
    ] {
        assert!(told.contains(words), "{words:?} is expected in\n{told}");
    }
}

#[test]
fn a_kept_journal_is_told_from_where_the_last_upgrade_began() {
    let settled = Run { verdict: Verdict::Settled, ..run_with(GateState::Done, 0) };
    let kept = kept(&[(retrying(1), 60), (settled, 120), (retrying(2), 1_200)]);
    let told = markdown(&Course::of_moment(moment(&[retrying(2)], live(), 1_300), kept), &cluster());
    assert!(!told.contains("| 15:01:00 |") && !told.contains("| 15:02:00 |"), "{told}");
    assert!(told.contains("| 15:20:00 | Full migrations | done → retrying | `2 of 6 failed"), "{told}");
    assert!(told.contains("| 15:20:00 | Upgrade | settled → upgrading |"), "{told}");
}

#[test]
fn what_stood_when_it_was_first_seen_had_begun_before_and_nobody_watched() {
    let html = written(&course([moment(&[retrying(1)], live(), 1_260)]), &cluster(), ReportFormat::Html);
    assert!(html.contains("<title>not watched from 15:00:00 to 15:21:00 (21m00s)</title>"), "{html}");
}

/// A Job of that many attempts, each with a log of that many lines of 4 KiB.
fn endless(attempts: u32, lines: usize) -> GateJob {
    let mut log = Log::new(Via::Followed);
    (0..lines).for_each(|_| log.push(LogLine::printed("x".repeat(4_000).as_bytes())));
    log.close(LogEnd::Complete);
    let log = Arc::new(log);
    let mut job = sample::gate(GateState::Retrying { next_restart: None }, attempts).job.unwrap();
    job.attempts = Attempts::new(attempts, 0, attempts + 1, true);
    let run = |number: u32| RunId { container: "migrations".into(), id: format!("containerd://{number}") };
    let time = |number: u32| Some(at(i64::from(number)));
    job.history = (0..attempts)
        .map(|number| Attempt {
            pod: "a".into(),
            node: None,
            run: Some(run(number)),
            index: None,
            started: time(number),
            ended: time(number + 1),
            outcome: Outcome::Failed {
                ending: Ending::Container {
                    container: "migrations".into(),
                    exit: Exit { code: 1, signal: None },
                    reason: "Error".into(),
                },
                message: "y".repeat(16_000),
                counting: Counting::default(),
            },
        })
        .collect();
    job.logs = (0..attempts)
        .map(|number| RunLog {
            pod: "a".into(),
            run: run(number),
            attempt: usize::try_from(number).ok(),
            started: time(number),
            ended: time(number + 1),
            message: String::new(),
            log: Some(Arc::clone(&log)),
        })
        .collect();
    job
}

fn with_job(job: GateJob) -> Course {
    let mut run = sample::run();
    let state = GateState::Retrying { next_restart: None };
    run.steps[2].body = StepBody::Gate(Box::new(crate::gate::Gate { state, job: Some(job) }));
    course([moment(&[run], live(), 6_000)])
}

#[test]
fn a_report_has_an_end_however_much_failed_and_was_logged() {
    let course = with_job(endless(3_000, 500));
    let html = written(&course, &cluster(), ReportFormat::Html);
    // The logs, and for each of fifty attempts a thousand characters of what it said, twice at most.
    assert!(html.len() < MOST_LOG_BYTES + 50 * 2 * 1_100 + 60_000, "{}", html.len());
    assert!(html.contains("2950 attempts before those below"));
    let told = markdown(&course, &cluster());
    assert!(told.contains("| 3000 | 15:49:59 | 15:50:00 | 1s | failed") && !told.contains("| 2950 |"));
    assert!(told.contains("| 2951 |"));
}

#[test]
fn of_an_attempt_the_lines_that_tell_why_come_first_and_then_the_end_of_its_log() {
    let mut job = endless(1, 0);
    let mut log = Log::new(Via::Followed);
    (1..=30).for_each(|number| log.push(LogLine::printed(format!("line {number}").as_bytes())));
    ["/close", "```", "</pre><script>", "rake aborted!"]
        .iter()
        .for_each(|line| log.push(LogLine::printed(line.as_bytes())));
    log.push(LogLine::printed(b"PG::DiskFull: ERROR: no space"));
    log.close(LogEnd::Complete);
    job.logs[0].log = Some(Arc::new(log));
    if let Outcome::Failed { message, .. } = &mut job.history[0].outcome {
        message.clear();
    }
    let course = with_job(job);
    let told = markdown(&course, &cluster());
    let excerpt = "Attempt 1, the lines that tell why:\n\n    PG::DiskFull: ERROR: no space\n";
    assert!(told.contains(excerpt), "{told}");
    let tail = "\nAttempt 1: the log (`told by its log, followed while it ran`):\n\n    line 16\n    line 17\n";
    assert!(told.contains(tail) && !told.contains("    line 15\n"), "{told}");
    assert!(told.contains("    line 30\n    /close\n    ```\n    </pre><script>\n    rake aborted!\n"), "{told}");
    let html = written(&course, &cluster(), ReportFormat::Html);
    assert!(html.contains("```\n&lt;/pre&gt;&lt;script&gt;\nrake aborted!\n"), "{html}");
    assert!(told.contains("| failed: `migrations exited 1 (Error)` | `PG::DiskFull: ERROR: no space` |"), "{told}");
}

#[test]
fn a_journal_over_midnight_tells_the_days() {
    let day = 86_400 - 15 * 3_600;
    let course = course([moment(&[retrying(1)], live(), day - 60), moment(&[retrying(2)], live(), day + 60)]);
    let told = markdown(&course, &cluster());
    assert!(told.contains("| 11-29 23:59:00 |") && told.contains("| 11-30 00:01:00 |"), "{told}");
}
