//! What is told of a rollout: what holds it up, and its replicas.

use ratatui::text::Span;

use super::{ATTEMPTS, CAUSE, Fields, HEAD, LABEL, LOOSE, MESSAGE, bold, short_pod};
use crate::cluster::WorkloadKind;
use crate::run::{
    BY_HAND, PAUSED, Replica, ReplicaState, Rollout, RolloutState, Run, Source, Stuck, Template, UnseenDeployments,
    Workload,
};
use crate::tui::theme::{Glyph, Theme, Tone};
use crate::tui::view::words;
use crate::tui::widget::meter::meter;
use crate::tui::widget::text::{fit, one_line};

/// The most replicas that are drawn one by one; a meter tells of more.
const MOST_PIPS: usize = 20;

/// The most lines of an advice.
const ADVICE: usize = 4;

impl Fields<'_> {
    pub(super) fn rollout(&mut self, run: &Run, rollout: &Rollout) {
        let theme = self.theme;
        let alone = matches!(run.source, Source::Rollout(_));
        match &rollout.state {
            RolloutState::Pending => self.sentence("Not reached: the gate before it is not passed."),
            RolloutState::Unknown(UnseenDeployments::Forbidden) => {
                self.sentence("You may not see Deployments, so nobody can tell how far it is.");
            }
            RolloutState::Unknown(UnseenDeployments::Absent) => {
                self.sentence("The dump holds no Deployments, so nobody can tell how far it is.");
            }
            RolloutState::Blocked { workload, message } => {
                let value = vec![
                    theme.span(Tone::Blocked, "ProgressDeadlineExceeded"),
                    theme.span(Tone::Text, format!("  {workload}; it goes on trying")),
                ];
                self.field(HEAD, "Blocked", value);
                self.text(LOOSE, "", Tone::Text, self.model.told(message), MESSAGE);
            }
            RolloutState::Running if rollout.workloads.iter().all(|of| of.updated == 0 && !of.paused) => match alone {
                false => self.sentence("The operator is yet to roll the Deployments out."),
                true if rollout.workloads.iter().any(|of| of.on_delete) => {}
                true => self.sentence("No pod is made from the new template yet."),
            },
            RolloutState::Done if alone => self.sentence("Rolled out."),
            RolloutState::Running | RolloutState::Done => {}
        }
        self.paused(rollout);
        self.by_hand(rollout);
        for refused in rollout.workloads.iter().filter_map(|workload| workload.refused.as_ref()) {
            self.text(HEAD, "No pod made", Tone::Bad, self.model.told(refused), MESSAGE);
        }
        if let Some((workload, replica, stuck)) = rollout.stuck() {
            self.stuck(run, rollout, workload, replica, stuck);
        }
        let pips: Vec<Vec<Span<'static>>> = rollout.workloads.iter().map(|workload| self.pips(workload)).collect();
        let wide = pips.iter().map(Vec::len).max().unwrap_or(0);
        // What holds the rollout up goes before how far it is, which its step tells, too.
        let held = matches!(rollout.state, RolloutState::Blocked { .. }) || rollout.stuck().is_some();
        let rank = if held { ATTEMPTS } else { HEAD };
        for (workload, pips) in rollout.workloads.iter().zip(pips) {
            self.workload(rank, workload, pips, wide);
        }
        if let Some(advice) = &rollout.advice {
            self.text(CAUSE, "Next", Tone::Text, advice, ADVICE);
        }
        self.command(rollout.command.as_ref());
    }

    fn paused(&mut self, rollout: &Rollout) {
        let paused = rollout.workloads.iter().filter(|workload| workload.paused);
        let names = paused.map(|workload| workload.name.as_str()).collect::<Vec<_>>().join(", ");
        if names.is_empty() {
            return;
        }
        if rollout.state == RolloutState::Pending {
            return self.text(CAUSE, "Paused", Tone::Text, &format!("{names}, on the new template until then"), 2);
        }
        self.field(HEAD, "Paused", vec![bold(self.theme, Tone::Warning, PAUSED.into())]);
        self.text(CAUSE, "", Tone::Text, &names, 2);
    }

    /// What of a workload is left to somebody: to delete its pods, or those that its partition keeps.
    fn by_hand(&mut self, rollout: &Rollout) {
        for workload in &rollout.workloads {
            if workload.on_delete {
                self.field(HEAD, "By hand", vec![bold(self.theme, Tone::Warning, BY_HAND.into())]);
            }
            if let Some(kept) = workload.partition_words() {
                self.text(LOOSE, "Partition", Tone::Text, &kept, 2);
            }
        }
    }

    /// The replica that holds the rollout up, and why.
    fn stuck(&mut self, run: &Run, rollout: &Rollout, workload: &Workload, replica: &Replica, stuck: &Stuck) {
        let age = |since| words::age(self.model.now(), since);
        let container = stuck.container().map(|container| format!(", container {container}")).unwrap_or_default();
        let pod = format!("pod {}", pod_of(workload, replica, 40, self.theme));
        let parts = match stuck {
            Stuck::Start(fault) => {
                let tone = if fault.permanent { Tone::Bad } else { Tone::Text };
                let since = fault.since.map(|since| (Tone::Text, format!("for {}", age(since))));
                [Some((tone, fault.clears_words().into())), since, Some((Tone::Muted, format!("{pod}{container}")))]
            }
            Stuck::CrashLoop(crash) => {
                let ended = crash.ended.map(|ended| (Tone::Text, format!("{} ago", age(ended))));
                [Some((Tone::Text, words::crash(crash))), ended, Some((Tone::Muted, pod))]
            }
            Stuck::NotReady { since, .. } => {
                let since = since.map(|since| (Tone::Text, format!("for {}", age(since))));
                [since, Some((Tone::Muted, format!("{pod}{container}"))), None]
            }
        };
        let mut value = vec![self.theme.span(Tone::Blocked, stuck.reason().to_owned())];
        let mut parts = parts.into_iter().flatten().peekable();
        while parts.next_if(|(tone, part)| self.add(&mut value, *tone, part)).is_some() {}
        self.field(HEAD, "Stuck", value);
        let rest: Vec<String> = parts.map(|(_, part)| part).collect();
        if !rest.is_empty() {
            self.text(CAUSE, "", Tone::Text, &rest.join(", "), 2);
        }
        let message = match stuck {
            Stuck::Start(fault) => self.cause(run, fault),
            Stuck::CrashLoop(_) | Stuck::NotReady { .. } => stuck.message(),
        };
        self.text(CAUSE, "", Tone::Text, self.model.told(message), MESSAGE);
        if let Stuck::Start(fault) = stuck {
            self.pulls(run, fault);
        }
        let all: usize = rollout.workloads.iter().map(|workload| workload.stuck().count()).sum();
        if all > 1 {
            let others = if all == 2 { "and another pod".to_owned() } else { format!("and {} other pods", all - 1) };
            self.field(LOOSE, "", vec![self.theme.span(Tone::Muted, others)]);
        }
    }

    fn workload(&mut self, rank: u8, workload: &Workload, pips: Vec<Span<'static>>, wide: usize) {
        let theme = self.theme;
        let counts = format!("{} of {} ready", workload.ready, workload.desired);
        let mut value = vec![theme.span(Tone::Text, format!("{counts:16}"))];
        let pad = " ".repeat(wide.saturating_sub(pips.len()));
        if pips.is_empty() {
            let done = workload.desired > 0 && workload.ready >= workload.desired;
            let tone = if done { Tone::Good } else { Tone::Active };
            value.extend(meter(theme, workload.ready.into(), workload.desired.into(), MOST_PIPS, tone));
        } else {
            value.extend(pips);
            value.push(Span::raw(pad));
        }
        let old = match workload.old() {
            0 => String::new(),
            old => format!("  {old} old"),
        };
        value.push(theme.span(Tone::Muted, format!("  {} updated{old}", workload.updated)));
        // The beginning of a name is what they all share.
        if workload.name != workload.app {
            self.add(&mut value, Tone::Muted, &one_line(&workload.name));
        }
        self.field(rank, &fit(&workload.app, LABEL - 1, theme), value);
    }

    /// A pip for each replica on the new template, and for each that is yet to be made.
    fn pips(&self, workload: &Workload) -> Vec<Span<'static>> {
        let desired = usize::try_from(workload.desired).unwrap_or(usize::MAX);
        let new: Vec<&Replica> = workload.replicas.iter().filter(|replica| replica.template == Template::New).collect();
        if workload.replicas.is_empty() || desired.max(new.len()) > MOST_PIPS {
            return Vec::new();
        }
        let theme = self.theme;
        let pip = |of: &&Replica| {
            let (glyph, tone) = replica(of);
            theme.span(tone, theme.glyph(glyph))
        };
        let missing = desired.saturating_sub(new.len());
        let missing = std::iter::repeat_n(theme.span(Tone::Muted, theme.glyph(Glyph::Left)), missing);
        new.iter().map(pip).chain(missing).collect()
    }
}

/// The name of a replica's pod, without that of its workload where that is said already; a pod of a StatefulSet is called by
/// its name.
pub fn pod_of(workload: &Workload, replica: &Replica, columns: usize, theme: Theme) -> String {
    let workload = if workload.kind == WorkloadKind::StatefulSet { "" } else { &workload.name };
    short_pod(&replica.pod, workload, columns, theme)
}

/// The pip of a replica.
pub fn replica(replica: &Replica) -> (Glyph, Tone) {
    match &replica.state {
        ReplicaState::Ready { .. } if replica.template == Template::Old => (Glyph::Succeeded, Tone::Muted),
        ReplicaState::Ready { .. } => (Glyph::Succeeded, Tone::Good),
        ReplicaState::Starting { .. } => (Glyph::Running, Tone::Active),
        ReplicaState::Stuck(_) => (Glyph::Failed, Tone::Bad),
        ReplicaState::Terminating => (Glyph::Stopped, Tone::Muted),
    }
}
