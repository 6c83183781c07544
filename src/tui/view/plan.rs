//! What of the dashboard is drawn at a given height. It gives up air, then lines, as the room gets less; the command of
//! the selected gate never.

use ratatui::text::Line;

use super::fields::{self, Row};
use super::{banner, summary, words};
use crate::run::{Run, WhyPast};
use crate::tui::keymap::{Action, Place};
use crate::tui::model::Model;
use crate::tui::theme::Tone;

/// What is drawn, from top to bottom.
pub struct Plan {
    /// The line below the header.
    pub rule: bool,
    /// Whether it tells something, and so is not given up.
    telling: bool,
    /// What is wrong with the feed.
    pub banners: Vec<Line<'static>>,
    /// The same with a line each.
    shorter: Option<Vec<Line<'static>>>,
    /// The run's name, verdict and versions.
    pub title: bool,
    /// The operator's word, or what made it.
    pub operator: Option<Line<'static>>,
    /// Empty rows above the steps.
    pub air_above: u16,
    /// How many steps.
    pub steps: u16,
    /// How many rows of rail stand between them.
    pub rail: u16,
    /// Empty rows below the steps.
    pub air_below: u16,
    /// What is told of the selected step.
    pub rows: Vec<Row>,
    /// Whether the frame around it is closed below.
    pub foot: bool,
    /// What the run left behind.
    pub history: Option<Line<'static>>,
    /// Empty rows at the end.
    pub air_bottom: u16,
}

impl Plan {
    /// Everything, and then less, until it fits into `height` rows.
    pub fn new(model: &Model, run: &Run, rows: Vec<Row>, height: u16) -> Self {
        let operator = run.operator.as_ref().map(|report| summary::operator(model, report));
        let columns = model.size().width.saturating_sub(summary::verdict_column(model, run) + 4);
        let made_by = || run.made_by.as_ref().map(|made_by| summary::made_by(model, made_by, columns.into()));
        let mut plan = Self {
            rule: true,
            telling: model.looks_back().is_some(),
            banners: banner::lines(model, banner::most(model)),
            shorter: Some(banner::lines(model, 1)),
            title: true,
            operator: operator.or_else(made_by),
            air_above: 1,
            steps: u16::try_from(run.steps.len()).unwrap_or(u16::MAX),
            rail: if height >= SPACIOUS { 2 } else { 1 },
            air_below: 1,
            rows,
            foot: true,
            history: history(model, run),
            air_bottom: 1,
        };
        let height = usize::from(height);
        for give in GIVE {
            while plan.taken() > height && give(&mut plan) {}
        }
        plan
    }

    /// How many rows the steps take.
    pub fn steps_rows(&self) -> u16 {
        self.steps + self.rail * self.steps.saturating_sub(1)
    }

    /// How many rows the frame takes.
    pub fn panel_rows(&self) -> u16 {
        u16::try_from(self.rows.len()).unwrap_or(u16::MAX).saturating_add(1 + u16::from(self.foot))
    }

    fn taken(&self) -> usize {
        usize::from(self.rule)
            + self.banners.len()
            + usize::from(self.title)
            + usize::from(self.operator.is_some())
            + usize::from(self.air_above)
            + usize::from(self.steps_rows())
            + usize::from(self.air_below)
            + usize::from(self.panel_rows())
            + usize::from(self.history.is_some())
            + usize::from(self.air_bottom)
    }

    /// Gives up the second lines of what is wrong with the feed; whether there were any.
    fn shorten_banners(&mut self) -> bool {
        let Some(shorter) = self.shorter.take() else { return false };
        let fewer = shorter.len() < self.banners.len();
        self.banners = shorter;
        fewer
    }

    /// Gives up the last of the rows of that rank or above; whether there was one.
    fn give_row(&mut self, rank: u8) -> bool {
        let Some(last) = self.rows.iter().rposition(|row| row.rank >= rank) else { return false };
        let given = self.rows.remove(last);
        // What is left of the text then goes on up to the edge, where it is cut visibly.
        if given.continues
            && let Some(above) = last.checked_sub(1).and_then(|above| self.rows.get_mut(above))
            && let (Some(value), Some(rest)) = (above.line.spans.last_mut(), above.rest.take())
        {
            *value = rest;
        }
        true
    }
}

/// From this height on there is room for two rows of rail between steps.
const SPACIOUS: u16 = 44;

/// What is given up, the least first; each says whether there was something left of it to give.
const GIVE: &[fn(&mut Plan) -> bool] = &[
    |plan| std::mem::take(&mut plan.air_bottom) > 0,
    |plan| plan.rail > 1 && std::mem::replace(&mut plan.rail, 1) > 1,
    |plan| std::mem::take(&mut plan.rail) > 0,
    |plan| plan.give_row(fields::AIR),
    |plan| std::mem::take(&mut plan.air_below) > 0,
    |plan| plan.shorten_banners(),
    |plan| plan.give_row(fields::MORE),
    |plan| std::mem::take(&mut plan.air_above) > 0,
    |plan| plan.history.take().is_some(),
    |plan| !plan.telling && std::mem::take(&mut plan.rule),
    |plan| std::mem::take(&mut plan.foot),
    |plan| plan.operator.take().is_some(),
    |plan| plan.give_row(fields::LOOSE),
    |plan| plan.give_row(fields::ATTEMPTS),
    |plan| plan.give_row(fields::CAUSE),
    |plan| plan.banners.pop().is_some(),
    |plan| {
        let more = plan.steps > 1;
        plan.steps -= u16::from(more);
        more
    },
    |plan| std::mem::take(&mut plan.title),
    |plan| plan.give_row(fields::HEAD),
];

/// What the run left behind: `2 Jobs of an earlier spec`.
fn history(model: &Model, run: &Run) -> Option<Line<'static>> {
    if run.history.is_empty() {
        return None;
    }
    let all = |why| run.history.iter().all(|job| job.why == why);
    let of = match () {
        () if all(WhyPast::EarlierSpec) => "of an earlier spec",
        () if all(WhyPast::OtherHop) => "of earlier hops",
        () if all(WhyPast::Replaced) => "deleted and made again",
        () => "of earlier hops or specs",
    };
    let key = model.settings.keys.label(Place::Dashboard, Action::Open, model.theme().ascii);
    let key = key.map(|key| format!(", {key} for detail")).unwrap_or_default();
    let text = format!("{} {of}{key}", words::counted(run.history.len(), "Job"));
    Some(Line::from(model.theme().span(Tone::Muted, text)))
}
