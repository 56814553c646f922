//! The pause or rate limit that keeps a worker from claiming.

use std::time::{Duration, Instant};

/// What a worker knows of the queue's pause and rate limit.
#[derive(Debug, Default)]
pub(super) struct Bars {
    /// Redis lets nobody claim before this moment.
    pub(super) until: Option<Instant>,
    /// Redis has promised to report the next change of the queue's state.
    is_reported: bool,
}

impl Bars {
    /// It is worth asking Redis to report the end of a bar of this length. Nobody claims while a
    /// bar lasts, so Redis reports nothing more often than that.
    const LONG: Duration = Duration::from_millis(100);

    /// Notes that a pause or a rate limit may be over. The report used up Redis's promise.
    pub(super) fn lift(&mut self) {
        *self = Self::default();
    }

    /// Notes that this client has written the state itself. Redis forgets its promise then.
    pub(super) fn forget_promise(&mut self) {
        self.is_reported = false;
    }

    /// Drops a bar that has ended.
    pub(super) fn expire(&mut self, now: Instant) {
        self.until.take_if(|until| *until <= now);
    }

    /// True if Redis should first be asked to report the end of a bar that lasts for `wait`.
    pub(super) fn needs_promise(&self, wait: Duration) -> bool {
        wait > Self::LONG && !self.is_reported
    }

    /// Notes Redis's promise. A change before it shows in one more claim, so the bar is not set.
    pub(super) fn promised(&mut self) {
        self.is_reported = true;
    }
}
