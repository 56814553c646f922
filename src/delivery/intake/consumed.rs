//! How much callers take, which tells the worker how much to claim ahead of them.

/// What callers asked for and got over some time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Consumed {
    pub(super) calls: usize,
    pub(super) asked: usize,
    /// How many elements callers got, by these calls or by earlier ones.
    pub(super) got: usize,
}

impl Consumed {
    /// The most elements to claim for one caller at a time. The caller would take the first and
    /// leave before more arrive.
    pub(super) const MOST_A_CALL: usize = 500;

    /// Counts a call that asks for `demand` elements.
    pub(super) fn ask(&mut self, demand: usize) {
        self.calls += 1;
        self.asked += demand.min(Self::MOST_A_CALL);
    }

    /// How many elements a call asks for on average, at least one.
    pub(super) fn demand(self) -> usize {
        (self.asked / self.calls.max(1)).max(1)
    }

    /// How many calls got everything that they asked for.
    pub(super) fn served(self) -> usize {
        self.asked.min(self.got) / self.demand()
    }
}
