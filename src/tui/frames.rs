//! The frames: what a screen shows at three sizes, in colour, without, and in ASCII. `tests/snapshots` holds them.

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::fixture::{self, ASCII, COLOUR, MONO, ago, feed, live, model, settings, shown};
use super::model::{Effect, Message, Mode, Model};
use super::theme::Theme;
use super::update::update;
use super::view;
use crate::cluster::WatchState;
use crate::gate::{Ending, GateState, LastFailure};
use crate::run::{Run, StepBody};
use crate::tape::Motion;

const SIZES: [(u16, u16); 3] = [(60, 15), (100, 30), (200, 60)];

/// The frame of a model.
pub fn drawn(model: &Model) -> Buffer {
    let size = model.size();
    let mut buffer = Buffer::empty(Rect::new(0, 0, size.width, size.height));
    view::render(model, &mut buffer);
    buffer
}

/// The text of a frame, without blanks at the ends of rows and empty rows at its end.
pub fn text(buffer: &Buffer) -> String {
    let rows = buffer.content.chunks(usize::from(buffer.area.width).max(1)).map(|row| {
        let mut skip = 0;
        let mut line = String::new();
        for cell in row {
            if skip == 0 {
                line.push_str(cell.symbol());
                skip = super::widget::text::width(cell.symbol()).max(1);
            }
            skip -= 1;
        }
        line.trim_end().to_owned()
    });
    rows.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// What is styled in a frame, and how, row by row.
pub fn styles(buffer: &Buffer) -> String {
    let mut lines = Vec::new();
    for y in 0..buffer.area.height {
        let mut runs: Vec<(Style, String)> = Vec::new();
        for x in 0..buffer.area.width {
            let Some(cell) = buffer.cell((x, y)) else { continue };
            match runs.last_mut() {
                Some((style, text)) if *style == cell.style() => text.push_str(cell.symbol()),
                _ => runs.push((cell.style(), cell.symbol().to_owned())),
            }
        }
        let told = runs.iter().filter(|(style, _)| !in_words(*style).is_empty());
        let told: Vec<String> =
            told.map(|(style, text)| format!("{}[{}]", text.trim_end(), in_words(*style))).collect();
        if !told.is_empty() {
            lines.push(format!("{:2}  {}", y + 1, told.join("  ")));
        }
    }
    lines.join("\n")
}

fn in_words(style: Style) -> String {
    let colour = |prefix: &str, colour: Option<Color>| match colour {
        None | Some(Color::Reset) => None,
        Some(colour) => Some(format!("{prefix}{colour}").to_lowercase()),
    };
    let modifier = |modifier, word: &str| style.add_modifier.contains(modifier).then(|| word.to_owned());
    let words = [
        colour("", style.fg),
        colour("on ", style.bg),
        modifier(Modifier::BOLD, "bold"),
        modifier(Modifier::UNDERLINED, "underlined"),
        modifier(Modifier::REVERSED, "reversed"),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// Compares with a snapshot in `tests/snapshots`.
pub fn compare(name: &str, frame: String) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../tests/snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, frame));
}

/// A screen at three sizes; at the middle one in ASCII too, and with its styles in colour and without.
pub fn every_way(name: &str, model: impl Fn(Theme, (u16, u16)) -> Model) {
    for size in SIZES {
        compare(&format!("{name}-{}x{}", size.0, size.1), text(&drawn(&model(COLOUR, size))));
    }
    compare(&format!("{name}-ascii"), text(&drawn(&model(ASCII, (100, 30)))));
    compare(&format!("{name}-colour"), styles(&drawn(&model(COLOUR, (100, 30)))));
    compare(&format!("{name}-mono"), styles(&drawn(&model(MONO, (100, 30)))));
}

/// A screen at three sizes, in text alone.
pub fn every_size(name: &str, model: impl Fn(Theme, (u16, u16)) -> Model) {
    for size in SIZES {
        compare(&format!("{name}-{}x{}", size.0, size.1), text(&drawn(&model(COLOUR, size))));
    }
}

fn dashboard(name: &str, run: fn() -> Run) {
    every_way(name, |theme, size| shown(run(), theme, size));
}

/// A model after keys were pressed.
pub fn pressed(mut model: Model, keys: &[KeyCode]) -> Model {
    for key in keys {
        assert!(update(&mut model, Message::Key(KeyEvent::new(*key, KeyModifiers::NONE))).is_empty());
    }
    model
}

pub fn kiosk(theme: Theme, size: (u16, u16), redact: bool, runs: Vec<Run>) -> Model {
    let settings = super::Settings { mode: Mode::Kiosk, redact, ..settings(theme) };
    model(settings, size, runs, feed(&live()))
}

#[test]
fn a_running_gate() {
    dashboard("running", fixture::running);
}

#[test]
fn a_retrying_gate() {
    dashboard("retrying", fixture::retrying);
}

#[test]
fn a_retrying_gate_in_its_back_off() {
    every_size("backing-off", |theme, size| shown(fixture::backing_off(), theme, size));
}

#[test]
fn a_failure_that_its_log_tells() {
    dashboard("explained", fixture::explained);
    every_size("explained-detail", |theme, size| pressed(shown(fixture::explained(), theme, size), &[KeyCode::Enter]));
    every_size("explained-kiosk", |theme, size| kiosk(theme, size, false, vec![fixture::explained()]));
}

#[test]
fn a_failure_that_nothing_tells_says_how_its_log_ends_or_why_it_was_not_read() {
    let frame = |run: Run, keys: &[KeyCode]| text(&drawn(&pressed(shown(run, COLOUR, (100, 30)), keys)));
    let tail = || fixture::ends_in(&["Running db:migrate", "boom"]);
    let dashboard = frame(tail(), &[]);
    assert!(dashboard.contains("│ Log ends      boom "), "{dashboard}");
    let detail = frame(tail(), &[KeyCode::Enter]);
    assert!(detail.contains("  Log ends      Running db:migrate\n                boom\n"), "{detail}");
    let unread = frame(fixture::unread(), &[]);
    assert!(unread.contains("│               its log could not be read: the server does not let us: pods"), "{unread}");
}

#[test]
fn what_a_log_tells_stays_hidden_from_passers_by() {
    for run in [fixture::explained(), fixture::ends_in(&["PG::LockNotAvailable"])] {
        for size in SIZES {
            let settings = super::Settings { redact: true, ..settings(COLOUR) };
            let dashboard = model(settings, size, vec![run.clone()], feed(&live()));
            for model in [kiosk(COLOUR, size, true, vec![run.clone()]), pressed(dashboard, &[KeyCode::Enter])] {
                let frame = text(&drawn(&model));
                assert!(!frame.contains("PG::") && !frame.contains("AddIndex"), "{frame}");
            }
        }
    }
}

#[test]
fn background_migrations_that_make_it() {
    dashboard("waiting", || fixture::waiting(&[41, 39, 39, 37, 33, 30, 30, 28, 22, 21, 18, 13]));
    every_size("waiting-detail", |theme, size| {
        pressed(
            shown(fixture::waiting(&[41, 39, 39, 37, 33, 30, 30, 28, 22, 21, 18, 13]), theme, size),
            &[KeyCode::Enter],
        )
    });
}

#[test]
fn background_migrations_that_do_not_make_it() {
    dashboard("unmoved", fixture::unmoved);
    every_size("unmoved-detail", |theme, size| pressed(shown(fixture::unmoved(), theme, size), &[KeyCode::Enter]));
    every_size("unmoved-kiosk", |theme, size| kiosk(theme, size, false, vec![fixture::unmoved()]));
}

#[test]
fn background_migrations_that_were_still_pending_at_the_deadline() {
    dashboard("missed", fixture::missed);
}

#[test]
fn a_blocked_gate() {
    dashboard("blocked", fixture::blocked);
}

#[test]
fn a_failing_gate() {
    dashboard("failing", fixture::failing);
}

#[test]
fn a_failed_gate() {
    dashboard("failed", fixture::failed);
}

#[test]
fn a_settled_upgrade() {
    dashboard("settled", fixture::settled);
}

#[test]
fn several_instances() {
    every_way("instances", |theme, size| model(settings(theme), size, fixture::several(), feed(&live())));
}

#[test]
fn a_filtered_list_of_instances() {
    let keys = [KeyCode::Char('/'), KeyCode::Char('s'), KeyCode::Char('t'), KeyCode::Char('a')];
    let list = model(settings(COLOUR), (100, 30), fixture::several(), feed(&live()));
    compare("instances-filtered", text(&drawn(&pressed(list, &keys))));
}

#[test]
fn a_journal() {
    every_way("journal", |theme, size| pressed(fixture::told(theme, size), &[KeyCode::Char('J')]));
    let several = |theme, size| pressed(fixture::told_of_several(theme, size), &[KeyCode::Char('J')]);
    every_size("journal-of-several", several);
}

#[test]
fn help() {
    every_size("help", |theme, size| pressed(shown(fixture::running(), theme, size), &[KeyCode::Char('?')]));
}

#[test]
fn the_attempts_on_a_row_are_told_whole_and_as_long_as_can_be_with_what_is_left() {
    let ends = |run: fn() -> Run, width: u16, end: &str| {
        let frame = text(&drawn(&shown(run(), COLOUR, (width, 24))));
        let row = frame.lines().find(|line| line.contains("Full migrations"));
        assert!(row.is_some_and(|row| row.ends_with(end)), "{width}: {end}\n{frame}");
    };
    ends(fixture::retrying, 60, "19m24s  ✖✖✖▸··  3/6");
    ends(fixture::retrying, 80, "19m24s   3 of 6 failed, 3 left");
    ends(fixture::retrying, 100, "19m24s   ✖✖✖▸··  3 of 6 failed, 3 left");
    ends(fixture::blocked_again, 60, "3m04s  ✖······  1/7");
    ends(fixture::blocked_again, 80, "3m04s   ✖······  1/7");
    ends(fixture::blocked_again, 100, "3m04s   ✖······  1 of 7 pods failed, 6 left");
    ends(fixture::blocked_again, 120, "6 left  ErrImagePull");
}

#[test]
fn when_something_failed_and_in_which_pod_has_a_row_of_its_own_where_the_reason_is_long() {
    let mut run = fixture::retrying();
    if let StepBody::Gate(gate) = &mut run.steps[2].body
        && let Some(LastFailure::Known(failure)) = gate.job.as_mut().and_then(|job| job.last_failure.as_mut())
    {
        failure.ending = Ending::Pod { reason: "PreemptionByScheduler".into() };
    }
    let frame = text(&drawn(&shown(run, COLOUR, (60, 20))));
    assert!(frame.contains("Last failure  pod failed (PreemptionByScheduler)  "), "{frame}");
    assert!(frame.contains("│               2m16s ago, pod …-9k67t  "), "{frame}");
}

#[test]
fn of_a_long_name_the_end_that_is_typed_and_the_keys_stay_in_sight() {
    let name = "gitlab-production-europe-west-with-a-long-name";
    let keys: Vec<KeyCode> = format!("n{name}").chars().map(KeyCode::Char).collect();
    let frame = text(&drawn(&pressed(shown(fixture::retrying(), COLOUR, (60, 15)), &keys)));
    let bar = " namespace …e-west-with-a-long-name_   ↵ watch   Esc stay";
    assert_eq!(frame.lines().last(), Some(bar));
}

#[test]
fn a_kiosk() {
    every_way("kiosk", |theme, size| kiosk(theme, size, false, vec![fixture::retrying(), fixture::settled()]));
}

#[test]
fn a_kiosk_says_when_the_next_attempt_starts_and_says_nothing_twice() {
    let frame = |run: fn() -> Run| text(&drawn(&kiosk(COLOUR, (100, 30), false, vec![run()])));
    assert!(frame(fixture::backing_off).contains("✖  ✖  ✖  ·  ·  ·      next restart in about 38 s\n"));
    let blocked = frame(fixture::blocked);
    assert_eq!(blocked.matches("ErrImagePull").count(), 1, "{blocked}");
    assert!(blocked.contains("ErrImagePull, cannot clear by itself, for 3m02s"), "{blocked}");
}

#[test]
fn a_kiosk_says_why_a_job_failed_whose_attempts_never_did() {
    let mut run = fixture::failed();
    if let StepBody::Gate(gate) = &mut run.steps[2].body {
        gate.job.as_mut().unwrap().last_failure = None;
    }
    let frame = |redact| text(&drawn(&kiosk(COLOUR, (100, 30), redact, vec![run.clone()])));
    assert!(frame(false).contains("Job has reached the specified backoff limit"), "{}", frame(false));
    assert!(!frame(true).contains("Job has reached"), "{}", frame(true));
}

#[test]
fn a_kiosk_says_by_which_rule_of_a_policy_a_job_failed() {
    let mut run = fixture::failed();
    if let StepBody::Gate(gate) = &mut run.steps[2].body
        && let GateState::Failed(failure) = &mut gate.state
    {
        failure.reason = "PodFailurePolicy".into();
        failure.message = "Container a for pod b failed with exit code 42 matching FailJob rule at index 1".into();
    }
    let frame = text(&drawn(&kiosk(COLOUR, (100, 30), false, vec![run])));
    assert!(frame.contains("PodFailurePolicy by rule 2, 38 s ago"), "{frame}");
}

#[test]
fn a_redacted_kiosk() {
    every_size("kiosk-redacted", |theme, size| kiosk(theme, size, true, vec![fixture::failed()]));
}

#[test]
fn no_instance() {
    let waiting = |name: &str, state: WatchState| {
        every_size(name, |theme, size| model(settings(theme), size, Vec::new(), feed(&state)));
    };
    waiting("no-instance", live());
    waiting("no-definition", WatchState::Undefined);
    let message = "gitlabcores.apps.gitlab.com is forbidden: User \"ada\" cannot list resource \"gitlabcores\"";
    waiting("no-permission", WatchState::Forbidden { message: message.into(), heard: None });
    waiting("no-connection", fixture::broken());
}

#[test]
fn a_terminal_that_is_too_small() {
    let frame = |size| text(&drawn(&shown(fixture::retrying(), COLOUR, size)));
    assert_eq!(frame((59, 15)), "Too small: 59 by 15. gatewatch needs 60 by 15.");
    assert_eq!(frame((20, 3)), "Too small: 20 by 3.\ngatewatch needs 60\nby 15.");
    assert_eq!(frame((3, 1)), "Too");
    assert_eq!(frame((0, 0)), "");
}

#[test]
fn a_command_that_cannot_be_copied_stands_alone() {
    let mut model = shown(fixture::retrying(), COLOUR, (60, 15));
    let Some(text_alone) = model.command() else { panic!("a command") };
    assert!(update(&mut model, Message::Copied(crate::clipboard::Outcome::ShowAlone(text_alone))).is_empty());
    compare("alone", text(&drawn(&model)));
}

#[test]
fn a_replay_says_so() {
    let header = |motion| {
        let model = fixture::replay(fixture::retrying(), fixture::gauge(motion), COLOUR, (100, 30));
        text(&drawn(&model)).lines().next().unwrap_or_default().to_owned()
    };
    assert!(header(Motion::Playing).starts_with(" gatewatch  retry.jsonl.gz  "));
    assert!(header(Motion::Playing).ends_with("  ▶ replay 10x  14:32:07"));
    assert!(header(Motion::Paused).ends_with("  ‖ replay 10x  14:32:07"));
    assert!(header(Motion::Ended).ends_with("  ■ replay ended  14:32:07"));
}

#[test]
fn a_demo_says_so_and_how_fast_it_goes_until_its_end() {
    let header = |until, state| {
        let origin = super::Origin::Demo { speed: 8.0, until };
        let settings = super::Settings { origin, place: "retry".into(), ..settings(COLOUR) };
        let model = model(settings, (100, 30), vec![fixture::retrying()], feed(&state));
        text(&drawn(&model)).lines().next().unwrap_or_default().to_owned()
    };
    assert!(header(ago(-1), live()).starts_with(" gatewatch  retry › gitlab  "));
    assert!(header(ago(-1), live()).ends_with("  ● demo 8x  14:32:07"));
    assert!(header(ago(0), live()).ends_with("  ● demo  14:32:07"));
    let broken = WatchState::Broken { since: ago(5), error: "connection refused".into() };
    assert!(header(ago(-1), broken).contains("stale since"));
}

#[test]
fn a_kiosk_shows_one_instance_after_the_other() {
    let mut model = kiosk(COLOUR, (100, 30), false, vec![fixture::retrying(), fixture::settled()]);
    let big = |model: &Model| text(&drawn(model)).contains("Page 2 of 2");
    let mut turns = Vec::new();
    for _ in 0..20 {
        assert_eq!(update(&mut model, Message::Tick(ago(0))), Vec::<Effect>::new());
        turns.push(big(&model));
    }
    assert_eq!(turns, [[false; 9].as_slice(), &[true; 10], &[false]].concat());
}
