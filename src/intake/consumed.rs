//! What callers take.

/// What callers have asked for and got in some time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Consumed {
    /// How many calls have begun.
    pub(super) calls: usize,
    /// How many elements they asked for.
    pub(super) asked: usize,
    /// How many elements callers got, of these calls or earlier ones.
    pub(super) got: usize,
}

impl Consumed {
    /// How many elements a call asks for.
    pub(super) fn demand(self) -> usize {
        (self.asked / self.calls.max(1)).max(1)
    }

    /// How many calls got what they asked for and came back.
    pub(super) fn served(self) -> usize {
        self.asked.min(self.got) / self.demand()
    }
}
