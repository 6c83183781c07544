//! The words of states, each in one place.

/// Gives an enum of states the method `word`, and `WORDS`, all that it can answer: no state is left out of either.
macro_rules! states {
    ($(#[$note:meta])* $($state:pat => $word:literal),+ $(,)?) => {
        /// Every word that a state has.
        pub const WORDS: &'static [&'static str] = &[$($word),+];

        $(#[$note])*
        pub fn word(&self) -> &'static str {
            match self {
                $($state => $word),+
            }
        }
    };
}

pub(crate) use states;
