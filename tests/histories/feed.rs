//! How a history reaches somebody: in order; each kind on its own, as watches tell it; with watches that break and list anew;
//! told twice; joined in the middle; after a restart of the program, with what it kept.

use std::collections::BTreeMap;
use std::rc::Rc;

use gatewatch::cluster::{Change, ClusterEvent, Kind, Object, Scope, World};
use gatewatch::run::derive;

use crate::histories;
use crate::model::Write;
use crate::truth::Truth;
use crate::witness::Witness;

/// One thing that somebody is told.
pub enum Told {
    /// A write, by its number.
    Write(usize),
    /// What there was after that write: a list of a kind, after which it is known whole.
    List(Kind, usize),
    /// A bookmark.
    Alive(Kind),
    /// The program ends, and starts again with what it kept.
    Restart,
    /// Everything is known as it was after that write.
    CaughtUp(usize),
}

/// A history, and who hears of it.
pub struct Listener<'a> {
    history: &'a [Write],
    pub world: World,
    pub witness: Witness,
    memory: Option<gatewatch::cluster::Memory>,
}

impl<'a> Listener<'a> {
    pub fn new(history: &'a [Write]) -> Self {
        Self { history, world: World::default(), witness: Witness::default(), memory: None }
    }

    /// Hears it; where everything is known then, what is true.
    pub fn hear(&mut self, told: &Told) -> Option<Rc<Truth>> {
        match *told {
            Told::Write(number) => {
                self.witness.see(object(&self.history[number]));
                self.world.apply(self.history[number].event.clone());
            }
            Told::List(kind, until) => {
                let objects = histories::there(self.history[..=until].iter().map(|write| &write.event), kind);
                objects.iter().for_each(|object| self.witness.see(object));
                let objects = objects.into_iter().cloned().collect();
                self.apply(until, Change::Replaced { kind, scope: Scope::All, objects });
                if let Some(memory) = self.memory.take_if(|_| kind == Kind::Event) {
                    self.apply(until, Change::Remembered(Box::new(memory)));
                }
            }
            Told::Alive(kind) => self.apply(0, Change::Alive(kind)),
            Told::Restart => {
                let run = derive(&self.world).into_iter().next();
                let memory = run.and_then(|run| self.world.memory(&run.uid, &run.jobs()));
                // What is kept goes through a file.
                self.memory = memory.map(|of| serde_json::from_str(&serde_json::to_string(&of).unwrap()).unwrap());
                self.world = World::default();
            }
            Told::CaughtUp(number) => return self.history[number].truth.clone(),
        }
        None
    }

    fn apply(&mut self, number: usize, change: Change) {
        self.world.apply(ClusterEvent { cluster: None, time: self.history[number].event.time, change });
    }
}

/// The object that a write tells of.
pub fn object(write: &Write) -> &Object {
    histories::object(&write.event)
}

/// All of it, in the order in which it happened.
pub fn in_order(history: &[Write]) -> Vec<Told> {
    (0..history.len()).flat_map(|number| [Told::Write(number), Told::CaughtUp(number)]).collect()
}

/// Part by part, and in each part every kind at its own pace. At the ends of parts everything is known.
pub fn interleaved(history: &[Write], choices: &[u8]) -> Vec<Told> {
    let mut choices = choices.iter().copied().cycle();
    let mut told = Vec::new();
    let mut from = 0;
    while from < history.len() {
        let part = 1 + usize::from(choices.next().unwrap_or(0) % 32);
        // A part ends where what is told together was told whole.
        let until = (from + part..history.len()).find(|&end| history[end - 1].truth.is_some()).unwrap_or(history.len());
        let mut streams: BTreeMap<Kind, std::collections::VecDeque<usize>> = BTreeMap::new();
        for (number, write) in history.iter().enumerate().take(until).skip(from) {
            streams.entry(object(write).kind()).or_default().push_back(number);
        }
        while !streams.is_empty() {
            let chosen = usize::from(choices.next().unwrap_or(0)) % streams.len();
            let kind = *streams.keys().nth(chosen).unwrap();
            let next = streams.get_mut(&kind).and_then(std::collections::VecDeque::pop_front);
            told.extend(next.map(Told::Write));
            streams.retain(|_, stream| !stream.is_empty());
        }
        told.push(Told::CaughtUp(until - 1));
        from = until;
    }
    told
}

/// In order, and again and again watches break: some miss what is told for a while and list what there is; others list what
/// they knew. Bookmarks come between. With `restarts`, it is the program that ends, and begins with lists and what it kept.
pub fn broken(history: &[Write], choices: &[u8], restarts: bool) -> Vec<Told> {
    let mut choices = choices.iter().copied().cycle();
    let mut choose = move || choices.next().unwrap_or(0);
    let mut told = Vec::new();
    let mut from = 0;
    while from < history.len() {
        let heard = (from + usize::from(choose())).min(history.len());
        told.extend((from..heard).flat_map(|number| [Told::Write(number), Told::CaughtUp(number)]));
        if heard == history.len() {
            break;
        }
        let missed = heard + usize::from(choose() % 64);
        let missed = (missed.max(heard + 1)..history.len()).find(|&end| history[end - 1].truth.is_some());
        let missed = missed.unwrap_or(history.len());
        let which = choose();
        if restarts {
            told.push(Told::Restart);
        }
        let broke = |kind: Kind| restarts || which & (1 << (kind as u8)) != 0;
        // The watches that go on tell what happens meanwhile; the others list what there is then.
        told.extend((heard..missed).filter(|&number| !broke(object(&history[number]).kind())).map(Told::Write));
        told.extend(Kind::ALL.into_iter().filter(|kind| broke(*kind)).map(|kind| Told::List(kind, missed - 1)));
        told.extend(Kind::ALL.into_iter().filter(|kind| !broke(*kind)).map(Told::Alive));
        told.push(Told::CaughtUp(missed - 1));
        from = missed;
    }
    told
}

/// Whoever begins in the middle: with lists of what there is then.
pub fn late(history: &[Write], begins: usize) -> Vec<Told> {
    let begins = (begins % history.len()..history.len()).find(|&number| history[number].truth.is_some());
    let begins = begins.unwrap_or(history.len() - 1);
    let lists = Kind::ALL.into_iter().map(|kind| Told::List(kind, begins));
    let rest = (begins + 1..history.len()).flat_map(|number| [Told::Write(number), Told::CaughtUp(number)]);
    lists.chain([Told::CaughtUp(begins)]).chain(rest).collect()
}

/// In order, and everything twice: a list of what is known already, and each object once more.
pub fn repeated(history: &[Write], choices: &[u8]) -> Vec<Told> {
    let mut told = Vec::new();
    for (number, choice) in (0..history.len()).zip(choices.iter().cycle()) {
        told.push(Told::Write(number));
        if choice % 3 == 0 {
            told.push(Told::Write(number));
        }
        if choice % 16 == 1 {
            told.extend(Kind::ALL.into_iter().map(|kind| Told::List(kind, number)));
        }
        told.push(Told::CaughtUp(number));
    }
    told
}
