//! What the loop of the program does with what it hears, without a terminal.

use gatewatch::cluster::{ClusterEvent, Feed};
use gatewatch::gate::Target;
use gatewatch::output::{Look, StatusFormat};
use gatewatch::run::{Run, derive};
use gatewatch::tape::{Deck, Moment, Step};
use gatewatch::tui::{Effect, Message, Model, Settings, update, view};
use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Rect, Size};

const SIZE: Size = Size { width: 100, height: 40 };

/// A world, and a model of it.
pub struct Screen {
    deck: Deck,
    model: Model,
}

impl Screen {
    pub fn new(now: Timestamp) -> Self {
        let settings = Settings::plain("soak", Some("gitlab"));
        Self { deck: Deck::live(), model: Model::new(settings, SIZE, now) }
    }

    /// Takes in events.
    pub fn take_in(&mut self, events: impl IntoIterator<Item = ClusterEvent>, now: Timestamp) {
        let step = self.deck.hear(events, now);
        self.follow(step);
        self.tell(Message::Tick(now));
    }

    fn follow(&mut self, step: Step) {
        if let Some(Moment { runs, feed, time }) = step.frontier {
            self.tell(Message::Cluster { runs, feed, now: time });
        }
        if let Some(shown) = step.shown {
            self.tell(Message::Shown(shown));
        }
    }

    fn tell(&mut self, message: Message) {
        for effect in update(&mut self.model, message) {
            match effect {
                // Nothing was kept of any of them.
                Effect::Recall(run) => {
                    let now = self.now();
                    if let Some(Moment { runs, feed, time }) = self.deck.recall(&run, None, now).frontier {
                        self.tell(Message::Recalled { run, journal: None, runs, feed, now: time });
                    }
                }
                Effect::Travel(travel) => {
                    let step = self.deck.travel(travel, self.now());
                    self.follow(step);
                }
                _ => {}
            }
        }
    }

    fn now(&self) -> Timestamp {
        self.deck.world().time().unwrap()
    }

    fn runs(&self) -> Vec<Run> {
        derive(self.deck.world())
    }

    /// The report of what is shown, without how the feed fares and what there was before.
    pub fn report(&self) -> String {
        let mut runs = self.runs();
        runs.iter_mut().for_each(|run| run.history.clear());
        let (target, time, mut out) = (Target::default(), self.now(), Vec::new());
        let look = Look { runs: &runs, missing: &[], feed: &Feed::default(), time, target: &target };
        look.print(StatusFormat::Yaml, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// What the journal tells of the last day.
    pub fn journal(&mut self) -> Vec<String> {
        self.press('J');
        let rows = self.rows();
        self.press('J');
        let told = &rows[2..rows.len() - 1];
        let day = told.iter().rposition(|row| !row.is_empty() && row.len() < 12).unwrap();
        told[day..].to_vec()
    }

    /// Presses a key.
    fn press(&mut self, key: char) {
        self.tell(Message::Key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE)));
    }

    /// What is on the screen, row by row.
    pub fn rows(&self) -> Vec<String> {
        let mut buffer = Buffer::empty(Rect::new(0, 0, SIZE.width, SIZE.height));
        view::render(&self.model, &mut buffer);
        let rows = buffer.content.chunks(SIZE.width.into());
        rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned()).collect()
    }
}
