//! The pause or rate limit that keeps a worker from claiming.

use std::time::Duration;

use tokio::time::Instant;

use crate::delivery::trust::Trust;

/// What a worker knows of the queue's pause and rate limit.
#[derive(Debug)]
pub(super) struct Bars {
    /// Redis lets nobody claim before this moment.
    pub(super) until: Option<Instant>,
    /// Redis has promised to report the next change of the queue's state.
    is_promised: bool,
    /// Redis, or the part of this client that wrote the state, says that the bar may be over. The
    /// next claim finds out.
    is_lifted: bool,
    /// Whether such reports were worth a claim.
    trust: Trust,
}

impl Bars {
    /// The shortest bar whose end Redis is asked to report. Nobody claims while a bar lasts, so
    /// Redis reports at most once in this time.
    const LONG: Duration = Duration::from_millis(100);

    pub(super) fn new(longest_wait: Duration) -> Self {
        Self {
            until: None,
            is_promised: false,
            is_lifted: false,
            trust: Trust::new(longest_wait),
        }
    }

    /// Notes that a pause or a rate limit may be over. The report used up Redis's promise.
    pub(super) fn lift(&mut self) {
        self.until = None;
        self.is_promised = false;
        self.is_lifted = true;
    }

    /// How long to wait before asking Redis to report the end of a bar that a claim has met.
    pub(super) fn wait_to_ask(&mut self, now: Instant) -> Duration {
        if std::mem::take(&mut self.is_lifted) {
            self.trust.lose(now);
        }
        self.trust.wait(now)
    }

    /// Notes that a claim brought something.
    pub(super) fn passed(&mut self) {
        self.is_lifted = false;
        self.trust.regain();
    }

    /// Notes that this client has written the state itself. Redis forgets its promise then.
    pub(super) fn forget_promise(&mut self) {
        self.is_promised = false;
    }

    /// Drops a bar that has ended.
    pub(super) fn expire(&mut self, now: Instant) {
        self.until.take_if(|until| *until <= now);
    }

    /// True if Redis should first be asked to report the end of a bar that lasts for `wait`.
    pub(super) fn needs_promise(&self, wait: Duration) -> bool {
        wait > Self::LONG && !self.is_promised
    }

    /// Notes Redis's promise. A change before it shows in one more claim, so the bar is not set.
    pub(super) fn promised(&mut self) {
        self.is_promised = true;
    }
}
