//! Every key that help names, on every screen, whether it does something there or not.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::thread;

use flate2::read::GzDecoder;
use serde_json::json;
use tempfile::TempDir;

use crate::api::{TOKEN, instance, kubeconfig, recorded, serve};
use crate::pty::{Setup, Terminal};

/// The escape key, written so that it stays one whatever comes after it.
const ESCAPE: &str = "\x1b[27u";

/// A screen: how help calls it, what leads to it from the list of instances, and what only it shows.
struct Place {
    name: &'static str,
    way: &'static str,
    sign: &'static str,
}

const PLACES: [Place; 11] = [
    Place { name: "Instances", way: "", sign: "2 instances" },
    Place { name: "Dashboard", way: "\r", sign: "↵ detail" },
    Place { name: "Detail", way: "\r\r", sign: "Limits" },
    Place { name: "Logs", way: "\rl", sign: "f follow" },
    Place { name: "YAML and description", way: "\ry", sign: "apiVersion: batch/v1" },
    Place { name: "Search", way: "\ry/", sign: "↵ keep" },
    Place { name: "Journal", way: "J", sign: "Journal" },
    Place { name: "Filter", way: "/", sign: "↵ keep" },
    Place { name: "Namespace", way: "n", sign: "↵ watch" },
    Place { name: "Help", way: "?", sign: "copy the command of the selected step" },
    Place { name: "No instance", way: "nnowhere\r", sign: "No GitLabCore in namespace nowhere" },
];

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

/// A cluster with two instances: one whose full migrations failed three times and wait for their next run, and one of which
/// nothing is known.
struct Desk {
    folder: TempDir,
    kubeconfig: String,
}

impl Desk {
    fn new() -> Self {
        let mut second = instance();
        second["metadata"]["name"] = "second".into();
        second["metadata"]["uid"] = "second".into();
        let api = serve(&[second]);
        let whole = BufReader::new(GzDecoder::new(File::open("tests/recordings/retry.jsonl.gz").unwrap()));
        let lines = whole.lines().map(Result::unwrap);
        let under_way = lines.take_while(|line| line["{\"time\":\"".len()..] < *"2026-11-29T15:34:10Z");
        let text: String = under_way.map(|line| format!("{line}\n")).collect();
        recorded(&text).iter().for_each(|change| api.server.apply(change));
        let folder = TempDir::new().unwrap();
        let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
        Self { folder, kubeconfig }
    }

    /// The program on it, with the list of instances on its screen.
    fn start(&self) -> Terminal {
        let setup = Setup::program(&["--kubeconfig", &self.kubeconfig]).folder(self.folder.path());
        let mut terminal = setup.env("SSH_CONNECTION", "192.0.2.7 50000 192.0.2.1 22").start();
        terminal.until_shows("2 instances");
        terminal
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

/// Goes back to the list of instances, by keys that no screen can keep from that, and waits until it shows `mark` as its
/// filter: then everything that was typed before was taken in.
#[track_caller]
fn home(terminal: &mut Terminal, place: &Place, mark: &str) {
    terminal.type_keys(&ESCAPE.repeat(5));
    if place.name == "No instance" {
        terminal.type_keys("ngitlab\r");
        terminal.until_shows("2 instances");
    }
    terminal.type_keys(&format!("/{mark}"));
    terminal.until_shows(&format!("with {mark}"));
    terminal.type_keys(ESCAPE);
}

#[test]
fn every_key_leaves_every_screen_alive() {
    let desk = Desk::new();
    let mut first = desk.start();
    let table = table(&mut first);
    let places: BTreeSet<&str> = PLACES.iter().map(|place| place.name).collect();
    for (name, keys) in &table {
        let general = ["Everywhere", "Logs, YAML and description"].contains(&name.as_str());
        assert!(general || places.contains(name.as_str()), "no way is known to {name}");
        assert!(!keys.is_empty(), "{name} has no keys");
    }
    let ends = ["q", "Ctrl-C"];
    let labels: BTreeSet<&str> = table.iter().flat_map(|(_, keys)| keys).map(String::as_str).collect();
    let labels: Vec<&str> = labels.into_iter().filter(|label| !ends.contains(label)).collect();
    assert!(labels.len() > 35, "{labels:?}");
    thread::scope(|scope| {
        for place in &PLACES {
            let (desk, labels) = (&desk, &labels);
            scope.spawn(move || {
                let mut terminal = desk.start();
                for (index, label) in labels.iter().enumerate() {
                    terminal.type_keys(place.way);
                    if index == 0 || place.name == "No instance" {
                        terminal.until_shows(place.sign);
                    }
                    terminal.type_keys(&typed(label));
                    home(&mut terminal, place, &format!("key{index}"));
                }
                terminal.type_keys("q");
                assert!(terminal.end().success(), "{}", place.name);
                terminal.assert_restored();
            });
        }
    });
}

#[test]
fn every_screen_can_be_left_for_good() {
    let desk = Desk::new();
    thread::scope(|scope| {
        for place in &PLACES {
            let desk = &desk;
            scope.spawn(move || {
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
    });
}
