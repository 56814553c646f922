//! The claims whose replies were lost.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::time::Instant;

use crate::wire::script::Lease;

/// The claims of a worker whose replies were lost. Redis may have run them, or may still run them.
#[derive(Debug, Default)]
pub(super) struct LostClaims {
    numbers: BTreeSet<u64>,
    /// When to look for their leases. None if there is none of them.
    look_at: Option<Instant>,
    /// Until when one of them may still run.
    unsure_until: Option<Instant>,
}

impl LostClaims {
    /// How long to look for the leases of a claim.
    const UNSURE: Duration = Duration::from_secs(10);

    /// Notes that the reply to the claim of this number is lost.
    pub(super) fn add(&mut self, number: u64) {
        let now = Instant::now();
        self.numbers.insert(number);
        self.look_at = Some(now);
        self.unsure_until = Some(now + Self::UNSURE);
    }

    /// When to look for their leases.
    pub(super) fn look_at(&self) -> Option<Instant> {
        self.look_at
    }

    /// True if it is time to look.
    pub(super) fn are_due(&self) -> bool {
        self.look_at.is_some_and(|it| it <= Instant::now())
    }

    /// Has the worker look after `pause`.
    pub(super) fn look_after(&mut self, pause: Duration) {
        self.look_at = Some(Instant::now() + pause);
    }

    /// Has the worker look at once.
    pub(super) fn hurry(&mut self) {
        self.look_at = self.look_at.map(|_| Instant::now());
    }

    /// True if the lease is of one of them.
    pub(super) fn contains(&self, lease: &Lease) -> bool {
        self.numbers.contains(&lease.claim().0)
    }

    /// Notes that the worker has looked. It looks again after `pause` while one of them may still run.
    /// Otherwise they are forgotten.
    pub(super) fn looked(&mut self, pause: Duration) {
        let next = Instant::now() + pause;
        self.look_at = Some(next).filter(|next| self.unsure_until.is_some_and(|it| *next < it));
        if self.look_at.is_none() {
            self.numbers.clear();
        }
    }
}
