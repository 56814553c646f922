//! What callers decide about their deliveries, on its way to Redis and back.

use std::collections::{BTreeMap, VecDeque};

use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::link::connection::Failure;
use crate::wire::script::{Decision, Lease};

/// What callers decided about their deliveries.
#[derive(Debug, Default)]
pub(super) struct Decisions {
    /// To be sent to Redis.
    pub(super) requests: VecDeque<DecisionRequest>,
    /// Leases of deliveries that are extended until callers decide, and whether an extension is
    /// under way.
    pub(super) kept: BTreeMap<Lease, bool>,
    /// The concluder looks after `kept` now and then.
    pub(super) is_keeping: bool,
    /// The client is shut down: the concluder sends the present `requests`, and nothing after them.
    pub(super) is_leaving: bool,
    /// Decisions are no longer sent.
    pub(super) is_over: bool,
}

/// A decision on its way to Redis.
#[derive(Debug)]
pub(super) struct DecisionRequest {
    pub(super) lease: Lease,
    pub(super) decision: Decision,
    /// The caller, if it waits for the outcome.
    pub(super) caller: Option<oneshot::Sender<Conclusion>>,
    /// Until when to send it again.
    pub(super) give_up_at: Instant,
    /// The last attempt whose reply was lost.
    pub(super) lost: Option<Failure>,
}

/// What a caller learns about its decision.
#[derive(Debug)]
pub(super) enum Conclusion {
    Done,
    /// The lease had run out, and the delivery is another worker's.
    Late,
    /// Redis refused, or the reply was lost.
    Failed(Failure),
}
