//! What benches of frames share.

use gatewatch::cluster::World;
use gatewatch::gate::Target;
use gatewatch::notify::Notices;
use gatewatch::run::Run;
use gatewatch::tui::{Colours, Message, Mode, Model, Origin, Settings, Theme, update};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::layout::Size;

/// A model that shows those runs.
pub fn shown(size: Size, runs: Vec<Run>, world: &World, now: Timestamp) -> Model {
    let settings = Settings {
        place: "prod-eu".into(),
        namespace: Some("gitlab".into()),
        origin: Origin::Cluster,
        mode: Mode::Interactive,
        redact: false,
        theme: Theme { colours: Colours::True, ascii: false },
        target: Target::default(),
        zone: TimeZone::UTC,
        notices: Notices::never(),
        recorder: Default::default(),
    };
    let mut model = Model::new(settings, size, now);
    let _ = update(&mut model, Message::Cluster { runs, feed: world.feed().clone(), now });
    model
}
