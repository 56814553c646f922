//! How many elements callers wait for, and how many they took lately.

use super::consumed::Consumed;

/// What callers want of an intake.
#[derive(Debug, Default)]
pub(super) struct Demand {
    pub(super) callers: usize,
    /// How many elements they ask for.
    pub(super) elements: usize,
    /// How many permits stand for lapsed elements. Each belongs to a caller that nobody has polled
    /// since, or belonged to one until it was dropped.
    pub(super) asleep: usize,
    /// What callers asked for and got since the last claim was planned.
    pub(super) consumed: Consumed,
    /// How many elements the claim under way asks for.
    pub(super) claiming: usize,
}

impl Demand {
    /// How many elements to claim for callers while so many are at hand. Zero if every caller has an
    /// element at hand and only has to be polled.
    pub(super) fn lack(&self, ready: usize) -> usize {
        let served = ready + self.asleep;
        if served >= self.callers {
            return 0;
        }
        self.elements - served
    }
}
