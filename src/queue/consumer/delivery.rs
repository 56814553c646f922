//! An element that a consumer has and must acknowledge.

use std::fmt;
use std::time::{Duration, SystemTime};

use super::Receipt;
use crate::delivery_id::DeliveryId;
use crate::error::Result;

/// An element that is leased to this process until it is acknowledged; made by
/// [`Consumer::recv`](super::Consumer::recv).
///
/// If it is dropped, for example because `?` returns an error, the element comes again after the
/// [back-off](super::ConsumerBuilder::backoff), and the attempt counts.
///
/// # Redis
///
/// [`ack`](Self::ack), [`nack`](Self::nack), [`retry`](Self::retry), [`reject`](Self::reject) and
/// [`extend`](Self::extend) share commands: one `EVALSHA` of `lua/conclude.lua` for all that
/// callers of this client decided about deliveries of the queue in the meantime. O(log L), L
/// leases; the payload is not sent.
///
/// # Compatibility
///
/// Redisson PRO's `RReliableQueue` has `acknowledge(args)`, also with many ids, and
/// `negativeAcknowledge(args)` with `status(FAILED)` for [`nack`](Self::nack) and
/// `status(REJECTED)` for [`reject`](Self::reject).
///
/// # Errors
///
/// - [`Error::Late`](crate::Error::Late) if the lease had run out and the element went on without
///   this caller. Nothing was changed. A lease that ran out and that nobody took over still counts.
/// - [`Error::Lost`](crate::Error::Lost) if the reply was lost and it is unknown whether the
///   decision was in time. The element comes again if it was not.
/// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
///   [`Error::Refused`](crate::Error::Refused), and [`Error::Closed`](crate::Error::Closed) after
///   [`Client::shutdown`](crate::Client::shutdown): nothing was changed, and the element comes
///   again, at the latest when its lease has run out.
///
/// A decision is sent again while its connection is down, for the [retry
/// window](crate::ClientBuilder::retry_window).
///
/// # Cancel safety
///
/// A decision is sent even if its future is dropped after its first poll.
#[must_use = "a delivery that is dropped is delivered again"]
pub struct Delivery<T> {
    value: T,
    receipt: Receipt,
}

impl<T> Delivery<T> {
    pub(super) fn new(value: T, receipt: Receipt) -> Self {
        Self { value, receipt }
    }

    /// The value that was offered.
    #[must_use]
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The id of this delivery: the same in all attempts.
    #[must_use]
    pub fn id(&self) -> DeliveryId {
        self.receipt.id()
    }

    /// The number of this attempt, from 1.
    #[must_use]
    pub fn attempt(&self) -> u16 {
        self.receipt.attempt()
    }

    /// A number that is higher than those of all earlier deliveries of the same key, and than that of
    /// every earlier attempt; `None` with [`Processing::parallel`](super::Processing::parallel).
    ///
    /// Two handlers can work on one key at the same time only if the first outlived its lease. A store
    /// tells them apart: it keeps the highest fence that it has seen of each key, and refuses a write
    /// with a lower one.
    ///
    /// It is about the time of the claim in unix microseconds, by Redis's clock, and grows even if that
    /// clock goes back, unless nothing was claimed for a day or a failover lost the last claims.
    #[must_use]
    pub fn fence(&self) -> Option<u64> {
        self.receipt.fence()
    }

    /// When a consumer claimed the element first, by Redis's clock. That is soon after it was due, if
    /// consumers keep up. The target queue holds bare payloads, so nobody knows when it was offered.
    #[must_use]
    pub fn first_claimed(&self) -> SystemTime {
        self.receipt.first_claimed()
    }

    /// Acknowledges the element: it leaves Redis. [`Receipt::ack_all`] acknowledges many.
    pub async fn ack(self) -> Result<()> {
        self.receipt.ack().await
    }

    /// Has the element delivered again after `delay`, by Redis's clock, as the next attempt. If this
    /// was the last one, it goes to the [dead letters](super::ConsumerBuilder::dead_letter).
    ///
    /// It does not go back to the target queue, where others could take it and the attempts would
    /// be forgotten. Until it is due again, it holds up no other element. A `PUBLISH` tells the
    /// consumers of the queue if it is the next retry.
    pub async fn nack(self, delay: Duration) -> Result<()> {
        self.receipt.nack(delay).await
    }

    /// As [`nack`](Self::nack), with a reason. If this was the last attempt, the first 1,024 bytes
    /// of `reason` are stored beside the dead letter. Reasons of earlier attempts are not stored.
    pub async fn nack_because(self, delay: Duration, reason: impl Into<String>) -> Result<()> {
        self.receipt.nack_because(delay, reason).await
    }

    /// Has the element delivered again after the consumer's
    /// [back-off](super::ConsumerBuilder::backoff). Otherwise as [`nack`](Self::nack).
    pub async fn retry(self) -> Result<()> {
        self.receipt.retry().await
    }

    /// As [`retry`](Self::retry), with a reason as of [`nack_because`](Self::nack_because).
    pub async fn retry_because(self, reason: impl Into<String>) -> Result<()> {
        self.receipt.retry_because(reason).await
    }

    /// Moves the element to the [dead letters](super::ConsumerBuilder::dead_letter) without further
    /// attempts. Redis copies the payload, and stores the first 1,024 bytes of `reason` beside it.
    pub async fn reject(self, reason: impl Into<String>) -> Result<()> {
        self.receipt.reject(reason).await
    }

    /// Lets the lease last for `length` from now, by Redis's clock. A shorter time than is left
    /// shortens it. There is no longest time.
    ///
    /// After [`Error::Late`](crate::Error::Late), another handler may do what this one still does.
    pub async fn extend(&self, length: Duration) -> Result<()> {
        self.receipt.extend(length).await
    }

    /// The value, and the [`Receipt`] with which to acknowledge it.
    pub fn into_parts(self) -> (T, Receipt) {
        (self.value, self.receipt)
    }
}

/// Leaves out the value, which may be private.
impl<T> fmt::Debug for Delivery<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery")
            .field("receipt", &self.receipt)
            .finish_non_exhaustive()
    }
}

/// Leaves the value behind, as [`Delivery::into_parts`] does.
impl<T> From<Delivery<T>> for Receipt {
    fn from(delivery: Delivery<T>) -> Self {
        delivery.receipt
    }
}
