//! The details of a rollout.

use super::Details;
use crate::run::{BY_HAND, PAUSED, Rollout, RolloutState, Stuck, Workload, span};

impl Details<'_> {
    pub(super) fn rollout(&mut self, title: &str, rollout: &Rollout) {
        if let RolloutState::Unknown(unseen) = &rollout.state {
            self.title(title);
            return self.add("Unknown", &unseen.to_string());
        }
        let stuck = rollout.stuck();
        let blocked = match &rollout.state {
            RolloutState::Blocked { workload, message } => Some((workload, message)),
            _ => None,
        };
        let is_held = |workload: &&Workload| workload.paused || workload.on_delete || workload.refused.is_some();
        let held = rollout.workloads.iter().filter(is_held);
        let held: Vec<_> = held.filter(|_| rollout.state != RolloutState::Pending).collect();
        let named = |(name, _): (&String, _)| rollout.workloads.iter().find(|workload| workload.name == *name);
        let subject = blocked.and_then(named).or(stuck.map(|(workload, ..)| workload));
        let Some(subject) = subject.or(held.first().copied()) else { return };
        self.title(&format!("{title}, {}", subject.subject()));
        if let Some((_, message)) = blocked {
            self.add("Blocked", message);
        }
        for workload in held {
            if workload.paused {
                self.add("Paused", &format!("{}: {PAUSED}", workload.name));
            }
            if workload.on_delete {
                self.add("By hand", &format!("{}: {BY_HAND}", workload.name));
            }
            if let Some(refused) = &workload.refused {
                self.add("No pod", refused);
            }
        }
        if let Some((_, replica, stuck)) = stuck {
            let clears = match stuck {
                Stuck::Start(fault) => format!(", {}", fault.clears_words()),
                _ => String::new(),
            };
            let since = stuck.since().map(|since| format!(", for {}", span(self.time.duration_since(since))));
            let what = match stuck {
                Stuck::CrashLoop(crash) => crash.to_string(),
                _ => format!("{}{clears}{}", stuck.reason(), since.unwrap_or_default()),
            };
            self.add("Stuck", &what);
            let container = stuck.container().map(|container| format!("container {container} of "));
            self.add("", &format!("{}pod {}", container.unwrap_or_default(), replica.pod));
            self.add("", stuck.message());
            if let Stuck::Start(fault) = stuck {
                self.pulls(fault);
            }
        }
        if let Some(advice) = &rollout.advice {
            self.add("To do", advice);
        }
        self.command(rollout.command.as_ref());
    }
}
