//! One round of a worker with Redis.

use bytes::Bytes;

/// What one round is to do.
#[derive(Debug, Default)]
pub(super) struct Round {
    pub(super) ended: Vec<Bytes>,
    pub(super) claim: usize,
    /// Ask Redis for a hint.
    pub(super) ask: bool,
    /// Tell the others that callers wait here.
    pub(super) announce: bool,
    pub(super) given_back: Vec<Bytes>,
}

impl Round {
    pub(super) fn is_nothing(&self) -> bool {
        self.ended.is_empty()
            && self.claim == 0
            && !self.ask
            && !self.announce
            && self.given_back.is_empty()
    }
}
