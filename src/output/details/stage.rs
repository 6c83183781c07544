//! The details of a stage that an operator works through.

use super::Details;
use crate::run::{Component, Held, LimitOf, Stability, Stage, StageState, TimeLimit, image_version, span};

impl Details<'_> {
    pub(super) fn stage(&mut self, title: &str, stage: &Stage) {
        if stage.state == StageState::Pending && stage.message.is_empty() {
            return;
        }
        let at = stage.at();
        let of = at.and_then(|component| component.workload.as_deref()).map(|of| format!(", {of}"));
        self.title(&format!("{title}{}", of.unwrap_or_default()));
        let label = match stage.state {
            StageState::Failed => "Failed",
            StageState::Blocked => "Blocked",
            StageState::Retrying => "Retrying",
            _ => "State",
        };
        let message = if stage.message.is_empty() { stage.state.word() } else { &stage.message };
        self.add(label, message);
        if !stage.said.is_empty() {
            self.add("", &stage.said);
        }
        if let Some(component) = at {
            self.component(component, &stage.said);
        }
        if let Some(limit) = &stage.limit {
            self.limit(limit);
        }
        if !stage.pipelines.is_empty() {
            self.add("Pipelines", &stage.pipelines.join(", "));
        }
        for (number, part) in stage.parts.iter().enumerate() {
            let label = if number == 0 { "Rollback" } else { "" };
            self.add(label, &format!("{}: {}", part.title, part.state.word()));
        }
        if stage.components.len() > 1 {
            for (number, component) in stage.components.iter().enumerate() {
                let label = if number == 0 { "Components" } else { "" };
                let word = component.result.as_deref().unwrap_or(component.state.word());
                let told = component.message.is_empty() || stage.said.contains(&component.message);
                let said = if told { String::new() } else { format!(": {}", component.message) };
                self.add(label, &format!("{} {word}{said}", component.name));
            }
        }
        if let Some(advice) = &stage.advice {
            self.add("To do", advice);
        }
        self.command(stage.command.as_ref());
    }

    /// The component that the stage is at, without what was said of it already.
    fn component(&mut self, component: &Component, said: &str) {
        let versions = [&component.before, &component.image].map(|image| image.as_deref().map(image_version));
        if let [Some(before), Some(image)] = versions {
            self.add("Image", &format!("{} from {before} to {image}", component.name));
        }
        if let Some(held) = &component.held {
            self.held(held);
        }
        if let Some(stability) = component.stability.as_ref().filter(|_| !component.state.passed()) {
            self.stability(stability);
        }
        if component.state == StageState::Failed && !said.contains(&component.message) {
            self.add("", &component.message);
        }
    }

    fn held(&mut self, held: &Held) {
        let since = held.since.map(|since| format!(", for {}", span(self.time.duration_since(since))));
        self.add("Held up", &format!("{}{}: {}", held.reason, since.unwrap_or_default(), held.fate_words()));
        let container = held.container.as_ref().map(|container| format!("container {container} of "));
        self.add("", &format!("{}pod {}", container.unwrap_or_default(), held.pod));
        self.add("", &held.message);
    }

    fn stability(&mut self, stability: &Stability) {
        let old = if stability.old > 0 { format!(", {} on another image", stability.old) } else { String::new() };
        self.add("Ready", &format!("{} of {}{old}", stability.ready, stability.desired));
        if let Some(restarted) = stability.restarted {
            let ago = span(self.time.duration_since(restarted));
            self.add("Restarted", &format!("{ago} ago, the window began again"));
        }
        if let Some(passes) = stability.passes_words(self.time, &span) {
            self.add("Stability", &passes);
        }
        if let (Some(began), Some(ends)) = (stability.changed, stability.until) {
            self.limit(&TimeLimit { of: LimitOf::Check, began, ends });
        }
    }

    fn limit(&mut self, limit: &TimeLimit) {
        let left = limit.ends.duration_since(self.time);
        let at = limit.ends.strftime("%H:%M:%SZ");
        let words = match left.is_positive() {
            true => format!("{} left {}, at {at}", span(left), limit.of.words()),
            false => format!("the time {} passed at {at}", limit.of.words()),
        };
        self.add("Limit", &words);
    }
}
