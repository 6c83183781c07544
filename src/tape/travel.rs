//! Where one can go on a tape.

/// A journey on the tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Travel {
    /// Pause, or go on.
    Toggle,
    /// One change back.
    Back,
    /// One change forward.
    Forward,
    /// Ten seconds back.
    Earlier,
    /// Ten seconds forward.
    Later,
    /// Play slower.
    Slower,
    /// Play faster.
    Faster,
    /// To the next failure.
    NextFailure,
    /// To the beginning.
    Start,
    /// To the end; on a live feed back to now.
    End,
}

impl Travel {
    /// Whether where it leads depends on where one is, and so on the journeys before it.
    pub(super) fn is_from_here(self) -> bool {
        matches!(self, Self::Back | Self::Forward | Self::Earlier | Self::Later | Self::NextFailure)
    }
}
