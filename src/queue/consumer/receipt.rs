//! What may be decided about a delivery.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures::future::join_all;
use tokio::sync::OwnedSemaphorePermit;
use tracing::Span;

use super::trial::Trial;
use super::{AckMode, Backoff, Nack, Shared};
use crate::delivery::intake::Held;
use crate::delivery_id::DeliveryId;
use crate::error::Result;
#[cfg(feature = "amqp")]
use crate::event::Reporter;
use crate::link::clock::time_of;
use crate::metric::Meter;
use crate::queue::raw::RawQueue;
use crate::sync::lock;
use crate::wire::script::Decision;

/// The receipt of a delivery: its id and attempt, and the calls that acknowledge, retry or reject
/// it.
///
/// A [`Delivery`](super::Delivery) has one and derefs to it;
/// [`into_parts`](super::Delivery::into_parts) separates it from the value.
///
/// The first decision that Redis carries out ends the delivery: [`ack`](Self::ack),
/// [`nack`](Self::nack) or [`reject`](Self::reject). Later ones do nothing and return what the first
/// one did. A decision that failed can be made again. If the caller does not decide again, the
/// lease runs out, and the element comes again. If a receipt is dropped without any decision, for
/// example because `?` returns an error, the element comes again after the
/// [back-off](super::ConsumerBuilder::backoff). Both count as a failed attempt.
///
/// # Redis
///
/// Decisions and [`extend`](Self::extend) share commands: one `EVALSHA` of `lua/conclude.lua` for
/// all that callers of this client decided about deliveries of the queue in the meantime. O(log L),
/// L leases; the payload is not sent.
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
/// - [`Error::Lost`](crate::Error::Lost) if the reply was lost and it is unknown whether the decision
///   was in time. The element comes again if it was not.
/// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
///   [`Error::Refused`](crate::Error::Refused), and [`Error::Closed`](crate::Error::Closed) after
///   [`Client::shutdown`](crate::Client::shutdown): nothing was changed.
///
/// A decision is sent again while its connection is down, for the [retry
/// window](crate::ClientBuilder::retry_window).
///
/// # Cancel safety
///
/// A decision is sent even if its future is dropped after its first poll. The next call waits for
/// its outcome.
#[must_use = "a delivery that is dropped is delivered again"]
pub struct Receipt {
    held: Held,
    /// The key of the trace context, if the client carries contexts.
    trace: Option<String>,
    trial: Trial,
    shared: Arc<Shared>,
    /// Counts it among the deliveries in flight, until the caller has decided.
    permit: Mutex<Option<OwnedSemaphorePermit>>,
    /// Keeps the queue open.
    core: Arc<RawQueue>,
}

impl Receipt {
    /// The most bytes of a reason that are stored.
    const REASON: usize = 1024;

    pub(super) fn new(
        core: Arc<RawQueue>,
        shared: Arc<Shared>,
        held: Held,
        permit: OwnedSemaphorePermit,
        trace: Option<String>,
    ) -> Self {
        Self {
            trace,
            trial: Trial::default(),
            held,
            shared,
            permit: Mutex::new(Some(permit)),
            core,
        }
    }

    /// Acknowledges the element: it leaves Redis.
    pub async fn ack(&self) -> Result<()> {
        self.conclude(Decision::Acknowledge).await?;
        self.end_trace().await;
        Ok(())
    }

    /// Acknowledges many deliveries together, and returns for each, in the same order, the result
    /// of its [`ack`](Self::ack). They may be deliveries or receipts, even of many consumers.
    ///
    /// Use it where one step handles many elements, such as one transaction of a database. Code
    /// that handles them one by one needs no batches: acknowledgements that are made at the same
    /// time share a command anyway.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/conclude.lua` for each 500 deliveries that follow each other and are of the
    /// same consumer. O(M log L): M deliveries, L leases; the payloads are not sent.
    ///
    /// # Errors
    ///
    /// Each delivery has its own result: if some are [`Late`](crate::Error::Late), the others are
    /// acknowledged all the same. If a reply is lost, the command is sent again. Deliveries that
    /// Redis does not have any more are then [`Lost`](crate::Error::Lost).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use futures::StreamExt;
    /// use redisson_delayed_queue::{Consumer, Delivery, Receipt, Result};
    ///
    /// # async fn store(orders: Vec<&String>) -> Result<()> { Ok(()) }
    /// # async fn run(consumer: Consumer<String>) -> Result<()> {
    /// // What is at hand, up to a hundred.
    /// let mut batches = consumer.stream().ready_chunks(100);
    /// while let Some(batch) = batches.next().await {
    ///     let batch: Vec<Delivery<String>> = batch.into_iter().collect::<Result<_>>()?;
    ///     store(batch.iter().map(Delivery::value).collect()).await?;
    ///     for outcome in Receipt::ack_all(&batch).await {
    ///         if let Err(error) = outcome {
    ///             eprintln!("this order may come again: {error}");
    ///         }
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn ack_all<R: AsRef<Self>>(
        deliveries: impl IntoIterator<Item = R>,
    ) -> Vec<Result<()>> {
        let deliveries: Vec<R> = deliveries.into_iter().collect();
        let receipts: Vec<&Self> = deliveries.iter().map(AsRef::as_ref).collect();
        let held: Vec<&Held> = receipts.iter().map(|it| &it.held).collect();
        let concluded = Held::acknowledge_all(&held).await;
        let decided = receipts.iter().zip(concluded);
        let outcomes: Vec<_> = decided
            .map(|(it, concluded)| it.decided(concluded))
            .collect();
        let concluded = receipts.iter().zip(&outcomes).filter(|(_, it)| it.is_ok());
        join_all(concluded.map(|(receipt, _)| receipt.end_trace())).await;
        outcomes
    }

    /// Has the element delivered again, as the next attempt: after a delay, by Redis's clock, or
    /// after the consumer's back-off. If this was the last attempt, the element goes to the [dead
    /// letters](super::ConsumerBuilder::dead_letter).
    ///
    /// It does not go back to the target queue, where others could take it and the attempts would
    /// be forgotten. Until it is due again, it holds up no other element. A `PUBLISH` tells the
    /// consumers of the queue if it is the next retry.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use redisson_delayed_queue::{Delivery, Nack, Result};
    ///
    /// # async fn run(delivery: Delivery<String>) -> Result<()> {
    /// delivery.nack(Duration::from_secs(10)).await?;
    /// // The same, with a reason for the dead letter, or after the back-off.
    /// delivery.nack(Nack::after(Duration::from_secs(10)).because("not in stock")).await?;
    /// delivery.nack(Nack::backoff().because("not in stock")).await?;
    /// # Ok(()) }
    /// ```
    pub async fn nack(&self, nack: impl Into<Nack>) -> Result<()> {
        let (delay, reason) = nack.into().into_parts();
        let delay = delay.unwrap_or_else(|| self.backoff());
        self.conclude(Decision::Retry(delay, cut(reason))).await
    }

    /// Moves the element to the [dead letters](super::ConsumerBuilder::dead_letter) without further
    /// attempts. Redis copies the payload, and stores the first 1,024 bytes of `reason` beside it.
    pub async fn reject(&self, reason: impl Into<String>) -> Result<()> {
        self.conclude(Decision::Bury(cut(reason.into()))).await
    }

    /// Lets the lease last for `length` from now, by Redis's clock. A shorter time than is left
    /// shortens it. There is no longest time.
    ///
    /// After [`Error::Late`](crate::Error::Late), another handler may do what this one still does.
    /// With [`AckMode::Auto`] there is no lease, and this does nothing.
    pub async fn extend(&self, length: Duration) -> Result<()> {
        if self.shared.ack_mode == AckMode::Auto {
            return Ok(());
        }
        let extended = self.held.extend(length).await;
        extended.map_err(|error| error.on_queue(self.queue()))
    }

    /// The id of this delivery: the same in all attempts.
    #[must_use]
    pub fn id(&self) -> DeliveryId {
        DeliveryId::new(self.held.lease().origin())
    }

    /// The number of this attempt, from 1.
    #[must_use]
    pub fn attempt(&self) -> u16 {
        self.held.lease().attempt()
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
        self.held.lease().fence()
    }

    /// When a consumer claimed the element first, by Redis's clock. That is soon after it was due, if
    /// consumers keep up. The target queue holds bare payloads, so nobody knows when it was offered.
    #[must_use]
    pub fn first_claimed(&self) -> SystemTime {
        let origin = self.held.lease().origin();
        time_of(origin.first_claimed_ms() as i64)
    }

    /// Ends the delivery.
    pub(super) async fn conclude(&self, decision: Decision) -> Result<()> {
        let concluded = self.held.conclude(decision).await;
        self.decided(concluded)
    }

    /// The caller has decided, with this result, and works on it no more.
    fn decided(&self, result: Result<()>) -> Result<()> {
        lock(&self.permit).take();
        result.map_err(|error| error.on_queue(self.queue()))
    }

    /// Ends the trace in which the element was offered.
    async fn end_trace(&self) {
        if let Some(key) = &self.trace {
            self.core.end_trace(key).await;
        }
    }

    /// Makes this span a part of the trace in which the element was offered, as far as possible.
    pub(super) async fn continue_trace(&self, handle: &Span) {
        if let Some(key) = &self.trace {
            self.core.continue_trace(handle, key).await;
        }
    }

    /// How long the consumer waits before the next attempt.
    pub(super) fn backoff(&self) -> Duration {
        self.shared.backoff.delay(self.attempt())
    }

    /// The same, or the default back-off if that of the user panics.
    pub(super) fn backoff_or_default(&self) -> Duration {
        let delay = catch_unwind(AssertUnwindSafe(|| self.backoff()));
        delay.unwrap_or_else(|_| Backoff::default().delay(self.attempt()))
    }

    /// True if the next failure makes it a dead letter.
    pub(super) fn is_last_attempt(&self) -> bool {
        self.attempt() >= self.shared.consumption.delivery_limit
    }

    /// Acknowledges the element at its hand-over, if the consumer wants that.
    pub(super) fn hand_over(&mut self) {
        if self.shared.ack_mode == AckMode::Auto {
            self.held.acknowledge();
        }
    }

    /// Extends the lease again and again, until the delivery is ended or dropped.
    pub(super) fn keep(&self) {
        if self.shared.ack_mode != AckMode::Auto {
            self.held.keep();
        }
    }

    /// Says whether the handler has begun.
    pub(super) fn trial(&self) -> &Trial {
        &self.trial
    }

    /// Where the client of the queue reports events.
    #[cfg(feature = "amqp")]
    pub(super) fn reporter(&self) -> Reporter {
        self.core.reporter()
    }

    pub(super) fn meter(&self) -> &Meter {
        self.core.meter()
    }

    pub(super) fn queue(&self) -> &str {
        self.core.name()
    }
}

/// An error that leaves the caller by `?` drops the receipt. Without the back-off, a short outage
/// would use up all attempts. If a handler was dropped before it had begun, the attempt does not
/// count.
impl Drop for Receipt {
    fn drop(&mut self) {
        if self.held.is_undecided() {
            if self.trial.is_ahead() {
                self.held.give_back();
            } else {
                self.held.give_up(self.backoff_or_default());
            }
        }
    }
}

impl AsRef<Self> for Receipt {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// Cuts a reason to the bytes that are stored.
fn cut(mut reason: String) -> String {
    let mut end = Receipt::REASON.min(reason.len());
    while !reason.is_char_boundary(end) {
        end -= 1;
    }
    reason.truncate(end);
    reason
}

impl fmt::Debug for Receipt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receipt")
            .field("queue", &self.core.name())
            .field("id", &self.id())
            .field("attempt", &self.attempt())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_is_cut_between_two_characters() {
        assert_eq!(cut("short".to_owned()), "short");
        assert_eq!(cut("x".repeat(2_000)).len(), 1_024);
        let umlauts = format!("x{}", "\u{fc}".repeat(1_000));
        assert_eq!(cut(umlauts).len(), 1_023);
    }
}
