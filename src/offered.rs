//! The answer to an offer.

use crate::ticket::Ticket;

/// What an offer did. An offer to a [`ShardedQueue`](crate::ShardedQueue) answers with a
/// [`ShardTicket`](crate::ShardTicket).
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Offered<T = Ticket> {
    /// The element that is pending now: the offered one, or the one that stayed.
    pub ticket: T,
    /// How it came to be pending.
    pub outcome: Outcome,
}

/// What an offer did to the queue.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// Stored the value. No pending element was in the way.
    Added,
    /// Stored nothing, because another element was pending. That one is unchanged.
    Kept,
    /// Stored the value and removed the pending element.
    Replaced,
    /// Gave the pending element, which has the same value, the due time of the offer.
    Rescheduled,
}
