//! What the dashboard shows of a world, as text.

use gatewatch::cluster::World;
use gatewatch::run::derive;
use gatewatch::tui::{Message, Model, Origin, Settings, update, view};
use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};

/// The frame of a replay of `place`, as text without blanks at the ends of rows.
pub fn frame(world: &World, place: &str, now: Timestamp, (width, height): (u16, u16)) -> String {
    let settings = Settings { origin: Origin::Replay, ..Settings::plain(place, None) };
    let mut model = Model::new(settings, Size { width, height }, now);
    // What was kept is asked for, and nothing was.
    let _ = update(&mut model, Message::Cluster { runs: derive(world).into(), feed: world.feed().clone(), now });
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    view::render(&model, &mut buffer);
    let rows = buffer.content.chunks(width.into());
    let rows = rows.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned());
    rows.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Compares with a snapshot in `tests/snapshots`.
pub fn compare(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, text));
}
