//! One look at the runs, for people in 80 columns, or as a document.

use std::fmt::Write;
use std::io;

use jiff::Timestamp;
use unicode_width::UnicodeWidthStr;

use super::details::{Depth, details};
use super::headline::headline;
use super::style::{of_word, painted};
use super::text::{WIDTH, lines, wrap};
use super::{Missing, StatusList, feed};
use crate::cluster::Feed;
use crate::error::ExitCode;
use crate::gate::{Gate, Target};
use crate::run::{OperatorReport, Rollout, RolloutState, Run, Source, Step, StepBody, Verdict, span};

/// How a look is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatusFormat {
    /// Text for people.
    #[default]
    Text,
    /// A `StatusList` in JSON.
    Json,
    /// A `StatusList` in YAML.
    Yaml,
    /// The instances alone, one a line, as `kubectl get -o name` names them.
    Name,
}

/// Everything that one look shows.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// The runs.
    pub runs: &'a [Run],
    /// How the watches fare.
    pub feed: &'a Feed,
    /// The moment of the look: durations count to it.
    pub time: Timestamp,
    /// The cluster the user chose.
    pub target: &'a Target,
}

impl Look<'_> {
    /// Prints the look.
    ///
    /// # Errors
    /// What writing to `out` gives.
    pub fn print(&self, format: StatusFormat, out: &mut impl io::Write) -> io::Result<()> {
        let list = || StatusList::new(self.runs, self.feed, self.time, self.target);
        match format {
            StatusFormat::Text => out.write_all(self.text().as_bytes()),
            StatusFormat::Json => {
                serde_json::to_writer_pretty(&mut *out, &list())?;
                out.write_all(b"\n")
            }
            StatusFormat::Yaml => serde_saphyr::to_io_writer(out, &list()).map_err(io::Error::other),
            StatusFormat::Name => {
                self.runs.iter().try_for_each(|run| writeln!(out, "{}/{}", run.source.resource(), run.name))
            }
        }
    }

    /// The exit code of the look: what is still under way is no failure, and that nothing could be seen is one.
    pub fn exit_code(&self) -> ExitCode {
        let unseen = || matches!(Missing::of(self.feed), None | Some(Missing::Permission));
        match self.runs {
            [] if unseen() => ExitCode::Unreachable,
            runs if runs.iter().any(|run| run.verdict == Verdict::Failed) => ExitCode::Failed,
            _ => ExitCode::Settled,
        }
    }

    fn text(&self) -> String {
        let feed = feed::sentences(self.feed, self.time);
        let mut parts: Vec<_> = feed.iter().map(|sentence| lines(wrap(sentence, WIDTH))).collect();
        if self.runs.is_empty() {
            let unknown = || "It is not known whether there is a GitLabCore.".to_owned();
            parts.push(Missing::of(self.feed).map_or_else(unknown, |missing| missing.to_string()) + "\n");
        }
        parts.extend(self.runs.iter().map(|run| self.run(run)));
        parts.join("\n")
    }

    fn run(&self, run: &Run) -> String {
        let style = of_word(run.word()).bold();
        let headline = wrap(&headline(run), WIDTH).iter().map(|line| painted(line, style)).collect();
        let mut text = lines(headline);
        if let Some(operator) = &run.operator {
            text += &lines(wrap(&self.operator(operator), WIDTH));
        }
        match run.steps.as_slice() {
            [only] if run.source != Source::GitLabCore => text += &self.only_step(only),
            [] => {}
            steps => {
                text.push('\n');
                steps.iter().for_each(|step| text += &self.step(step));
            }
        }
        let outline = |step| details(run, step, self.time, self.target, Depth::Outline);
        text += &run.to_look_at().map(outline).unwrap_or_default();
        text
    }

    fn operator(&self, operator: &OperatorReport) -> String {
        let mut words = format!("operator: {}", operator.reason);
        if !operator.current {
            words += ", about an older spec";
        }
        match operator.behind_since.filter(|_| !operator.agrees) {
            Some(since) => {
                let _ = write!(words, ", {} behind the cluster", span(self.time.duration_since(since)));
            }
            None if !operator.agrees => words += ", which is not what the cluster shows",
            None => {}
        }
        words
    }

    /// When a Job that is done goes; of one that failed its details tell.
    fn expiry(&self, gate: &Gate) -> Option<String> {
        let expires = gate.job.as_ref()?.expires.filter(|_| gate.state.passed())?;
        Some(format!("deleted in {}", span(expires.duration_since(self.time))))
    }

    /// What there is to say of a step besides its state, in parts.
    fn notes(&self, step: &Step) -> Vec<String> {
        match &step.body {
            StepBody::Gate(gate) => {
                let tally = gate.tally();
                let words = tally.map(|tally| match gate.state.passed() {
                    true => format!("{} of {} failed", tally.failed, tally.limit),
                    false => tally.to_string(),
                });
                let done = gate.job.iter().filter_map(|job| job.progress.as_ref()).map(|progress| progress.to_string());
                let words: Vec<String> = done.chain(words).chain(self.expiry(gate)).collect();
                words.iter().flat_map(|words| words.split(", ")).map(str::to_owned).collect()
            }
            StepBody::Rollout(Rollout { state: RolloutState::Pending, .. }) => Vec::new(),
            StepBody::Rollout(rollout) => workloads(rollout),
            StepBody::Stage(stage) => [stage.message.clone()].into_iter().filter(|words| !words.is_empty()).collect(),
        }
    }

    /// What there is to say of the only step of a run, whose state is that of the run.
    fn only_step(&self, step: &Step) -> String {
        let word = if step.ended().is_some() { "took" } else { "for" };
        let took = step
            .took(self.time)
            .filter(|_| step.begun() && step.word() != "suspended")
            .map(|took| format!("{word} {}", span(took)));
        let words: Vec<String> = took.into_iter().chain(self.notes(step)).collect();
        wrap(&words.join(", "), WIDTH - 2).iter().map(|line| format!("  {line}\n")).collect()
    }

    fn step(&self, step: &Step) -> String {
        let number = step.id.gate_number().map(|number| number.to_string()).unwrap_or_default();
        let elapsed = step.took(self.time).map(span);
        let note = self.notes(step);
        let (title, word) = (step.id.title(), step.word());
        let before = format!("  {number:<2} {title:<27}");
        let after = format!("{:1$}{2:>7}", "", 10_usize.saturating_sub(word.len()), elapsed.unwrap_or_default());
        let (width, beside) = (before.width() + word.len() + after.width() + 2, note.join(", "));
        let note = match width + beside.width() > WIDTH {
            true => note.join(&format!(",\n{:width$}", "")),
            false => beside,
        };
        let line = format!("{before}{}{after}  {note}", painted(word, of_word(word)));
        line.trim_end().to_owned() + "\n"
    }
}

/// Ready of wanted replicas, by what they are: a release can split `sidekiq` over many Deployments.
fn workloads(rollout: &Rollout) -> Vec<String> {
    let mut apps: Vec<(&str, u32, u32)> = Vec::new();
    for workload in &rollout.workloads {
        match apps.iter_mut().find(|(app, ..)| *app == workload.app) {
            Some((_, ready, desired)) => {
                *ready = ready.saturating_add(workload.ready);
                *desired = desired.saturating_add(workload.desired);
            }
            None => apps.push((&workload.app, workload.ready, workload.desired)),
        }
    }
    apps.iter().map(|(app, ready, desired)| format!("{app} {ready}/{desired}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Change, ClusterEvent, Kind, WatchState, World};
    use crate::gate::{Attempts, Failure, GateState, LastFailure};
    use crate::run::{Workload, sample};

    fn text(runs: &[Run], feed: &Feed) -> String {
        let target = Target { context: Some("prod".into()), kubeconfig: None };
        let look = Look { runs, feed, time: sample::time("15:20:24"), target: &target };
        let mut out = Vec::new();
        look.print(StatusFormat::Text, &mut out).unwrap();
        anstream::adapter::strip_bytes(&out).into_vec().try_into().unwrap()
    }

    fn run_with(state: GateState, restarts: u32) -> Run {
        let mut run = sample::run();
        run.steps[2].body = StepBody::Gate(Box::new(sample::gate(state, restarts)));
        run
    }

    fn feed(said: &[(Kind, WatchState)]) -> Feed {
        let mut world = World::default();
        for (kind, state) in said {
            let change = Change::Watch { kind: *kind, state: state.clone() };
            world.apply(ClusterEvent { time: sample::time("15:20:00"), change });
        }
        world.feed().clone()
    }

    #[test]
    fn a_failure_that_nobody_saw_is_told_by_the_operator_if_it_agrees() {
        let mut run = run_with(GateState::Failed(sample::exhausted()), 6);
        let StepBody::Gate(gate) = &mut run.steps[2].body else { panic!() };
        gate.job.as_mut().unwrap().last_failure = Some(LastFailure::Lost);
        let mut operator = run.operator.take().unwrap();
        operator.message = "migrations exited 1".into();
        for (agrees, told) in [(true, true), (false, false)] {
            operator.agrees = agrees;
            run.operator = Some(operator.clone());
            let text = text(std::slice::from_ref(&run), &Feed::default());
            assert_eq!(text.contains("the operator says: migrations exited 1"), told, "{text}");
        }
    }

    /// Every line that is wider than the screen, but for a command and a word that cannot be broken.
    fn too_wide(text: &str) -> Vec<&str> {
        let allowed =
            |line: &str| line.width() <= WIDTH || line.starts_with("  kubectl ") || !line.trim().contains(' ');
        text.lines().filter(|line| !allowed(line)).collect()
    }

    #[test]
    fn a_retry_shows_what_failed_and_the_whole_command() {
        let run = run_with(GateState::Retrying { next_restart: Some(sample::time("15:21:02")) }, 3);
        insta::assert_snapshot!(text(&[run], &Feed::default()), @r"
        gitlab/gitlab: upgrading, 18.9.2 to 18.11.0, hop 1 of 2 (18.10.1)
        operator: UpgradingRails, 12s behind the cluster

          1  Pre-deployment migrations  done        4m12s
             Rollout                    done        6m03s  sidekiq 2/2, webservice 2/2
          2  Full migrations            retrying   20m24s  3 of 6 failed, 3 left
             Final rollout              pending
          3  Background migrations      pending

        Full migrations, job/gitlab-migrations-5f2c9a1e
          Last failure  migrations exited 1 (Error), 2m16s ago
                        in pod gitlab-migrations-5f2c9a1e-9k67t
                        PG::LockNotAvailable: ERROR: canceling statement due to lock
                        timeout
          Next          restart in about 38s
          Deadline      39m36s left, at 16:00:00Z
          To do         Read the log of the run that failed. The Job starts the next one
                        by itself.

          kubectl --context prod -n gitlab logs job/gitlab-migrations-5f2c9a1e -c migrations --previous
        ");
    }

    #[test]
    fn a_block_shows_the_cause_and_whether_it_can_clear() {
        let run = run_with(GateState::Blocked(sample::image_fault()), 0);
        insta::assert_snapshot!(text(&[run], &Feed::default()), @r"
        gitlab/gitlab: upgrading, 18.9.2 to 18.11.0, hop 1 of 2 (18.10.1)
        operator: UpgradingRails, 12s behind the cluster

          1  Pre-deployment migrations  done        4m12s
             Rollout                    done        6m03s  sidekiq 2/2, webservice 2/2
          2  Full migrations            blocked    20m24s
             Final rollout              pending
          3  Background migrations      pending

        Full migrations, job/gitlab-migrations-5f2c9a1e
          Blocked       ErrImagePull (Image), cannot clear by itself, for 2m24s
                        container migrations of pod gitlab-migrations-5f2c9a1e-9k67t
                        not found
          Deadline      39m36s left, at 16:00:00Z
        ");
    }

    #[test]
    fn a_failure_shows_the_condition_and_the_last_failure() {
        let run = run_with(GateState::Failed(sample::exhausted()), 6);
        let text = text(&[run], &Feed::default());
        assert!(
            text.contains("  Failed        BackoffLimitExceeded: Job has reached the specified backoff\n"),
            "{text}"
        );
        assert!(text.contains("  Last failure  migrations exited 1 (Error), 2m16s ago\n"), "{text}");
        assert!(!text.contains("Deadline"), "{text}");
    }

    #[test]
    fn a_rollout_that_makes_no_progress_says_which_deployment() {
        let mut run = sample::run();
        let message = "ReplicaSet has timed out progressing.".into();
        run.steps[1].body = sample::rollout(RolloutState::Blocked { workload: "gitlab-sidekiq".into(), message });
        let text = text(&[run], &Feed::default());
        assert!(
            text.contains("Rollout, deployment/gitlab-sidekiq\n  Blocked       ReplicaSet has timed out"),
            "{text}"
        );
    }

    #[test]
    fn replicas_of_many_deployments_are_one_sum_and_wrap() {
        let mut run = sample::run();
        let StepBody::Rollout(rollout) = &mut run.steps[1].body else { panic!("no rollout") };
        let any = rollout.workloads[0].clone();
        let workload =
            |app: &str| Workload { name: app.into(), app: app.into(), desired: 20, ready: 10, ..any.clone() };
        rollout.workloads = vec![workload("webservice"), workload("sidekiq"), workload("sidekiq"), workload("another")];
        let text = text(&[run], &Feed::default());
        let indent = " ".repeat(51);
        assert!(
            text.contains(&format!("  webservice 10/20,\n{indent}sidekiq 20/40,\n{indent}another 10/20\n")),
            "{text}"
        );
        assert_eq!(too_wide(&text), Vec::<&str>::new());
    }

    #[test]
    fn a_stale_feed_and_what_is_hidden_stand_first() {
        let broken = WatchState::Broken { since: sample::time("15:19:00"), error: "connection refused".into() };
        let forbidden = WatchState::Forbidden { message: "pods is forbidden".into(), heard: None };
        let feed = feed(&[(Kind::Job, broken), (Kind::Pod, forbidden)]);
        let text = text(&[], &feed);
        assert_eq!(
            text,
            "The cluster has not answered for 1m24s: connection refused\n\nThe server does not let us see pods: what they tell is missing.\n\nThere is no GitLabCore.\n"
        );
    }

    #[test]
    fn a_cluster_without_the_definition_says_so() {
        let live = WatchState::Live { since: sample::time("15:19:00") };
        let feed = feed(&[(Kind::GitLabCore, WatchState::Undefined), (Kind::Job, live)]);
        assert_eq!(text(&[], &feed), "The cluster does not serve GitLabCore.\n");
    }

    #[test]
    fn an_instance_that_nobody_could_see_is_not_told_to_be_none() {
        let look = |core: WatchState| {
            let feed = feed(&[(Kind::GitLabCore, core)]);
            let look = Look { runs: &[], feed: &feed, time: sample::time("15:20:24"), target: &Target::default() };
            (look.exit_code(), text(&[], &feed).lines().last().unwrap().to_owned())
        };
        let since = sample::time("15:19:00");
        let unknown = "It is not known whether there is a GitLabCore.".to_owned();
        assert_eq!(look(WatchState::Starting), (ExitCode::Unreachable, unknown.clone()));
        assert_eq!(look(WatchState::Broken { since, error: "reset".into() }), (ExitCode::Unreachable, unknown));
        let refused = "The server does not let us watch GitLabCore.".to_owned();
        assert_eq!(look(WatchState::Forbidden { message: "no".into(), heard: None }), (ExitCode::Unreachable, refused));
        assert_eq!(look(WatchState::Live { since }), (ExitCode::Settled, "There is no GitLabCore.".into()));
    }

    #[test]
    fn a_message_without_end_is_cut_and_says_so() {
        let mut run = run_with(GateState::Retrying { next_restart: None }, 1);
        let StepBody::Gate(gate) = &mut run.steps[2].body else { panic!("no gate") };
        let job = gate.job.as_mut().unwrap();
        job.last_failure =
            Some(LastFailure::Known(Failure { message: "line of words\n".repeat(500), ..sample::failure() }));
        job.attempts = Attempts::new(12, 0, i32::MAX.unsigned_abs(), true);
        let text = text(&[run], &Feed::default());
        assert!(text.contains("… 488 more lines"), "{text}");
        assert!(text.lines().count() < 40, "{text}");
        assert_eq!(too_wide(&text), Vec::<&str>::new());
    }
}
