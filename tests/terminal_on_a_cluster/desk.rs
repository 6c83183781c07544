//! A cluster with two instances, the program on it, and its screens.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::thread;

use flate2::read::GzDecoder;
use gatewatch::cluster::Change;
use gatewatch::source::server::Server;
use serde_json::json;
use tempfile::TempDir;

use crate::api::{TOKEN, instance, kubeconfig, recorded, serve};
use crate::pty::{Setup, Terminal};

/// The escape key, written so that it stays one whatever comes after it.
pub const ESCAPE: &str = "\x1b[27u";

/// A screen: how help calls it, what leads to it from the list of instances, and what only it shows.
pub struct Place {
    pub name: &'static str,
    pub way: &'static str,
    pub sign: &'static str,
}

pub const PLACES: [Place; 11] = [
    Place { name: "List", way: "", sign: "2 instances" },
    Place { name: "Dashboard", way: "\r", sign: "↵ detail" },
    Place { name: "Detail", way: "\r\r", sign: "Limits" },
    Place { name: "Logs", way: "\rl", sign: "f follow" },
    Place { name: "YAML and description", way: "\ry", sign: "apiVersion: batch/v1" },
    Place { name: "Search", way: "\ry/", sign: "↵ keep" },
    Place { name: "Journal", way: "J", sign: "Journal" },
    Place { name: "Filter", way: "/", sign: "↵ keep" },
    Place { name: "Namespace", way: "n", sign: "↵ watch" },
    Place { name: "Help", way: "?", sign: "Everywhere" },
    Place { name: "Nothing yet", way: "nnowhere\r", sign: "No GitLabCore in namespace nowhere" },
];

/// A cluster with two instances: one whose full migrations failed three times and wait for their next run, and one that is
/// settled.
pub struct Desk {
    pub server: Server,
    pub kubeconfig: String,
    /// What happens there once [`goes_on`](Self::goes_on) says so.
    next: Vec<Change>,
    folder: TempDir,
}

impl Desk {
    /// Does that at every place, at all of them at once.
    pub fn at_every_place(&self, work: impl Fn(&Place) + Sync) {
        thread::scope(|scope| {
            for place in &PLACES {
                let work = &work;
                scope.spawn(move || work(place));
            }
        });
    }

    pub fn new() -> Self {
        let mut second = instance();
        second["metadata"]["name"] = "second".into();
        second["metadata"]["uid"] = "second".into();
        second["status"] = json!({"phase": "Running", "version": "18.11.0"});
        let api = serve(&[second]);
        let whole = BufReader::new(GzDecoder::new(File::open("tests/recordings/retry.jsonl.gz").unwrap()));
        let lines = whole.lines().map(|line| line.unwrap() + "\n");
        let (under_way, next): (String, String) =
            lines.partition(|line| line["{\"time\":\"".len()..] < *"2026-11-29T15:34:10Z");
        recorded(&under_way).iter().for_each(|change| api.server.apply(change));
        let folder = TempDir::new().unwrap();
        let kubeconfig = kubeconfig(folder.path(), &api.url, &json!({"token": TOKEN}));
        Self { server: api.server, kubeconfig, next: recorded(&next), folder }
    }

    /// The upgrade goes on to its end.
    pub fn goes_on(&self) {
        self.next.iter().for_each(|change| self.server.apply(change));
    }

    /// The program on it, with the list of instances on its screen.
    pub fn start(&self) -> Terminal {
        self.start_in(Setup::program(&["--kubeconfig", &self.kubeconfig]))
    }

    /// The same, as it is set up.
    pub fn start_in(&self, setup: Setup) -> Terminal {
        let setup = setup.folder(self.folder.path()).env("SSH_CONNECTION", "192.0.2.7 50000 192.0.2.1 22");
        let mut terminal = setup.start();
        terminal.until("the list", |screen| {
            let text = screen.contents();
            ["● live", "2 instances", "3 of 6 failed, 3 left"].iter().all(|told| text.contains(told))
        });
        terminal
    }
}
