//! Consuming with acknowledgement.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout_at;

use crate::codec;
use crate::delivery::intake::{Intake, Patience};
use crate::error::{Error, Result};
use crate::queue::stream::QueueStream;
use crate::queue::typed::Typed;
use crate::trace;
use crate::wire::script::Consumption;

mod backoff;
mod builder;
mod dead_letters;
mod delivery;
mod handler;
mod handling;
mod nack;
mod processing;
mod receipt;
mod router;
mod run;
#[cfg(feature = "tower")]
mod service;
mod trial;
mod workers;

pub use backoff::Backoff;
pub use builder::{AckMode, ConsumerBuilder};
pub use dead_letters::{DeadLetter, DeadLetters};
pub use delivery::Delivery;
pub use handler::{DeliveryInfo, HandlerError};
pub use nack::Nack;
pub use processing::Processing;
pub use receipt::Receipt;
pub use router::Router;
pub use run::Run;
#[cfg(feature = "tower")]
pub use service::Request;
pub use workers::Workers;

/// Takes elements that stay in Redis until they are acknowledged: at-least-once delivery from a
/// queue that Java writes.
///
/// Made by [`DelayedQueue::consumer`](crate::DelayedQueue::consumer). Clones are cheap and consume
/// together: they share the settings, the connection and the limit of deliveries in flight.
/// [`recv`](Self::recv) says what waiting for elements costs Redis, and which errors it has;
/// [`poll`](Self::poll), [`stream`](Self::stream) and [`run`](Self::run) do the same.
///
/// # Delivery
///
/// A due element is **leased** to one consumer, for the [visibility](ConsumerBuilder::visibility)
/// time. The consumer acknowledges it, and only then does it leave Redis. It comes again, as the next
/// **attempt**, if
///
/// - the consumer says so ([`nack`](Receipt::nack)), or drops it;
/// - the lease runs out: the process was killed, lost Redis, or took longer than the visibility
///   time. [`run`](Self::run) extends the leases of its handlers.
///
/// After the last attempt ([`delivery_limit`](ConsumerBuilder::delivery_limit)) it goes to the
/// [dead-letter queue](ConsumerBuilder::dead_letter), which Java can read. Nothing that happens to a
/// process removes it: it may be killed at any instruction.
///
/// So an element may be handled twice, mostly because its handler is slower than its lease, or
/// because the process ends after the handler and before the acknowledgement. The guide
/// [`consumers`](crate::guide::consumers) has all reasons. Make handlers idempotent. A consumer whose
/// lease ran out learns that from [`Error::Late`], and has changed nothing.
///
/// Elements come in the order of the target queue; those that wait for another attempt come first
/// when they are due, and hold up nobody before that. [`Processing`] can make them come one at a time,
/// or one at a time for each key.
///
/// # Who else may take
///
/// Java consumers and [`take`](crate::DelayedQueue::take) may work on the same queue. Each element
/// goes to one of them: to a consumer, which acknowledges it, or to somebody who takes it for good.
/// No consumer puts an element that a caller has had back into the target queue, since Java would
/// not count the attempts. Only a person does, with
/// [`Leases::release_to_target`](crate::Leases::release_to_target), a requeued dead letter or `rdq`.
/// One that was leased for the first time, and that no caller got, goes back there.
///
/// # Compatibility
///
/// Redisson has this in PRO only, in keys of its own: `RReliableQueue`.
///
/// # Cancel safety
///
/// Cancel safe: an element that was leased goes to the next caller or back to the queue, and the
/// attempt does not count. This also holds for a stream that is dropped between two items. [`Run`]
/// says what happens when it is dropped.
///
/// # Examples
///
/// ```no_run
/// use std::time::Duration;
/// use redisson_delayed_queue::{DelayedQueue, Result};
///
/// # async fn charge(order: &str) -> std::result::Result<(), std::io::Error> { Ok(()) }
/// # async fn run(orders: DelayedQueue<String>) -> Result<()> {
/// let consumer = orders.consumer().delivery_limit(5).build()?;
/// loop {
///     let delivery = consumer.recv().await?;
///     match charge(delivery.value()).await {
///         Ok(()) => delivery.ack().await?,
///         Err(_) => delivery.nack(Duration::from_secs(10)).await?,
///     }
/// }
/// # }
/// ```
pub struct Consumer<T> {
    core: Typed<T>,
    shared: Arc<Shared>,
}

/// What the clones of a consumer and their deliveries share.
#[derive(Debug)]
struct Shared {
    intake: Arc<Intake>,
    /// One permit for each delivery that may be in flight.
    in_flight: Arc<Semaphore>,
    ack_mode: AckMode,
    backoff: Backoff,
    consumption: Arc<Consumption>,
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.intake.close();
    }
}

impl<T: 'static> Consumer<T> {
    /// Waits for the next due element, and leases it.
    ///
    /// Keeps waiting while Redis is unreachable, frozen or restarting, and while as many deliveries
    /// are in flight as [`max_in_flight`](ConsumerBuilder::max_in_flight) allows. Callers are served
    /// in the order in which they came.
    ///
    /// # Redis
    ///
    /// When elements may have come, one `EVALSHA` of `lua/consume.lua` leases them for all waiting
    /// callers together, and an `LLEN` follows if there were not enough. O(M log L), M leased and L
    /// leases. While nothing comes, one `EVALSHA` of it, `CLIENT CACHING` and `LLEN` for each
    /// [safety poll](crate::ClientBuilder::safety_poll). Otherwise as
    /// [`take`](crate::DelayedQueue::take): large payloads, claims ahead, several clients.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`] if the codec does not understand the payload, which the error carries.
    ///   The element is in the [dead-letter queue](ConsumerBuilder::dead_letter), or comes again if it
    ///   could not be moved there.
    /// - [`Error::Denied`], [`Error::Refused`], [`Error::WrongType`] if Redis refuses to lease;
    ///   nothing was changed. Call again to wait for the cause to pass.
    /// - [`Error::Closed`] after [`Client::shutdown`](crate::Client::shutdown).
    pub async fn recv(&self) -> Result<Delivery<T>> {
        Patience::forever(|patience| self.next(patience)).await
    }

    /// Waits up to `timeout` for a due element, and leases it as [`recv`](Self::recv) does; `None`
    /// if none came. A timeout of zero asks Redis once.
    ///
    /// If Redis could not be reached until the end, the error is [`Error::Connect`] or
    /// [`Error::Lost`].
    pub async fn poll(&self, timeout: Duration) -> Result<Option<Delivery<T>>> {
        self.next(Patience::of(timeout)).await
    }

    /// The deliveries as they come, without end: each item is a [`recv`](Self::recv).
    pub fn stream(&self) -> QueueStream<Delivery<T>>
    where
        T: Send,
    {
        QueueStream::until_closed(self.name(), self.clone(), |consumer| async move {
            let received = consumer.recv().await;
            (consumer, received)
        })
    }

    /// Runs `handler` for each element, up to `concurrency` at a time, until the client is shut
    /// down or [`until`](Run::until) is ready. See [`Run`].
    ///
    /// It has no errors: what goes wrong is logged by `tracing`, and the consumer goes on.
    ///
    /// # Redis
    ///
    /// [`recv`](Self::recv) and [`ack`](Receipt::ack) for each element, and
    /// [`extend`](Receipt::extend) every fourth of the visibility time.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{DelayedQueue, DeliveryInfo, HandlerError, Result};
    ///
    /// async fn cancel(order: String, info: DeliveryInfo) -> Result<(), HandlerError> {
    ///     if order.is_empty() {
    ///         return Err(HandlerError::reject("an order without a number"));
    ///     }
    ///     // Any error is retried.
    ///     std::fs::remove_file(order)?;
    ///     Ok(())
    /// }
    ///
    /// # async fn run(
    /// #     orders: DelayedQueue<String>, stop: impl Future<Output = ()> + Send + 'static,
    /// # ) -> Result<()> {
    /// let consumer = orders.consumer().build()?;
    /// consumer.run(8, cancel).timeout(Duration::from_secs(60)).until(stop).await;
    /// # Ok(()) }
    /// ```
    pub fn run<H, F>(&self, concurrency: usize, handler: H) -> Run<T, H>
    where
        H: Fn(T, DeliveryInfo) -> F + Send + Sync + 'static,
        F: Future<Output = Result<(), HandlerError>> + Send + 'static,
    {
        Run::new(self.clone(), concurrency, handler)
    }

    /// The name of the queue.
    #[must_use]
    pub fn name(&self) -> &str {
        self.core.name()
    }

    /// The name of the queue of dead letters.
    #[must_use]
    pub fn dead_letter_name(&self) -> &str {
        self.shared.consumption.dead.name()
    }

    /// The elements that nobody could handle: to look at them, and to offer them again.
    #[must_use]
    pub fn dead_letters(&self) -> DeadLetters<T> {
        let dead = Arc::clone(&self.shared.consumption.dead);
        DeadLetters::new(self.core.clone(), dead)
    }

    async fn next(&self, patience: Patience) -> Result<Option<Delivery<T>>> {
        let count = |it: &Option<_>| usize::from(it.is_some());
        let leased = trace::take(self.name(), self.lease(patience), count).await?;
        Ok(leased.map(|(value, mut receipt)| {
            // No await from here on: nobody else could have the element.
            receipt.hand_over();
            Delivery::new(value, receipt)
        }))
    }

    /// Leases the next element that can be decoded, and does not hand it over yet. Cancel safe.
    async fn lease(&self, patience: Patience) -> Result<Option<(T, Receipt)>> {
        loop {
            let Some((receipt, payload)) = self.lease_payload(patience).await? else {
                return Ok(None);
            };
            let error = match self.read(payload, &receipt) {
                Ok(value) => return Ok(Some((value, receipt))),
                Err(error) => error,
            };
            match receipt.reject(error.to_string()).await {
                // Another consumer has it.
                Err(Error::Late { .. }) => continue,
                Err(rejecting) => {
                    tracing::warn!(queue = self.name(), error = %rejecting, "cannot reject");
                }
                Ok(()) => {}
            }
            return Err(error);
        }
    }

    async fn lease_payload(&self, patience: Patience) -> Result<Option<(Receipt, Bytes)>> {
        let Some(permit) = self.acquire(patience).await? else {
            return Ok(None);
        };
        let delivered = self.shared.intake.deliver(patience).await;
        let delivered = delivered.map_err(|error| error.on_queue(self.name()))?;
        let (core, shared) = (Arc::clone(&self.core.raw), Arc::clone(&self.shared));
        Ok(delivered.map(|(held, payload)| {
            let trace = core.trace_key(&payload);
            let receipt = Receipt::new(core, shared, held, permit, trace);
            (receipt, payload)
        }))
    }

    /// Decodes a payload. Fails also if its delivery needs a group and has none.
    fn read(&self, payload: Bytes, receipt: &Receipt) -> Result<T> {
        let value = self.core.decode(payload.clone())?;
        if self.shared.consumption.is_grouped() && receipt.fence().is_none() {
            // The function that computes keys panicked.
            let reason = codec::Error::new("no key can be computed from the value");
            let payload = payload.into();
            return Err(Error::Decode { payload, reason });
        }
        Ok(value)
    }

    /// Waits until one more delivery may be in flight. None when the caller's patience ends first.
    async fn acquire(&self, patience: Patience) -> Result<Option<OwnedSemaphorePermit>> {
        let in_flight = Arc::clone(&self.shared.in_flight);
        let acquired = match patience {
            Patience::Forever => Some(in_flight.acquire_owned().await),
            Patience::Known | Patience::Once => in_flight.try_acquire_owned().ok().map(Ok),
            Patience::Until(deadline) => timeout_at(deadline, in_flight.acquire_owned()).await.ok(),
        };
        // Nobody closes the semaphore.
        acquired.transpose().map_err(|_| Error::Closed)
    }
}

impl<T> Clone for Consumer<T> {
    fn clone(&self) -> Self {
        Self {
            core: self.core.clone(),
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T> fmt::Debug for Consumer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer")
            .field("name", &self.core.name())
            .finish_non_exhaustive()
    }
}
