//! What comes of a gate at the pace it has: the background migrations that are pending as a curve, when they are done, when
//! the attempts run out.

use jiff::{SignedDuration, Timestamp};
use ratatui::text::{Line, Span};

use super::{ATTEMPTS, CAUSE, Fields, HEAD, LOOSE, bold};
use crate::gate::{Backlog, Forecast, GateJob, Limit, Motion, Outlook, Pending};
use crate::run::{forecast_words, outlook_words, pending_words, took_words};
use crate::tui::theme::{Glyph, Tone};
use crate::tui::view::words;
use crate::tui::widget::curve::{Bar, curve};
use crate::tui::widget::text::{width, wrap};

/// The most columns of a curve in one row, and of one in several.
const SHORT: usize = 32;
const LONG: usize = 72;
/// The rows of a curve where there is room for more than one, and from which height of the screen on there is.
const ROWS: usize = 5;
const TALL: u16 = 44;

impl Fields<'_> {
    pub(super) fn forecast(&mut self, forecast: &Forecast) {
        let tone = if forecast.first == Limit::Attempts { Tone::Text } else { Tone::Warning };
        let words = self.in_words(|clock| forecast_words(forecast, self.model.now(), clock));
        let took = took_words(&forecast.took);
        let mut value = vec![self.theme.span(tone, words.clone())];
        if self.add(&mut value, Tone::Muted, &format!("  {took}")) {
            return self.field(ATTEMPTS, "Forecast", value);
        }
        self.prose(ATTEMPTS, "Forecast", &words, tone);
        self.prose(LOOSE, "", &took, Tone::Muted);
    }

    /// The background migrations that a Job waits for, or waited.
    pub(super) fn backlog(&mut self, job: &GateJob, backlog: &Backlog) {
        let theme = self.theme;
        let deadline = job.deadline.map(|deadline| deadline.at);
        let tone = tone(backlog);
        let late = tone == Tone::Bad;
        let words = self.in_words(|clock| pending_words(backlog, job.ended.is_some(), clock));
        self.prose(HEAD, "Backlog", &words, if late { Tone::Bad } else { Tone::Text });
        if let Some(words) = self.in_words(|clock| outlook_words(backlog, deadline, clock)) {
            self.prose(CAUSE, "Outlook", &words, if late { Tone::Bad } else { Tone::Text });
        }
        let Some(first) = backlog.counts.first().filter(|_| backlog.counts.len() > 1) else { return };
        let times = [first, &backlog.last].map(|count| self.in_words(|clock| clock(count.at)));
        let [from, to] = [first, &backlog.last].map(|count| count.pending.to_string());
        if !self.whole && self.model.size().height < TALL {
            let columns = SHORT.min(3 * backlog.counts.len()).min(self.room() / 2);
            let mut value = vec![theme.span(Tone::Text, format!("{from} "))];
            let bars = bars(backlog, backlog.last.at, columns, false);
            value.extend(curve(theme, &bars, 1, tone).into_iter().flat_map(|line| line.spans));
            value.push(theme.span(Tone::Text, format!(" {to}")));
            self.add(&mut value, Tone::Muted, &format!("{} to {}", times[0], times[1]));
            return self.field(ATTEMPTS, "", value);
        }
        self.chart(backlog, deadline.filter(|_| job.ended.is_none()), tone, &times);
    }

    /// The curve in several rows, and from the last count to the deadline what is expected; of a deadline that is far off and
    /// will be met, no more than leaves a third to what was counted.
    fn chart(&mut self, backlog: &Backlog, deadline: Option<Timestamp>, tone: Tone, times: &[String; 2]) {
        let theme = self.theme;
        let most = most(backlog).to_string();
        let columns = LONG.min(self.room().saturating_sub(width(&most) + 1));
        let counted =
            backlog.counts.first().map_or(SignedDuration::ZERO, |first| backlog.last.at.duration_since(first.at));
        let far = backlog.last.at.saturating_add(counted * 2).unwrap_or(Timestamp::MAX);
        let end = deadline.map_or(backlog.last.at, |deadline| deadline.max(backlog.last.at));
        let end = if backlog.outlook == Outlook::TooLate { end } else { end.min(far) };
        let ahead = deadline.filter(|deadline| *deadline == end && end > backlog.last.at);
        let bars = bars(backlog, end, columns, ahead.is_some());
        let rows = curve(theme, &bars, ROWS, tone);
        let last = rows.len().saturating_sub(1);
        for (index, row) in rows.into_iter().enumerate() {
            let label = match index {
                0 => most.as_str(),
                index if index == last => "0",
                _ => "",
            };
            let mut value = vec![theme.span(Tone::Muted, format!("{label:>0$} ", width(&most)))];
            value.extend(row.spans);
            self.field(ATTEMPTS, "", value);
        }
        let what = if ahead.is_some() { " deadline" } else { "" };
        let end = format!("{}{what}", self.in_words(|clock| clock(end)));
        let gap = columns.saturating_sub(width(&times[0]) + width(&end));
        let line = format!("{}{}{}{end}", " ".repeat(width(&most) + 1), times[0], " ".repeat(gap.max(1)));
        self.field(ATTEMPTS, "", vec![theme.span(Tone::Muted, line)]);
        let counted = format!("{} counts, the last at {}", backlog.counts.len(), times[1]);
        let expected = format!("{} at this pace", theme.glyph(Glyph::Left).repeat(3));
        let mut value = vec![Span::raw(" ".repeat(width(&most) + 1)), theme.span(Tone::Muted, counted)];
        if bars.iter().any(|bar| matches!(bar, Bar::Expected(_))) {
            self.add(&mut value, Tone::Muted, &expected);
        }
        self.push(LOOSE, Line::from([vec![Span::raw(" ".repeat(super::LABEL))], value].concat()));
    }

    /// A sentence whose end matters as much as its beginning; what is bad, in bold.
    fn prose(&mut self, rank: u8, label: &str, words: &str, tone: Tone) {
        let span =
            |text: String| if tone == Tone::Bad { bold(self.theme, tone, text) } else { self.theme.span(tone, text) };
        let lines: Vec<_> = wrap(words, self.room()).into_iter().map(span).collect();
        for (index, line) in lines.iter().enumerate() {
            self.field(rank, if index == 0 { label } else { "" }, vec![line.clone()]);
            let rest = lines[index..].iter().map(|line| line.content.as_ref()).collect::<String>();
            if let Some(row) = self.rows.last_mut() {
                row.continues = index > 0;
                row.rest = Some(Span::styled(rest, line.style));
            }
        }
    }

    /// What `words` says where times are those of the screen.
    fn in_words<T>(&self, words: impl FnOnce(&dyn Fn(Timestamp) -> String) -> T) -> T {
        words(&|time| words::about(time, self.model.now(), &self.model.settings.zone))
    }
}

fn tone(backlog: &Backlog) -> Tone {
    match (backlog.outlook, backlog.motion) {
        (Outlook::TooLate, _) => Tone::Bad,
        (Outlook::Done, _) => Tone::Good,
        (_, Motion::Still { .. } | Motion::Rising { .. }) => Tone::Warning,
        _ => Tone::Active,
    }
}

fn most(backlog: &Backlog) -> u64 {
    backlog.counts.iter().map(|count| count.pending).max().unwrap_or(0)
}

/// The counts over time, from the first one to `end`, in so many columns; after the last one what is expected. The last
/// column is the mark of the end, if it has one.
fn bars(backlog: &Backlog, end: Timestamp, columns: usize, marked: bool) -> Vec<Bar> {
    let Some(first) = backlog.counts.first() else { return Vec::new() };
    let most = most(backlog).max(1) as f64;
    let whole = end.duration_since(first.at).as_secs_f64();
    let seconds = |time: Timestamp| time.duration_since(first.at).as_secs_f64();
    let last = seconds(backlog.last.at);
    let (done, falls) = (backlog.done.map(seconds), matches!(backlog.motion, Motion::Falling { .. }));
    let counted = |until: f64| -> Option<&Pending> { backlog.counts.iter().rfind(|count| seconds(count.at) <= until) };
    let bar = |column: usize| {
        let until = whole * (column + 1) as f64 / columns as f64;
        let from = whole * column as f64 / columns as f64;
        if marked && column + 1 == columns {
            return Bar::Mark;
        }
        if from <= last {
            return Bar::Measured(counted(until).map_or(0.0, |count| count.pending as f64 / most));
        }
        let left = match done {
            Some(done) if falls && done > last => ((done - until) / (done - last)).clamp(0.0, 1.0),
            _ => 1.0,
        };
        Bar::Expected(backlog.last.pending as f64 / most * left)
    };
    (0..columns).map(bar).collect()
}
