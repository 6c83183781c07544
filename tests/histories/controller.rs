//! The Job controller, as `syncJob` of Kubernetes 1.37 does it; what it did before 1.31 where the script says so.

use crate::model::{Millis, Model, Step};
use crate::script::{Action, Rule};
use crate::things::{Condition, Job, Pod, Taken};

const LIMIT: (&str, &str) = ("BackoffLimitExceeded", "Job has reached the specified backoff limit");
const DEADLINE: (&str, &str) = ("DeadlineExceeded", "Job was active longer than specified deadline");
const COMPLETIONS: (&str, &str) = ("CompletionsReached", "Reached expected number of succeeded pods");

/// How a Job is about to end.
#[derive(Clone, Debug)]
struct Finish {
    good: bool,
    /// Whether that was said before.
    told: bool,
    reason: &'static str,
    message: String,
}

impl Model {
    pub fn sync(&mut self, job: usize) {
        if self.jobs[job].gone || self.jobs[job].finished() {
            return;
        }
        let pods = self.pods_of(job);
        let new_failed: Vec<usize> = pods.iter().copied().filter(|&pod| self.newly_failed(pod)).collect();
        self.note_failures(job, &new_failed);
        self.jobs[job].sync_due = false;
        let before = self.jobs[job].clone();
        let shape = self.script.shape.clone();
        if before.started.is_none() && !before.suspend {
            self.jobs[job].started = Some(self.now);
        }
        let finish = self.finish_of(job, &pods, &new_failed);
        let active: Vec<usize> = pods.iter().copied().filter(|&pod| self.pods[pod].active()).collect();
        let terminating =
            pods.iter().filter(|&&pod| self.pods[pod].deletion.is_some() && self.pods[pod].waits_or_runs());
        let mut terminating = terminating.count();
        let mut still_active = active.len();
        let mut finish = finish;
        if finish.is_some() {
            (terminating, still_active) = (terminating + active.len(), 0);
            for pod in active {
                if finish.as_ref().is_some_and(|finish| !finish.good) {
                    self.take(pod, Taken::JobGaveUp);
                }
                let name = self.pods[pod].name.clone();
                self.write_job_event(job, false, "SuccessfulDelete", &format!("Deleted pod: {name}"));
                self.delete_pod(pod, shape.grace);
                // From 1.31 the Job says why with the next write; what comes between is told whole.
                if !shape.older {
                    self.settled();
                }
            }
        } else if before.suspend {
            (terminating, still_active) = (terminating + active.len(), 0);
            for pod in active {
                self.pods[pod].finalizer = false;
                self.write_pod(pod);
                self.take(pod, Taken::JobSuspended);
                self.delete_pod(pod, shape.grace);
            }
            self.note_suspension(job, true);
        } else {
            let succeeded = self.succeeded(job, &pods);
            let wanted = 1_usize.saturating_sub(succeeded);
            let waits_for = if shape.replace_failed_only { terminating } else { 0 };
            if wanted > active.len() + waits_for {
                let waits = self.replacement_waits(job);
                if waits > 0 {
                    self.later(waits + 10, Step::Sync { job });
                } else {
                    self.create_pod(job);
                    still_active += 1;
                }
            }
            if succeeded >= 1 && still_active == 0 {
                let (reason, message) = COMPLETIONS;
                finish = Some(Finish { good: true, told: false, reason, message: message.into() });
            } else {
                self.note_suspension(job, false);
            }
        }
        let of = &mut self.jobs[job];
        (of.active, of.terminating) = (u32::try_from(still_active).unwrap(), u32::try_from(terminating).unwrap());
        self.track(job, &before, finish);
    }

    fn finish_of(&mut self, job: usize, pods: &[usize], new_failed: &[usize]) -> Option<Finish> {
        let of = &self.jobs[job];
        let shape = &self.script.shape;
        if let Some(met) = of.holds("SuccessCriteriaMet") {
            return Some(Finish { good: true, told: true, reason: met.reason, message: met.message.clone() });
        }
        if let Some(target) = of.holds("FailureTarget") {
            return Some(Finish { good: false, told: true, reason: target.reason, message: target.message.clone() });
        }
        let bad = |(reason, message): (&'static str, &str)| {
            Some(Finish { good: false, told: false, reason, message: message.to_owned() })
        };
        let failed_pods = pods.iter().filter(|&&pod| self.is_failed(pod));
        if let Some(message) = failed_pods.clone().find_map(|&pod| self.fails_job(pod)) {
            return bad(("PodFailurePolicy", &message));
        }
        let counted = new_failed.iter().filter(|&&pod| self.counts(pod)).count();
        let failed = of.failed as usize + counted + of.uncounted_failed.len();
        let restarts: u32 = pods
            .iter()
            .filter(|&&pod| shape.in_place && self.pods[pod].waits_or_runs())
            .flat_map(|&pod| &self.pods[pod].containers)
            .map(|container| container.restarts())
            .sum();
        let limit = shape.backoff_limit;
        let by_restarts = if limit == 0 { restarts > 0 } else { shape.in_place && restarts >= limit };
        let deadline = shape.deadline;
        if failed > limit as usize || by_restarts {
            self.jobs[job].by_restarts = by_restarts;
            return bad(LIMIT);
        }
        let ran = of.started.map_or(0, |started| self.now - started.div_euclid(1000) * 1000);
        let late = deadline.is_some_and(|deadline| ran >= deadline * 1000);
        if late && !of.suspend { bad(DEADLINE) } else { None }
    }

    /// What the sync leads to in the Job's status and its pods' finalizers.
    fn track(&mut self, job: usize, before: &Job, finish: Option<Finish>) {
        let older = self.script.shape.older;
        let fails = finish.as_ref().is_some_and(|finish| !finish.good);
        let let_go: Vec<usize> = self.pods_of(job).into_iter().filter(|&pod| self.pods[pod].finalizer).collect();
        let done = |pod: &Pod| pod.phase == "Succeeded";
        let let_go: Vec<usize> = let_go
            .into_iter()
            .filter(|&pod| finish.is_some() || done(&self.pods[pod]) || self.is_failed(pod))
            .collect();
        for &pod in &let_go {
            let known = self.jobs[job].uncounted_failed.contains(&pod);
            if done(&self.pods[pod]) && !known {
                if !self.jobs[job].uncounted_succeeded.contains(&pod) {
                    self.jobs[job].uncounted_succeeded.push(pod);
                }
            } else if (self.is_failed(pod) || fails) && !known && self.counts(pod) {
                self.jobs[job].uncounted_failed.push(pod);
                self.pods[pod].counted = true;
            }
        }
        if let Some(finish) = finish.as_ref().filter(|finish| !finish.told) {
            let interim = if finish.good { "SuccessCriteriaMet" } else { "FailureTarget" };
            if !older || finish.reason == "PodFailurePolicy" {
                self.condition(job, interim, finish.reason, finish.message.clone());
            }
        }
        if self.jobs[job] != *before {
            self.write_job(job);
            if !older || !fails {
                self.settled();
            }
        }
        for pod in let_go {
            self.pods[pod].finalizer = false;
            if self.pods[pod].stopped && self.pods[pod].deletion.is_some() {
                self.remove(pod);
            } else {
                self.write_pod(pod);
            }
            if !older || !fails {
                self.settled();
            }
        }
        let of = &mut self.jobs[job];
        let flushed = of.uncounted_failed.len() + of.uncounted_succeeded.len();
        of.failed += u32::try_from(std::mem::take(&mut of.uncounted_failed).len()).unwrap();
        of.succeeded += u32::try_from(std::mem::take(&mut of.uncounted_succeeded).len()).unwrap();
        let over = finish.filter(|_| older || of.terminating == 0);
        if let Some(finish) = &over {
            self.condition(job, if finish.good { "Complete" } else { "Failed" }, finish.reason, finish.message.clone());
            let now = self.now;
            let of = &mut self.jobs[job];
            if finish.good {
                of.completed = Some(now);
            }
            if let Some(ttl) = self.script.shape.ttl {
                self.later(ttl * 1000, Step::Expire { job });
            }
        }
        if flushed > 0 || over.is_some() {
            self.write_job(job);
            self.settled();
        }
        if let Some(finish) = over {
            let word =
                if finish.good { ("Completed", "Job completed") } else { (finish.reason, finish.message.as_str()) };
            self.write_job_event(job, !finish.good, word.0, word.1);
        }
    }

    fn condition(&mut self, job: usize, kind: &'static str, reason: &'static str, message: String) {
        let since = self.now;
        self.jobs[job].conditions.push(Condition { kind, holds: true, reason, message, since });
    }

    fn note_suspension(&mut self, job: usize, holds: bool) {
        let (now, of) = (self.now, &mut self.jobs[job]);
        let (reason, message) = if holds { ("JobSuspended", "Job suspended") } else { ("JobResumed", "Job resumed") };
        let known = of.conditions.iter().position(|condition| condition.kind == "Suspended");
        if known.map_or(!holds, |known| of.conditions[known].holds == holds) {
            return;
        }
        let condition = Condition { kind: "Suspended", holds, reason, message: message.into(), since: now };
        match known {
            Some(known) => of.conditions[known] = condition,
            None => of.conditions.push(condition),
        }
        if holds {
            of.started = None;
        } else {
            of.started = Some(now);
            self.deadline_sync(job);
        }
    }

    /// It looks again at the deadline.
    pub fn deadline_sync(&mut self, job: usize) {
        if let Some(deadline) = self.script.shape.deadline {
            self.later(deadline * 1000, Step::Sync { job });
        }
    }

    /// Whether a pod that failed is not accounted for yet.
    fn newly_failed(&self, pod: usize) -> bool {
        let of = &self.pods[pod];
        of.finalizer && self.is_failed(pod) && !self.jobs[of.job].uncounted_failed.contains(&pod)
    }

    fn is_failed(&self, pod: usize) -> bool {
        let of = &self.pods[pod];
        let terminating = of.deletion.is_some() && of.phase != "Succeeded" && !self.script.shape.replace_failed_only;
        of.phase == "Failed" || terminating
    }

    fn succeeded(&self, job: usize, pods: &[usize]) -> usize {
        let of = &self.jobs[job];
        let new = |&&pod: &&usize| {
            let of = &self.pods[pod];
            of.finalizer && of.phase == "Succeeded" && !self.jobs[job].uncounted_failed.contains(&pod)
        };
        of.succeeded as usize + pods.iter().filter(new).count()
    }

    /// The first rule of the policy that a failed pod matches.
    fn rule(&self, pod: usize) -> Option<(usize, Rule)> {
        let of = &self.pods[pod];
        let exits = |code: i64| of.containers.iter().any(|container| container.shows_exit(code));
        let rules = self.script.shape.rules.iter().copied().enumerate();
        let mut matching = rules.filter(|(_, rule)| match rule {
            Rule::Exit(_, code) => exits(*code),
            Rule::Disrupted(_) => of.disruption.is_some(),
        });
        matching.next()
    }

    /// Whether a failed pod counts: the policy can ignore it.
    pub fn counts(&self, pod: usize) -> bool {
        !matches!(self.rule(pod), Some((_, Rule::Exit(Action::Ignore, _) | Rule::Disrupted(Action::Ignore))))
    }

    fn fails_job(&self, pod: usize) -> Option<String> {
        let of = &self.pods[pod];
        let name = &of.name;
        match self.rule(pod)? {
            (index, Rule::Exit(Action::FailJob, code)) => {
                let mains_first = |container: &&crate::things::Container| container.role != crate::things::Role::Main;
                let mut matching: Vec<_> =
                    of.containers.iter().filter(|container| container.shows_exit(code)).collect();
                matching.sort_by_key(mains_first);
                let container = matching.first()?.name;
                Some(format!(
                    "Container {container} for pod gitlab/{name} failed with exit code {code} matching FailJob rule at index {index}"
                ))
            }
            (index, Rule::Disrupted(Action::FailJob)) => {
                Some(format!("Pod gitlab/{name} has condition DisruptionTarget matching FailJob rule at index {index}"))
            }
            _ => None,
        }
    }

    fn note_failures(&mut self, job: usize, new_failed: &[usize]) {
        for &pod in new_failed {
            if !self.pods[pod].backed_off {
                self.pods[pod].backed_off = true;
                self.jobs[job].failures += 1;
                self.jobs[job].last_failure = self.now;
            }
        }
    }

    fn replacement_waits(&self, job: usize) -> Millis {
        let of = &self.jobs[job];
        let delay = match of.failures {
            0 => return 0,
            failures => (10_000 << (failures - 1).min(10)).min(600_000),
        };
        of.last_failure + delay - self.now
    }
}
