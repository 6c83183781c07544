//! Going back shows what was shown then: recordings are played, and every frame that was seen on the way is compared.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::driver::told;
use super::fixture::{self, COLOUR, ago, feed, gauge, heard, live, replayed, running, settings, tried};
use super::frames::{drawn, text};
use super::model::{Effect, Message, Model, Screen};
use super::update::update;
use crate::cluster::{ClusterEvent, Selection, WatchState};
use crate::record::{self, Reading};
use crate::tape::{Deck, Gauge, Motion, Shown, Wait};

/// The key that types a character.
pub(super) fn code(key: char) -> KeyCode {
    if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) }
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
    let moment = crate::tape::Moment { runs: [running()].into(), feed: feed(&live()), time: ago(950) };
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
    let watches = ClusterEvent::watches(Selection::default().kinds(), now, &WatchState::Live { since: now });
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
