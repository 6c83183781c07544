//! The logs of a gate's containers, read while they are there.
//!
//! In goes what is seen of pods; out come the lines of each run, as changes of the cluster. While a container of a Job's
//! pod runs, its log is followed, init containers and sidecars alike; of what ended before we looked, what the kubelet
//! still has is read. A pod that is deleted is read to the end of its streams. Never is more than one request out about a
//! run, nor is one read again that was read to its end for certain.
//!
//! Bounds: 64 requests at once, 16 pieces between them and the receiver, of 500 lines at most, and 8 KiB of a line that
//! has no end. The receiver takes in what the watches say first, so that a flood of lines holds up none of them.
//!
//! | file | holds |
//! |---|---|
//! | `wanted` | which runs have a log to read |
//! | `run` | the log of one run, as a state machine, and the rule of which run an answer is of |
//! | `plan` | all of them: from what is seen and answered to what is asked and told |
//! | `read` | one request, and what comes of it |
//! | `lines` | lines out of a stream of bytes |

mod lines;
mod plan;
mod read;
mod run;
#[cfg(test)]
mod tests;
mod wanted;

use std::collections::BTreeMap;

use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::AbortHandle;

use super::Tasks;
use crate::cluster::{Change, ClusterEvent};
use plan::{Order, Plan};
use read::{Ticket, read};

pub(super) use read::Said;
pub use wanted::{LogScope, ReadOnce};

/// How much waits between the requests and the receiver.
const WAITING: usize = 16;

/// The requests that are out, and what is still to ask for.
pub(super) struct LogReaders {
    plan: Plan,
    out: BTreeMap<Ticket, AbortHandle>,
    said: Sender<Said>,
}

impl LogReaders {
    /// Readers, and where what they say is to be heard.
    pub(super) fn new(scope: LogScope) -> (Self, Receiver<Said>) {
        let (said, heard) = mpsc::channel(WAITING);
        (Self { plan: Plan::new(scope), out: BTreeMap::new(), said }, heard)
    }

    /// Takes in what changed of the cluster, and returns what there is to pass on after it.
    pub(super) fn see(&mut self, change: &Change, tasks: &mut Tasks) -> Vec<ClusterEvent> {
        let orders = self.plan.see(change);
        self.follow(orders, tasks)
    }

    /// Takes in what a request brought, and returns what there is to pass on.
    pub(super) fn take_in(&mut self, said: Said, tasks: &mut Tasks) -> Vec<ClusterEvent> {
        let orders = self.plan.take_in(said);
        self.follow(orders, tasks)
    }

    fn follow(&mut self, orders: Vec<Order>, tasks: &mut Tasks) -> Vec<ClusterEvent> {
        let mut pass_on = Vec::new();
        for order in orders {
            match order {
                Order::Read(ticket, ask) => {
                    let task = read(tasks.connection.clone(), ticket, ask, self.said.clone());
                    self.out.retain(|_, task| !task.is_finished());
                    self.out.insert(ticket, tasks.set.spawn(task));
                }
                Order::Stop(ticket) => self.out.remove(&ticket).into_iter().for_each(|task| task.abort()),
                Order::Tell(change) => {
                    pass_on.push(ClusterEvent { cluster: None, time: tasks.clock.now(), change: Change::Log(change) });
                }
            }
        }
        pass_on
    }
}
