//! One round of a worker with Redis.

use crate::wire::script::Lease;

/// What one round is to do.
#[derive(Debug, Default)]
pub(super) struct Round {
    /// How many elements to claim for callers that wait.
    pub(super) claim: usize,
    /// How many more, for those that are about to.
    pub(super) ahead: usize,
    /// Ask Redis for a hint.
    pub(super) ask: bool,
    /// Tell the others that callers wait here.
    pub(super) announce: bool,
    pub(super) given_back: Vec<Lease>,
}

impl Round {
    pub(super) fn is_nothing(&self) -> bool {
        self.claim + self.ahead == 0 && !self.ask && !self.announce && self.given_back.is_empty()
    }
}
