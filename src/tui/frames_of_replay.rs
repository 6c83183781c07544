//! What the screens show of a tape: the scrubber, and that one looks back while live.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::fixture::{
    self, COLOUR, MONO, ago, feed, gauge, live, looking_back, replay, replayed, retrying, running, settings, settled,
    tried,
};
use super::frames::{drawn, every_way, pressed, styles, text};
use super::model::{Effect, Message, Mode, Model, Settings};
use super::tape_frames::code;
use super::text_frames::written;
use super::update::update;
use crate::cluster::{Selection, WatchState, WorkloadKind};
use crate::run::{Run, Source};
use crate::tape::{Gauge, Motion, Shown, Travel};

#[test]
fn a_replay_that_plays() {
    every_way("scrubber-playing", |theme, size| replay(retrying(), gauge(Motion::Playing), theme, size));
}

#[test]
fn a_replay_that_waits_where_something_failed() {
    let paused = || Gauge { time: ago(900), speed: 0.25, change: 61, today: ago(-86_400), ..gauge(Motion::Paused) };
    every_way("scrubber-paused", |theme, size| replay(retrying(), paused(), theme, size));
}

#[test]
fn a_replay_at_its_end() {
    let ended = || Gauge { time: ago(-1200), change: 201, speed: 1.0, ..gauge(Motion::Ended) };
    every_way("scrubber-ended", |theme, size| replay(settled(), ended(), theme, size));
}

#[test]
fn a_replay_of_an_instance_that_was_deleted_tells_until_when_it_was_there() {
    let (ended, at) = (feed(&WatchState::Ended), gauge(Motion::Ended));
    let mut model = replay(retrying(), gauge(Motion::Playing), COLOUR, (100, 30));
    let _ = update(&mut model, Message::Cluster { runs: [].into(), feed: feed(&live()), now: ago(-600) });
    let _ = update(&mut model, Message::Cluster { runs: [].into(), feed: ended.clone(), now: ago(-1200) });
    let _ = update(&mut model, Message::Shown(Shown::Frontier(Gauge { time: ago(-1200), ..at.clone() })));
    let shown = text(&drawn(&model));
    for told in ["The GitLabCore gitlab/gitlab is gone", "It was there until 14:42:07.", "J shows what", "J journal"] {
        assert!(shown.contains(told), "{told}\n{shown}");
    }
    assert!(!shown.contains("holds no GitLabCore") && !shown.contains("Waiting"), "{shown}");
    let mut without = fixture::model(replayed(COLOUR), (100, 30), Vec::new(), ended);
    let _ = update(&mut without, Message::Shown(Shown::Frontier(at)));
    assert!(text(&drawn(&without)).contains("retry.jsonl.gz holds no GitLabCore"));
}

#[test]
fn a_replay_of_several_things_tells_of_the_last_that_was_there_as_what_it_was() {
    let picks = ["deployment/gitlab", "statefulset/db"].map(|pick| pick.parse().unwrap());
    let settings = Settings { selection: Selection::of(picks), ..replayed(COLOUR) };
    let workload = Run { source: Source::Rollout(WorkloadKind::StatefulSet), name: "db".into(), ..retrying() };
    let mut model = fixture::model(settings, (100, 30), vec![workload], feed(&live()));
    let _ = update(&mut model, Message::Cluster { runs: [].into(), feed: feed(&WatchState::Ended), now: ago(-600) });
    let shown = text(&drawn(&model));
    assert_eq!(shown.matches("The StatefulSet gitlab/db is gone").count(), 1, "{shown}");
    assert!(!shown.contains("Deployment"), "{shown}");
}

#[test]
fn a_recording_that_is_still_being_read_says_so() {
    let part = Gauge { all: false, ..gauge(Motion::Playing) };
    let shown = text(&drawn(&replay(retrying(), part, COLOUR, (100, 30))));
    assert!(shown.contains("change 112 of 201+"), "{shown}");
}

#[test]
fn looking_back_while_live() {
    every_way("looking-back", |theme, size| looking_back(running(), 600, settings(theme), size, vec![tried(1)]));
}

#[test]
fn that_one_looks_back_is_told_on_every_screen_and_that_nothing_failed_is_not() {
    for size in [(60, 15), (100, 30), (200, 60)] {
        for keys in ["", "\n", "J", "?", "y", "d", "l", "n"] {
            let mut model = looking_back(written(), 86_400, settings(MONO), size, vec![running()]);
            if let Shown::Past(_, gauge) = &mut model.shown {
                gauge.failed_since = 0;
            }
            let keys: Vec<KeyCode> = keys.chars().map(code).collect();
            let frame = drawn(&pressed(model, &keys));
            let line = text(&frame).lines().nth(1).unwrap_or_default().to_owned();
            assert!(line.starts_with(" looking at Nov 28 14:32:07, live goes on"), "{keys:?} {line}");
            assert!(line.ends_with("$ back to now") && !line.contains("since"), "{keys:?} {line}");
            assert!(styles(&frame).lines().any(|row| row.starts_with(" 2") && row.contains("reversed")));
        }
    }
}

#[test]
fn the_feed_in_the_header_is_the_live_one_and_the_clock_is_that_of_what_is_shown() {
    let mut model = looking_back(running(), 600, settings(COLOUR), (100, 30), vec![running()]);
    let runs = vec![settled()];
    let _ = update(&mut model, Message::Cluster { runs: runs.into(), feed: feed(&fixture::broken()), now: ago(0) });
    let shown = text(&drawn(&model));
    let head = shown.lines().next().unwrap_or_default();
    assert!(head.ends_with("▲ stale since 14:21:07  14:22:07"), "{head}");
    assert!(
        !shown.contains("Shown as it was") && shown.contains("running"),
        "what was shown then was not stale\n{shown}"
    );
    assert!(model.command().is_some_and(|command| command.contains("logs")), "a copied command is of that moment");
}

#[test]
fn the_journal_of_the_past_ends_at_that_moment() {
    let mut model = fixture::told(COLOUR, (100, 40));
    let all = text(&drawn(pressed_again(&mut model, "J")));
    assert!(all.contains("FAILED") && all.contains("suspended"), "{all}");
    let moment = crate::tape::Moment { runs: [tried(3)].into(), feed: feed(&live()), time: ago(99) };
    let _ = update(&mut model, Message::Shown(Shown::Past(Box::new(moment), gauge(Motion::Paused))));
    let then = text(&drawn(&model));
    assert!(!then.contains("FAILED") && then.contains("suspended"), "{then}");
}

#[test]
fn keys_that_lead_elsewhere_are_named_only_where_time_is_not_simply_now() {
    let last = |model: Model| text(&drawn(&model)).lines().last().unwrap_or_default().to_owned();
    let now = last(fixture::shown(retrying(), COLOUR, (100, 30)));
    assert!(!now.contains("pause") && now.ends_with("q quit"), "{now}");
    let replayed = last(replay(retrying(), gauge(Motion::Playing), COLOUR, (100, 30)));
    assert!(replayed.contains("Space pause") && replayed.contains("! failure"), "{replayed}");
}

#[test]
fn what_plays_or_waits_is_named_in_the_narrowest_bar_and_not_where_neither_can_be() {
    for (motion, key) in [(Motion::Playing, "Space pause"), (Motion::Paused, "Space play"), (Motion::Ended, "")] {
        let shown = text(&drawn(&replay(retrying(), gauge(motion), COLOUR, (60, 15))));
        let bar = shown.lines().last().unwrap_or_default();
        assert!(bar.contains(key) && bar.contains("? help"), "{motion:?} {bar}");
        assert_eq!(bar.contains("Space"), motion != Motion::Ended, "{bar}");
    }
}

#[test]
fn the_line_that_tells_that_one_looks_back_is_whole_however_much_failed() {
    for theme in [COLOUR, MONO, super::theme::Theme { ascii: true, ..MONO }] {
        for failed in [1, 2, 10, 100] {
            for seconds in [600, 86_400] {
                let mut model = looking_back(running(), seconds, settings(theme), (60, 15), vec![tried(1)]);
                if let Shown::Past(_, gauge) = &mut model.shown {
                    gauge.failed_since = failed;
                }
                let shown = text(&drawn(&model));
                let line = shown.lines().nth(1).unwrap_or_default();
                let since = [format!(" {failed} failure"), format!(" {failed} failed ")];
                let told = since.iter().any(|words| line.contains(words)) && line.contains("14:");
                let whole = line.contains(", live goes on ") && line.ends_with("$ now") && !line.contains(['…', '~']);
                assert!(told && whole, "{line}");
            }
        }
    }
}

#[test]
fn every_key_leads_where_it_says_and_none_does_in_a_kiosk() {
    let keys = [
        (' ', Travel::Toggle),
        ('P', Travel::Toggle),
        (',', Travel::Back),
        ('.', Travel::Forward),
        ('<', Travel::Earlier),
        ('>', Travel::Later),
        ('-', Travel::Slower),
        ('+', Travel::Faster),
        ('=', Travel::Faster),
        ('!', Travel::NextFailure),
        ('0', Travel::Start),
        ('$', Travel::End),
    ];
    for (character, travel) in keys {
        let key = || Message::Key(KeyEvent::new(KeyCode::Char(character), KeyModifiers::NONE));
        let mut model = fixture::shown(retrying(), COLOUR, (100, 30));
        assert_eq!(update(&mut model, key()), [Effect::Travel(travel)]);
        let turns_a_page = character == ' ';
        for opened in ['J', 'y', 'l'] {
            let mut model = pressed(fixture::shown(written(), COLOUR, (100, 30)), &[KeyCode::Char(opened)]);
            let expected = if turns_a_page { vec![] } else { vec![Effect::Travel(travel)] };
            assert_eq!(update(&mut model, key()), expected, "{opened}");
        }
        for opened in [vec!['?'], vec!['n'], vec!['l', '/']] {
            let opened: Vec<KeyCode> = opened.into_iter().map(KeyCode::Char).collect();
            let mut model = pressed(fixture::shown(written(), COLOUR, (100, 30)), &opened);
            assert_eq!(update(&mut model, key()), [], "{opened:?}");
        }
        let settings = Settings { mode: Mode::Kiosk, ..replayed(COLOUR) };
        let mut model = fixture::model(settings, (100, 30), vec![retrying()], feed(&live()));
        assert_eq!(update(&mut model, key()), []);
    }
}

#[test]
fn what_cannot_be_gone_to_is_told() {
    let mut model = fixture::shown(retrying(), COLOUR, (100, 30));
    let _ = update(&mut model, Message::Refused("no failure after this"));
    assert!(text(&drawn(&model)).ends_with("no failure after this"));
}

#[test]
fn a_kiosk_shows_where_on_the_tape_it_is() {
    for size in [(60, 15), (100, 30), (200, 60)] {
        let settings = Settings { mode: Mode::Kiosk, ..replayed(COLOUR) };
        let mut model = fixture::model(settings, size, vec![retrying()], feed(&live()));
        let _ = update(&mut model, Message::Shown(Shown::Frontier(gauge(Motion::Playing))));
        super::frames::compare(&format!("kiosk-scrubber-{}x{}", size.0, size.1), text(&drawn(&model)));
    }
}

/// The same model after keys were pressed.
fn pressed_again<'a>(model: &'a mut Model, keys: &str) -> &'a Model {
    for key in keys.chars().map(code) {
        let _ = update(model, Message::Key(KeyEvent::new(key, KeyModifiers::NONE)));
    }
    model
}
