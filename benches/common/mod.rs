//! What benches of frames share.

use gatewatch::cluster::World;
use gatewatch::run::Run;
use gatewatch::tui::{Colours, Message, Model, Settings, Theme, update};
use jiff::Timestamp;
use ratatui::layout::Size;

/// A model that shows those runs.
pub fn shown(size: Size, runs: Vec<Run>, world: &World, now: Timestamp) -> Model {
    let settings = Settings { theme: Theme::new(Colours::True, false), ..Settings::plain("prod-eu", Some("gitlab")) };
    let mut model = Model::new(settings, size, now);
    let _ = update(&mut model, Message::Cluster { runs: runs.into(), feed: world.feed().clone(), now });
    model
}
