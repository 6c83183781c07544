//! The dashboard in a terminal, beside `gatewatch wait`: its journal has to tell what `wait` says.

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::watcher::Line;
use crate::pty::{Setup, Terminal};

/// How long a state has to stand for a screen to show it: what is over before a frame is drawn, is not.
const SEEN: Duration = Duration::from_secs(1);

/// Starts it in that namespace, in a terminal that is wide enough for whole sentences.
pub fn start(kubeconfig: &Path, namespace: &str) -> Terminal {
    let kubeconfig = kubeconfig.display().to_string();
    let mut terminal = Setup::program(&["-n", namespace, "--kubeconfig", &kubeconfig]).start();
    terminal.resize(300, 100);
    terminal.until("the dashboard, live", |screen| {
        let text = screen.contents();
        text.contains("● live") && text.contains("Background migrations")
    });
    terminal
}

/// Ends it once the upgrade is over, and fails unless its journal tells the same as those lines.
pub fn agrees(mut terminal: Terminal, lines: &[Line]) -> Result<()> {
    let Some(last) = lines.last() else { return Ok(()) };
    terminal.type_keys("J");
    terminal.until("the journal, to its end", |screen| {
        entries(&screen.contents()).last().is_some_and(|end| tells(end, last))
    });
    let entries = entries(&terminal.text());
    let mut rest = entries.iter().peekable();
    for (number, line) in lines.iter().enumerate() {
        if rest.next_if(|entry| tells(entry, line)).is_some() {
            continue;
        }
        let same = |later: &&Line| later.change["subject"] == line.change["subject"];
        let next = lines[number + 1..].iter().find(same);
        let stood = next.is_none_or(|next| next.at.duration_since(line.at) >= SEEN);
        ensure!(!stood, "the journal lacks `{}`\n{}", line.text(), entries.join("\n"));
    }
    ensure!(
        rest.peek().is_none(),
        "the journal tells more: {}",
        rest.map(String::as_str).collect::<Vec<_>>().join("\n")
    );
    terminal.type_keys("q");
    let status = terminal.end();
    ensure!(status.success(), "the dashboard ended with {status}");
    terminal.assert_restored();
    Ok(())
}

/// The entries of the journal that fills the screen, each on one line, in words with one blank between them.
fn entries(screen: &str) -> Vec<String> {
    let mut entries: Vec<String> = Vec::new();
    for line in screen.lines().skip_while(|line| !line.trim_start().starts_with("Journal ")).skip(1) {
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let timed = words.get(..8).is_some_and(|time| time.bytes().filter(|byte| *byte == b':').count() == 2);
        match entries.last_mut() {
            _ if timed => entries.push(words),
            Some(entry) if line.starts_with("          ") && !words.is_empty() => *entry = format!("{entry} {words}"),
            _ => {}
        }
    }
    entries
}

/// Whether an entry tells what a line says: of the same, that it is so, with what is said besides.
fn tells(entry: &str, line: &Line) -> bool {
    let text = line.text();
    let (title, said) =
        text.split_once(": ").filter(|_| line.change["subject"] != "upgrade").unwrap_or(("Upgrade", text));
    let word = line.change["to"].as_str().unwrap_or_default();
    let more = said.strip_prefix(word).map_or(said, |more| more.trim_start_matches([',', ':', ' ']));
    let (entry, more) = (without_spans(entry), without_spans(more));
    entry.contains(title) && entry.to_lowercase().contains(&word.to_lowercase()) && entry.ends_with(&more)
}

/// The text without how long something has stood: two programs look at different moments.
fn without_spans(text: &str) -> String {
    let is_span = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit()) && word.ends_with("s;");
    text.split(' ').filter(|word| !is_span(word)).collect::<Vec<_>>().join(" ")
}
