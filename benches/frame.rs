//! What it costs to draw a frame.

#![allow(clippy::expect_used, reason = "a recording that is not there has to stop the bench")]

use std::path::Path;

use divan::{Bencher, black_box};
use gatewatch::cluster::World;
use gatewatch::gate::Target;
use gatewatch::notify::Notices;
use gatewatch::record::{self, Reading};
use gatewatch::run::derive;
use gatewatch::tui::{Colours, Message, Mode, Model, Origin, Settings, Theme, update, view};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};

fn main() {
    divan::main();
}

/// An upgrade whose full migrations failed three times and wait for their next run: the fullest dashboard there is.
fn retrying(size: Size) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/retry.jsonl.gz");
    let reading = record::open(&path).expect("a recording of ours");
    let Reading::Recording(recording) = reading else { unreachable!("it is a recording") };
    let now: Timestamp = "2026-11-29T15:34:10Z".parse().expect("a time");
    let mut world = World::default();
    recording.events.into_iter().filter(|event| event.time <= now).for_each(|event| world.apply(event));

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
    };
    let mut model = Model::new(settings, size, now);
    let _ = update(&mut model, Message::Cluster { runs: derive(&world), feed: world.feed().clone(), now });
    model
}

/// To stay under 1 ms at 200×60: frames come at most every 16 ms, and the rest of that is for the terminal.
#[divan::bench(args = [(60, 15), (200, 60), (300, 100)])]
fn draw(bencher: Bencher, (width, height): (u16, u16)) {
    let model = retrying(Size { width, height });
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    bencher.bench_local(|| {
        buffer.reset();
        view::render(black_box(&model), &mut buffer);
    });
}
