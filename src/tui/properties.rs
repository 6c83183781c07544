//! Any size draws any run with any text; a command is always wholly readable; redaction hides what it has to.

use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use serde_json::json;

use super::fixture::{self, ASCII, COLOUR, MONO, every_run, feed, live, model, settings};
use super::frames::{drawn, pressed, text};
use super::keymap::bindings;
use super::model::{Message, Mode, Model};
use super::said::{said, set_command};
use super::theme::Tone;
use super::update::update;
use super::{Settings, view};
use crate::cluster::{Log, LogLine, Manifest, Via, clean};
use crate::gate::Attempts;
use crate::run::StepBody;
use crate::tape::{Motion, Shown};

/// Text as a cluster may hold it, after it was cleaned: wide, combining, long, with line breaks.
fn hostile() -> impl Strategy<Value = String> {
    prop_oneof!["\\PC{0,60}", "[a-z\n ]{0,200}", "[日本語🚀é\u{301}\u{1100}\u{1161}]{0,80}", Just("x".repeat(2000)),]
        .prop_map(|text| clean(&text))
}

/// What stands in the style of a command, without blanks.
fn commands(model: &Model, buffer: &Buffer) -> String {
    let style = model.theme().style(Tone::Command);
    let of_command = buffer.content.iter().filter(|cell| cell.bg == style.bg.unwrap_or_default());
    of_command.map(|cell| cell.symbol()).collect::<String>().replace(' ', "")
}

/// How many runs there are to pick from.
const RUNS: usize = 16;

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_size_draws_any_run_with_any_text(
        width in 0_u16..320,
        height in 0_u16..110,
        pick in 0_usize..RUNS,
        words in hostile(),
        kiosk in any::<bool>(),
        replayed in any::<bool>(),
        redact in any::<bool>(),
        theme in prop_oneof![Just(COLOUR), Just(MONO), Just(ASCII)],
    ) {
        let mode = if kiosk { Mode::Kiosk } else { Mode::Interactive };
        let settings = Settings { mode, redact, place: words.clone(), ..settings(theme) };
        let run = said(every_run().swap_remove(pick), &words, &words);
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
            let runs = model.runs().to_vec();
            let broken = Message::Cluster { runs: runs.into(), feed: feed(&fixture::broken()), now: fixture::ago(0) };
            let _ = update(&mut model, broken);
            if replayed {
                let _ = update(&mut model, Message::Shown(Shown::Frontier(fixture::gauge(Motion::Playing))));
            }
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
        pick in 0_usize..RUNS,
        message in hostile(),
        words in prop::collection::vec("[a-z0-9/'=-]{1,90}", 1..6),
        tape in 0..3,
    ) {
        let mut run = said(every_run().swap_remove(pick), &message, &message);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        set_command(&mut run, &words);
        let size = (width, height);
        let model = match tape {
            0 => model(settings(COLOUR), size, vec![run], feed(&fixture::broken())),
            1 => fixture::replay(run, fixture::gauge(Motion::Paused), COLOUR, size),
            _ => fixture::looking_back(run, 600, settings(COLOUR), size, Vec::new()),
        };
        let Some(command) = model.command() else { return Ok(()) };
        prop_assert_eq!(commands(&model, &drawn(&model)), command.replace(' ', ""));
    }

    #[test]
    fn any_size_draws_any_log_and_object_and_nothing_hostile_in_it(
        width in 0_u16..320,
        height in 0_u16..110,
        printed in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 0..60),
        words in "(\\PC|\u{1b}\\[[0-9]{0,2}[A-Zm]|\u{9b}|\u{202e}|\n|\t){0,60}",
        keys in "[wtjkgGfn\\[\\] ]{0,8}",
        searched in "[a-zé日]{0,2}",
        theme in prop_oneof![Just(COLOUR), Just(MONO), Just(ASCII)],
    ) {
        let mut run = fixture::logged();
        fixture::with_job(&mut run, |job| {
            let mut log = Log::new(Via::Followed);
            printed.iter().for_each(|line| log.push(LogLine::printed(line)));
            log.push(LogLine::printed(words.as_bytes()));
            job.logs[4].log = Some(log.into());
            job.logs[1].message = clean(&words);
            job.manifest = Manifest::of(&json!({"metadata": {"name": words}, words.clone(): words, "spec": [words]}));
        });
        let chars = |text: &str| text.chars().map(KeyCode::Char).collect::<Vec<_>>();
        for opening in ["l", "p", "l[[[", "y", "d"] {
            let search = [chars("/"), chars(&searched), vec![KeyCode::Enter]].concat();
            let keys = [chars(opening), chars(&keys), search, chars("N")].concat();
            let model = model(settings(theme), (width, height), vec![run.clone()], feed(&live()));
            let buffer = drawn(&pressed(model, &keys));
            for cell in &buffer.content {
                let hostile = |character: char| !clean(&format!("x{character}x")).contains(character);
                prop_assert!(!cell.symbol().chars().any(hostile), "{:?}", cell.symbol());
            }
        }
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
    let model = pressed(model(settings, (100, 120), vec![fixture::running()], feed(&live())), &[KeyCode::Char('?')]);
    let help = text(&drawn(&model));
    for binding in bindings() {
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
        // Names may be read by passers-by, and stand for what a cluster calls its things.
        let mut run = said(run, "name", secret);
        set_command(&mut run, &["logs", secret]);
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
fn every_run_is_picked_some_time() {
    assert_eq!(every_run().len(), RUNS);
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
