//! What is told of a stage that an operator works through: the times that run down, the component it is at, and all of them.

use ratatui::text::Span;

use super::{ATTEMPTS, CAUSE, Fields, HEAD, LABEL, LOOSE, MESSAGE, bold};
use crate::run::{Component, Fate, Held, LimitOf, Part, Stability, Stage, StageState, TimeLimit};
use crate::tui::mark::Mark;
use crate::tui::theme::{Glyph, Tone};
use crate::tui::view::words;
use crate::tui::widget::meter::meter;
use crate::tui::widget::text::{fit, one_line};

/// The most columns of a meter.
const METER: usize = 24;
/// The most lines of a list of pipelines.
const PIPELINES: usize = 2;

impl Fields<'_> {
    pub(super) fn stage(&mut self, stage: &Stage) {
        let at = stage.at();
        self.stage_state(stage);
        if let Some(component) = at {
            self.component_at(component, &stage.said);
        }
        if let Some(limit) = &stage.limit {
            self.limit(limit);
        }
        if !stage.pipelines.is_empty() {
            let tone = if stage.state == StageState::Failed { Tone::Bad } else { Tone::Text };
            self.text(CAUSE, "Pipelines", tone, self.model.told(&stage.pipelines.join(", ")), PIPELINES);
        }
        // In its every detail these have sections of their own.
        if !self.whole {
            stage.parts.iter().enumerate().for_each(|(number, part)| self.part(number, part));
        }
        if stage.components.len() > 1 && !self.whole {
            let wide = stage.components.iter().map(|of| of.name.chars().count()).max().unwrap_or(0).min(LABEL - 2);
            for component in &stage.components {
                self.component(component, wide);
            }
        }
        if let Some(advice) = &stage.advice {
            self.text(LOOSE, "Next", Tone::Text, advice, 3);
        }
        self.command(stage.command.as_ref());
    }

    fn stage_state(&mut self, stage: &Stage) {
        let message = self.model.told(&stage.message).to_owned();
        match (stage.state, message.as_str()) {
            (StageState::Pending, "") => self.sentence("Not reached: the step before it is not passed."),
            (StageState::Skipped, "") => self.sentence("Not needed by this update."),
            (StageState::Unknown, "") => self.sentence("Nobody can tell how far it is."),
            (_, "") => {}
            (StageState::Failed, _) => self.text(HEAD, "Failed", Tone::Bad, &message, MESSAGE),
            // Where it is held up, that is told of the component.
            (StageState::Blocked | StageState::Retrying, _) if stage.at().is_some_and(|of| of.held.is_some()) => {}
            _ => self.sentence(&message),
        }
        if !stage.said.is_empty() {
            let label = if stage.state == StageState::Failed { "" } else { "It says" };
            self.text(CAUSE, label, Tone::Text, self.model.told(&stage.said), MESSAGE);
        }
    }

    /// The component that the stage is at.
    fn component_at(&mut self, component: &Component, said: &str) {
        if let (Some(image), before) = (&component.image, &component.before) {
            self.images(component, image, before.as_deref());
        }
        if let Some(held) = &component.held {
            self.held(held);
        }
        if let Some(stability) = &component.stability {
            self.stability(stability, component);
        }
        if component.state == StageState::Failed && !said.contains(&component.message) {
            self.text(CAUSE, "", Tone::Text, self.model.told(&component.message), MESSAGE);
        }
    }

    fn images(&mut self, component: &Component, image: &str, before: Option<&str>) {
        let theme = self.theme;
        let arrow = format!(" {} ", theme.glyph(Glyph::Arrow));
        let room = self.room();
        let whole =
            before.map_or_else(|| one_line(image), |before| format!("{}{arrow}{}", one_line(before), one_line(image)));
        let short = || match before {
            Some(before) => format!("{}{arrow}{}", version(before), version(image)),
            None => version(image),
        };
        let told = if whole.chars().count() <= room { whole } else { short() };
        let label = fit(&one_line(&component.name), LABEL - 1, theme);
        self.field(CAUSE, &label, vec![theme.span(Tone::Text, fit(&told, room, theme))]);
    }

    fn held(&mut self, held: &Held) {
        let tone = if held.fate == Fate::FailsAtOnce { Tone::Bad } else { Tone::Text };
        let pod = format!("pod {}", fit(&one_line(&held.pod), 40, self.theme));
        let container = held.container.as_ref().map(|container| format!(", container {container}")).unwrap_or_default();
        let since = held.since.map(|since| format!("for {}", words::age(self.model.now(), since)));
        let mut value = vec![self.theme.span(Tone::Blocked, one_line(&held.reason))];
        let fits = self.add(&mut value, tone, held.fate_words());
        for part in [since, Some(format!("{pod}{container}"))].into_iter().flatten() {
            self.add(&mut value, Tone::Muted, &one_line(&part));
        }
        self.field(HEAD, "Held up", value);
        if !fits {
            self.text(HEAD, "", tone, held.fate_words(), 2);
        }
        self.text(CAUSE, "", Tone::Text, self.model.told(&held.message), MESSAGE);
    }

    fn stability(&mut self, stability: &Stability, component: &Component) {
        let theme = self.theme;
        let now = self.model.now();
        let mut ready = vec![theme.span(Tone::Text, format!("{} of {}", stability.ready, stability.desired))];
        if stability.old > 0 {
            ready.push(theme.span(Tone::Muted, format!("  {} on another image", stability.old)));
        }
        if let Some(restarted) = stability.restarted {
            let again = format!("restarted {} ago, the window began again", words::age(now, restarted));
            self.add(&mut ready, Tone::Warning, &again);
        }
        // What holds it up goes before that it is not Ready.
        self.field(if component.held.is_some() { LOOSE } else { HEAD }, "Ready", ready);
        if component.state.passed() {
            return;
        }
        if let Some(told) = stability.passes_words(now, &words::lasting) {
            self.field(HEAD, "Stability", vec![theme.span(Tone::Good, told)]);
        }
        if let (Some(began), Some(ends)) = (stability.changed, stability.until) {
            self.limit(&TimeLimit { of: LimitOf::Check, began, ends });
        }
    }

    /// A time that runs down.
    fn limit(&mut self, limit: &TimeLimit) {
        let theme = self.theme;
        let now = self.model.now();
        let whole = limit.ends.duration_since(limit.began);
        let left = limit.ends.duration_since(now);
        let near = left.as_secs() * 5 <= whole.as_secs();
        let until = words::clock(limit.ends, now, &self.model.settings.zone);
        let (told, tone) = match left.is_positive() {
            true => (format!("{} left of {}, until {until}", words::age(limit.ends, now), words::round(whole)), near),
            false => (format!("{} passed, {} ago", words::round(whole), words::age(now, limit.ends)), true),
        };
        let tone = if tone { Tone::Warning } else { Tone::Text };
        let mut value: Vec<Span<'static>> = vec![theme.span(tone, told.clone())];
        let room = self.room().saturating_sub(told.chars().count() + 3).min(METER);
        if room >= 8 {
            let passed = whole.as_secs_f64() - left.as_secs_f64();
            value.push(Span::raw("   "));
            value.extend(meter(theme, passed.clamp(0.0, whole.as_secs_f64()), whole.as_secs_f64(), room, Tone::Active));
        }
        self.field(HEAD, title(limit.of), value);
    }

    fn part(&mut self, number: usize, part: &Part) {
        let label = if number == 0 { "Rollback" } else { "" };
        let tone = match part.state {
            StageState::Pending => Tone::Muted,
            _ => Tone::Text,
        };
        let glyph = self.glyph(part.state);
        let room = self.room().saturating_sub(2);
        let title = fit(&one_line(&part.title), room, self.theme);
        self.field(ATTEMPTS, label, vec![glyph, Span::raw(" "), self.theme.span(tone, title)]);
    }

    fn glyph(&self, state: StageState) -> Span<'static> {
        let mark = Mark::from(state);
        let tone = if mark == Mark::Failed { Tone::Bad } else { mark.tone() };
        self.theme.span(tone, self.theme.mark(mark, self.model.beat))
    }

    fn component(&mut self, component: &Component, wide: usize) {
        let theme = self.theme;
        let name = format!("{:wide$}", fit(&one_line(&component.name), wide, theme));
        let word = component.result.clone().unwrap_or_else(|| component.state.word().to_owned());
        let tone = match component.state {
            StageState::Failed => Tone::Bad,
            StageState::Pending | StageState::Skipped | StageState::Unknown => Tone::Muted,
            _ => Tone::Text,
        };
        let mut value = vec![self.glyph(component.state), Span::raw(" ")];
        value.push(bold(theme, tone, format!("{:11}", one_line(&word))));
        let versions = match (&component.before, &component.image) {
            (Some(before), Some(image)) => {
                format!("{} {} {}", version(before), theme.glyph(Glyph::Arrow), version(image))
            }
            (Some(one), None) | (None, Some(one)) => version(one),
            (None, None) => String::new(),
        };
        self.add(&mut value, Tone::Muted, &versions);
        let message = one_line(self.model.told(&component.message));
        if !message.is_empty() {
            let taken: usize = value.iter().map(|span| span.content.chars().count()).sum();
            let room = self.room().saturating_sub(taken + 2);
            if room >= 16 {
                value.push(theme.span(Tone::Text, format!("  {}", fit(&message, room, theme))));
            }
        }
        self.field(ATTEMPTS, &name, value);
    }
}

fn title(of: LimitOf) -> &'static str {
    match of {
        LimitOf::Drain => "Drain",
        LimitOf::Check => "Limit",
        LimitOf::Return => "Comes back",
        LimitOf::Resume => "Resume",
        LimitOf::OwnUpdate => "Own update",
        LimitOf::HandOver => "Takes over",
    }
}

/// The tag of an image, or what stands for a version.
fn version(image: &str) -> String {
    one_line(crate::run::image_version(image))
}
