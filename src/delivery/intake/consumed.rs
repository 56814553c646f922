//! What callers take.

use super::Waiting;

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
    /// Takes in that a call begins which asks for so much.
    pub(super) fn ask(&mut self, demand: usize) {
        self.calls += 1;
        self.asked += demand.min(Waiting::MOST);
    }

    /// How many elements a call asks for.
    pub(super) fn demand(self) -> usize {
        (self.asked / self.calls.max(1)).max(1)
    }

    /// How many calls got what they asked for and came back.
    pub(super) fn served(self) -> usize {
        self.asked.min(self.got) / self.demand()
    }
}
