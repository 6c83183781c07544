//! What is wrong with the feed, one line each: why it is stale, and what the server does not let us see.

use ratatui::text::{Line, Span};

use super::words;
use crate::cluster::{FeedState, Kind, WatchState};
use crate::tui::model::Model;
use crate::tui::theme::Tone;
use crate::tui::widget::text::{one_line, width};

/// The most columns that are left free beside a banner.
const MARGINS: usize = 8;

/// The lines, most urgent first; none where all is well.
pub fn lines(model: &Model) -> Vec<Line<'static>> {
    let theme = model.theme();
    let mut lines = Vec::new();
    if let FeedState::Stale { since, error } = model.feed().state() {
        let since = words::clock(since, model.now(), &model.settings.zone);
        let shown = theme.span(Tone::Bad, format!("Shown as it was at {since}"));
        let error = one_line(model.told(&error));
        let both = vec![shown, theme.span(Tone::Muted, format!("  {error}"))];
        // The header says since when, and nothing else why.
        let fits = both.iter().map(|span| width(&span.content)).sum::<usize>()
            <= usize::from(model.size().width).saturating_sub(MARGINS);
        lines.push(Line::from(if fits || error.is_empty() { both } else { vec![theme.span(Tone::Bad, error)] }));
    }
    let refused: Vec<Kind> = model.feed().refused().collect();
    // Without the instances themselves there is nothing else to see, and the screen says more than a line can.
    if !refused.is_empty() && !model.runs().is_empty() {
        let kinds = refused.iter().map(|kind| kind.plural()).collect::<Vec<_>>().join(", ");
        let namespace = model.settings.namespace.as_deref().unwrap_or("this cluster");
        lines.push(Line::from(vec![
            theme.span(Tone::Warning, format!("You may not list {kinds} in {namespace}")),
            theme.span(Tone::Muted, format!("  {}", hidden(&refused))),
        ]));
    }
    if model.feed().watch(Kind::GitLabCore) == Some(&WatchState::Undefined) && !model.runs().is_empty() {
        lines.push(Line::from(Span::styled(
            "The cluster no longer knows the kind GitLabCore",
            theme.style(Tone::Warning),
        )));
    }
    lines
}

/// What stays hidden without those kinds.
fn hidden(refused: &[Kind]) -> String {
    let missing: Vec<&str> = refused
        .iter()
        .map(|kind| match kind {
            Kind::GitLabCore => "new instances",
            Kind::Job => "gates",
            Kind::Pod => "attempts and failures",
            Kind::Event => "some start faults",
            Kind::Deployment => "rollouts",
        })
        .collect();
    format!("hidden: {}", missing.join(", "))
}
