//! The pods of a gate, and their containers.

use ratatui::text::Line;

use super::{Cells, Drawn};
use crate::cluster::{Container, ContainerRole, ContainerState, PodPhase};
use crate::gate::{GateJob, GatePod};
use crate::tui::theme::Tone;
use crate::tui::view::fields::short_pod;
use crate::tui::view::words;
use crate::tui::widget::table::Align;
use crate::tui::widget::text::one_line;

impl Drawn<'_> {
    /// The Job's own pods, each with its containers, and those that bear its name and are another's.
    pub(super) fn pods(&self, job: &GateJob) -> Vec<Line<'static>> {
        let mut lines: Vec<Line<'static>> = job.pods.iter().flat_map(|pod| self.pod(pod, job)).collect();
        for orphan in &job.orphans {
            lines.extend(self.pod(orphan, job));
            let whose = "not of this Job: one before it had the same name, and left the pod behind";
            lines.extend(self.below(self.span(Tone::Warning, whose)));
        }
        lines
    }

    fn pod(&self, pod: &GatePod, job: &GateJob) -> Vec<Line<'static>> {
        let (phase, tone) = phase(pod);
        let made = pod.created.map(|created| format!("made {}", self.time(created)));
        let node = pod.node.as_deref().map_or_else(|| "no node".to_owned(), |node| format!("on {}", one_line(node)));
        let head = vec![
            self.span(Tone::Text, short_pod(&pod.name, &job.name, 40, self.theme)),
            self.span(tone, phase),
            self.span(Tone::Muted, made.unwrap_or_default()),
            self.span(Tone::Muted, node),
        ];
        let mut lines = self.table(&[Align::Left; 4], vec![head]);
        if !pod.reason.is_empty() {
            let message = self.model.told(&pod.message);
            let why = if message.is_empty() { String::new() } else { format!(": {}", one_line(message)) };
            lines.extend(self.below(self.span(Tone::Text, format!("{}{why}", pod.reason))));
        }
        let containers = pod.containers.iter().map(|container| self.container(container)).collect();
        lines.extend(self.told(&[Align::Left, Align::Left, Align::Right, Align::Left], containers));
        lines
    }

    fn container(&self, container: &Container) -> Cells {
        let role = match container.role {
            ContainerRole::Init => "init",
            ContainerRole::Sidecar => "sidecar",
            ContainerRole::Main => "",
        };
        let restarts = container.restarts as usize;
        let restarts = if restarts > 0 { words::counted(restarts, "restart") } else { String::new() };
        let (tone, words) = self.container_state(container);
        vec![
            self.span(Tone::Muted, format!("  {}", container.name)),
            self.span(Tone::Muted, role),
            self.span(Tone::Muted, restarts),
            self.span(tone, words),
        ]
    }

    fn container_state(&self, container: &Container) -> (Tone, String) {
        let at =
            |time: Option<jiff::Timestamp>| time.map(|time| format!(" at {}", self.time(time))).unwrap_or_default();
        let (tone, mut words) = match &container.state {
            ContainerState::Running { started } => {
                let since = started.map(|started| format!(" since {}", self.time(started)));
                (Tone::Active, format!("runs{}", since.unwrap_or_default()))
            }
            ContainerState::Terminated(end) => {
                let tone = if end.failed() { Tone::Bad } else { Tone::Muted };
                return (tone, format!("{}{}", words::ended(end), at(end.finished)));
            }
            ContainerState::Waiting { reason, .. } if reason.is_empty() => (Tone::Text, "waits".to_owned()),
            ContainerState::Waiting { reason, message } => {
                let message = one_line(self.model.told(message));
                let why = if message.is_empty() { String::new() } else { format!(": {message}") };
                (Tone::Text, format!("waits, {reason}{why}"))
            }
        };
        if let Some(previous) = &container.previous {
            words += &format!("; last {}{}", words::ended(previous), at(previous.finished));
        }
        (tone, words)
    }
}

/// How a pod stands, in words.
fn phase(pod: &GatePod) -> (&'static str, Tone) {
    match pod.phase {
        _ if pod.gone => ("deleted", Tone::Muted),
        _ if pod.terminating => ("terminating", Tone::Warning),
        PodPhase::Pending => ("pending", Tone::Text),
        PodPhase::Running => ("running", Tone::Active),
        PodPhase::Succeeded => ("succeeded", Tone::Good),
        PodPhase::Failed => ("failed", Tone::Bad),
        PodPhase::Unknown => ("unknown", Tone::Muted),
    }
}
