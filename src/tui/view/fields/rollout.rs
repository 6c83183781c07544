//! What is told of a rollout.

use super::{CAUSE, Fields, HEAD, LABEL, MESSAGE};
use crate::run::{Rollout, RolloutState};
use crate::tui::theme::Tone;
use crate::tui::widget::meter::meter;
use crate::tui::widget::text::fit;

impl Fields<'_> {
    pub(super) fn rollout(&mut self, rollout: &Rollout) {
        let theme = self.theme;
        match &rollout.state {
            RolloutState::Pending => self.sentence("Not reached: the gate before it is not passed."),
            RolloutState::Unknown => self.sentence("You may not see Deployments, so nobody can tell how far it is."),
            RolloutState::Blocked { workload, message } => {
                let value = vec![
                    theme.span(Tone::Blocked, "ProgressDeadlineExceeded"),
                    theme.span(Tone::Text, format!("  {workload}; it goes on trying")),
                ];
                self.field(HEAD, "Blocked", value);
                self.text(CAUSE, "", Tone::Text, self.model.told(message), MESSAGE);
            }
            RolloutState::Running if rollout.workloads.is_empty() => {
                self.sentence("The operator is yet to roll the Deployments out.");
            }
            RolloutState::Running | RolloutState::Done => {}
        }
        for workload in &rollout.workloads {
            let counts = format!("{} of {} ready", workload.ready, workload.desired);
            let updated = format!("  {} updated  {}", workload.updated, workload.name);
            let done = workload.desired > 0 && workload.ready >= workload.desired;
            let tone = if done { Tone::Good } else { Tone::Active };
            let mut value = vec![theme.span(Tone::Text, format!("{counts:16}"))];
            value.extend(meter(theme, workload.ready.into(), workload.desired.into(), 20, tone));
            value.push(theme.span(Tone::Muted, updated));
            self.field(HEAD, &fit(&workload.app, LABEL - 1, theme), value);
        }
    }
}
