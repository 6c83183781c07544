//! What changed of the runs since it was kept. To keep something is to write all of it to a disk: the first change is kept
//! at once, and what follows it within a second, at its end as one.

use std::collections::BTreeSet;
use std::mem;

use crate::cluster::Uid;

/// What is still to be kept.
#[derive(Debug, Default)]
pub(super) struct Unkept {
    waiting: BTreeSet<Uid>,
    /// What was kept since the last tick.
    kept: BTreeSet<Uid>,
}

impl Unkept {
    /// Takes in that a run changed; returns whether it is to be kept at once.
    #[must_use]
    pub(super) fn change(&mut self, run: &Uid) -> bool {
        let at_once = self.kept.insert(run.clone());
        if !at_once {
            self.waiting.insert(run.clone());
        }
        at_once
    }

    /// A second passed; returns the runs that are to be kept now.
    #[must_use]
    pub(super) fn tick(&mut self) -> BTreeSet<Uid> {
        self.kept = mem::take(&mut self.waiting);
        self.kept.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uid(name: &str) -> Uid {
        Uid(name.into())
    }

    #[test]
    fn the_first_change_is_kept_at_once_and_those_of_the_same_second_at_its_end() {
        let mut unkept = Unkept::default();
        assert!(unkept.change(&uid("a")));
        assert!(!unkept.change(&uid("a")) && !unkept.change(&uid("a")));
        assert!(unkept.change(&uid("b")), "another run waits for none");
        assert_eq!(unkept.tick(), [uid("a")].into());
        assert!(!unkept.change(&uid("a")), "it was kept in this second");
        assert_eq!(unkept.tick(), [uid("a")].into());
        assert_eq!(unkept.tick(), [].into());
        assert!(unkept.change(&uid("a")));
    }
}
