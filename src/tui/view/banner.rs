//! What is wrong with the feed, a line or two each: why it is stale, and what the server does not let us see.

use ratatui::text::Line;

use super::words;
use crate::cluster::{FeedState, Kind, Pick, WatchState};
use crate::run::{clock_words, span};
use crate::tui::model::{Mode, Model};
use crate::tui::theme::Tone;
use crate::tui::widget::text::{one_line, wrap, wrap_at_most};

/// How many columns are left free beside a banner, and beside that of a display that nobody attends.
const MARGINS: (usize, usize) = (3, 8);

/// From this height on there is room for a second line.
const ROOMY: u16 = 20;

/// How many lines one banner may take.
pub fn most(model: &Model) -> usize {
    if model.size().height < ROOMY { 1 } else { 2 }
}

/// The lines, most urgent first and at most so many of each banner; none where all is well.
pub fn lines(model: &Model, most: usize) -> Vec<Line<'static>> {
    // Where all clusters are shown, each is told of by its name.
    let own = match model.feed().several() {
        Some(_) => Vec::new(),
        None => vec![stale(model, most), withdrawn(model, most), refused(model), undefined(model), clock(model)],
    };
    own.into_iter().flatten().chain(others(model)).flat_map(|banner| banner.lines(model, most)).collect()
}

/// What is wrong, and what there is to say of it.
struct Banner {
    tone: Tone,
    what: String,
    more: String,
}

impl Banner {
    fn text(&self) -> String {
        if self.more.is_empty() { self.what.clone() } else { format!("{}  {}", self.what, self.more) }
    }

    /// Whether all of it fits into so many lines.
    fn fits(&self, model: &Model, most: usize) -> bool {
        wrap(&self.text(), columns(model)).len() <= most
    }

    fn lines(self, model: &Model, most: usize) -> Vec<Line<'static>> {
        let theme = model.theme();
        // A single line goes on up to the edge, where it is cut visibly.
        let lines = if most == 1 { vec![self.text()] } else { wrap_at_most(&self.text(), columns(model), most, theme) };
        let mut what = self.what.as_str();
        let mut drawn = Vec::new();
        for line in lines {
            drawn.push(match line.strip_prefix(what) {
                Some(more) => {
                    let both = [theme.span(self.tone, what.to_owned()), theme.span(Tone::Muted, more.to_owned())];
                    what = "";
                    Line::from(both.into_iter().filter(|span| !span.content.is_empty()).collect::<Vec<_>>())
                }
                None => {
                    what = what.strip_prefix(line.trim_end()).unwrap_or_default().trim_start();
                    Line::from(theme.span(self.tone, line))
                }
            });
        }
        drawn
    }
}

fn columns(model: &Model) -> usize {
    let (narrow, wide) = MARGINS;
    let margins = if model.settings.mode == Mode::Kiosk { wide } else { narrow };
    usize::from(model.size().width).saturating_sub(margins)
}

/// That it is not known how the cluster is now, and why.
fn stale(model: &Model, most: usize) -> Option<Banner> {
    let FeedState::Stale { since, error } = model.feed().state() else { return None };
    let since = words::clock(since, model.now(), &model.settings.zone);
    let error = one_line(model.told(&error));
    let both = Banner { tone: Tone::Bad, what: format!("Shown as it was at {since}"), more: error };
    // The header says since when, and nothing else why.
    let whole = both.more.is_empty() || both.fits(model, most);
    Some(if whole { both } else { Banner { what: both.more, more: String::new(), ..both } })
}

/// What is said of each of several clusters that is not heard.
pub fn unheard(model: &Model) -> Vec<String> {
    others(model).iter().map(|banner| format!("{}.", banner.text())).collect()
}

/// The clusters that are not heard, beside that of the run that is shown.
fn others(model: &Model) -> Vec<Banner> {
    let shown = model.run().and_then(|run| run.cluster.as_ref());
    let others = model.feeds().each().filter(|(cluster, _)| cluster.is_some() && *cluster != shown);
    let unheard = others.filter_map(|(cluster, feed)| {
        let name = cluster?;
        Some(match feed.state() {
            FeedState::Stale { since, error } => {
                let since = words::clock(since, model.now(), &model.settings.zone);
                let what = format!("{name} does not answer since {since}");
                Banner { tone: Tone::Bad, what, more: one_line(model.told(&error)) }
            }
            FeedState::Connecting => {
                Banner { tone: Tone::Warning, what: format!("{name} has not answered yet"), more: String::new() }
            }
            FeedState::Live { .. } | FeedState::Withdrawn { .. } | FeedState::Ended => return None,
        })
    });
    unheard.collect()
}

/// What was seen and may not be seen any more.
fn withdrawn(model: &Model, most: usize) -> Option<Banner> {
    let times = || model.feed().withdrawn().map(|(_, heard)| heard);
    // Without the instances themselves there is nothing else to see, and the screen says more than a line can.
    let (first, last) = (times().min()?, times().max().filter(|_| !model.runs().is_empty())?);
    let clock = |time| words::clock(time, model.now(), &model.settings.zone);
    let when = match (clock(first), clock(last)) {
        (first, last) if first == last => format!("at {first}"),
        (first, last) => format!("between {first} and {last}"),
    };
    let may_not = format!("You may not list {}", kinds(model.feed().withdrawn().map(|(kind, _)| kind)));
    // The header says where, and since when.
    let told = [
        format!("{may_not} in {}: shown as they were {when}", namespace(model)),
        format!("{may_not}: shown as they were {when}"),
        format!("{may_not} any more"),
    ];
    let banners = told.map(|what| Banner { tone: Tone::Bad, what, more: String::new() });
    banners.into_iter().reduce(|longer, shorter| if longer.fits(model, most) { longer } else { shorter })
}

/// What was never to be seen, and stays hidden.
fn refused(model: &Model) -> Option<Banner> {
    let refused: Vec<Kind> = model.feed().never_seen().collect();
    let what = format!("You may not list {} in {}", kinds(refused.iter().copied()), namespace(model));
    let told = !refused.is_empty() && !model.runs().is_empty();
    told.then(|| Banner { tone: Tone::Warning, what, more: hidden(&refused, model) })
}

/// That there are none of a kind any more, and none can be made; or not yet, where others are shown meanwhile.
fn undefined(model: &Model) -> Option<Banner> {
    let kinds = model.settings.selection.picks().iter().map(Pick::kind);
    let kind = kinds.into_iter().find(|kind| model.feed().watch(*kind) == Some(&WatchState::Undefined))?;
    let shown = model.runs().iter().any(|run| run.source.word() == kind.name());
    let what = match shown {
        true => format!("The cluster no longer knows the kind {kind}"),
        false => format!("The cluster does not know the kind {kind}"),
    };
    (!model.runs().is_empty()).then_some(Banner { tone: Tone::Warning, what, more: String::new() })
}

/// That what is told of time is wrong.
fn clock(model: &Model) -> Option<Banner> {
    let ahead = model.feed().clock_ahead()?;
    let by = span(ahead.abs());
    let what = clock_words(ahead, by.strip_suffix("00s").unwrap_or(&by));
    Some(Banner { tone: Tone::Warning, what, more: String::new() })
}

fn kinds(kinds: impl Iterator<Item = Kind>) -> String {
    kinds.map(Kind::plural).collect::<Vec<_>>().join(", ")
}

fn namespace(model: &Model) -> &str {
    model.settings.namespace.as_deref().unwrap_or("this cluster")
}

/// What stays hidden without those kinds.
fn hidden(refused: &[Kind], model: &Model) -> String {
    let upgrades = model.settings.selection.has_upgrades();
    let missing: Vec<&str> = refused
        .iter()
        .map(|kind| match kind {
            Kind::GitLabCore | Kind::GluesyncPlatform => "new instances",
            Kind::Job if upgrades => "gates",
            Kind::Job => "Jobs",
            Kind::Pod => "attempts and failures",
            Kind::Event => "some start faults",
            Kind::Deployment | Kind::StatefulSet | Kind::DaemonSet => "rollouts",
        })
        .collect();
    format!("hidden: {}", missing.join(", "))
}
