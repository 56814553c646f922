//! A delivery without its value.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::OwnedSemaphorePermit;
use tracing::Span;

use super::trial::Trial;
use super::{AckMode, Backoff, Shared};
use crate::delivery::intake::Held;
use crate::delivery_id::DeliveryId;
use crate::error::{Error, Result};
#[cfg(feature = "amqp")]
use crate::event::Reporter;
use crate::metric::Meter;
use crate::queue::raw::RawQueue;
use crate::wire::script::Decision;

/// A [`Delivery`](super::Delivery) without its value: to acknowledge it, or to have it delivered
/// again. Its methods are those of the delivery.
///
/// Made by [`Delivery::into_parts`](super::Delivery::into_parts). If it is dropped, the element
/// comes again after the [back-off](super::ConsumerBuilder::backoff), and the attempt counts.
#[must_use = "a delivery that is dropped is delivered again"]
pub struct Receipt {
    /// None once it is acknowledged.
    held: Option<Held>,
    id: DeliveryId,
    attempt: u16,
    fence: Option<u64>,
    first_claimed_ms: u64,
    /// The key of the trace context, if the client carries contexts.
    trace: Option<String>,
    trial: Trial,
    shared: Arc<Shared>,
    /// Counts it among the deliveries in flight.
    _permit: OwnedSemaphorePermit,
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
            id: DeliveryId::new(held.origin()),
            attempt: held.attempt(),
            fence: held.fence(),
            first_claimed_ms: held.first_claimed_ms(),
            held: Some(held),
            shared,
            _permit: permit,
            core,
        }
    }

    /// As [`Delivery::ack`](super::Delivery::ack).
    pub async fn ack(mut self) -> Result<()> {
        self.acknowledge().await
    }

    /// Acknowledges many deliveries together, and returns for each, in the same order, the result
    /// of its [`Delivery::ack`](super::Delivery::ack). They may be deliveries or receipts, also of
    /// many consumers.
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
    ///     for outcome in Receipt::ack_all(batch).await {
    ///         if let Err(error) = outcome {
    ///             eprintln!("this order may come again: {error}");
    ///         }
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn ack_all<R: Into<Self>>(
        deliveries: impl IntoIterator<Item = R>,
    ) -> Vec<Result<()>> {
        let mut receipts: Vec<Self> = deliveries.into_iter().map(Into::into).collect();
        let held: Vec<Option<Held>> = receipts.iter_mut().map(|it| it.held.take()).collect();
        let is_open: Vec<bool> = held.iter().map(Option::is_some).collect();
        let mut concluded = Held::acknowledge_all(held.into_iter().flatten().collect())
            .await
            .into_iter();
        let mut outcomes = Vec::with_capacity(receipts.len());
        for (receipt, is_open) in receipts.iter().zip(is_open) {
            let outcome = match is_open {
                true => concluded.next().unwrap_or(Err(Error::Closed)),
                // It was acknowledged at its hand-over.
                false => Ok(()),
            };
            outcomes.push(outcome.map_err(|error| error.on_queue(receipt.queue())));
        }
        outcomes
    }

    /// As [`Delivery::nack`](super::Delivery::nack).
    pub async fn nack(self, delay: Duration) -> Result<()> {
        self.nack_because(delay, "it was not acknowledged").await
    }

    /// As [`Delivery::nack_because`](super::Delivery::nack_because).
    pub async fn nack_because(mut self, delay: Duration, reason: impl Into<String>) -> Result<()> {
        let decision = Decision::Retry(delay, cut(reason.into()));
        self.conclude(decision).await
    }

    /// As [`Delivery::retry`](super::Delivery::retry).
    pub async fn retry(self) -> Result<()> {
        let delay = self.backoff();
        self.nack(delay).await
    }

    /// As [`Delivery::retry_because`](super::Delivery::retry_because).
    pub async fn retry_because(self, reason: impl Into<String>) -> Result<()> {
        let delay = self.backoff();
        self.nack_because(delay, reason).await
    }

    /// As [`Delivery::reject`](super::Delivery::reject).
    pub async fn reject(mut self, reason: impl Into<String>) -> Result<()> {
        self.conclude(Decision::Bury(cut(reason.into()))).await
    }

    /// As [`Delivery::extend`](super::Delivery::extend).
    pub async fn extend(&self, length: Duration) -> Result<()> {
        match &self.held {
            Some(held) => held
                .extend(length)
                .await
                .map_err(|it| it.on_queue(self.core.name())),
            None => Ok(()),
        }
    }

    /// As [`Delivery::id`](super::Delivery::id).
    #[must_use]
    pub fn id(&self) -> DeliveryId {
        self.id
    }

    /// As [`Delivery::attempt`](super::Delivery::attempt).
    #[must_use]
    pub fn attempt(&self) -> u16 {
        self.attempt
    }

    /// As [`Delivery::fence`](super::Delivery::fence).
    #[must_use]
    pub fn fence(&self) -> Option<u64> {
        self.fence
    }

    /// As [`Delivery::first_claimed`](super::Delivery::first_claimed).
    #[must_use]
    pub fn first_claimed(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.first_claimed_ms)
    }

    /// Ends the delivery. Later calls do nothing.
    pub(super) async fn conclude(&mut self, decision: Decision) -> Result<()> {
        match self.held.take() {
            Some(held) => {
                let concluded = held.conclude(decision).await;
                concluded.map_err(|error| error.on_queue(self.core.name()))
            }
            None => Ok(()),
        }
    }

    /// Makes this span a part of the trace in which the element was offered, as far as possible.
    pub(super) async fn continue_trace(&self, handle: &Span) {
        if let Some(key) = &self.trace {
            self.core.continue_trace(handle, key).await;
        }
    }

    /// Acknowledges the element, and ends the trace after that.
    pub(super) async fn acknowledge(&mut self) -> Result<()> {
        self.conclude(Decision::Acknowledge).await?;
        if let Some(key) = self.trace.take() {
            self.core.end_trace(&key).await;
        }
        Ok(())
    }

    /// How long the consumer waits before the next attempt.
    pub(super) fn backoff(&self) -> Duration {
        self.shared.backoff.delay(self.attempt)
    }

    /// The same, or the default back-off if that of the user panics.
    pub(super) fn backoff_or_default(&self) -> Duration {
        let delay = catch_unwind(AssertUnwindSafe(|| self.backoff()));
        delay.unwrap_or_else(|_| Backoff::default().delay(self.attempt))
    }

    /// True if the next failure makes it a dead letter.
    pub(super) fn is_last_attempt(&self) -> bool {
        self.attempt >= self.shared.consumption.delivery_limit
    }

    /// Acknowledges the element at its hand-over, if the consumer wants that.
    pub(super) fn hand_over(&mut self) {
        if self.shared.ack_mode == AckMode::Auto
            && let Some(held) = self.held.take()
        {
            held.acknowledge();
        }
    }

    /// Extends the lease again and again, until the delivery is ended or dropped.
    pub(super) fn keep(&self) {
        if let Some(held) = &self.held {
            held.keep();
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
        let Some(held) = self.held.take() else {
            return;
        };
        if self.trial.is_ahead() {
            held.give_back();
        } else {
            held.give_up(self.backoff_or_default());
        }
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
            .field("id", &self.id)
            .field("attempt", &self.attempt)
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
