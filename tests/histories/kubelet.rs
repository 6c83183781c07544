//! The kubelet and the scheduler: what becomes of a pod that nobody takes away, and how one is stopped.

use crate::model::{Kubelet, Millis, Model, Step};
use crate::script::{Fate, Seconds, Stop};
use crate::things::{Container, Deletion, End, Role, State, Taken};

/// How long a run takes that the script does not speak of.
const USUAL: Seconds = 12;

impl Model {
    /// What a kubelet does later, unless something else comes over the pod.
    pub fn kubelet_later(&mut self, pod: usize, after: Millis, what: Kubelet) {
        let epoch = self.pods[pod].epoch;
        self.later(after, Step::Kubelet { pod, epoch, what });
    }

    pub fn kubelet(&mut self, pod: usize, what: Kubelet) {
        match what {
            Kubelet::Schedule => self.schedule(pod),
            Kubelet::Admit => self.admit(pod),
            Kubelet::Volumes { trouble, failures, clears } => self.volumes(pod, trouble, failures, clears),
            Kubelet::Start { container } => self.start(pod, container),
            Kubelet::Try { container, trouble, tries, clears } => {
                self.try_start(pod, container, trouble, (tries, clears))
            }
            Kubelet::Launch { container } => self.launch(pod, container),
            Kubelet::End { container } => self.end(pod, container),
            Kubelet::BackOff { container } => {
                self.pods[pod].containers[container].state =
                    State::Waiting("CrashLoopBackOff", "back-off 10s restarting failed container".into());
                self.write_pod(pod);
            }
            Kubelet::Finish => self.finish(pod),
            Kubelet::Stopped { grace } => self.stopped(pod, grace),
            Kubelet::Remove => self.remove(pod),
            Kubelet::TaintDeletes => {
                let grace = self.script.shape.grace;
                self.delete_pod(pod, grace);
            }
        }
    }

    pub fn launch(&mut self, pod: usize, container: usize) {
        let fate = self.fate(self.pods[pod].containers[container].role);
        let in_place = self.script.shape.in_place;
        let now = self.now;
        let of = &mut self.pods[pod];
        let name = of.containers[container].name;
        let role = of.containers[container].role;
        if role == Role::Main {
            of.phase = "Running";
        }
        let target = &mut of.containers[container];
        let run = target.runs.last_mut().unwrap();
        if fate == Some(Fate::StartError) {
            // The start that fails is told as what was before, while the container waits.
            run.end = Some(End { at: now, code: 128, reason: "StartError", stopped: false });
            let words = "exec: \"bundle\": executable file not found in $PATH".into();
            let waits = in_place || role == Role::Sidecar;
            target.state = if waits { State::Waiting("RunContainerError", words) } else { State::Ended };
            self.write_pod(pod);
            self.ended(pod, container);
        } else {
            run.started = Some(now);
            target.state = State::Running;
            self.write_pod_event(pod, Some(name), false, "Started", "Container started");
            self.write_pod(pod);
            let after = match fate {
                Some(Fate::Exit { after, .. } | Fate::OutOfMemory { after }) => after,
                _ => USUAL,
            };
            self.pods[pod].containers[container].fate = fate;
            let lag = 10 + self.pace(1200);
            if fate.is_some() || role != Role::Sidecar {
                self.kubelet_later(pod, after * 1000 + lag, Kubelet::End { container });
            }
        }
        self.started(pod, container);
    }

    /// The next container starts once an init container is done, a sidecar has started, and all main ones together.
    fn started(&mut self, pod: usize, container: usize) {
        let containers = &self.pods[pod].containers;
        let (role, first) = (containers[container].role, containers[container].runs.len() == 1);
        let next = containers.get(container + 1);
        let goes_on = match role {
            Role::Sidecar => first,
            Role::Main => next.is_some_and(|next| next.runs.is_empty() && next.role == Role::Main) && first,
            Role::Init => false,
        };
        if goes_on {
            let after = 30 + self.pace(300);
            self.kubelet_later(pod, after, Kubelet::Start { container: container + 1 });
        }
    }

    fn fate(&mut self, role: Role) -> Option<Fate> {
        let (list, cursor) = match role {
            Role::Main => (&self.script.mains, &mut self.cursors.mains),
            Role::Init => (&self.script.inits, &mut self.cursors.inits),
            Role::Sidecar => (&self.script.sidecars, &mut self.cursors.sidecars),
        };
        *cursor += 1;
        list.get(*cursor - 1).copied()
    }

    /// A run ends by itself. The kubelet tells so a while later.
    fn end(&mut self, pod: usize, container: usize) {
        let lag = self.pace(900);
        let target = &mut self.pods[pod].containers[container];
        let (code, reason) = match target.fate {
            Some(Fate::Exit { code: 0, .. }) | Some(Fate::StartError) | None => (0, "Completed"),
            Some(Fate::Exit { code, .. }) => (code, "Error"),
            Some(Fate::OutOfMemory { .. }) => (137, "OOMKilled"),
        };
        let run = target.runs.last_mut().unwrap();
        let at = (self.now - lag).max(run.started.unwrap_or(self.now));
        run.end = Some(End { at, code, reason, stopped: false });
        target.state = State::Ended;
        self.write_pod(pod);
        self.ended(pod, container);
    }

    /// What follows the end of a run.
    fn ended(&mut self, pod: usize, container: usize) {
        let in_place = self.script.shape.in_place;
        let target = &self.pods[pod].containers[container];
        let (role, code, restarts) = (target.role, target.last_end().unwrap().code, target.restarts());
        let crashed_start = matches!(target.state, State::Waiting(..));
        let again = role == Role::Sidecar || in_place && code != 0;
        if again {
            let back_off = if restarts == 0 { 100 } else { (10_000 << (restarts - 1).min(10)).min(300_000) };
            let exceeded = if restarts == 0 { 0 } else { self.pace(9000) };
            if restarts > 0 {
                let told = if crashed_start { 300 } else { back_off + exceeded - 90 };
                self.kubelet_later(pod, told, Kubelet::BackOff { container });
            }
            self.kubelet_later(pod, back_off + exceeded, Kubelet::Start { container });
        } else if role == Role::Init && code == 0 {
            let after = 100 + self.pace(800);
            self.kubelet_later(pod, after, Kubelet::Start { container: container + 1 });
        } else {
            self.over(pod, role == Role::Init);
        }
    }

    /// Once the last main container is done, or an init container failed for good, the sidecars are stopped, and the pod ends.
    fn over(&mut self, pod: usize, init_failed: bool) {
        let in_place = self.script.shape.in_place;
        let mut mains = self.pods[pod].containers.iter().filter(|container| container.role == Role::Main);
        let done = mains.all(|main| main.last_end().is_some_and(|end| !in_place || end.code == 0));
        if done || init_failed {
            let after = 200 + self.pace(1500);
            self.pods[pod].epoch += 1;
            self.kubelet_later(pod, after, Kubelet::Finish);
        }
    }

    fn finish(&mut self, pod: usize) {
        let stop = Stop { code: 143, after: 0 };
        self.stop_containers(pod, stop, false);
        let of = &mut self.pods[pod];
        let good = of
            .containers
            .iter()
            .filter(|of| of.role == Role::Main)
            .all(|of| of.last_end().is_some_and(|end| end.code == 0));
        of.phase = if good { "Succeeded" } else { "Failed" };
        of.unstick();
        of.stopped = true;
        self.write_pod(pod);
    }

    /// Ends what runs. What never ran is not found.
    pub fn stop_containers(&mut self, pod: usize, stop: Stop, unknown: bool) {
        let now = self.now;
        let of = &mut self.pods[pod];
        for container in &mut of.containers {
            let runs = container.runs.last().is_some_and(|run| run.end.is_none());
            if runs {
                let run = container.runs.last_mut().unwrap();
                let reason = if stop.code == 0 { "Completed" } else { "Error" };
                let end = End { at: now.max(run.started.unwrap_or(now)), code: stop.code, reason, stopped: true };
                if run.started.is_none() {
                    // It was made and never ran.
                    run.end = Some(End { code: 137, reason: "Error", ..end });
                } else {
                    run.end = Some(end);
                }
                container.state = State::Ended;
            } else if !container.runs.is_empty() {
                container.state = State::Ended;
            } else if unknown && container.role == Role::Main {
                container.state = State::Unknown;
            }
        }
    }

    /// The end of a pod is asked for.
    pub fn delete_pod(&mut self, pod: usize, grace: Seconds) {
        if self.pods[pod].deletion.is_some() || self.pods[pod].gone {
            return;
        }
        let stop = self.script.stops.get(self.cursors.stops).copied().unwrap_or(Stop { code: 137, after: grace });
        self.cursors.stops += 1;
        let now = self.now;
        let of = &mut self.pods[pod];
        let runs = of.scheduled && !of.stopped && of.waits_or_runs();
        let grace = if runs { grace } else { 0 };
        of.deletion = Some(Deletion { requested: now, stamp: (now + grace * 1000, grace) });
        of.epoch += 1;
        of.stop = stop;
        if runs {
            self.write_pod(pod);
            let after = stop.after.min(grace) * 1000 + 100 + self.pace(800);
            self.kubelet_later(pod, after, Kubelet::Stopped { grace });
        } else {
            of.stopped = true;
            if self.pods[pod].finalizer {
                self.write_pod(pod);
            } else {
                self.remove(pod);
            }
        }
    }

    fn stopped(&mut self, pod: usize, grace: Seconds) {
        let stop = self.pods[pod].stop;
        let stop = if stop.after >= grace { Stop { code: 137, ..stop } } else { stop };
        // Not modelled: a pod that its Job counts as failed, as somebody deleted it, and that then ends well.
        let away = matches!(self.pods[pod].taken, Some(Taken::Away { .. }));
        let stop = if stop.code == 0 && away && self.pods[pod].counted { Stop { code: 143, ..stop } } else { stop };
        self.stop_containers(pod, stop, true);
        let of = &mut self.pods[pod];
        let mains = of.containers.iter().filter(|container| container.role == Role::Main);
        let good = of.told
            && mains.clone().all(|main| main.state == State::Ended && main.last_end().is_some_and(|end| end.code == 0));
        of.phase = if good { "Succeeded" } else { "Failed" };
        of.unstick();
        of.stopped = true;
        self.write_pod(pod);
        let after = 100 + self.pace(900);
        self.kubelet_later(pod, after, Kubelet::Remove);
    }

    /// A pod that is stopped goes, once its Job has let go of it.
    pub fn remove(&mut self, pod: usize) {
        let now = self.now;
        let of = &mut self.pods[pod];
        let Some(deletion) = of.deletion.as_mut().filter(|_| of.stopped) else { return };
        if of.finalizer {
            return;
        }
        if deletion.stamp.1 > 0 {
            deletion.stamp = (now, 0);
            self.write_pod(pod);
        }
        self.pods[pod].gone = true;
        self.write_pod(pod);
    }
}

/// The containers of a new pod.
pub fn containers(inits: usize, sidecar: bool, second_main: bool) -> Vec<Container> {
    let container = |name, role| Container {
        name,
        role,
        runs: Vec::new(),
        state: State::Waiting("PodInitializing", String::new()),
        fate: None,
        stuck: None,
    };
    let mut containers = vec![container("configure", Role::Init)];
    if inits > 1 {
        containers.insert(0, container("certificates", Role::Init));
    }
    if sidecar {
        containers.push(container("proxy", Role::Sidecar));
    }
    containers.push(container("migrations", Role::Main));
    if second_main {
        containers.push(container("reporter", Role::Main));
    }
    containers
}
