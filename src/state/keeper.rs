//! The thread that reads and writes the files: nobody waits for a disk.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use super::folder::{Folder, SetAside};
use super::others::Others;
use super::{Kept, Place};
use crate::cluster::{Uid, clean};

/// How long the end of the program waits for what is still to be written. A disk that hangs is not waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the keeper has to say.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// What was kept of an instance, if anything was.
    Recalled(Uid, Option<Box<Kept>>),
    /// Something can't be kept or read, in words for a person. It is told once.
    Trouble(String),
}

/// Keeps what is to outlive the program. It never blocks.
pub struct Keeper {
    orders: Sender<Order>,
    ended: Receiver<()>,
}

enum Order {
    Recall(Uid),
    Keep(Box<Kept>),
}

impl Keeper {
    /// A keeper of the files there, which tells `report` what it has to say from a thread of its own.
    pub fn new(place: Place, report: impl Fn(Report) + Send + 'static) -> Self {
        let (orders, incoming) = mpsc::channel();
        let (end, ended) = mpsc::channel();
        thread::spawn(move || {
            work(&place, &incoming, report);
            drop(end);
        });
        Self { orders, ended }
    }

    /// Asks what was kept of an instance; it is reported later.
    pub fn recall(&self, instance: Uid) {
        // The thread lives for as long as `self`.
        let _ = self.orders.send(Order::Recall(instance));
    }

    /// Keeps that of an upgrade, in place of what was kept of it before.
    pub fn keep(&self, kept: Kept) {
        let _ = self.orders.send(Order::Keep(Box::new(kept)));
    }

    /// Waits until all is kept, or for as long as a disk may take.
    pub fn close(self) {
        drop(self.orders);
        let _ = self.ended.recv_timeout(PATIENCE);
    }
}

/// Carries out every order. Of several states of one upgrade that wait in a row the last is written.
fn work(place: &Place, orders: &Receiver<Order>, report: impl Fn(Report)) {
    let folder = match place {
        Place::Folder(path) => Some(Folder(path.clone())),
        Place::Nowhere => None,
        Place::NoHome => {
            report(Report::Trouble("nothing is kept: neither XDG_STATE_HOME nor HOME is set".into()));
            None
        }
    };
    let mut waiting = VecDeque::new();
    let mut unwritable = false;
    let mut others = Others::default();
    // Without a folder it is known for as long as the program runs: also in a namespace that it comes back to.
    let mut held: BTreeMap<Uid, Kept> = BTreeMap::new();
    while let Some(order) = waiting.pop_front().or_else(|| orders.recv().ok()) {
        waiting.extend(orders.try_iter());
        match (order, &folder) {
            (Order::Recall(instance), None) => {
                let kept = held.get(&instance).cloned().map(Box::new);
                report(Report::Recalled(instance, kept));
            }
            (Order::Recall(instance), Some(folder)) => {
                let kept = recall(folder, &instance, &mut others, &report);
                report(Report::Recalled(instance, kept.map(Box::new)));
            }
            (Order::Keep(kept), None) => drop(held.insert(kept.memory.upgrade.instance.clone(), *kept)),
            (Order::Keep(kept), Some(_)) if outdated(&kept, waiting.front()) => {}
            (Order::Keep(kept), Some(folder)) => {
                let upgrade = kept.memory.upgrade.clone();
                match others.write(*kept, folder).and_then(|()| folder.clear(&upgrade)) {
                    Ok(()) => unwritable = false,
                    Err(_) if unwritable => {}
                    Err(error) => {
                        unwritable = true;
                        report(trouble("cannot keep anything in", folder, &error));
                    }
                }
            }
        }
    }
}

/// What was kept of an instance.
fn recall(folder: &Folder, instance: &Uid, others: &mut Others, report: impl Fn(Report)) -> Option<Kept> {
    match folder.newest(instance) {
        Ok((found, aside)) => {
            for SetAside { name, why } in aside {
                report(Report::Trouble(format!("what was kept cannot be used: {why}; set aside as {name}")));
            }
            found.map(|found| {
                others.resume(&found);
                found.kept
            })
        }
        Err(error) => {
            report(trouble("cannot read what was kept in", folder, &error));
            None
        }
    }
}

fn outdated(kept: &Kept, next: Option<&Order>) -> bool {
    matches!(next, Some(Order::Keep(next)) if next.memory.upgrade == kept.memory.upgrade)
}

fn trouble(what: &str, folder: &Folder, error: &io::Error) -> Report {
    Report::Trouble(format!("{what} {}: {}", clean(&folder.0.to_string_lossy()), error.kind()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::super::sample::kept_of;
    use super::*;

    fn keeper(place: Place) -> (Keeper, Receiver<Report>) {
        let (sender, reports) = mpsc::channel();
        (Keeper::new(place, move |report| sender.send(report).unwrap()), reports)
    }

    fn uid() -> Uid {
        Uid("u".into())
    }

    #[test]
    fn what_was_kept_comes_back_when_the_program_runs_again() {
        let home = TempDir::new().unwrap();
        let place = || Place::Folder(home.path().join("gatewatch"));
        let (first, reports) = keeper(place());
        first.recall(uid());
        assert_eq!(reports.recv().unwrap(), Report::Recalled(uid(), None));
        for message in ["one", "two", "three"] {
            first.keep(kept_of("u", 1, message));
        }
        first.close();
        let (second, reports) = keeper(place());
        second.recall(uid());
        let Report::Recalled(_, Some(kept)) = reports.recv().unwrap() else { panic!() };
        assert!(format!("{kept:?}").contains("three"));
    }

    #[test]
    fn what_waits_is_written_in_its_last_state() {
        let (orders, incoming) = mpsc::channel();
        let home = TempDir::new().unwrap();
        for message in ["one", "two"] {
            orders.send(Order::Keep(Box::new(kept_of("u", 1, message)))).unwrap();
        }
        orders.send(Order::Recall(uid())).unwrap();
        orders.send(Order::Keep(Box::new(kept_of("u", 1, "three")))).unwrap();
        drop(orders);
        let (sender, reports) = mpsc::channel();
        work(&Place::Folder(home.path().join("g")), &incoming, |report| sender.send(report).unwrap());
        assert!(format!("{:?}", reports.recv().unwrap()).contains("two"), "what was ordered before is there");
    }

    #[test]
    fn where_nothing_is_kept_it_is_known_until_the_program_ends() {
        let (first, reports) = keeper(Place::Nowhere);
        first.keep(kept_of("u", 1, "x"));
        first.recall(uid());
        let known = Report::Recalled(uid(), Some(Box::new(kept_of("u", 1, "x"))));
        assert_eq!(reports.recv().unwrap(), known);
        first.close();
        let (second, reports) = keeper(Place::Nowhere);
        second.recall(uid());
        assert_eq!(reports.recv().unwrap(), Report::Recalled(uid(), None));
    }

    #[test]
    fn without_a_home_it_is_said_once() {
        let (keeper, reports) = keeper(Place::NoHome);
        for _ in 0..2 {
            keeper.recall(uid());
        }
        keeper.close();
        let told: Vec<Report> = reports.iter().collect();
        assert!(matches!(told[0], Report::Trouble(_)));
        assert_eq!(told[1..], [Report::Recalled(uid(), None), Report::Recalled(uid(), None)]);
    }

    #[test]
    fn a_place_that_cannot_be_written_is_told_once_and_again_only_after_it_could() {
        let home = TempDir::new().unwrap();
        // A file stands where the folder should.
        let path = home.path().join("gatewatch");
        fs::write(&path, "").unwrap();
        let (orders, incoming) = mpsc::channel();
        let (sender, reports) = mpsc::channel();
        let place = Place::Folder(path.clone());
        let worker = thread::spawn(move || work(&place, &incoming, |report| sender.send(report).unwrap()));
        let keep = || orders.send(Order::Keep(Box::new(kept_of("u", 1, "x")))).unwrap();
        let answered = || {
            orders.send(Order::Recall(uid())).unwrap();
            let mut troubles = 0;
            while !matches!(reports.recv().unwrap(), Report::Recalled(..)) {
                troubles += 1;
            }
            troubles
        };
        keep();
        assert_eq!(answered(), 2, "that it can be neither written nor read");
        keep();
        assert_eq!(answered(), 1);
        fs::remove_file(&path).unwrap();
        keep();
        assert_eq!(answered(), 0);
        fs::remove_dir_all(&path).unwrap();
        fs::write(&path, "").unwrap();
        keep();
        assert_eq!(answered(), 2);
        drop(orders);
        worker.join().unwrap();
    }

    #[test]
    fn what_was_set_aside_is_told() {
        let home = TempDir::new().unwrap();
        fs::write(home.path().join("u-g1-3.0.0.json"), "{").unwrap();
        let (keeper, reports) = keeper(Place::Folder(home.path().to_owned()));
        keeper.recall(uid());
        let told = "what was kept cannot be used: it is damaged; set aside as u-g1-3.0.0.json.set-aside";
        assert_eq!(reports.recv().unwrap(), Report::Trouble(told.into()));
        assert_eq!(reports.recv().unwrap(), Report::Recalled(uid(), None));
    }
}
