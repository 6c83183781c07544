//! Holds what was said against what the API server told.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::operator::statuses;
use super::watcher::Line;
use super::witness::{Heard, History, JOBS, PODS, condition, name};

/// Fails unless the lines are those of the scenario: see [`Scenario::said`](super::scenario::Scenario::said).
pub fn says(stated: &[String], lines: &[Line]) -> Result<()> {
    let said: Vec<&str> = lines.iter().map(Line::text).collect();
    let told = || format!("\nstated:\n  {}\nsaid:\n  {}", stated.join("\n  "), said.join("\n  "));
    let mut rest = said.iter().peekable();
    for line in stated {
        let wanted = line.trim_start_matches(['?', '*']);
        let (least, most) = match line.as_bytes().first() {
            Some(b'?') => (0, 1),
            Some(b'*') => (0, said.len()),
            _ => (1, 1),
        };
        let mut times = 0;
        while times < most && rest.next_if(|said| matches(wanted, said)).is_some() {
            times += 1;
        }
        ensure!(times >= least, "`{wanted}` was not said where it belongs{}", told());
    }
    ensure!(rest.peek().is_none(), "more was said than is stated{}", told());
    Ok(())
}

/// Whether a text is the stated one, in which `{…}` stands for what has no blank, and `…` at its end for what else it says.
fn matches(stated: &str, text: &str) -> bool {
    let (stated, more) = stated.strip_suffix('…').map_or((stated, false), |stated| (stated, true));
    let mut parts = stated.split('{');
    let Some(mut text) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    for part in parts {
        let after = part.split_once('}').map_or(part, |(_, after)| after);
        let blank = text.find(' ').unwrap_or(text.len());
        let Some(end) = text.find(after).filter(|end| !after.is_empty() && *end <= blank) else {
            return after.is_empty() && blank == text.len();
        };
        text = &text[end + after.len()..];
    }
    more || text.is_empty()
}

/// Fails unless the lines agree with the Job controller:
///
/// - when it fails a Job for its limit, none were said to be left; of a Job that it does not, some always were;
/// - no count falls, unless a pod of the Job was lost or the Job is another one;
/// - a gate is failing, failed or done when the Job says so, and not before;
/// - what is counted of runs while a Job goes on is what its containers show at that time.
pub fn agrees(history: &History, lines: &[Line]) -> Result<()> {
    for uid in jobs(history) {
        let job = JobHeard::of(history, uid);
        let Some(first) = job.events.first() else { continue };
        let said: Vec<&Line> = lines.iter().filter(|line| about(line, &first.object, history)).collect();
        ensure!(!said.is_empty(), "nothing was said of {}", name(&first.object));
        let counts = said.iter().filter_map(|line| Some((*line, Count::of(line)?)));
        for (line, count) in counts.clone() {
            job.allows(line, &count).with_context(|| line.text().to_owned())?;
        }
        for ((earlier, before), (line, after)) in counts.clone().zip(counts.skip(1)) {
            let fell = after.failed < before.failed && !job.lost_a_pod_by(line.at);
            ensure!(!fell, "the count fell: `{}`, then `{}`", earlier.text(), line.text());
        }
    }
    Ok(())
}

/// What a line says of the attempts of a gate.
struct Count<'a> {
    to: &'a str,
    failed: u64,
    left: u64,
    /// Of runs, where no pod failed as a whole.
    runs: Option<u64>,
}

impl<'a> Count<'a> {
    fn of(line: &'a Line) -> Option<Self> {
        let attempts = &line.change["attempts"];
        let runs = attempts["restarts"]["failed"].as_u64().filter(|_| attempts["pods"]["failed"] == 0);
        let (failed, left) = (attempts["failed"].as_u64()?, attempts["left"].as_u64()?);
        Some(Self { to: line.change["to"].as_str()?, failed, left, runs })
    }
}

/// What the witness heard of a Job.
struct JobHeard<'a> {
    events: Vec<&'a Heard>,
    pods: Vec<&'a Heard>,
    /// How many runs of its containers had failed after each change of its pods.
    runs: Vec<(Instant, u64)>,
}

impl<'a> JobHeard<'a> {
    fn of(history: &'a History, job: &str) -> Self {
        let events = history.heard.iter().filter(|heard| heard.of == JOBS && uid(&heard.object) == job).collect();
        let pods: Vec<&Heard> =
            history.heard.iter().filter(|heard| heard.of == PODS && owner(&heard.object) == job).collect();
        Self { events, runs: failed_runs_over_time(&pods), pods }
    }

    /// Fails unless that may be said of the Job.
    fn allows(&self, line: &Line, count: &Count<'_>) -> Result<()> {
        let limited = self.events.iter().any(|heard| fails_for_its_limit(&heard.object));
        if limited {
            let over = ["failing", "failed"].contains(&count.to);
            ensure!(!over || count.left == 0, "the Job failed for its limit, with {} left", count.left);
        } else {
            ensure!(count.left > 0, "none is left, and the Job did not fail for its limit");
        }
        if let Some(runs) = count.runs.filter(|_| ["running", "retrying"].contains(&count.to)) {
            let near = self.runs_near(line.at);
            ensure!(near.contains(&runs) || near.is_empty() && runs == 0, "{near:?} runs had failed");
        }
        let needed = match count.to {
            "failing" => "FailureTarget",
            "failed" => "Failed",
            "done" => "Complete",
            _ => return Ok(()),
        };
        let told = self.events.iter().any(|heard| condition(&heard.object, needed).is_some());
        ensure!(told, "the Job never was {needed}");
        Ok(())
    }

    /// How many runs had failed at about that time; what stood when that time began counts as well.
    fn runs_near(&self, at: Instant) -> Vec<u64> {
        let (from, to) = (at.checked_sub(LATER), at + EARLIER);
        let early = self.runs.iter().rfind(|(at, _)| Some(*at) < from);
        let in_time = self.runs.iter().filter(|(at, _)| Some(*at) >= from && *at <= to);
        early.into_iter().chain(in_time).map(|(_, runs)| *runs).collect()
    }

    fn lost_a_pod_by(&self, at: Instant) -> bool {
        self.pods.iter().any(|heard| heard.at <= at && is_lost(heard))
    }
}

/// The uids of the Jobs.
fn jobs(history: &History) -> BTreeSet<&str> {
    history.heard.iter().filter(|heard| heard.of == JOBS).map(|heard| uid(&heard.object)).collect()
}

fn uid(object: &Value) -> &str {
    object["metadata"]["uid"].as_str().unwrap_or_default()
}

/// The uid of the Job that a pod is of.
fn owner(pod: &Value) -> &str {
    pod["metadata"]["labels"]["batch.kubernetes.io/controller-uid"].as_str().unwrap_or_default()
}

/// Whether a pod's failed runs may count no more: it is on its way out, or was.
fn is_lost(heard: &Heard) -> bool {
    heard.deleted
        || heard.object["status"]["phase"] == "Failed"
        || !heard.object["metadata"]["deletionTimestamp"].is_null()
}

fn fails_for_its_limit(job: &Value) -> bool {
    let given_up =
        |kind: &str| condition(job, kind).is_some_and(|condition| condition["reason"] == "BackoffLimitExceeded");
    given_up("FailureTarget") || given_up("Failed")
}

/// How many runs of a Job's containers had failed after each change of its pods.
fn failed_runs_over_time(events: &[&Heard]) -> Vec<(Instant, u64)> {
    let mut pods: BTreeMap<&str, u64> = BTreeMap::new();
    events
        .iter()
        .map(|heard| {
            let runs = if heard.deleted { 0 } else { failed_runs(&heard.object) };
            pods.insert(name(&heard.object), runs);
            (heard.at, pods.values().sum())
        })
        .collect()
}

/// The failed runs of a pod's containers: the restart count rises when the next run begins, so that one that just failed, or
/// that is waited after, is not in it yet.
fn failed_runs(pod: &Value) -> u64 {
    let failed = |run: &Value| run["terminated"]["exitCode"].as_i64().is_some_and(|code| code != 0);
    let of = |status: &Value| {
        let waits = status["state"]["waiting"]["reason"].as_str().is_some_and(|reason| !reason.is_empty());
        let one_more = failed(&status["state"]) || waits && failed(&status["lastState"]);
        status["restartCount"].as_u64().unwrap_or(0) + u64::from(one_more)
    };
    statuses(pod).map(of).sum()
}

/// How much later than the witness the program may say what it heard.
const LATER: Duration = Duration::from_secs(2);

/// How much earlier than the witness another process may hear of the same change.
pub const EARLIER: Duration = Duration::from_secs(1);

/// Whether a line speaks of the gate of that Job, while this Job was the gate's: from its making to that of the next.
fn about(line: &Line, job: &Value, history: &History) -> bool {
    let jobs = history.heard.iter().filter(|heard| heard.of == JOBS && step(&heard.object) == step(job));
    let of_job = |heard: &&Heard| uid(&heard.object) == uid(job);
    let Some(made) = jobs.clone().find(of_job).map(|heard| heard.at) else { return false };
    let next = jobs.filter(|heard| !of_job(heard)).map(|heard| heard.at).find(|at| *at > made);
    let heard = line.at + EARLIER;
    line.change["subject"] == step(job) && heard >= made && next.is_none_or(|next| heard < next)
}

/// The step that a Job is the gate of, by the end of its name.
fn step(job: &Value) -> &'static str {
    match name(job).rsplit('-').next() {
        Some("pre") => "pre-migrations",
        Some("bbm") => "batched-migrations",
        _ => "post-migrations",
    }
}

/// What these tests rest on, tried before any of them runs.
pub fn holds_by_itself() -> Result<()> {
    let lines = |all: &[&str]| -> Vec<Line> {
        let line = |text: &&str| Line { at: std::time::Instant::now(), change: serde_json::json!({"text": text}) };
        all.iter().map(line).collect()
    };
    let stated = ["job/a-{hash}-pre, {time}: over", "?b", "*d{n}", "c…"].map(str::to_owned);
    says(&stated, &lines(&["job/a-0f-pre, 15:00:01Z: over", "cd"]))?;
    says(&stated, &lines(&["job/a-0f-pre, 15:00:01Z: over", "b", "d1", "d2", "c"]))?;
    for other in [
        &["job/a-0f-pre, 15:00:01Z: over"][..],
        &["job/a-0f-pre, 15:00:01Z: over", "b"],
        &["job/a-0f-pre, 15:00:01Z: over", "c", "b"],
        &["job/a-0f-pre, 15:00:01Z: over", "c", "e"],
        &["job/a-0f-pre, 15:00:01Z: over", "b", "b", "c"],
        &["job/a-0f x-pre, 15:00:01Z: over", "c"],
        &["job/a-0f-pre, 15:00:01Z: over.", "c"],
        &["c"],
    ] {
        ensure!(says(&stated, &lines(other)).is_err(), "{other:?} passes for {stated:?}");
    }
    Ok(())
}
