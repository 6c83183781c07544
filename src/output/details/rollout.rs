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
        let is_left =
            |of: &&Workload| of.paused || of.on_delete || of.refused.is_some() || of.partition_words().is_some();
        let left = rollout.workloads.iter().filter(is_left);
        let left: Vec<_> = left.filter(|_| rollout.state != RolloutState::Pending).collect();
        let named = |(name, _): (&String, _)| rollout.workloads.iter().find(|workload| workload.name == *name);
        let subject = blocked.and_then(named).or(stuck.map(|(workload, ..)| workload));
        let Some(subject) = subject.or(left.first().copied()) else { return };
        self.title(&format!("{title}, {}", subject.subject()));
        if let Some((_, message)) = blocked {
            self.add("Blocked", message);
        }
        for workload in left {
            if workload.paused {
                self.add("Paused", &format!("{}: {PAUSED}", workload.name));
            }
            if workload.on_delete {
                self.add("By hand", &format!("{}: {BY_HAND}", workload.name));
            }
            if let Some(kept) = workload.partition_words() {
                self.add("Partition", &kept);
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

#[cfg(test)]
mod tests {
    use super::super::{Depth, details};
    use crate::gate::Target;
    use crate::run::{StepBody, sample};

    #[test]
    fn the_pods_that_a_partition_keeps_are_told_also_where_nothing_holds_the_rollout_up() {
        let mut run = sample::stateful_set();
        let StepBody::Rollout(rollout) = &mut run.steps[0].body else { panic!("a rollout") };
        rollout.workloads[0].replicas.clear();
        rollout.workloads[0].on_delete = false;
        let told = details(&run, &run.steps[0], sample::time("15:20:24"), &Target::default(), Depth::Outline);
        let text = anstream::adapter::strip_str(&told).to_string();
        let head = "\nRollout, statefulset/db\n  Partition     pods before db-1 stay as they are\n";
        assert!(text.starts_with(head), "{text}");
    }
}
