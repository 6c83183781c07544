//! What is wrong with the feed, a line or two each: why it is stale, and what the server does not let us see.

use jiff::Timestamp;
use ratatui::text::Line;

use super::words;
use crate::cluster::{ClusterName, Feed, FeedState, Kind, Pick, WatchState};
use crate::run::{Run, clock_words, span};
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
    banners(model, most).into_iter().flat_map(|banner| banner.lines(model, most)).collect()
}

/// What is wrong with each of several clusters, in sentences.
pub fn sentences(model: &Model) -> Vec<String> {
    banners(model, 2).iter().map(|banner| format!("{}.", banner.text())).collect()
}

/// What is wrong with the cluster that is shown, and which others are not heard; where all of several are shown, what is wrong
/// with each, by its name.
fn banners(model: &Model, most: usize) -> Vec<Banner> {
    let each = model.feeds().each().filter_map(|(cluster, feed)| Some(Heard { model, feed, cluster: Some(cluster?) }));
    if model.feed().several().is_some() {
        let wrong = |heard: Heard<'_>| {
            let all = [heard.unheard(), heard.withdrawn(most), heard.refused(), heard.undefined(), heard.clock()];
            all.into_iter().flatten()
        };
        return each.flat_map(wrong).collect();
    }
    let shown = Heard { model, feed: model.feed(), cluster: None };
    let own = [shown.stale(most), shown.withdrawn(most), shown.refused(), shown.undefined(), shown.clock()];
    let at = model.run().and_then(|run| run.cluster.as_ref());
    let others = each.filter(|other| other.cluster != at).filter_map(|other| other.unheard());
    own.into_iter().flatten().chain(others).collect()
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

/// How a cluster fares, which is told by its name where all of several are shown.
#[derive(Clone, Copy)]
struct Heard<'a> {
    model: &'a Model,
    feed: &'a Feed,
    cluster: Option<&'a ClusterName>,
}

impl Heard<'_> {
    fn banner(self, tone: Tone, what: &str) -> Banner {
        let place = self.cluster.map(|cluster| format!("{cluster}: ")).unwrap_or_default();
        Banner { tone, what: place + what, more: String::new() }
    }

    fn clock_of(self, time: Timestamp) -> String {
        words::clock(time, self.model.now(), &self.model.settings.zone)
    }

    /// Whether there is something of the cluster beside a banner. Else, where it is the only one, the screen says more than a
    /// line can.
    fn is_beside(self) -> bool {
        self.cluster.is_some() || !self.model.runs().is_empty()
    }

    /// That it is not known how the cluster is now, and why.
    fn stale(self, most: usize) -> Option<Banner> {
        let FeedState::Stale { since, error } = self.feed.state() else { return None };
        let error = one_line(self.model.told(&error));
        let what = format!("Shown as it was at {}", self.clock_of(since));
        let both = Banner { more: error, ..self.banner(Tone::Bad, &what) };
        // The header says since when, and nothing else why.
        let whole = both.more.is_empty() || both.fits(self.model, most);
        Some(if whole { both } else { Banner { what: both.more, more: String::new(), ..both } })
    }

    /// That a cluster which has a name is not heard.
    fn unheard(self) -> Option<Banner> {
        let name = self.cluster?;
        match self.feed.state() {
            FeedState::Stale { since, error } => {
                let what = format!("{name} does not answer since {}", self.clock_of(since));
                Some(Banner { tone: Tone::Bad, what, more: one_line(self.model.told(&error)) })
            }
            FeedState::Connecting => {
                Some(Banner { tone: Tone::Warning, what: format!("{name} has not answered yet"), more: String::new() })
            }
            FeedState::Live { .. } | FeedState::Withdrawn { .. } | FeedState::Ended => None,
        }
    }

    /// What was seen and may not be seen any more.
    fn withdrawn(self, most: usize) -> Option<Banner> {
        let times = || self.feed.withdrawn().map(|(_, heard)| heard);
        let (first, last) = (times().min()?, times().max().filter(|_| self.is_beside())?);
        let when = match (self.clock_of(first), self.clock_of(last)) {
            (first, last) if first == last => format!("at {first}"),
            (first, last) => format!("between {first} and {last}"),
        };
        let may_not = format!("You may not list {}", kinds(self.feed.withdrawn().map(|(kind, _)| kind)));
        // The header says where, and since when.
        let told = [
            format!("{may_not} in {}: shown as they were {when}", namespace(self.model)),
            format!("{may_not}: shown as they were {when}"),
            format!("{may_not} any more"),
        ];
        let banners = told.map(|what| self.banner(Tone::Bad, &what));
        banners.into_iter().reduce(|longer, shorter| if longer.fits(self.model, most) { longer } else { shorter })
    }

    /// What was never to be seen, and stays hidden.
    fn refused(self) -> Option<Banner> {
        let refused: Vec<Kind> = self.feed.never_seen().collect();
        let what = format!("You may not list {} in {}", kinds(refused.iter().copied()), namespace(self.model));
        let told = !refused.is_empty() && self.is_beside();
        told.then(|| Banner { more: hidden(&refused, self.model), ..self.banner(Tone::Warning, &what) })
    }

    /// That there are none of a kind any more, and none can be made; or not yet, where others are shown meanwhile.
    fn undefined(self) -> Option<Banner> {
        let mut kinds = self.model.settings.selection.picks().iter().map(Pick::kind);
        let kind = kinds.find(|kind| self.feed.watch(*kind) == Some(&WatchState::Undefined))?;
        let here = |run: &Run| self.cluster.is_none_or(|cluster| run.cluster.as_ref() == Some(cluster));
        let shown = self.model.runs().iter().any(|run| here(run) && run.source.word() == kind.name());
        let what = match shown {
            true => format!("The cluster no longer knows the kind {kind}"),
            false => format!("The cluster does not know the kind {kind}"),
        };
        self.is_beside().then(|| self.banner(Tone::Warning, &what))
    }

    /// That what is told of time is wrong.
    fn clock(self) -> Option<Banner> {
        let ahead = self.feed.clock_ahead()?;
        let by = span(ahead.abs());
        Some(self.banner(Tone::Warning, &clock_words(ahead, by.strip_suffix("00s").unwrap_or(&by))))
    }
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
