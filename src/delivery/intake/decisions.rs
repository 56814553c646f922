//! What a caller decides about a delivery, on its way to Redis and back.

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::link::connection::Failure;
use crate::wire::script::{Decision, Lease};

/// A decision on its way to Redis.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) lease: Lease,
    pub(super) decision: Decision,
    /// The caller, if it waits for the outcome.
    pub(super) caller: Option<oneshot::Sender<Outcome>>,
    /// Until when to send it again.
    pub(super) give_up_at: Instant,
    /// The last attempt whose reply was lost.
    pub(super) lost: Option<Failure>,
}

/// What a caller learns about its decision.
#[derive(Debug)]
pub(super) enum Outcome {
    Done,
    /// The lease had run out, and the delivery is another worker's.
    Late,
    /// Redis refused, or the reply was lost.
    Failed(Failure),
}
