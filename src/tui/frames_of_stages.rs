//! The frames of an update of Gluesync: at moments of what a real cluster told.

use std::path::Path;

use jiff::Timestamp;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Size;

use super::fixture::{COLOUR, settings};
use super::frames::{drawn, every_size, pressed, text};
use super::model::{Message, Mode, Model, Screen, Settings};
use super::theme::Theme;
use super::update::update;
use crate::cluster::{Change, ClusterEvent, Pick, Selection, WatchState, World};
use crate::record::{Reading, open};
use crate::run::derive;

/// The model of a recording at a time of day.
fn seen_with(settings: Settings, name: &str, at: &str, size: (u16, u16)) -> Model {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gluesync").join(format!("{name}.jsonl.gz"));
    let Reading::Recording(recording) = open(&file).unwrap() else { panic!("{name} is a dump") };
    let now: Timestamp = format!("2026-11-30T{at}Z").parse().unwrap();
    let mut world = World::default();
    recording.events.into_iter().filter(|event| event.time <= now).for_each(|event| world.apply(event));
    let kinds: Vec<_> = world.selection().kinds().collect();
    for kind in kinds {
        let change = Change::Watch { kind, state: WatchState::Live { since: now } };
        world.apply(ClusterEvent { cluster: None, time: now, change });
    }
    let mut model = Model::new(settings, Size { width: size.0, height: size.1 }, now);
    let runs = derive(&world).into();
    let _ = update(&mut model, Message::Cluster { runs, feed: world.feed().clone(), now });
    model
}

fn seen(name: &str, at: &str, theme: Theme, size: (u16, u16)) -> Model {
    seen_with(settings(theme), name, at, size)
}

#[test]
fn an_update_that_waits_for_a_registry() {
    every_size("gluesync-registry", |theme, size| seen("registry", "08:28:50", theme, size));
}

#[test]
fn an_update_whose_core_hub_has_to_stay_ready() {
    every_size("gluesync-stability", |theme, size| seen("registry", "08:29:30", theme, size));
}

#[test]
fn an_update_that_is_rolled_back() {
    every_size("gluesync-rollback", |theme, size| seen("rolled-back", "08:28:48", theme, size));
    every_size("gluesync-failed", |theme, size| seen("rolled-back", "08:28:55", theme, size));
    let detail = |theme, size| pressed(seen("rolled-back", "08:28:48", theme, size), &[KeyCode::Enter]);
    every_size("gluesync-rollback-detail", detail);
}

#[test]
fn an_update_of_modules_one_of_which_was_rolled_back() {
    every_size("gluesync-modules", |theme, size| seen("degraded", "08:29:27", theme, size));
    let detail = |theme, size| pressed(seen("degraded", "08:29:55", theme, size), &[KeyCode::Enter]);
    every_size("gluesync-degraded-detail", detail);
}

#[test]
fn an_update_on_a_display_that_nobody_attends() {
    every_size("gluesync-kiosk", |theme, size| {
        let settings = Settings { mode: Mode::Kiosk, ..settings(theme) };
        seen_with(settings, "registry", "08:28:50", size)
    });
}

#[test]
fn an_update_hides_what_is_said_where_that_is_redacted() {
    for mode in [Mode::Interactive, Mode::Kiosk] {
        let settings = Settings { mode, redact: true, ..settings(COLOUR) };
        let frame = text(&drawn(&seen_with(settings, "registry", "08:28:50", (100, 30))));
        assert!(frame.contains("ErrImagePull") && !frame.contains("Gateway") && !frame.contains("kubectl"), "{frame}");
    }
}

#[test]
fn the_resource_of_an_update_is_read_as_yaml() {
    let model = pressed(seen("rolled-back", "08:28:48", COLOUR, (100, 30)), &[KeyCode::Char('y')]);
    let frame = text(&drawn(&model));
    assert!(frame.contains("gluesyncplatform/gluesync") && frame.contains("kind: GluesyncPlatform"), "{frame}");
}

#[test]
fn a_step_that_an_operator_does_itself_has_no_log_and_no_object_of_its_own() {
    let (log, object) = (
        "the operator does this step itself, so it has no log here",
        "this step has no object of its own: y shows the whole resource",
    );
    for (key, told) in [('l', log), ('p', log), ('d', object)] {
        let model = pressed(seen("rolled-back", "08:28:48", COLOUR, (100, 30)), &[KeyCode::Char(key)]);
        let notice = model.notice.as_ref().map(|notice| notice.text.as_str());
        assert_eq!((notice, model.screen()), (Some(told), Screen::Dashboard), "{key}");
    }
}

#[test]
fn help_speaks_of_no_job_and_no_gate_where_none_is_watched() {
    let settings = Settings { selection: Selection::of([Pick::GluesyncPlatform(None)]), ..settings(COLOUR) };
    let seen = seen_with(settings.clone(), "rolled-back", "08:28:48", (200, 160));
    let nothing_yet = Model::new(settings, Size { width: 200, height: 160 }, seen.now());
    for model in [seen, nothing_yet] {
        let help = text(&drawn(&pressed(model, &[KeyCode::Char('?')])));
        let states: String = help.lines().skip_while(|line| line.trim() != "States of a step").collect();
        assert!(states.contains("it has failed") && states.contains("it is complete"), "{help}");
        assert!(
            ["Job", "gate", "hop", "pgrade", "nstance"]
                .iter()
                .all(|word| !help.replace("gatewatch", "").contains(word)),
            "{help}"
        );
    }
}
