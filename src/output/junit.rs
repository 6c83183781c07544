//! A wait as test cases in JUnit's XML, as pipelines show them: a suite for each run, a case for each step.

use std::io;

use jiff::{SignedDuration, Timestamp};
use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use super::details::{Depth, details};
use super::goal::past_deadline;
use super::{Missing, Waiter};
use crate::error::ExitCode;
use crate::gate::{GateState, Target};
use crate::run::{PastJob, RolloutState, Run, StageState, Step, StepBody, Verdict, WhyPast};

/// How a wait ended, and when.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// The exit code that it ends with.
    pub code: ExitCode,
    /// When it ended: what is under way took until then.
    pub time: Timestamp,
    /// The cluster the user chose.
    pub target: &'a Target,
}

/// The test cases of one run.
struct Suite {
    name: String,
    started: Option<Timestamp>,
    cases: Vec<Case>,
}

/// A step as a test case.
struct Case {
    name: String,
    took: SignedDuration,
    outcome: Outcome,
}

/// How a test case ends.
enum Outcome {
    Passed,
    /// It did not run, or nobody can tell; with why.
    Skipped(String),
    /// It failed.
    Failure(Trouble),
    /// It did not come to its end.
    Error(Trouble),
}

struct Trouble {
    /// One word, or two.
    kind: String,
    message: String,
    /// All that is known of it.
    text: String,
}

/// Writes what became of the runs that were waited for.
///
/// # Errors
/// What writing to `out` gives.
pub fn write_junit(waiter: &Waiter, ended: Ended<'_>, out: &mut impl io::Write) -> io::Result<()> {
    let gone = Ended { code: ExitCode::Gone, ..ended };
    let of = |run: &Run| Suite::of(run, if waiter.is_gone(run) { gone } else { ended });
    let mut suites: Vec<Suite> = waiter.runs().iter().map(of).collect();
    suites.extend(waiter.gone().iter().map(|run| Suite::of(run, gone)));
    suites.extend(waiter.unmet().next().map(|_| Suite::of_none(waiter, ended)));
    let all = || suites.iter().flat_map(|suite| &suite.cases);
    let mut writer = Writer::new_with_indent(&mut *out, b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = counts(all()).into_iter().chain([("name", "gatewatch".to_owned())]);
    let root = writer.create_element("testsuites").with_attributes(root.collect::<Vec<_>>().iter().map(attribute));
    root.write_inner_content(|writer| suites.iter().try_for_each(|suite| suite.write(writer)))?;
    out.write_all(b"\n")
}

impl Suite {
    fn of(run: &Run, ended: Ended<'_>) -> Self {
        let hop = run.course.hop.as_ref().filter(|hop| hop.of > 1);
        let mut cases: Vec<Case> = run.history.iter().filter_map(Case::of_another_hop).collect();
        for step in &run.steps {
            let mut case = Case::of(run, step, ended);
            if let Some(hop) = hop {
                case.name = format!("{} ({})", case.name, hop.version);
            }
            cases.push(case);
        }
        let failed = |case: &Case| matches!(case.outcome, Outcome::Failure(_) | Outcome::Error(_));
        let missed = match ended.code {
            ExitCode::Gone => true,
            ExitCode::TimedOut | ExitCode::Signal(_) => !matches!(run.verdict, Verdict::Settled | Verdict::Failed),
            _ => run.verdict == Verdict::Failed,
        };
        // No step that is seen tells why.
        if missed && !cases.iter().any(failed) {
            cases.push(Case::of_upgrade(run, ended));
        }
        Self { name: run.full_name().to_string(), started: run.started, cases }
    }

    /// Nothing came of these, which were waited for.
    fn of_none(waiter: &Waiter, ended: Ended<'_>) -> Self {
        // Where it ended by what another came to, this one is not what failed.
        let kind = if ended.code == ExitCode::Failed { "not reached" } else { end_words(ended.code) };
        let case = |missing: Missing| {
            let message = missing.to_string();
            let trouble = Trouble { kind: kind.into(), text: message.clone(), message };
            let place = missing.cluster.map(|cluster| format!("{cluster} ")).unwrap_or_default();
            let name = place + &missing.pick.words();
            Case { name, took: SignedDuration::ZERO, outcome: Outcome::Error(trouble) }
        };
        let unmet = waiter.unmet().map(|(cluster, world, pick)| Missing::of(cluster, pick, world));
        Self { name: "gatewatch".into(), started: None, cases: unmet.map(case).collect() }
    }

    fn write<W: io::Write>(&self, writer: &mut Writer<W>) -> io::Result<()> {
        let mut attributes = counts(self.cases.iter());
        attributes.push(("name", self.name.clone()));
        attributes.extend(self.started.map(|started| ("timestamp", started.to_string())));
        let element = writer.create_element("testsuite").with_attributes(attributes.iter().map(attribute));
        element.write_inner_content(|writer| self.cases.iter().try_for_each(|case| case.write(&self.name, writer)))?;
        Ok(())
    }
}

impl Case {
    fn of(run: &Run, step: &Step, ended: Ended<'_>) -> Self {
        let text = || {
            let details = details(run, step, ended.time, ended.target, Depth::WithLog);
            anstream::adapter::strip_str(&details).to_string()
        };
        let skipped = |why: &str| Outcome::Skipped(why.to_owned());
        let open = |message: &str| match ended.code {
            ExitCode::Settled | ExitCode::Failed => skipped(message),
            code => Outcome::Error(Trouble { kind: end_words(code).into(), message: message.to_owned(), text: text() }),
        };
        let outcome = match &step.body {
            StepBody::Gate(gate) => match &gate.state {
                GateState::Done => Outcome::Passed,
                GateState::Pending | GateState::Skipped => skipped(gate.state.word()),
                GateState::Unknown(unseen) => skipped(&unseen.to_string()),
                GateState::Failing(failure) | GateState::Failed(failure) => Outcome::Failure(Trouble {
                    kind: failure.reason.clone(),
                    message: failure.message.clone(),
                    text: text(),
                }),
                GateState::Blocked(fault) => open(&format!("blocked: {}: {}", fault.reason, fault.message)),
                state @ (GateState::Running { .. } | GateState::Retrying { .. } | GateState::Suspended) => {
                    let tried = gate.tried();
                    open(&tried.map_or_else(|| state.word().to_owned(), |tried| format!("{}, {tried}", state.word())))
                }
            },
            StepBody::Rollout(rollout) => match &rollout.state {
                RolloutState::Done => Outcome::Passed,
                RolloutState::Pending => skipped(rollout.state.word()),
                RolloutState::Unknown(unseen) => skipped(&unseen.to_string()),
                RolloutState::Running => open(rollout.state.word()),
                RolloutState::Blocked { workload, message } if past_deadline(run) => Outcome::Failure(Trouble {
                    kind: "ProgressDeadlineExceeded".into(),
                    message: format!("{workload}: {message}"),
                    text: text(),
                }),
                RolloutState::Blocked { workload, message } => open(&format!("blocked: {workload}: {message}")),
            },
            StepBody::Stage(stage) => match stage.state {
                StageState::Done => Outcome::Passed,
                StageState::Pending | StageState::Skipped | StageState::Unknown => skipped(stage.state.word()),
                StageState::Failed => Outcome::Failure(Trouble {
                    kind: stage.state.word().into(),
                    message: stage.message.clone(),
                    text: text(),
                }),
                StageState::Running | StageState::Retrying | StageState::Blocked => open(stage.state.word()),
            },
        };
        Self { name: step.id.title().into(), took: step.took(ended.time).unwrap_or_default(), outcome }
    }

    /// A gate of a hop that came before.
    fn of_another_hop(job: &PastJob) -> Option<Self> {
        let step = job.step.filter(|_| job.why == WhyPast::OtherHop && job.state == GateState::Done)?;
        let took = job.started.zip(job.ended).map(|(started, ended)| ended.duration_since(started));
        let name = format!("{} ({})", step.title(), job.version.as_deref()?);
        Some(Self { name, took: took.unwrap_or_default(), outcome: Outcome::Passed })
    }

    fn of_upgrade(run: &Run, ended: Ended<'_>) -> Self {
        let message = run.operator.as_ref().map(|operator| format!("{}: {}", operator.reason, operator.message));
        let message = message.unwrap_or_else(|| run.verdict.word().into());
        let (kind, text) = (end_words(ended.code).into(), run.standing(ended.time).text);
        let trouble = Trouble { kind, message, text };
        let failed = run.verdict == Verdict::Failed;
        let outcome = if failed { Outcome::Failure(trouble) } else { Outcome::Error(trouble) };
        Self { name: run.source.noun().into(), took: SignedDuration::ZERO, outcome }
    }

    fn write<W: io::Write>(&self, suite: &str, writer: &mut Writer<W>) -> io::Result<()> {
        let attributes = [("classname", suite.to_owned()), ("name", self.name.clone()), ("time", seconds(self.took))];
        let element = writer.create_element("testcase").with_attributes(attributes.iter().map(attribute));
        let (name, trouble) = match &self.outcome {
            Outcome::Passed => return element.write_empty().map(drop),
            Outcome::Skipped(why) => {
                let why = ("message", why.clone());
                let skip = |writer: &mut Writer<W>| {
                    writer.create_element("skipped").with_attribute(attribute(&why)).write_empty().map(drop)
                };
                return element.write_inner_content(skip).map(drop);
            }
            Outcome::Failure(trouble) => ("failure", trouble),
            Outcome::Error(trouble) => ("error", trouble),
        };
        let attributes = [("type", trouble.kind.clone()), ("message", trouble.message.clone())];
        let text = allowed(&trouble.text);
        let troubled = |writer: &mut Writer<W>| {
            let element = writer.create_element(name).with_attributes(attributes.iter().map(attribute));
            element.write_text_content(BytesText::new(text.trim())).map(drop)
        };
        element.write_inner_content(troubled).map(drop)
    }
}

/// How many there are, of which how many did not pass, and how long they took.
fn counts<'a>(cases: impl Iterator<Item = &'a Case> + Clone) -> Vec<(&'static str, String)> {
    let count = |of: fn(&Outcome) -> bool| cases.clone().filter(|case| of(&case.outcome)).count().to_string();
    let took = cases.clone().map(|case| case.took).fold(SignedDuration::ZERO, SignedDuration::saturating_add);
    vec![
        ("tests", count(|_| true)),
        ("failures", count(|outcome| matches!(outcome, Outcome::Failure(_)))),
        ("errors", count(|outcome| matches!(outcome, Outcome::Error(_)))),
        ("skipped", count(|outcome| matches!(outcome, Outcome::Skipped(_)))),
        ("time", seconds(took)),
    ]
}

fn seconds(took: SignedDuration) -> String {
    format!("{:.3}", took.as_secs_f64().max(0.0))
}

/// Why what was under way did not come to its end.
fn end_words(code: ExitCode) -> &'static str {
    match code {
        ExitCode::TimedOut => "timed out",
        ExitCode::Gone => "gone",
        ExitCode::Signal(_) => "interrupted",
        ExitCode::Failed => "failed",
        _ => "not reached",
    }
}

/// An attribute is one line: a parser makes blanks of line breaks anyway.
fn attribute((name, value): &(&'static str, String)) -> (&'static str, std::borrow::Cow<'static, str>) {
    (name, allowed(&value.split_whitespace().collect::<Vec<_>>().join(" ")).into())
}

/// Without the characters that no XML may hold, not even escaped.
fn allowed(text: &str) -> String {
    let allowed = |char: char| matches!(char, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    text.chars().map(|char| if allowed(char) { char } else { char::REPLACEMENT_CHARACTER }).collect()
}

#[cfg(test)]
mod tests {
    use quick_xml::Reader;

    use super::*;
    use crate::cluster::WorkloadKind;
    use crate::gate::{Gate, LastFailure, Unseen};
    use crate::run::{Source, UnseenDeployments, sample};

    fn xml(run: &Run, code: ExitCode) -> String {
        let (time, target) = (sample::time("15:20:24"), Target::default());
        let mut writer = Writer::new(Vec::new());
        Suite::of(run, Ended { code, time, target: &target }).write(&mut writer).unwrap();
        String::from_utf8(writer.into_inner()).unwrap()
    }

    fn with(step: usize, gate: Gate) -> Run {
        let mut run = sample::run();
        run.steps[step].body = StepBody::Gate(Box::new(gate));
        run
    }

    #[test]
    fn text_from_a_cluster_stays_text() {
        let hostile = "</failure>]]><x a='1' b=\"2\">&amp;\u{1}\u{fffe}\nend";
        let mut failure = sample::exhausted();
        failure.message = hostile.into();
        let mut gate = sample::gate(GateState::Failed(failure), 6);
        let mut last = sample::logged_failure();
        last.message = hostile.into();
        gate.job.as_mut().unwrap().last_failure = Some(LastFailure::Known(last));
        let mut run = with(2, gate);
        run.verdict = Verdict::Failed;
        let xml = xml(&run, ExitCode::Failed);
        let mut reader = Reader::from_str(&xml);
        let (mut message, mut elements) = (String::new(), Vec::new());
        loop {
            match reader.read_event().unwrap() {
                Event::Eof => break,
                Event::Start(element) | Event::Empty(element) => {
                    let name = String::from_utf8(element.name().as_ref().to_vec()).unwrap();
                    if name == "failure" {
                        let found = element.try_get_attribute("message").unwrap().unwrap();
                        message = quick_xml::escape::unescape(std::str::from_utf8(&found.value).unwrap())
                            .unwrap()
                            .into_owned();
                    }
                    elements.push(name);
                }
                _ => {}
            }
        }
        assert_eq!(message, "</failure>]]><x a='1' b=\"2\">&amp;\u{fffd}\u{fffd} end");
        assert!(!elements.contains(&"x".to_owned()) && !xml.contains(['\u{1}', '\u{fffe}']), "{xml}");
    }

    #[test]
    fn what_is_under_way_did_not_fail_unless_it_was_waited_for_in_vain() {
        let run = with(2, sample::gate(GateState::Retrying { next_restart: None }, 3));
        let told = |code| xml(&run, code);
        let message = r#"message="retrying, 3 of 6 failed, 3 left""#;
        assert!(told(ExitCode::Settled).contains(&format!("<skipped {message}/>")), "{}", told(ExitCode::Settled));
        for (code, word) in
            [(ExitCode::TimedOut, "timed out"), (ExitCode::Signal(15), "interrupted"), (ExitCode::Gone, "gone")]
        {
            assert!(told(code).contains(&format!(r#"<error type="{word}" {message}>"#)), "{}", told(code));
        }
    }

    #[test]
    fn a_rollout_that_cannot_be_known_says_why() {
        for (unseen, why) in [
            (UnseenDeployments::Forbidden, "the server does not let us see Deployments"),
            (UnseenDeployments::Absent, "the dump holds no Deployments"),
        ] {
            let mut run = sample::run();
            run.steps[1].body = sample::rollout(RolloutState::Unknown(unseen));
            let xml = xml(&run, ExitCode::Settled);
            assert!(xml.contains(&format!(r#"<skipped message="{why}"/>"#)), "{xml}");
        }
    }

    #[test]
    fn a_rollout_past_its_progress_deadline_failed_and_one_between_gates_did_not() {
        let mut run = sample::run();
        run.verdict = Verdict::Stuck;
        run.steps[1].body = sample::stuck_rollout();
        assert!(xml(&run, ExitCode::Failed).contains(r#"<skipped message="blocked: gitlab-webservice: timed out"/>"#));
        run.source = Source::Rollout(WorkloadKind::Deployment);
        let xml = xml(&run, ExitCode::Failed);
        let failure = r#"<failure type="ProgressDeadlineExceeded" message="gitlab-webservice: timed out">"#;
        assert!(xml.contains(failure) && xml.contains(r#"failures="1""#), "{xml}");
    }

    #[test]
    fn a_failure_that_no_step_tells_of_is_one_of_the_upgrade() {
        let mut run = with(2, Gate::without_job(GateState::Unknown(Unseen::Forbidden)));
        run.verdict = Verdict::Failed;
        let xml = xml(&run, ExitCode::Failed);
        assert!(xml.contains(r#"name="Upgrade" time="0.000"><failure type="failed" message=""#), "{xml}");
        assert!(xml.contains(r#"<skipped message="the server does not let us see Jobs"/>"#), "{xml}");
        assert!(xml.contains(r#"failures="1""#), "{xml}");
    }
}
