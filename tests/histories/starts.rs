//! What is between a pod and the runs of its containers: a node, its volumes, its images, its configuration.

use crate::model::{Kubelet, Millis, Model};
use crate::script::{Cause, PodTrouble};
use crate::things::{Role, Run, State, Stuck};

/// How often a start is tried at most: all of it shows in fewer.
const MOST_TRIES: u32 = 25;

impl Model {
    pub fn schedule(&mut self, pod: usize) {
        let number = self.cursors.pods;
        let mut trouble = None;
        if !self.pods[pod].unschedulable {
            self.cursors.pods += 1;
            trouble = self.script.pods.get(number).copied().flatten();
        }
        if let Some(PodTrouble::Unschedulable(clears)) = trouble {
            let of = &mut self.pods[pod];
            of.unschedulable = true;
            of.stuck = Some(Stuck { cause: "Scheduling", reason: "Unschedulable", container: None, permanent: false });
            self.write_pod(pod);
            if let Some(clears) = clears {
                self.kubelet_later(pod, clears * 1000, Kubelet::Schedule);
            }
            return;
        }
        let of = &mut self.pods[pod];
        (of.scheduled, of.unschedulable, of.stuck) = (true, false, None);
        self.write_pod(pod);
        match trouble {
            Some(PodTrouble::Rejected) => {
                let after = self.pace(300);
                self.kubelet_later(pod, after, Kubelet::Admit);
            }
            Some(PodTrouble::VolumeSecret(clears) | PodTrouble::Volume(clears) | PodTrouble::Sandbox(clears)) => {
                self.tell_containers(pod);
                let clears = clears.map(|clears| self.now + clears * 1000);
                self.kubelet_later(pod, 900, Kubelet::Volumes { trouble: number, failures: 0, clears });
            }
            Some(PodTrouble::Unschedulable(_)) | None => {
                self.tell_containers(pod);
                let after = 200 + self.pace(900);
                self.kubelet_later(pod, after, Kubelet::Start { container: 0 });
            }
        }
    }

    /// A node that was chosen and does not take the pod.
    pub fn admit(&mut self, pod: usize) {
        let message =
            "Pod was rejected: Node didn't have enough resource: cpu, requested: 500, used: 3900, capacity: 4000";
        self.fail_pod(pod, "OutOfcpu", message);
        self.pods[pod].stopped = true;
        self.write_pod(pod);
    }

    fn tell_containers(&mut self, pod: usize) {
        let of = &mut self.pods[pod];
        of.told = true;
        let reason = if of.containers.iter().any(|container| container.role == Role::Init) {
            "PodInitializing"
        } else {
            "ContainerCreating"
        };
        for container in &mut of.containers {
            container.state = State::Waiting(reason, String::new());
        }
        self.write_pod(pod);
    }

    pub fn volumes(&mut self, pod: usize, trouble: usize, failures: u32, clears: Option<Millis>) {
        if clears.is_some_and(|clears| clears <= self.now) {
            // The containers that come tell that it is over.
            self.pods[pod].stuck = None;
            self.start(pod, 0);
            return;
        }
        let (cause, reason, message, permanent) = match self.script.pods[trouble] {
            Some(PodTrouble::VolumeSecret(_)) => {
                ("Volume", "FailedMount", "MountVolume.SetUp failed for volume \"db\" : secret \"db\" not found", true)
            }
            Some(PodTrouble::Volume(_)) => (
                "Volume",
                "FailedMount",
                "MountVolume.MountDevice failed for volume \"pv\" : rpc error: timed out",
                false,
            ),
            _ => (
                "Sandbox",
                "FailedCreatePodSandBox",
                "Failed to create pod sandbox: plugin type=\"bridge\" failed",
                false,
            ),
        };
        self.write_pod_event(pod, None, true, reason, message);
        self.pods[pod].stuck = Some(Stuck { cause, reason, container: None, permanent });
        let again = 1000 << failures.min(6);
        let again = clears.map_or(again, |clears| again.min(clears - self.now).max(1));
        if failures < MOST_TRIES {
            self.kubelet_later(pod, again, Kubelet::Volumes { trouble, failures: failures + 1, clears });
        }
    }

    /// A container is to start: its image, its configuration, and then its run.
    pub fn start(&mut self, pod: usize, container: usize) {
        let number = self.cursors.starts;
        self.cursors.starts += 1;
        match self.script.starts.get(number).copied().flatten() {
            Some(trouble) => {
                let clears = trouble.clears.map(|clears| self.now + clears * 1000);
                self.try_start(pod, container, number, (0, clears));
            }
            None => self.made(pod, container),
        }
    }

    /// A container can't start, again and again, until it can.
    pub fn try_start(&mut self, pod: usize, container: usize, trouble: usize, (tries, clears): (u32, Option<Millis>)) {
        if clears.is_some_and(|clears| clears <= self.now) {
            return self.made(pod, container);
        }
        let problem = self.script.starts[trouble].unwrap().cause;
        let (cause, reason, message, permanent) = problem.told();
        let name = self.pods[pod].containers[container].name;
        let (waits, words) = if reason == "ErrImagePull" && tries % 2 == 1 {
            let mut told = "Back-off pulling image \"r.io/migrations:v1\"".to_owned();
            self.write_pod_event(pod, Some(name), false, "BackOff", &told);
            if !self.script.shape.older {
                told.push_str(&format!(": ErrImagePull: {message}"));
            }
            ("ImagePullBackOff", told)
        } else {
            let (event, told) = match problem {
                Cause::ImageNotFound | Cause::ImageTimeout => {
                    ("Failed", format!("Failed to pull image \"r.io/migrations:v1\": {message}"))
                }
                Cause::ImageName => ("InspectFailed", message.to_owned()),
                Cause::SecretMissing => ("Failed", format!("Error: {message}")),
            };
            self.write_pod_event(pod, Some(name), true, event, &told);
            (reason, message.to_owned())
        };
        self.pods[pod].containers[container].state = State::Waiting(waits, words);
        self.pods[pod].containers[container].stuck = Some(Stuck { cause, reason, container: Some(name), permanent });
        self.write_pod(pod);
        let again = 11_000 + self.pace(1000);
        let again = clears.map_or(again, |clears| again.min(clears - self.now).max(1));
        if tries < MOST_TRIES {
            self.kubelet_later(pod, again, Kubelet::Try { container, trouble, tries: tries + 1, clears });
        }
    }

    /// A container is made. Where it is made again, that shows before it runs.
    fn made(&mut self, pod: usize, container: usize) {
        let (id, runs) = (self.id(), self.pods[pod].containers[container].runs.len());
        let name = self.pods[pod].containers[container].name;
        self.pods[pod].stuck = None;
        self.pods[pod].containers[container].stuck = None;
        self.write_pod_event(
            pod,
            Some(name),
            false,
            "Pulled",
            "Container image \"r.io/migrations:v1\" already present",
        );
        self.write_pod_event(pod, Some(name), false, "Created", "Container created");
        self.pods[pod].containers[container].runs.push(Run { id, started: None, end: None });
        if runs > 0 && self.pace(256) > 160 {
            self.pods[pod].containers[container].state = State::Waiting("", String::new());
            self.write_pod(pod);
            self.kubelet_later(pod, 80, Kubelet::Launch { container });
        } else {
            self.launch(pod, container);
        }
    }
}
