//! The replicas of a rollout, one a line.

use ratatui::text::{Line, Span};

use super::{Cells, Drawn};
use crate::run::{Replica, ReplicaState, Stuck, Template, Workload, pull_words};
use crate::tui::theme::Tone;
use crate::tui::view::fields::{pod_of, replica};
use crate::tui::view::words;
use crate::tui::widget::table::Align;
use crate::tui::widget::text::one_line;

impl Drawn<'_> {
    pub(super) fn replicas(&self, workload: &Workload) -> Vec<Line<'static>> {
        let rows = workload.replicas.iter().map(|replica| self.replica(replica, workload)).collect();
        let texts = workload.replicas.iter().map(|replica| self.what(&replica.state).into_iter().collect());
        let columns = [Align::Left, Align::Left, Align::Left, Align::Left, Align::Right, Align::Left];
        self.with_below(&columns, rows, texts)
    }

    fn replica(&self, of: &Replica, workload: &Workload) -> Cells {
        let (glyph, tone) = replica(of);
        let template = if of.template == Template::New { Tone::Text } else { Tone::Muted };
        let age = of.created.map(|created| words::span(self.model.now().duration_since(created)));
        let restarts = if of.restarts > 0 { words::counted(of.restarts as usize, "restart") } else { String::new() };
        let node = of.node.as_ref().map_or_else(|| "no node".to_owned(), |node| format!("on {}", one_line(node)));
        vec![
            self.span(tone, self.theme.glyph(glyph)),
            self.span(template, of.template.word()),
            self.span(Tone::Text, pod_of(workload, of, 24, self.theme)),
            self.span(tone, of.state.word()),
            self.span(Tone::Text, age.unwrap_or_default()),
            self.span(Tone::Muted, if restarts.is_empty() { node } else { format!("{node}, {restarts}") }),
        ]
    }

    /// What there is to say of a replica besides its state.
    fn what(&self, state: &ReplicaState) -> Option<Span<'static>> {
        let with_message = |what: String, message: &str| match one_line(self.model.told(message)) {
            message if message.is_empty() => what,
            message => format!("{what}: {message}"),
        };
        Some(match state {
            ReplicaState::Ready { .. } | ReplicaState::Terminating => return None,
            ReplicaState::Starting { container, message } => {
                let what = container.as_ref().map_or_else(|| "it starts".into(), |name| format!("waits for {name}"));
                self.span(Tone::Muted, with_message(what, message))
            }
            ReplicaState::Stuck(Stuck::CrashLoop(crash)) => {
                self.span(Tone::Text, with_message(words::crash(crash), &crash.message))
            }
            ReplicaState::Stuck(stuck) => {
                let pulls = match stuck {
                    Stuck::Start(fault) => fault.pulls,
                    Stuck::CrashLoop(_) | Stuck::NotReady { .. } => None,
                };
                let pulls = pulls.map(|pulls| pull_words(&pulls, self.model.now(), &words::span));
                let what = [stuck.reason().to_owned()].into_iter().chain(pulls).collect::<Vec<_>>().join(", ");
                self.span(Tone::Text, with_message(what, stuck.message()))
            }
        })
    }
}
