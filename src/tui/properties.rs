//! Any size draws any run with any text; a command is always wholly readable; redaction hides what it has to.

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;

use super::fixture::{self, ASCII, COLOUR, MONO, every_run, feed, live, model, settings};
use super::frames::{drawn, pressed, text};
use super::keymap::BINDINGS;
use super::model::{Message, Mode, Model};
use super::theme::Tone;
use super::update::update;
use super::{Settings, view};
use crate::cluster::clean;
use crate::gate::{Attempts, Command, Ending, GateState, LastFailure, Outcome};
use crate::run::{Run, StepBody};

/// Text as a cluster may hold it, after it was cleaned: wide, combining, long, with line breaks.
fn hostile() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{0,60}", "[a-z\n ]{0,200}", "[日本語🚀é\u{301}\u{1100}\u{1161}]{0,80}", Just("x".repeat(2000)),]
        .prop_map(|text| clean(&text))
}

/// A run with that text in every place where a cluster's text stands.
fn said(mut run: Run, text: &str) -> Run {
    run.name = text.into();
    run.namespace = text.into();
    run.course.from = Some(text.into());
    run.course.hops.push(text.into());
    if let Some(report) = &mut run.operator {
        report.reason = text.into();
        report.message = text.into();
        report.agrees = false;
    }
    for step in &mut run.steps {
        match &mut step.body {
            StepBody::Rollout(rollout) => {
                for workload in &mut rollout.workloads {
                    workload.name = text.into();
                    workload.app = text.into();
                    workload.desired = u32::MAX;
                }
            }
            StepBody::Gate(gate) => {
                match &mut gate.state {
                    GateState::Failing(failure) | GateState::Failed(failure) => {
                        failure.reason = text.into();
                        failure.message = text.into();
                    }
                    GateState::Blocked(fault) => {
                        fault.reason = text.into();
                        fault.message = text.into();
                        fault.container = Some(text.into());
                    }
                    _ => {}
                }
                let Some(job) = &mut gate.job else { continue };
                job.name = text.into();
                job.advice = Some(text.into());
                if let Some(LastFailure::Known(failure)) = &mut job.last_failure {
                    failure.pod = text.into();
                    failure.message = text.into();
                    failure.ending = Ending::Pod { reason: text.into() };
                }
                for attempt in &mut job.history {
                    attempt.pod = text.into();
                    if let Outcome::Failed { message, .. } = &mut attempt.outcome {
                        *message = text.into();
                    }
                }
                for event in &mut job.events {
                    event.reason = text.into();
                    event.message = text.into();
                    event.about_name = text.into();
                }
            }
        }
    }
    run
}

/// What stands in the style of a command, without blanks.
fn commands(model: &Model, buffer: &Buffer) -> String {
    let style = model.theme().style(Tone::Command);
    let of_command = buffer.content.iter().filter(|cell| cell.bg == style.bg.unwrap_or_default());
    of_command.map(|cell| cell.symbol()).collect::<String>().replace(' ', "")
}

fn set_command(run: &mut Run, words: &[&str]) {
    for step in &mut run.steps {
        if let StepBody::Gate(gate) = &mut step.body
            && let Some(job) = &mut gate.job
        {
            job.command = Some(Command::new("gitlab", words));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_size_draws_any_run_with_any_text(
        width in 0_u16..320,
        height in 0_u16..110,
        pick in 0_usize..10,
        words in hostile(),
        kiosk in any::<bool>(),
        redact in any::<bool>(),
        theme in prop_oneof![Just(COLOUR), Just(MONO), Just(ASCII)],
    ) {
        let mode = if kiosk { Mode::Kiosk } else { Mode::Interactive };
        let settings = Settings { mode, redact, place: words.clone(), ..settings(theme) };
        let run = said(every_run().swap_remove(pick), &words);
        let mut several = fixture::several();
        several.push(run.clone());
        for (runs, keys) in [
            (vec![run.clone()], [].as_slice()),
            (vec![run.clone()], &[KeyCode::Enter, KeyCode::Char('G')]),
            (vec![run.clone()], &[KeyCode::Char('J'), KeyCode::Char('k')]),
            (vec![run], &[KeyCode::Char('?'), KeyCode::Char('G')]),
            (several.clone(), &[KeyCode::Char('J')]),
            (several, &[KeyCode::Char('G')]),
            (Vec::new(), &[]),
        ] {
            let mut model = model(settings.clone(), (width, height), runs, feed(&live()));
            let _ = fixture::recalled(&mut model, None, 1);
            let runs = model.runs.clone();
            let broken = Message::Cluster { runs, feed: feed(&fixture::broken()), now: fixture::ago(0) };
            let _ = update(&mut model, broken);
            let model = pressed(model, keys);
            let buffer = drawn(&model);
            if theme.ascii {
                prop_assert!(text(&buffer).is_ascii());
            }
        }
    }

    #[test]
    fn the_command_is_wholly_readable_at_any_size_that_is_large_enough(
        width in 60_u16..320,
        height in 15_u16..100,
        pick in 0_usize..10,
        message in hostile(),
        words in prop::collection::vec("[a-z0-9/'=-]{1,90}", 1..6),
    ) {
        let mut run = said(every_run().swap_remove(pick), &message);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        set_command(&mut run, &words);
        let model = model(settings(COLOUR), (width, height), vec![run], feed(&fixture::broken()));
        let Some(command) = model.command() else { return Ok(()) };
        prop_assert_eq!(commands(&model, &drawn(&model)), command.replace(' ', ""));
    }

    #[test]
    fn absurd_counts_and_times_are_drawn(
        failed in any::<u32>(),
        limit in any::<u32>(),
        seconds in any::<i64>(),
        time in jiff::Timestamp::MIN.as_second()..jiff::Timestamp::MAX.as_second(),
        width in 60_u16..200,
    ) {
        let time = jiff::Timestamp::from_second(time).unwrap();
        let mut run = fixture::retrying();
        run.started = Some(time);
        for step in &mut run.steps {
            if let StepBody::Gate(gate) = &mut step.body
                && let Some(job) = &mut gate.job
            {
                job.attempts = Attempts::new(failed, failed, limit, true);
                job.deadline = Some(crate::gate::Deadline { at: time, seconds });
                job.started = Some(time);
            }
        }
        for keys in [[].as_slice(), &[KeyCode::Enter]] {
            drawn(&pressed(model(settings(COLOUR), (width, 40), vec![run.clone()], feed(&live())), keys));
        }
    }
}

#[test]
fn help_lists_every_key() {
    let settings = settings(COLOUR);
    let model = pressed(model(settings, (100, 80), vec![fixture::running()], feed(&live())), &[KeyCode::Char('?')]);
    let help = text(&drawn(&model));
    for binding in BINDINGS {
        let keys: Vec<String> = binding.keys.iter().map(|key| key.label(false)).collect();
        let keys = keys.join(" ");
        let listed = help.lines().any(|line| {
            let line = line.trim_start();
            line.starts_with(&keys) && line.ends_with(binding.help)
        });
        assert!(listed, "{keys}: {}\n{help}", binding.help);
    }
}

#[test]
fn redaction_hides_messages_and_commands_wherever_they_stand() {
    let secret = "s3cr3t";
    for (run, mode) in every_run().into_iter().flat_map(|run| [(run.clone(), Mode::Interactive), (run, Mode::Kiosk)]) {
        let mut run = said(run, secret);
        // Names may be read by passers-by, and stand for what a cluster calls its things.
        let name = |run: &mut Run| {
            run.name = "gitlab".into();
            run.namespace = "gitlab".into();
            run.course.from = None;
            run.course.hops.clear();
            if let Some(report) = &mut run.operator {
                report.reason = "Running".into();
            }
        };
        name(&mut run);
        for step in &mut run.steps {
            match &mut step.body {
                StepBody::Rollout(rollout) => rollout.workloads.clear(),
                StepBody::Gate(gate) => {
                    match &mut gate.state {
                        GateState::Failing(failure) | GateState::Failed(failure) => failure.reason = "Why".into(),
                        GateState::Blocked(fault) => {
                            fault.reason = "Why".into();
                            fault.container = None;
                        }
                        _ => {}
                    }
                    let Some(job) = &mut gate.job else { continue };
                    job.name = "job".into();
                    job.advice = None;
                    job.command = Some(Command::new("gitlab", &["logs", secret]));
                    if let Some(LastFailure::Known(failure)) = &mut job.last_failure {
                        failure.pod = "pod".into();
                        failure.ending = fixture::exited(1, "Error");
                    }
                    job.history.iter_mut().for_each(|attempt| attempt.pod = "pod".into());
                    for event in &mut job.events {
                        event.reason = "Why".into();
                        event.about_name = "pod".into();
                    }
                }
            }
        }
        let settings = Settings { mode, redact: true, ..settings(COLOUR) };
        for keys in [[].as_slice(), &[KeyCode::Enter]] {
            let model = pressed(model(settings.clone(), (200, 100), vec![run.clone()], feed(&fixture::broken())), keys);
            let frame = text(&drawn(&model));
            assert!(!frame.contains(secret), "{frame}");
            assert!(!frame.contains("kubectl"), "{frame}");
            assert!(!frame.contains("10.0.0.1"), "{frame}");
        }
    }
}

#[test]
fn the_least_size_is_large_enough_for_every_screen() {
    for run in every_run() {
        let size = (view::LEAST.width, view::LEAST.height);
        let frame = text(&drawn(&model(settings(COLOUR), size, vec![run], feed(&live()))));
        assert!(!frame.contains("Too small"), "{frame}");
        assert!(frame.contains("gitlab"), "{frame}");
    }
}
