//! The state that the callers and the worker of an intake share, behind the intake's lock.

use tokio::time::Instant;

use super::decisions::Decisions;
use super::demand::Demand;
use super::holdings::Holdings;
use super::probes::Probes;
use super::signal::Signals;

/// What the callers and the worker of one [`Intake`](super::Intake) share.
#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) holdings: Holdings,
    pub(super) decisions: Decisions,
    pub(super) demand: Demand,
    pub(super) probes: Probes,
    /// Signals that the worker has not read yet.
    pub(super) signals: Signals,
    /// The last round left nothing to claim, and no signal has come since.
    pub(super) is_exhausted: bool,
    /// When a delivery is due again, as far as this client knows.
    pub(super) claim_at: Option<Instant>,
}

impl State {
    /// How many elements to claim for callers.
    pub(super) fn lack(&self) -> usize {
        self.demand.lack(self.holdings.ready.len())
    }

    /// True if a claim would bring nothing, as far as this client knows.
    pub(super) fn is_known_empty(&self, now: Instant) -> bool {
        self.is_exhausted
            && self.holdings.ready.is_empty()
            && self.claim_at.is_none_or(|at| at > now)
    }
}
