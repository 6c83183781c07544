//! The documentation, tried: every command in README.md and in the pages of docs/ is run as somebody types it who reads them,
//! and what they show is held against what the program shows. CONTRIBUTING.md tells how a page says what it expects.
//!
//! | file | holds |
//! |---|---|
//! | `page` | a page: its blocks, and the commands in them |
//! | `play` | a page, played |
//! | `stage` | what it finds: a home, programs, a cluster |
//! | `files` | the files that pages speak of |
//! | `shown` | what is shown, held against what is |
//! | `applied` | what `kubectl apply` would take |

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, its helpers too"
)]

mod applied;
mod files;
mod page;
mod play;
#[allow(dead_code, reason = "the tests of terminals use all of it")]
#[path = "../terminal/pty.rs"]
mod pty;
#[path = "../common/script.rs"]
mod script;
mod shown;
mod stage;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use libtest_mimic::{Arguments, Trial};

use crate::page::Page;

/// Pages for those who work on the program: what they show is no command for those who use it.
const FOR_DEVELOPERS: [&str; 2] = ["docs/architecture.md", "docs/performance.md"];

/// How many pages are played at once: they wait more than they work.
const AT_ONCE: usize = 12;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == applied::CALL) {
        return applied::look(&words[1..]);
    }
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(AT_ONCE);
    let left_out = Arc::new(Mutex::new(Vec::new()));
    let pages = pages().into_iter().map(|name| {
        let left_out = Arc::clone(&left_out);
        Trial::test(name.clone(), move || {
            let lacking = play::play(&Page::open(root(), &name))?;
            left_out.lock().unwrap().extend(lacking);
            Ok(())
        })
    });
    let rules: [(&str, fn()); 5] = [
        ("what_a_page_shows_is_held_against_what_is", shown::holds_by_itself),
        ("what_is_applied_is_looked_at", applied::holds_by_itself),
        ("a_page_that_is_wrong_in_one_thing_fails", play::holds_by_itself),
        ("every_page_is_led_to", every_page_is_led_to),
        ("every_link_leads_somewhere", every_link_leads_somewhere),
    ];
    let rules = rules.into_iter().map(|(name, rule)| {
        Trial::test(name, move || {
            rule();
            Ok(())
        })
    });
    let conclusion = libtest_mimic::run(&arguments, rules.chain(pages).collect());
    let left_out = left_out.lock().unwrap();
    if !left_out.is_empty() {
        eprintln!("left out, as a program is not there: {}", left_out.join(", "));
    }
    conclusion.exit_code()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Those that are played.
fn pages() -> Vec<String> {
    let files = std::fs::read_dir(root().join("docs")).unwrap().map(|file| file.unwrap().file_name());
    let names = files.map(|name| format!("docs/{}", name.to_str().unwrap()));
    let pages = names.filter(|name| name.ends_with(".md") && !FOR_DEVELOPERS.contains(&name.as_str()));
    let pages: BTreeSet<String> = pages.chain(["README.md".into()]).collect();
    pages.into_iter().collect()
}

/// The index of docs/ names every page, and the project's README leads to the index.
fn every_page_is_led_to() {
    let led_to = |name| Page::open(root(), name).links.into_iter().map(|(_, link)| link).collect::<BTreeSet<_>>();
    assert!(led_to("README.md").contains("docs/README.md"));
    let index = led_to("docs/README.md");
    for page in pages().iter().filter_map(|name| name.strip_prefix("docs/")).filter(|page| *page != "README.md") {
        assert!(index.contains(page), "docs/README.md does not lead to {page}");
    }
}

fn every_link_leads_somewhere() {
    for name in pages() {
        let folder = root().join(&name).parent().unwrap().to_owned();
        for (line, link) in Page::open(root(), &name).links {
            assert!(folder.join(&link).exists(), "{name}:{line}: there is no {link}");
        }
    }
}
