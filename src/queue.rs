//! The delayed queue as its users see it.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::stream::{self, Stream};

use crate::blocking_queue::BlockingQueue;
use crate::codec::Codec;
use crate::error::{Error, Result};
use crate::intake::Patience;
use crate::raw::RawQueue;
use crate::ticket::Ticket;

/// A queue whose elements become takeable after a delay; Redisson's `RDelayedQueue`, together with
/// the `RBlockingQueue` that it delivers to.
///
/// Clones are cheap and are handles to the same queue. Made by
/// [`Client::delayed_queue`](crate::Client::delayed_queue).
///
/// # Delivery
///
/// Every element is handed to one consumer, in whatever language. [`take`](Self::take) and its
/// siblings deliver at most once after the hand-over, as Redisson does: when the process ends
/// before it has dealt with an element that it was given, the element is gone. Before the hand-over
/// nothing is lost: a future may be dropped, a connection cut or a process killed at any moment. A
/// value is delivered twice only if the process is killed between the hand-over and its
/// confirmation, some 0.1 ms later at rest and a few under load, or is cut off from Redis at that
/// moment for a third of the [lease](crate::ClientBuilder::claim_lease), 10 s.
pub struct DelayedQueue<T> {
    core: Arc<RawQueue>,
    codec: Arc<dyn Codec<T>>,
}

impl<T: 'static> DelayedQueue<T> {
    pub(crate) fn new(core: Arc<RawQueue>, codec: Arc<dyn Codec<T>>) -> Self {
        Self { core, codec }
    }

    /// The name of the queue, which is the key of its target list.
    #[must_use]
    pub fn name(&self) -> &str {
        self.core.keys().target()
    }

    /// The queue that due elements are moved to.
    #[must_use]
    pub fn destination(&self) -> BlockingQueue<T> {
        BlockingQueue::new(Arc::clone(&self.core), Arc::clone(&self.codec))
    }

    /// Schedules `value` to become takeable after `delay`.
    ///
    /// The due time is Redis's clock, rounded up to a millisecond, plus `delay`, rounded up as
    /// well. Values that one client offers to the same millisecond become takeable in offer
    /// order.
    ///
    /// While that can change nothing else the offer is retried, up to the
    /// [retry window](crate::ClientBuilder::retry_window): always while it was certainly not
    /// applied, and after a lost reply if `delay` is longer than the window or
    /// [offers are remembered](crate::ClientBuilder::remember_offers). Two things can undo that,
    /// both on the Java side and both within that window: a Java client that removes or polls
    /// the element can see it come back, and one whose clock is ahead by the delay can deliver
    /// it twice.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/offer.lua`: `ZADD NX`, `RPUSH`, and `PUBLISH` if the value becomes the
    /// head. O(log N).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.offer(e, delay, unit)`: the same keys, layout, order of effects and
    /// message (checked against Redisson 3.21.1 to 4.7.0 by `interop/tests`). The id has 16
    /// bytes where Redisson writes 8, which it reads as well; see
    /// [`MemberIds`](crate::MemberIds).
    ///
    /// # Errors
    ///
    /// - [`Error::Encode`] if the codec refuses `value`; nothing was sent.
    /// - [`Error::DelayTooLong`] if the due time would pass 2^53 ms; nothing was written.
    /// - [`Error::OutcomeUnknown`] if the reply was lost and a retry could deliver the value twice.
    /// - [`Error::Connect`], [`Error::Denied`], [`Error::Refused`], [`Error::WrongType`]: nothing
    ///   was written. A target list of another type does not stop an offer; it shows in
    ///   [`take`](Self::take) and as [`Event::TransferFailed`](crate::Event::TransferFailed).
    ///
    /// # Cancel safety
    ///
    /// Leaves the value stored or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::Error;
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let offered = queue.offer(&"wake up".to_owned(), Duration::from_secs(2)).await;
    /// if let Err(Error::OutcomeUnknown { ticket, .. }) = &offered {
    ///     if queue.cancel(ticket).await? {
    ///         println!("it was scheduled, and is no more: offering it again is safe");
    ///     } else {
    ///         println!("it never arrived, and will not, or it has been delivered");
    ///     }
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn offer(&self, value: &T, delay: Duration) -> Result<Ticket> {
        let payload = self.encode(value)?;
        self.core.offer(&payload, delay).await
    }

    /// Waits for the next element that is due, and takes it.
    ///
    /// Keeps waiting while Redis is unreachable, frozen or restarting. Callers are served in the
    /// order in which they came.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/claim.lua` for all callers that wait when there may be something for
    /// them, an `LLEN` when there was not enough, and a `ZREM` for the elements handed over. While
    /// the queue is empty, nothing but one look per [safety
    /// poll](crate::ClientBuilder::safety_poll).
    ///
    /// # Compatibility
    ///
    /// Competes with `RBlockingQueue.take()` and `poll()` for the same elements, each of which one
    /// of them gets. An element that is claimed and not yet handed over is not in the target
    /// list.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`] if the codec does not understand the payload, which the error carries:
    ///   the element was taken.
    /// - [`Error::Denied`], [`Error::Refused`], [`Error::WrongType`] if Redis refuses to claim;
    ///   nothing was taken. Call again to wait for the cause to pass.
    /// - [`Error::Closed`] after [`Client::shutdown`](crate::Client::shutdown).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped. A future that is kept and not polled keeps its
    /// place in the line, and may keep an element from others for two thirds of a
    /// [lease](crate::ClientBuilder::claim_lease).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// loop {
    ///     println!("{}", queue.take().await?);
    /// }
    /// # }
    /// ```
    pub async fn take(&self) -> Result<T> {
        loop {
            // Never `None` without a limit to the wait.
            if let Some(payload) = self.core.take(Patience::Forever).await? {
                return self.decode(payload);
            }
        }
    }

    /// Waits up to `timeout` for an element that is due, and takes it; nothing if none came.
    ///
    /// The timeout counts to the millisecond, where Redisson cuts it to whole seconds. A timeout of
    /// zero asks Redis once, as [`try_take`](Self::try_take).
    ///
    /// # Redis
    ///
    /// As [`take`](Self::take).
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take); and [`Error::Connect`] or [`Error::Lost`] if Redis cannot be
    /// reached when the time is up. Nothing was taken.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn poll(&self, timeout: Duration) -> Result<Option<T>> {
        let patience = match Instant::now().checked_add(timeout) {
            _ if timeout.is_zero() => Patience::Once,
            Some(deadline) => Patience::Until(deadline),
            None => Patience::Forever,
        };
        let payload = self.core.take(patience).await?;
        payload.map(|payload| self.decode(payload)).transpose()
    }

    /// Takes an element if one has been moved to the target queue; nothing otherwise.
    ///
    /// Callers that wait already come first.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/claim.lua`, or none if this process holds an element nobody waits for.
    ///
    /// # Errors
    ///
    /// As [`poll`](Self::poll).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn try_take(&self) -> Result<Option<T>> {
        self.poll(Duration::ZERO).await
    }

    /// The elements as they become due, without end.
    ///
    /// An error does not end the stream, except [`Error::Closed`], which is its last item.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped between two items, or while waiting for one.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use futures::StreamExt;
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) {
    /// let mut values = queue.stream();
    /// while let Some(value) = values.next().await {
    ///     println!("{value:?}");
    /// }
    /// # }
    /// ```
    pub fn stream(&self) -> impl Stream<Item = Result<T>> + Send + Unpin + use<T>
    where
        T: Send,
    {
        let stream = stream::unfold(Some(self.clone()), |queue| async move {
            let queue = queue?;
            let taken = queue.take().await;
            let rest = (!matches!(taken, Err(Error::Closed))).then_some(queue);
            Some((taken, rest))
        });
        // Boxed, so that callers need not pin it.
        Box::pin(stream)
    }

    /// Removes the element that `ticket` names; false if it had been moved or removed already.
    ///
    /// After an [`Error::OutcomeUnknown`] this settles the matter: an attempt of the offer that is
    /// still on its way writes nothing any more.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/remove.lua`: `ZREM`, `LREM` from the newest element on, and the id in
    /// `rdq1_settled:{name}` for 61 s. O(log N + D): D elements were offered later; O(log N) if it
    /// had been moved.
    ///
    /// # Compatibility
    ///
    /// Leaves the same as `RDelayedQueue.remove(o)`, which searches by value. No message is
    /// published: a Java client wakes early and sleeps again.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`] if the reply was lost. Calling again is safe; false may then mean that the
    ///   first call removed it.
    /// - [`Error::Connect`], [`Error::Denied`], [`Error::Refused`], [`Error::WrongType`]: nothing
    ///   was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the element removed or not.
    pub async fn cancel(&self, ticket: &Ticket) -> Result<bool> {
        self.core.cancel(ticket).await
    }

    /// Removes the oldest element that is not yet due and equals `value`; false if there is none.
    ///
    /// Equal means that the codec writes the same bytes, as in Redisson.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/find.lua` for each 1,000 elements scheduled, and one of
    /// `lua/remove.lua`. [`cancel`](Self::cancel) needs no search.
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.remove(o)`, which blocks Redis for the whole search.
    ///
    /// # Errors
    ///
    /// As [`cancel`](Self::cancel), and [`Error::Encode`].
    ///
    /// # Cancel safety
    ///
    /// Leaves the element removed or not.
    pub async fn remove(&self, value: &T) -> Result<bool> {
        self.core.remove(&self.encode(value)?).await
    }

    /// Whether an element that is not yet due equals `value`.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/find.lua` for each 1,000 elements scheduled, from the newest on, until
    /// one is found.
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.contains(o)`: by the bytes that the codec writes.
    ///
    /// # Errors
    ///
    /// Nothing is changed by any: [`Error::Encode`], or what keeps Redis from answering.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn contains(&self, value: &T) -> Result<bool> {
        self.core.contains(&self.encode(value)?).await
    }

    /// How many elements are scheduled and not yet moved.
    ///
    /// # Redis
    ///
    /// `LLEN` of the ordering list, as `RDelayedQueue.size()`. O(1).
    ///
    /// # Errors
    ///
    /// What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn len(&self) -> Result<usize> {
        self.core.len().await
    }

    /// Whether no element is scheduled; see [`len`](Self::len).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// All elements that are not yet moved, in offer order.
    ///
    /// An element that is there throughout the call is in the result once. One that comes or goes
    /// meanwhile may be in it or not.
    ///
    /// # Redis
    ///
    /// One `LRANGE` of the ordering list for each 1,000 elements.
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.readAll()`, which reads everything in one script. An entry that is no
    /// packed member, on which that fails, is left out.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`] if the codec does not understand an element, which stays in the queue.
    /// - What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn read_all(&self) -> Result<Vec<T>> {
        let payloads = self.core.read_all().await?;
        payloads.into_iter().map(|it| self.decode(it)).collect()
    }

    /// The element that was offered first, which need not be the next to become due.
    ///
    /// # Redis
    ///
    /// `LRANGE 0 0` of the ordering list, as `RDelayedQueue.peek()`. O(1).
    ///
    /// # Errors
    ///
    /// As [`read_all`](Self::read_all).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn peek(&self) -> Result<Option<T>> {
        let payload = self.core.peek().await?;
        payload.map(|it| self.decode(it)).transpose()
    }

    /// Deletes all elements that are not yet due.
    ///
    /// Elements that have been moved stay in the target queue, and quarantined members in
    /// quarantine. An offer whose call has not returned yet may come before or after.
    ///
    /// # Redis
    ///
    /// `DEL` of the timeout set and the ordering list, as `RDelayedQueue.clear()`. O(N).
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`] if the reply was lost throughout the retry window; calling again is safe.
    /// - What keeps Redis from answering; nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the queue cleared or not.
    pub async fn clear(&self) -> Result<()> {
        self.core.clear().await
    }

    fn encode(&self, value: &T) -> Result<Bytes> {
        self.codec
            .encode(value)
            .map_err(|source| Error::Encode { source })
    }

    fn decode(&self, payload: Bytes) -> Result<T> {
        self.codec
            .decode(payload.clone())
            .map_err(|source| Error::Decode { payload, source })
    }
}

impl<T: 'static> Clone for DelayedQueue<T> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.core), Arc::clone(&self.codec))
    }
}

impl<T: 'static> fmt::Debug for DelayedQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DelayedQueue")
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}
