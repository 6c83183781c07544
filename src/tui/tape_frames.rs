//! What the screens show of a tape: the scrubber, looking back while live, and that going back shows what was shown then.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::driver::told;
use super::fixture::{
    self, COLOUR, MONO, ago, feed, gauge, heard, live, looking_back, replay, replayed, retrying, running, settings,
    settled, tried,
};
use super::frames::{drawn, every_way, pressed, styles, text};
use super::model::{Effect, Message, Mode, Model, Screen, Settings};
use super::text_frames::written;
use super::update::update;
use crate::cluster::{ClusterEvent, WatchState};
use crate::record::{self, Reading};
use crate::tape::{Deck, Gauge, Motion, Shown, Travel, Wait};

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
    let _ = update(&mut model, Message::Cluster { runs, feed: feed(&fixture::broken()), now: ago(0) });
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
    let moment = crate::tape::Moment { runs: vec![tried(3)], feed: feed(&live()), time: ago(99) };
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

fn code(key: char) -> KeyCode {
    if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) }
}

/// The same model after keys were pressed.
fn pressed_again<'a>(model: &'a mut Model, keys: &str) -> &'a Model {
    for key in keys.chars().map(code) {
        let _ = update(model, Message::Key(KeyEvent::new(key, KeyModifiers::NONE)));
    }
    model
}

/// A model and the deck it shows, with nothing between them but what the loop does.
struct Show {
    model: Model,
    deck: Deck,
    now: Timestamp,
}

impl Show {
    fn replay(name: &str, size: (u16, u16)) -> Self {
        Self::of(&format!("tests/recordings/{name}"), size)
    }

    fn of(recording: &str, size: (u16, u16)) -> Self {
        let path = format!("{}/{recording}.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
        let Reading::Recording(recording) = record::open(Path::new(&path)).unwrap() else { panic!("a dump") };
        let now = ago(0);
        let model = Model::new(replayed(COLOUR), size.into(), recording.first);
        let mut show = Self { model, deck: Deck::recording(recording.events, 1.0, now), now };
        // It stands at its beginning, and all of it was read.
        show.press("P");
        show
    }

    fn tell(&mut self, messages: impl IntoIterator<Item = Message>) {
        let mut messages: std::collections::VecDeque<Message> = messages.into_iter().collect();
        while let Some(message) = messages.pop_front() {
            for effect in update(&mut self.model, message) {
                match effect {
                    Effect::Recall(run) => {
                        let moment = self.deck.recall(&run, None, self.now).frontier.unwrap();
                        let (runs, feed, now) = (moment.runs, moment.feed, moment.time);
                        messages.push_back(Message::Recalled { run, journal: None, runs, feed, now });
                    }
                    Effect::Travel(travel) => messages.extend(told(self.deck.travel(travel, self.now))),
                    _ => {}
                }
            }
        }
        while self.deck.wait(self.now) == Wait::Work {
            let step = self.deck.advance(self.now);
            self.tell(told(step));
        }
    }

    fn press(&mut self, keys: &str) {
        for key in keys.chars() {
            let code = if key == '\u{1b}' { KeyCode::Esc } else { code(key) };
            self.tell([Message::Key(KeyEvent::new(code, KeyModifiers::NONE))]);
        }
    }

    fn resize(&mut self, size: (u16, u16)) {
        self.tell([Message::Resize(size.into())]);
    }

    fn gauge(&self) -> &Gauge {
        self.model.gauge().unwrap()
    }

    /// The frame, without a word that goes by itself.
    fn frame(&mut self) -> Buffer {
        self.model.notice = None;
        drawn(&self.model)
    }
}

#[test]
fn going_back_shows_exactly_what_was_shown_then() {
    for size in [(60, 15), (100, 30), (200, 60)] {
        let mut show = Show::replay("retry", size);
        let mut kept: Vec<(usize, Buffer)> = Vec::new();
        loop {
            let (time, change) = (show.gauge().time, show.gauge().change);
            kept.push((change, show.frame()));
            show.press(".");
            if show.gauge().time == time || show.gauge().motion == Motion::Ended {
                break;
            }
        }
        assert!(kept.len() > 100, "{}", kept.len());
        for (change, frame) in kept.iter().rev() {
            show.press(",");
            assert_eq!(show.gauge().change, *change);
            assert!(show.frame() == *frame, "change {change}:\n{}\n{}", text(frame), text(&show.frame()));
        }
        // By leaps as well, back and forth.
        for leaps in [70, 20, 90, 3, 33, 120, 11] {
            let here = show.gauge().change;
            let key = if here > kept.len() / 2 { "," } else { "." };
            show.press(&key.repeat(leaps));
            let change = show.gauge().change;
            let Some((_, frame)) = kept.iter().find(|(kept, _)| *kept == change) else { continue };
            assert!(show.frame() == *frame, "change {change}:\n{}\n{}", text(frame), text(&show.frame()));
        }
    }
}

#[test]
fn what_was_played_is_shown_again_on_every_screen_at_any_time() {
    let screens = ["", "\n", "J", "l", "y", "d"];
    let mut show = Show::replay("exhausted", (100, 30));
    let (mut kept, mut count) = (Vec::new(), 0);
    let frames = |show: &mut Show| {
        let frames = screens.map(|keys| {
            show.press(keys);
            let frame = show.frame();
            show.press(if show.model.over.is_empty() { "" } else { "\u{1b}" });
            frame
        });
        frames.to_vec()
    };
    while show.gauge().motion != Motion::Ended {
        kept.push(frames(&mut show));
        show.press("P");
        // All that is due within ten seconds comes when it is due.
        let until = show.now + SignedDuration::from_secs(10);
        while let Wait::For(time) = show.deck.wait(show.now) {
            let due = show.now + SignedDuration::try_from(time).unwrap();
            if due >= until {
                break;
            }
            show.now = due;
            show.tell([]);
        }
        show.now = until;
        let shown = show.deck.show(until);
        show.tell([Message::Shown(shown)]);
        show.press(if show.gauge().motion == Motion::Ended { "" } else { "P" });
        count += 1;
        assert!(count < 100);
    }
    show.press("0P");
    for (index, kept) in kept.iter().enumerate() {
        let again = frames(&mut show);
        for (kept, again) in kept.iter().zip(&again) {
            assert!(kept == again, "after {index}0 s:\n{}\n{}", text(kept), text(again));
        }
        show.press(">");
    }
}

#[test]
fn a_text_that_stays_open_shows_what_it_showed_then() {
    for (opening, told) in [("l", "PG::LockNotAvailable"), ("y", "completionTime"), ("d", "Completed At:")] {
        // Of the demo there are logs, line by line.
        let mut show = Show::of("assets/demo/retry", (100, 120));
        show.press("!,,,,");
        show.press(opening);
        let mut kept = vec![(show.gauge().time, show.frame())];
        for _ in 0..40 {
            show.press(".");
            kept.push((show.gauge().time, show.frame()));
        }
        let telling = kept.iter().filter(|(_, frame)| text(frame).contains(told)).count();
        assert!((1..40).contains(&telling), "{opening} {telling}\n{}", text(&kept[40].1));
        for (time, frame) in kept.iter().rev() {
            assert_eq!(show.gauge().time, *time);
            assert!(show.frame() == *frame, "{}\n{}", text(frame), text(&show.frame()));
            show.press(",");
        }
        assert!(matches!(show.model.screen(), Screen::Object(..) | Screen::Logs(..)));
        show.press("0");
        assert_eq!(show.model.screen(), Screen::Dashboard, "there was no such Job yet");
        assert!(show.model.notice.as_ref().is_some_and(|notice| notice.text == "it was not there yet"));
    }
}

#[test]
fn while_somebody_looks_back_the_journal_and_the_notices_go_on() {
    let mut model = fixture::shown(running(), COLOUR, (100, 30));
    let _ = fixture::recalled(&mut model, None, 900);
    let moment = crate::tape::Moment { runs: vec![running()], feed: feed(&live()), time: ago(950) };
    let _ = update(&mut model, Message::Shown(Shown::Past(Box::new(moment), gauge(Motion::Paused))));
    let before = text(&drawn(&model));
    assert!(matches!(heard(&mut model, vec![tried(1)], 800).as_slice(), [Effect::Keep(_), ..]));
    assert_eq!(text(&drawn(&model)), before, "what is shown stays");
    assert_eq!(update(&mut model, Message::Shown(Shown::Now)), []);
    assert!(text(&drawn(&model)).contains("retrying"));
    let _ = update(&mut model, Message::Tick(ago(0)));
    assert_eq!(heard(&mut model, vec![tried(1)], 0), [], "and nothing is told again");
}

#[test]
fn a_recording_ends_in_words_and_stays_until_somebody_goes_back() {
    let mut show = Show::replay("smooth", (100, 30));
    show.press("$");
    assert!(text(&show.frame()).contains("replay ended"));
    show.press(",");
    assert!(!text(&show.frame()).contains("replay ended"));
}

/// A live feed that says what a recording tells, a second each.
#[test]
fn live_what_was_shown_is_shown_again_and_one_key_leads_to_now() {
    let path = format!("{}/tests/recordings/retry.jsonl.gz", env!("CARGO_MANIFEST_DIR"));
    let Reading::Recording(recording) = record::open(Path::new(&path)).unwrap() else { panic!("a dump") };
    let (now, model) = (ago(0), fixture::model(settings(COLOUR), (100, 30), Vec::new(), feed(&live())));
    let mut show = Show { model, deck: Deck::live(), now };
    let mut kept = Vec::new();
    let watches = ClusterEvent::watches(now, &WatchState::Live { since: now });
    for event in watches.into_iter().chain(recording.events) {
        show.now += SignedDuration::from_secs(1);
        let step = show.deck.hear([event], show.now);
        show.tell(told(step));
        kept.push((show.now, show.frame()));
    }
    // With room for the row of the tape, all is the same below what tells that somebody looks back.
    let inner = |buffer: &Buffer| text(buffer).lines().skip(2).take(27).map(str::to_owned).collect::<Vec<_>>();
    show.resize((100, 31));
    for _ in 0..120 {
        show.press(",");
        let time = show.gauge().time;
        let Some((_, frame)) = kept.iter().find(|(kept, _)| *kept == time) else { panic!("{time}") };
        let (then, again) = (inner(frame), inner(&show.frame()));
        assert!(then == again, "{}\n{}", then.join("\n"), again.join("\n"));
    }
    show.resize((100, 30));
    show.press("$");
    assert!(show.model.gauge().is_none() && show.frame() == kept.last().unwrap().1);
}
