//! What a worker does next.

/// What a worker does next.
#[derive(Debug, Default)]
pub(super) struct Round {
    /// How many elements to claim for callers that wait.
    pub(super) claim: usize,
    /// How many more to claim, for callers that are about to come back.
    pub(super) ahead: usize,
    /// Ask Redis to report the next change of the target queue.
    pub(super) ask: bool,
    /// Tell the other clients that callers wait here.
    pub(super) announce: bool,
    /// Give elements back before all that.
    pub(super) give_back: bool,
}

impl Round {
    /// The most elements that one command claims for waiting callers, ends or gives back. A claim
    /// may bring as many again ahead of callers, since the scripts take 1,000.
    pub(super) const BATCH: usize = 500;

    pub(super) fn is_nothing(&self) -> bool {
        self.claim + self.ahead == 0 && !self.ask && !self.announce && !self.give_back
    }
}
