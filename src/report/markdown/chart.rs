//! The time line in characters: a row for each step, its states by a letter, a cross where an attempt failed.

use crate::report::document::{TimeLine, Times};
use crate::report::hops::{Lane, Shade};

/// How many characters a line is long.
const WIDTH: usize = 60;
/// What marks a failed attempt.
const FAILED: char = 'x';
const TITLE: usize = 26;

/// The rows, the axis first and what the letters mean last.
pub(super) fn lines(line: &TimeLine<'_>, times: Times) -> Vec<String> {
    let (from, to) = (times.time(line.axis.from()), times.time(line.axis.to()));
    let gap = WIDTH.saturating_sub(from.len() + to.len());
    let mut lines = vec![format!("{:TITLE$} {from}{:gap$}{to}", "", "")];
    let several = line.hops.len() > 1;
    for hop in line.hops {
        if let Some(version) = hop.version.as_ref().filter(|_| several) {
            lines.push(format!("Hop {version}"));
        }
        lines.extend(hop.lanes.iter().map(|lane| row(line, lane)));
    }
    let lanes = || line.hops.iter().flat_map(|hop| &hop.lanes);
    let has = |shade: &Shade| lanes().flat_map(|lane| &lane.stretches).any(|stretch| stretch.shade == *shade);
    let mut legend: Vec<String> =
        Shade::ALL.into_iter().filter(has).map(|shade| format!("{} {}", letter(shade), shade.word())).collect();
    if lanes().any(|lane| lane.failures().next().is_some()) {
        legend.push(format!("{FAILED} an attempt failed"));
    }
    if !legend.is_empty() {
        lines.extend([String::new(), legend.join("   ")]);
    }
    lines
}

fn row(line: &TimeLine<'_>, lane: &Lane) -> String {
    let mut row = vec![' '; WIDTH];
    for stretch in &lane.stretches {
        let (from, to) = (cell(line.axis.place(stretch.from)), cell(line.axis.place(stretch.to)));
        row.iter_mut().take(to.max(from) + 1).skip(from).for_each(|cell| *cell = letter(stretch.shade));
    }
    for (time, _) in lane.failures() {
        if let Some(cell) = row.get_mut(cell(line.axis.place(time))) {
            *cell = FAILED;
        }
    }
    let row: String = row.into_iter().collect();
    format!("{:TITLE$} {row} {}", lane.step.title(), lane.state)
}

/// The character that a share of the line lies in.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is from 0 to 1")]
fn cell(share: f64) -> usize {
    ((share * WIDTH as f64) as usize).min(WIDTH - 1)
}

fn letter(shade: Shade) -> char {
    match shade {
        Shade::Running => '=',
        Shade::Retrying => '~',
        Shade::Blocked => '#',
        Shade::Failing => '!',
        Shade::Suspended => '-',
        Shade::Unwatched => '.',
    }
}
