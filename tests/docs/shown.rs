//! What a page shows, held against what there is.

/// Whether times are to be the same too: of what is recorded they are, of what a cluster says now they cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Times {
    Same,
    Any,
}

/// Whether `shown` is what `is` says: line by line, where `…` alone stands for any lines that are left out. Space at the end of
/// lines, and blank lines at the end, say nothing.
pub fn shows(shown: &str, is: &str, times: Times) -> bool {
    let lines = |text: &str| -> Vec<String> {
        let lines = text.trim_end().lines().map(str::trim_end);
        match times {
            Times::Same => lines.map(str::to_owned).collect(),
            Times::Any => lines.map(without_times).collect(),
        }
    };
    matches(&lines(shown), &lines(is))
}

fn matches(shown: &[String], is: &[String]) -> bool {
    match shown {
        [] => is.is_empty(),
        [left_out, rest @ ..] if left_out.trim() == "…" => {
            (0..=is.len()).any(|skipped| matches(rest, &is[skipped..]))
        }
        [line, rest @ ..] => is.first() == Some(line) && matches(rest, &is[1..]),
    }
}

/// The line with every time and duration as the same word, and no more space and rules than tell words apart: they give way
/// to how long a time is.
fn without_times(line: &str) -> String {
    let mut words: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let edges: &[char] = &['"', '\'', ',', '.', ';', '(', ')', '[', ']'];
        let bare = word.trim_matches(edges);
        if is_time(bare) {
            words.push(word.replace(bare, "TIME"));
        } else if bare == "s" && words.last().is_some_and(|word| word.chars().all(|char| char.is_ascii_digit())) {
            words.pop();
            words.push(word.replace('s', "TIME"));
        } else if !word.chars().all(|char| "─━╌-".contains(char)) {
            words.push(word.to_owned());
        }
    }
    words.join(" ")
}

/// A time of day, a date, both of them, or a duration: `14:32:07`, `2026-11-29T15:32:48.363Z`, `1h05m`, `42s`.
fn is_time(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let clock = word.contains(':') || word.matches('-').count() == 2;
    let of_clock = clock && digits >= 3 && word.chars().all(|char| char.is_ascii_digit() || ":.-+TZ".contains(char));
    let parts = || word.split_inclusive(['d', 'h', 'm', 's']);
    let of_span = |part: &str| {
        let number = part.strip_suffix(['d', 'h', 'm', 's']).unwrap_or_default();
        !number.is_empty() && number.chars().all(|char| char.is_ascii_digit())
    };
    of_clock || (digits > 0 && parts().all(of_span))
}

/// The page fails where the program says something else, and not where it says the same at another time.
pub fn holds_by_itself() {
    let is = "gitlab: retrying\n\n  1  Pre-deployment   done   11s \n  2  Full  retrying  3 of 6 failed\n\n";
    let same = |shown: &str| shows(shown, is, Times::Same);
    assert!(same("gitlab: retrying\n\n  1  Pre-deployment   done   11s\n  2  Full  retrying  3 of 6 failed"));
    assert!(
        same("gitlab: retrying\n…\n  2  Full  retrying  3 of 6 failed")
            && same("…\n  2  Full  retrying  3 of 6 failed")
    );
    assert!(same("gitlab: retrying\n…"));
    for other in [
        "",
        "gitlab: retrying",
        "…\n  1  Pre-deployment   done   11s",
        "gitlab: retrying\n…\n  2  Full  retrying  2 of 6 failed",
    ] {
        assert!(!same(other), "{other}");
    }
    assert!(!same("gitlab: retrying\n\n  1  Pre-deployment   done   12s\n  2  Full  retrying  3 of 6 failed"));
    let any = |shown: &str, is: &str| shows(shown, is, Times::Any);
    assert!(any("15:32:48Z a, 1m02s ago, in 38 s ──", "2026-11-29T15:32:48.363Z   a, 4s ago, in 7 s ───────"));
    assert!(
        !any("3 of 6 failed", "4 of 6 failed") && !any("job/a-8772fc99", "job/a-3bd281cd") && !any("18.9.2", "18.10.1")
    );
}
