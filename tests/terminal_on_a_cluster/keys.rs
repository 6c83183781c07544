//! Every key that help names, on every screen, whether it does something there or not.

use std::collections::BTreeSet;

use crate::desk::{Desk, ESCAPE, PLACES, Place};
use crate::pty::Terminal;

/// What a terminal sends for the key that help calls by that name.
fn typed(label: &str) -> String {
    let mut letters = label.chars();
    match (letters.next(), letters.next()) {
        _ if label.starts_with("Ctrl-") => char::from(label.as_bytes()[5] & 0x1f).into(),
        (Some('↵'), None) => "\r".into(),
        (Some('↑'), None) => "\x1b[A".into(),
        (Some('↓'), None) => "\x1b[B".into(),
        (Some('→'), None) => "\x1b[C".into(),
        (Some('←'), None) => "\x1b[D".into(),
        (Some(letter), None) => letter.into(),
        _ => match label {
            "Esc" => ESCAPE.into(),
            "Space" => " ".into(),
            "Tab" => "\t".into(),
            "Backspace" => "\x7f".into(),
            "Home" => "\x1b[H".into(),
            "End" => "\x1b[F".into(),
            "PgUp" => "\x1b[5~".into(),
            "PgDn" => "\x1b[6~".into(),
            _ => panic!("nobody here knows how to press {label}"),
        },
    }
}

/// The keys of help, by the places that it tells of.
fn table(terminal: &mut Terminal) -> Vec<(String, Vec<String>)> {
    terminal.resize(100, 200);
    terminal.type_keys("?");
    terminal.until_shows("States of a gate");
    let text = terminal.text();
    let lines = text.lines().skip(2).take_while(|line| line.trim() != "States of a gate");
    let mut table: Vec<(String, Vec<String>)> = Vec::new();
    for line in lines.filter(|line| !line.trim().is_empty()) {
        // The keys stand in a column of their own.
        match line.char_indices().nth(22).map(|(at, _)| line.split_at(at)) {
            Some((keys, help)) if keys.ends_with("  ") && !help.trim().is_empty() => {
                table.last_mut().unwrap().1.extend(keys.split_whitespace().map(str::to_owned));
            }
            _ => table.push((line.trim().to_owned(), Vec::new())),
        }
    }
    terminal.type_keys(ESCAPE);
    terminal.resize(100, 30);
    terminal.until_shows("2 instances");
    table
}

/// Goes back to the list of instances, and to now, by keys that no screen can keep from that, and waits until it shows `mark` as its
/// filter: then everything that was typed before was taken in.
#[track_caller]
fn home(terminal: &mut Terminal, place: &Place, label: &str, mark: &str) {
    terminal.type_keys(&(ESCAPE.repeat(5) + "$" + &ESCAPE.repeat(5)));
    if place.name == "Nothing yet" {
        terminal.type_keys("ngitlab\r");
        terminal.until_shows("2 instances");
    }
    terminal.type_keys(&format!("/{mark}"));
    let home = format!("the list of instances with {mark}, after {label} on {}", place.name);
    terminal.until(&home, |screen| screen.contents().contains(&format!("with {mark}")));
    terminal.type_keys(ESCAPE);
}

#[test]
fn every_key_leaves_every_screen_alive() {
    let desk = Desk::new();
    let mut first = desk.start();
    let table = table(&mut first);
    let places: BTreeSet<&str> = PLACES.iter().map(|place| place.name).collect();
    for (name, keys) in &table {
        let general = ["Everywhere", "Back and forth in time", "Logs, YAML and description"].contains(&name.as_str());
        assert!(general || places.contains(name.as_str()), "no way is known to {name}");
        assert!(!keys.is_empty(), "{name} has no keys");
    }
    let ends = ["q", "Ctrl-C"];
    let labels: BTreeSet<&str> = table.iter().flat_map(|(_, keys)| keys).map(String::as_str).collect();
    let labels: Vec<&str> = labels.into_iter().filter(|label| !ends.contains(label)).collect();
    assert!(labels.len() > 35, "{labels:?}");
    desk.at_every_place(|place| {
        let mut terminal = desk.start();
        for (index, label) in labels.iter().enumerate() {
            terminal.type_keys(place.way);
            if index == 0 || place.name == "Nothing yet" {
                terminal.until_shows(place.sign);
            }
            terminal.type_keys(&typed(label));
            home(&mut terminal, place, label, &format!("key{index}"));
        }
        terminal.type_keys("q");
        assert!(terminal.end().success(), "{}", place.name);
        terminal.assert_restored();
    });
}

#[test]
fn every_screen_can_be_left_for_good() {
    let desk = Desk::new();
    desk.at_every_place(|place| {
        let types = ["Search", "Filter", "Namespace"].contains(&place.name);
        for key in ["\x03", "q"].into_iter().take(if types { 1 } else { 2 }) {
            let mut terminal = desk.start();
            terminal.type_keys(place.way);
            terminal.until_shows(place.sign);
            terminal.type_keys(key);
            assert!(terminal.end().success(), "{}", place.name);
            terminal.assert_restored();
        }
    });
}
