//! A word beyond the screen: the bell, and a desktop notification through the terminal.
//!
//! In come the journal's news and what the environment says of the terminal; out go bytes for whoever owns the terminal.
//! A terminal gives no answer, so nothing is ever known of what became of them.

use crate::journal::{Entry, News};
use crate::multiplexer::Wrapping;
use crate::run::{RunName, Subject};

/// The most characters of what a notification says: a desktop shows no more of it.
const LONGEST: usize = 200;
/// The bell. Every terminal and multiplexer knows it.
const BELL: u8 = 7;

/// What somebody is told of beyond the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notify {
    /// Nothing.
    Never,
    /// A failed attempt, and a Job that failed.
    Failures,
    /// That, and a gate that is blocked by what cannot clear, a settled upgrade, a feed that breaks or comes back.
    All,
}

/// The control string that a terminal takes for a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sequence {
    /// `OSC 9 ; text`, of iTerm2: the most widely known.
    Osc9,
    /// `OSC 777 ; notify ; title ; body`, of rxvt-unicode; foot and terminals of VTE take it and not the other.
    Osc777,
}

/// How news is told, and which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notices {
    notify: Notify,
    sequence: Sequence,
    /// `None` where the terminal has a bell alone.
    wrapping: Option<Wrapping>,
}

impl Notices {
    /// How that is told on this terminal, as the environment tells through `variable`, which gives the value of a
    /// variable that is set.
    pub fn detect(notify: Notify, variable: impl Fn(&str) -> Option<String>) -> Self {
        let term = variable("TERM").unwrap_or_default();
        let of_vte = variable("VTE_VERSION").is_some_and(|version| !version.is_empty());
        let knows = of_vte || ["rxvt", "foot"].iter().any(|known| term.starts_with(known));
        let sequence = if knows { Sequence::Osc777 } else { Sequence::Osc9 };
        Self { notify, sequence, wrapping: Wrapping::detect(variable) }
    }

    /// None at all.
    pub fn never() -> Self {
        Self { notify: Notify::Never, sequence: Sequence::Osc9, wrapping: None }
    }

    /// The bytes that tell of what is new, the gravest first, in one notification; `None` where nobody is to be told.
    /// With `redact` no message is told.
    pub fn bytes(&self, news: &[(News, RunName, Entry)], redact: bool) -> Option<Vec<u8>> {
        let least = match self.notify {
            Notify::Never => return None,
            Notify::Failures => News::Failure,
            Notify::All => News::Notable,
        };
        let worth: Vec<_> = news.iter().filter(|(news, ..)| *news >= least).collect();
        let (_, run, entry) = worth.first()?;
        let title = match entry.subject {
            Subject::Feed => "gatewatch".to_owned(),
            Subject::Step(_) | Subject::Upgrade => format!("gatewatch {run}"),
        };
        let mut body = if redact { brief(entry) } else { entry.text.clone() };
        body = short(&body);
        if worth.len() > 1 {
            body += &format!(" (and {} more)", worth.len() - 1);
        }
        let mut bytes = self.notification(&sound(&title), &sound(&body)).unwrap_or_default();
        bytes.push(BELL);
        Some(bytes)
    }

    fn notification(&self, title: &str, body: &str) -> Option<Vec<u8>> {
        let sequence = match self.sequence {
            Sequence::Osc9 => format!("\x1b]9;{title}: {body}\x07"),
            Sequence::Osc777 => format!("\x1b]777;notify;{title};{body}\x07"),
        };
        Some(self.wrapping?.wrap(&sequence))
    }
}

/// An entry without what the cluster said.
fn brief(entry: &Entry) -> String {
    let tally = entry.tally();
    let tally = if tally.is_empty() { tally } else { format!(", {tally}") };
    format!("{}: {}{tally}", entry.title(), entry.said(&entry.to))
}

fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A text without what ends a control string or parts its fields.
fn sound(text: &str) -> String {
    text.chars()
        .filter(|character| !character.is_control())
        .map(|character| if character == ';' { ',' } else { character })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::FeedState;
    use crate::fixture::feed_in;
    use crate::gate::GateState;
    use crate::journal::Journals;
    use crate::run::{Run, StepBody, Verdict, sample};

    fn notices(notify: Notify, variables: &[(&str, &str)]) -> Notices {
        Notices::detect(notify, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn run_with(state: GateState, restarts: u32) -> Run {
        let mut run = sample::run();
        run.steps[2].body = StepBody::Gate(Box::new(sample::gate(state, restarts)));
        run
    }

    fn retrying() -> Run {
        run_with(GateState::Retrying { next_restart: None }, 1)
    }

    /// What is new once it stands so.
    fn news(run: Run) -> Vec<(News, RunName, Entry)> {
        let (mut journals, before) = (Journals::default(), [run_with(GateState::Running { finishing: false }, 0)]);
        let live = feed_in(&FeedState::Live { since: sample::time("15:00:00") });
        let _ = journals.see(&[], &before, &live, sample::time("15:00:00"));
        journals.see(&before, &[run], &live, sample::time("15:20:00")).news
    }

    fn text(bytes: Option<Vec<u8>>) -> String {
        String::from_utf8(bytes.unwrap()).unwrap()
    }

    const XTERM: &[(&str, &str)] = &[("TERM", "xterm-256color")];
    const TOLD: &str = "Full migrations: retrying, 1 of 6 failed, 5 left: migrations exited 1 (Error): \
        PG::LockNotAvailable: ERROR: canceling statement due to lock timeout";

    #[test]
    fn a_failed_attempt_rings_and_is_told_on_the_desktop() {
        let bytes = text(notices(Notify::Failures, XTERM).bytes(&news(retrying()), false));
        assert_eq!(bytes, format!("\x1b]9;gatewatch gitlab/gitlab: {TOLD}\x07\x07"));
    }

    #[test]
    fn where_the_terminal_takes_another_sequence_it_gets_that() {
        let foot: &[(&str, &str)] = &[("TERM", "foot")];
        let rxvt: &[(&str, &str)] = &[("TERM", "rxvt-unicode-256color")];
        let vte: &[(&str, &str)] = &[("TERM", "xterm-256color"), ("VTE_VERSION", "7600")];
        for variables in [foot, rxvt, vte] {
            let bytes = text(notices(Notify::Failures, variables).bytes(&news(retrying()), false));
            assert_eq!(bytes, format!("\x1b]777;notify;gatewatch gitlab/gitlab;{TOLD}\x07\x07"));
        }
    }

    #[test]
    fn in_tmux_and_in_screen_it_is_passed_on_and_the_bell_is_theirs() {
        let tmux = notices(Notify::Failures, &[("TERM", "tmux-256color")]).bytes(&news(retrying()), true);
        let told = "gatewatch gitlab/gitlab: Full migrations: retrying, 1 of 6 failed";
        assert_eq!(text(tmux), format!("\x1bPtmux;\x1b\x1b]9;{told}\x07\x1b\\\x07"));
        let screen = notices(Notify::Failures, &[("TERM", "screen")]).bytes(&news(retrying()), true);
        assert_eq!(text(screen), format!("\x1bP\x1b]9;{told}\x07\x1b\\\x07"));
    }

    #[test]
    fn a_console_has_a_bell_alone() {
        assert_eq!(notices(Notify::Failures, &[("TERM", "linux")]).bytes(&news(retrying()), false).unwrap(), [7]);
    }

    #[test]
    fn redacted_it_tells_no_message() {
        let bytes = text(notices(Notify::Failures, XTERM).bytes(&news(retrying()), true));
        assert_eq!(bytes, "\x1b]9;gatewatch gitlab/gitlab: Full migrations: retrying, 1 of 6 failed\x07\x07");
    }

    #[test]
    fn one_chooses_what_one_is_told_of() {
        let settled = Run { verdict: Verdict::Settled, ..run_with(GateState::Done, 0) };
        let told = |notify| notices(notify, XTERM).bytes(&news(settled.clone()), false).is_some();
        assert_eq!([Notify::Never, Notify::Failures, Notify::All].map(told), [false, false, true]);
        assert_eq!(notices(Notify::Never, XTERM).bytes(&news(retrying()), false), None);
        assert_eq!(notices(Notify::All, XTERM).bytes(&[], false), None);
        assert_eq!(Notices::never().bytes(&news(retrying()), false), None);
    }

    #[test]
    fn several_news_at_once_are_one_notification_and_the_gravest_is_told() {
        let failed = Run { verdict: Verdict::Failed, ..run_with(GateState::Failed(sample::exhausted()), 6) };
        let mut all = news(failed);
        all.extend(news(Run { verdict: Verdict::Stuck, ..run_with(GateState::Blocked(sample::image_fault()), 0) }));
        let bytes = text(notices(Notify::All, XTERM).bytes(&all, true));
        assert_eq!(
            bytes,
            "\x1b]9;gatewatch gitlab/gitlab: Full migrations: failed, 6 of 6 failed (and 1 more)\x07\x07"
        );
    }

    #[test]
    fn nothing_that_is_told_ends_the_sequence_or_parts_its_fields() {
        let mut all = news(retrying());
        all[0].1.name = "a;b\u{7}".into();
        all[0].2.text = format!("x;\u{1b}]52;c;eA==\u{7}\u{9c}{}", "y".repeat(1000));
        let bytes = text(notices(Notify::Failures, &[("TERM", "foot")]).bytes(&all, false));
        let inner = bytes.strip_prefix("\x1b]777;notify;").unwrap().strip_suffix("\x07\x07").unwrap();
        assert!(!inner.chars().any(char::is_control), "{inner:?}");
        assert_eq!(inner.matches(';').count(), 1);
        assert!(inner.chars().count() < 300);
    }
}
