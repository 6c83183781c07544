//! What to read of the logs of all pods, by what was seen of them and what came of the requests. It asks nobody itself,
//! and knows no time.

use std::collections::BTreeMap;
use std::mem;

use super::read::{Ask, Said, Ticket, What};
use super::run::{Place, Run, Step, Successor, Times};
use super::wanted::{LogScope, Seen, is_of_a_job, wanted};
use crate::cluster::{Change, FOLLOWED, KEPT, Kind, LogChange, Object, Pod, RunId, Uid};

/// The most requests at once; what is wanted beyond waits until one ends.
const MOST: usize = 64;

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Ask for a log.
    Read(Ticket, Ask),
    /// Give a request up.
    Stop(Ticket),
    /// Tell what is new of a log.
    Tell(LogChange),
}

/// The logs of all pods.
#[derive(Debug, Default)]
pub(super) struct Plan {
    scope: LogScope,
    pods: BTreeMap<Uid, PodLogs>,
    /// Which run a request is about.
    out: BTreeMap<Ticket, (Uid, String)>,
    tickets: u64,
}

/// The logs of a pod.
#[derive(Debug)]
struct PodLogs {
    namespace: String,
    name: String,
    gone: bool,
    /// The runs of each container, oldest first: those that a status told of and that are not over.
    containers: BTreeMap<String, Vec<Run>>,
}

impl Plan {
    pub(super) fn new(scope: LogScope) -> Self {
        Self { scope, ..Self::default() }
    }

    /// Takes in what changed of the cluster.
    pub(super) fn see(&mut self, change: &Change) -> Vec<Order> {
        match change {
            Change::Replaced { kind: Kind::Pod, objects, .. } => {
                let listed = |uid: &Uid| objects.iter().any(|object| object.meta().uid == *uid);
                self.pods.iter_mut().filter(|(uid, _)| !listed(uid)).for_each(|(_, pod)| pod.be_gone());
                objects.iter().for_each(|object| self.put(object));
            }
            Change::Applied(object) => self.put(object),
            Change::Deleted(object) => {
                self.put(object);
                self.pods.get_mut(&object.meta().uid).into_iter().for_each(PodLogs::be_gone);
            }
            Change::Selected(_)
            | Change::Replaced { .. }
            | Change::Watch { .. }
            | Change::Clock { .. }
            | Change::Log(_)
            | Change::Remembered(_)
            | Change::Alive(_) => return Vec::new(),
        }
        self.decide()
    }

    /// Takes in what came of a request. What comes of one that was given up is of no interest.
    pub(super) fn take_in(&mut self, said: Said) -> Vec<Order> {
        let Said { ticket, what } = said;
        let Some((uid, container)) = self.out.get(&ticket).cloned() else { return Vec::new() };
        let Some(pod) = self.pods.get_mut(&uid) else { return Vec::new() };
        let Some(runs) = pod.containers.get_mut(&container) else { return Vec::new() };
        let Some(position) = runs.iter().position(|run| run.ticket() == Some(ticket)) else { return Vec::new() };
        let next = successor(runs, position);
        let (run, mut steps) = (&mut runs[position], Vec::new());
        let decides = match what {
            What::Asked => {
                run.asked();
                false
            }
            What::Lines(lines) => {
                let first = run.successor().first;
                run.lines(lines, &mut steps);
                // A first line may tell whose the log of the run before was.
                first != run.successor().first
            }
            What::Ended { why, up } => {
                run.ended(why, up, next, &mut steps);
                true
            }
        };
        let ended = run.ticket() != Some(ticket);
        if ended && pod.gone {
            run.pod_gone();
        }
        let id = run.id.clone();
        let mut orders = pod.orders(&uid, &container, &id, steps);
        if ended {
            self.out.remove(&ticket);
        }
        if decides {
            orders.extend(self.decide());
        }
        orders
    }

    /// Whether nothing is read or remembered.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.pods.is_empty() && self.out.is_empty()
    }

    fn put(&mut self, object: &Object) {
        let Object::Pod(pod) = object else { return };
        if !is_of_a_job(pod) {
            return;
        }
        let scope = self.scope;
        self.pods.entry(pod.meta.uid.clone()).or_insert_with(|| PodLogs::new(pod)).see(pod, scope);
    }

    /// What to do by all that is known. What is over is forgotten.
    fn decide(&mut self) -> Vec<Order> {
        let mut all = Vec::new();
        let Self { pods, out, tickets, .. } = self;
        for (uid, pod) in pods.iter_mut() {
            for (container, mut runs) in mem::take(&mut pod.containers) {
                for position in 0..runs.len() {
                    let (next, mut steps) = (successor(&runs, position), Vec::new());
                    let mut ticket = || {
                        let ticket = (out.len() < MOST).then_some(Ticket(*tickets))?;
                        *tickets += 1;
                        out.insert(ticket, (uid.clone(), container.clone()));
                        Some(ticket)
                    };
                    runs[position].decide(next, &mut ticket, &mut steps);
                    for step in &steps {
                        if let Step::Stop(ticket) = step {
                            out.remove(ticket);
                        }
                    }
                    all.extend(pod.orders(uid, &container, &runs[position].id, steps));
                }
                while runs.first().is_some_and(|run| run.over(successor(&runs, 0))) {
                    runs.remove(0);
                }
                pod.containers.insert(container, runs);
            }
        }
        pods.retain(|_, pod| !pod.gone || pod.containers.values().any(|runs| !runs.is_empty()));
        all
    }
}

impl PodLogs {
    fn new(pod: &Pod) -> Self {
        let (namespace, name) = (pod.meta.namespace.clone(), pod.meta.name.clone());
        Self { namespace, name, gone: false, containers: BTreeMap::new() }
    }

    fn see(&mut self, pod: &Pod, scope: LogScope) {
        self.gone = false;
        for container in &pod.containers {
            let seen = wanted(container, scope);
            // A status that tells of no run says nothing of those that were.
            if seen.is_empty() {
                continue;
            }
            let runs = self.containers.entry(container.name.clone()).or_default();
            for run in runs.iter_mut().filter(|run| seen.iter().all(|seen| seen.id != run.id)) {
                run.see(Place::Past, Times::default());
            }
            for Seen { id, place, times } in seen {
                let known = runs.iter().position(|run| run.id == id);
                let position = known.unwrap_or_else(|| {
                    runs.push(Run::new(id, scope == LogScope::Followed));
                    runs.len() - 1
                });
                runs[position].see(place, times);
            }
        }
    }

    fn be_gone(&mut self) {
        self.gone = true;
        self.containers.values_mut().flatten().for_each(Run::pod_gone);
    }

    fn orders(&self, uid: &Uid, container: &str, id: &str, steps: Vec<Step>) -> Vec<Order> {
        let order = |step| match step {
            Step::Stop(ticket) => Order::Stop(ticket),
            Step::Tell(news) => {
                let run = RunId { container: container.to_owned(), id: id.to_owned() };
                Order::Tell(LogChange { pod: uid.clone(), run, news })
            }
            Step::Read { ticket, which, follow, after, delay, renew } => {
                let (namespace, pod) = (self.namespace.clone(), self.name.clone());
                let tail = if follow { FOLLOWED } else { KEPT };
                let container = container.to_owned();
                Order::Read(ticket, Ask { namespace, pod, container, which, follow, tail, after, delay, renew })
            }
        };
        steps.into_iter().map(order).collect()
    }
}

/// What is known of the run after that one.
fn successor(runs: &[Run], position: usize) -> Successor {
    runs.get(position + 1).map(Run::successor).unwrap_or_default()
}
