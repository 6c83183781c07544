//! What controllers and kubelets said of a gate: events, and the Job's conditions.

use ratatui::text::Line;

use super::Drawn;
use crate::cluster::Event;
use crate::gate::GateJob;
use crate::tui::theme::Tone;
use crate::tui::view::fields::short_pod;
use crate::tui::widget::table::Align;
use crate::tui::widget::text::one_line;

impl Drawn<'_> {
    pub(super) fn conditions(&self, job: &GateJob) -> Vec<Line<'static>> {
        let rows = job.conditions.iter().map(|condition| {
            let (tone, holds) = match condition.holds {
                Some(true) => (Tone::Text, "True"),
                Some(false) => (Tone::Muted, "False"),
                None => (Tone::Muted, "Unknown"),
            };
            vec![
                self.clock(condition.since),
                self.span(tone, condition.kind.clone()),
                self.span(tone, holds),
                self.span(tone, condition.reason.clone()),
                self.span(Tone::Muted, one_line(self.model.told(&condition.message))),
            ]
        });
        self.told(&[Align::Left; 5], rows.collect())
    }

    pub(super) fn events(&self, job: &GateJob) -> Vec<Line<'static>> {
        let rows = job.events.iter().map(|event| {
            let about = match event.about_name == job.name {
                true => "job".to_owned(),
                false => short_pod(&event.about_name, &job.name, 24, self.theme),
            };
            let (times, first) = match event.first.filter(|first| event.count > 1 && Some(*first) != event.last) {
                Some(first) => (event.count, format!("since {}: ", self.time(first))),
                None => (event.count, String::new()),
            };
            let times = if times > 1 { format!("{}{times}", self.theme.times()) } else { String::new() };
            vec![
                self.clock(event.last),
                self.span(if event.warning { Tone::Warning } else { Tone::Text }, event.reason.clone()),
                self.span(Tone::Muted, times),
                self.span(Tone::Muted, about),
                self.span(Tone::Text, format!("{first}{}", one_line(self.model.told(brief(event))))),
            ]
        });
        self.told(&[Align::Left, Align::Left, Align::Right, Align::Left, Align::Left], rows.collect())
    }
}

/// What an event says, without the pod it is about, which stands beside it: a kubelet ends its messages in
/// `in pod NAME_NAMESPACE(UID)`.
fn brief(event: &Event) -> &str {
    let named = |(_, pod): &(&str, &str)| {
        pod.strip_prefix(event.about_name.as_str()).is_some_and(|rest| rest.starts_with('_') && rest.ends_with(')'))
    };
    event.message.rsplit_once(" in pod ").filter(named).map_or(&event.message, |(said, _)| said)
}
