//! What it costs to draw a frame.

#![allow(clippy::expect_used, reason = "a recording that is not there has to stop the bench")]

mod common;

use std::path::Path;
use std::sync::Arc;

use divan::{Bencher, black_box};
use gatewatch::cluster::{FOLLOWED, Log, LogLine, Via, World};
use gatewatch::record::{self, Reading};
use gatewatch::run::{StepBody, derive};
use gatewatch::tui::{Message, Model, update, view};
use jiff::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::{Rect, Size};

use self::common::shown;

fn main() {
    divan::main();
}

/// An upgrade whose full migrations failed three times and wait for their next run: the fullest dashboard there is.
fn retrying() -> (World, Timestamp) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings/retry.jsonl.gz");
    let reading = record::open(&path).expect("a recording of ours");
    let Reading::Recording(recording) = reading else { unreachable!("it is a recording") };
    let now: Timestamp = "2026-11-29T15:34:10Z".parse().expect("a time");
    let mut world = World::default();
    recording.events.into_iter().filter(|event| event.time <= now).for_each(|event| world.apply(event));
    (world, now)
}

/// To stay under 1 ms at 200×60: frames come at most every 16 ms, and the rest of that is for the terminal.
#[divan::bench(args = [(60, 15), (200, 60), (300, 100)])]
fn draw(bencher: Bencher, (width, height): (u16, u16)) {
    let (world, now) = retrying();
    let model = shown(Size { width, height }, derive(&world), &world, now);
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    bencher.bench_local(|| {
        buffer.reset();
        view::render(black_box(&model), &mut buffer);
    });
}

/// The log of an attempt as long as one is kept: 5000 lines, or 2 MiB of lines of 4 KiB.
fn read(size: Size, line: usize, keys: &str) -> Model {
    let (world, now) = retrying();
    let mut runs = derive(&world);
    let printed = "PG::LockNotAvailable: ERROR:  canceling statement due to \u{1b}[31mlock timeout\u{1b}[0m. "
        .repeat(line / 70 + 1);
    let mut log = Log::new(Via::Followed);
    (0..FOLLOWED).for_each(|_| log.push(LogLine::printed(&printed.as_bytes()[..line])));
    let log = Arc::new(log);
    for step in &mut runs[0].steps {
        if let StepBody::Gate(gate) = &mut step.body
            && let Some(job) = &mut gate.job
        {
            job.logs.iter_mut().for_each(|run| run.log = Some(Arc::clone(&log)));
        }
    }
    let mut model = shown(size, runs, &world, now);
    for key in keys.chars() {
        let key = if key == '\n' { KeyCode::Enter } else { KeyCode::Char(key) };
        let _ = update(&mut model, Message::Key(KeyEvent::new(key, KeyModifiers::NONE)));
    }
    model
}

/// As the dashboard, under 1 ms: it costs what the screen holds, however long the log is.
#[divan::bench(args = [("l", 120), ("l", 4000), ("lgw", 4000), ("l/lock\nN", 120), ("l/lock\nN", 4000)])]
fn draw_logs(bencher: Bencher, (keys, line): (&str, usize)) {
    let size = Size { width: 200, height: 60 };
    let model = read(size, line, keys);
    let mut buffer = Buffer::empty(Rect::new(0, 0, size.width, size.height));
    bencher.bench_local(|| {
        buffer.reset();
        view::render(black_box(&model), &mut buffer);
    });
}

/// A key in a log, and a character of a search, which looks at all of it: that is to stay far below what a person notices.
#[divan::bench(args = ["lk", "l/", "l/l"])]
fn press_in_logs(bencher: Bencher, keys: &str) {
    let mut model = read(Size { width: 200, height: 60 }, 400, keys);
    // What is nowhere found is looked for everywhere.
    let key = if keys.contains('/') { 'z' } else { 'k' };
    let key = Message::Key(KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE));
    let back = Message::Key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE));
    bencher.bench_local(|| {
        let _ = update(black_box(&mut model), key.clone());
        let _ = update(black_box(&mut model), back.clone());
    });
}
