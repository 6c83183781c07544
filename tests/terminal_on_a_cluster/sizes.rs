//! Storms of sizes, down to a single cell.

use std::thread;

use vt100::Screen;

use crate::desk::{Desk, ESCAPE, Place};
use crate::pty::Terminal;

/// Widths and heights without a pattern, among them the least and more than any screen has.
fn sizes() -> impl Iterator<Item = (u16, u16)> {
    let edges = [(1, 1), (1, 60), (300, 1), (2, 2), (500, 200), (59, 14), (60, 15), (1, 1)];
    let mut state = 1_u32;
    let mut next = move |most: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        u16::try_from((state >> 16) % most + 1).unwrap()
    };
    let any = std::iter::repeat_with(move || (next(200), next(70)));
    any.take(300).enumerate().flat_map(move |(index, size)| [Some(size), edges.get(index / 40).copied()]).flatten()
}

/// What is on the screen, row by row, without the clock and the ages, which move on, and the room that they take.
fn still(screen: &Screen) -> String {
    let text = screen.contents().replace(|letter: char| letter.is_ascii_digit(), "0");
    let rows = text.lines().map(|row| row.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut rows = rows.collect::<Vec<_>>().join("\n");
    while rows.contains("00") {
        rows = rows.replace("00", "0");
    }
    rows
}

/// Whether the screen of a place is drawn as a whole in its present size: a frame is drawn from its first row, which ends
/// at the right edge, to its last.
fn whole(screen: &Screen, place: &Place) -> bool {
    let (_, columns) = screen.size();
    let rows: Vec<String> = screen.rows(0, columns.get()).collect();
    let head = rows[0].trim_end();
    head.contains("gatewatch")
        && head.contains("● live")
        && head.chars().count() + 1 == usize::from(columns.get())
        && !rows[rows.len() - 1].trim().is_empty()
        && screen.contents().contains(place.sign)
}

/// What a place shows once nothing is under way any more: when it is drawn as a whole, its log was asked for, and all but its
/// clock stayed as it was while that moved on. (The size is there for who draws before it is told of.)
#[track_caller]
fn settled(terminal: &mut Terminal, place: &Place) -> String {
    let clock = |screen: &Screen| screen.contents().lines().next().map(str::to_owned);
    let asked = |screen: &Screen| !screen.contents().contains("no log was read yet");
    terminal.until(place.name, |screen| whole(screen, place) && asked(screen));
    loop {
        let (before, shown) = (clock(terminal.screen()), still(terminal.screen()));
        terminal.until(place.name, |screen| whole(screen, place) && clock(screen) != before);
        if still(terminal.screen()) == shown {
            return shown;
        }
    }
}

#[test]
fn a_storm_of_sizes_leaves_every_screen_as_it_was() {
    let desk = Desk::new();
    desk.at_every_place(|place| {
        let mut terminal = desk.start();
        terminal.type_keys(place.way);
        let before = settled(&mut terminal, place);
        for (number, (columns, rows)) in sizes().enumerate() {
            terminal.resize(columns, rows);
            if number % 50 == 49 {
                terminal.resize(10, 3);
                terminal.until_shows("Too small");
                // The size that it is drawn in last is the first again, as if nothing had happened in between.
                terminal.resize(100, 30);
                terminal.until(place.name, |screen| whole(screen, place));
            }
        }
        terminal.resize(100, 30);
        assert_eq!(settled(&mut terminal, place), before);
        terminal.type_keys("\x03");
        assert!(terminal.end().success(), "{}", place.name);
        terminal.assert_restored();
    });
}

/// Several at once, so that they get in each other's way: both have to come before the program had a chance to look.
#[test]
fn a_key_that_comes_together_with_a_size_is_not_left_for_the_next_one() {
    let desk = Desk::new();
    thread::scope(|scope| {
        for _ in 0..12 {
            scope.spawn(|| {
                let mut terminal = desk.start();
                for number in 0..40 {
                    let (key, sign) = if number % 2 == 0 { ("?", "Ctrl-C") } else { (ESCAPE, "2 instances") };
                    terminal.resize(100 + number % 3, 30);
                    terminal.type_keys(key);
                    terminal.until_shows(sign);
                }
            });
        }
    });
}
