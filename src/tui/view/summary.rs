//! What is said of a run as a whole: its name and verdict, its versions, how long it takes, the operator's word.

use ratatui::text::{Line, Span};

use super::fields::bold;
use super::{instances, words};
use crate::run::{MadeBy, OperatorReport, Run, Source, Verdict};
use crate::tui::mark::Mark;
use crate::tui::model::Model;
use crate::tui::theme::{Glyph, Tone};
use crate::tui::widget::text::{fit, one_line, width};

/// The name, the verdict and the versions; `columns` is the room.
pub fn title(model: &Model, run: &Run, columns: usize) -> Line<'static> {
    let theme = model.theme();
    let mut spans = vec![theme.span(Tone::Strong, name(model, run)), Span::raw("  ")];
    spans.extend(verdict(model, run));
    spans.push(Span::raw(if columns < 80 { "  " } else { "   " }));
    let spare = columns.saturating_sub(spans.iter().map(|span| width(&span.content)).sum::<usize>());
    let mut course = course(model, run, true);
    if course.iter().map(|span| width(&span.content)).sum::<usize>() > spare {
        course = self::course(model, run, false);
    }
    spans.extend(course);
    if let Some(hop) = &run.course.hop
        && columns >= 80
        && hop.of > 1
    {
        spans.push(theme.span(Tone::Muted, format!("   hop {} of {}", hop.number, hop.of)));
    }
    Line::from(spans)
}

/// The name, which leaves room for what else there is to say.
fn name(model: &Model, run: &Run) -> String {
    fit(&run.name, (usize::from(model.size().width) / 4).clamp(12, 40), model.theme())
}

/// In which column of the title the verdict stands.
pub fn verdict_column(model: &Model, run: &Run) -> u16 {
    u16::try_from(width(&name(model, run)) + 2).unwrap_or(0)
}

/// The verdict in capitals; a failure as a label.
pub fn verdict(model: &Model, run: &Run) -> Vec<Span<'static>> {
    let theme = model.theme();
    let word = run.word().to_uppercase();
    let mark = match run.source {
        Source::GitLabCore => Mark::from(run.verdict),
        _ => instances::mark(run),
    };
    match run.verdict {
        Verdict::Failed => {
            vec![theme.span(Tone::Failed, format!(" {} {word} ", theme.mark(Mark::Failed, 0)))]
        }
        _ => vec![bold(theme, mark.tone(), word)],
    }
}

/// The versions: where it comes from, the hop under way, and where it goes. With `all`, the hops between as well.
pub fn course(model: &Model, run: &Run, all: bool) -> Vec<Span<'static>> {
    let theme = model.theme();
    let course = &run.course;
    let hop = course.hop.as_ref().map(|hop| &hop.version);
    let mut versions: Vec<&String> = course.from.iter().filter(|from| Some(*from) != course.target.as_ref()).collect();
    if all {
        versions.extend(&course.hops);
    }
    versions.extend(hop.filter(|hop| !versions.contains(hop)));
    versions.extend(course.target.as_ref().filter(|target| !versions.contains(target)));
    let current = versions.iter().position(|version| Some(*version) == hop);

    let mut spans = Vec::new();
    for (index, version) in versions.iter().enumerate() {
        let ahead = current.is_some_and(|current| index > current) && run.verdict != Verdict::Settled;
        if index > 0 {
            let (glyph, tone) = match run.verdict {
                _ if ahead => (Glyph::ArrowAhead, Tone::Faint),
                Verdict::Settled => (Glyph::Arrow, Tone::Good),
                Verdict::Failed if Some(index) == current => (Glyph::Arrow, Tone::Bad),
                Verdict::Stuck if Some(index) == current => (Glyph::Arrow, Tone::Held),
                _ if Some(index) == current => (Glyph::Arrow, Tone::Active),
                _ => (Glyph::Arrow, Tone::Good),
            };
            spans.push(theme.span(tone, format!(" {} ", theme.glyph(glyph))));
        }
        let last = index + 1 == versions.len();
        let now = if run.verdict == Verdict::Settled { last } else { Some(index) == current };
        spans.push(theme.span(if now { Tone::Strong } else { Tone::Text }, fit(version, 20, theme)));
    }
    spans
}

/// How long the hop takes, or took.
pub fn elapsed(model: &Model, run: &Run, short: bool) -> Line<'static> {
    let theme = model.theme();
    let Some(started) = run.started else { return Line::default() };
    let passed = words::round(run.ended.unwrap_or(model.now()).duration_since(started));
    let word = match (short, run.ended) {
        (true, _) => passed,
        (false, None) => format!("{passed} elapsed"),
        (false, Some(_)) => format!("took {passed}"),
    };
    Line::from(theme.span(Tone::Text, word))
}

/// What made it, and where there is room in so many columns, when that takes it away.
pub fn made_by(model: &Model, made_by: &MadeBy, columns: usize) -> Line<'static> {
    let theme = model.theme();
    let name = one_line(&made_by.to_string());
    let deletion = made_by.deletion_words().map(|words| format!(", {words}"));
    let deletion = deletion.filter(|words| width(&name) + width(words) <= columns);
    Line::from(vec![theme.span(Tone::Text, name), theme.span(Tone::Muted, deletion.unwrap_or_default())])
}

/// The operator's word, and where it does not agree with the cluster, how far it is behind.
pub fn operator(model: &Model, report: &OperatorReport) -> Line<'static> {
    let theme = model.theme();
    let reason = words::operator(&report.reason);
    let mut spans = vec![theme.span(Tone::Muted, format!("operator: {reason}"))];
    if !report.current {
        spans.push(theme.span(Tone::Muted, ", "));
        spans.push(theme.span(Tone::Warning, "does not know of the new spec yet"));
    } else if !report.agrees {
        spans.push(theme.span(Tone::Muted, ", "));
        spans.push(match report.behind_since {
            Some(since) => {
                let behind = words::age(model.now(), since);
                theme.span(Tone::Muted, format!("{behind} behind the cluster"))
            }
            None => theme.span(Tone::Warning, "which is not what the Jobs say"),
        });
    }
    Line::from(spans)
}
