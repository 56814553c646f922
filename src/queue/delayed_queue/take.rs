//! Taking what is due.

use std::time::Duration;

use futures::stream::Stream;

use super::DelayedQueue;
use crate::end::End;
use crate::error::Result;
use crate::queue::taker::Taker;

/// Taking what is due.
impl<T: 'static> DelayedQueue<T> {
    /// Waits for the next element that is due, and takes it.
    ///
    /// Keeps waiting while Redis is unreachable, frozen or restarting. Callers are served in the
    /// order in which they came.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/claim.lua` for all callers that wait when there may be something for
    /// them, and an `LLEN` when there was not enough. The hand-over sends one `EVALSHA` of
    /// `lua/end_leases.lua`, which ends the leases of all elements handed over by then: O(M + log L)
    /// as a rule, M ended and L leases. While the queue is empty, nothing but one look per [safety
    /// poll](crate::ClientBuilder::safety_poll).
    ///
    /// A payload of more than 1 MiB does not come with its claim. One `EVALSHA` of
    /// `lua/fetch_lease.lua` fetches it, on the socket for [large payloads](crate::MAX_PAYLOAD).
    /// Smaller elements that follow it in the queue may be handed over before it.
    ///
    /// For callers that come back within two round trips, as a loop that does little else, as much
    /// is claimed ahead as they ask for in that time, 500 elements at the most. What they leave
    /// goes back to its place in the queue after 20 ms, and until then no other client can have it.
    /// Nothing is claimed ahead while the rate is limited, or once this client takes from the last
    /// end, too.
    ///
    /// Of many clients that wait, one moves what is due, with one `EVALSHA` of `lua/transfer.lua`,
    /// claims as much as its own callers wait for, and calls others for the rest. The others have
    /// said that callers wait there: they `PUBLISH` that when a claim finds nothing after a call.
    /// An element that Java or anybody else pushes wakes all of them, some milliseconds later.
    ///
    /// # Compatibility
    ///
    /// Competes with `RBlockingQueue.take()` and `poll()` for the same elements, each of which one
    /// of them gets. An element that is claimed and not yet handed over is not in the target
    /// list.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand the payload,
    ///   which the error carries: the element was taken.
    /// - [`Error::Denied`](crate::Error::Denied), [`Error::Refused`](crate::Error::Refused),
    ///   [`Error::WrongType`](crate::Error::WrongType) if Redis refuses to claim; nothing was
    ///   taken. Call again to wait for the cause to pass.
    /// - [`Error::Closed`](crate::Error::Closed) after
    ///   [`Client::shutdown`](crate::Client::shutdown).
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
        self.taker().take().await
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
    /// # Compatibility
    ///
    /// As `RBlockingQueue.poll(timeout, unit)` of the target queue, but to the millisecond.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take); and [`Error::Connect`](crate::Error::Connect) or
    /// [`Error::Lost`](crate::Error::Lost) if the client knows when the time is up that it cannot
    /// reach Redis. Nothing was taken.
    ///
    /// A frozen server or a broken network shows after the
    /// [response timeout](crate::ClientBuilder::response_timeout), and to a client that only waits
    /// not before it [looks](crate::ClientBuilder::safety_poll). Until then a timeout ends in
    /// `None`. A timeout of zero always waits for an answer.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn poll(&self, timeout: Duration) -> Result<Option<T>> {
        self.taker().poll(timeout).await
    }

    /// Takes an element if one has been moved to the target queue; nothing otherwise.
    ///
    /// Callers that wait already come first.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/claim.lua`, or none if this process holds an element nobody waits for;
    /// more while others of this process get all that one brings.
    ///
    /// # Compatibility
    ///
    /// As `RBlockingQueue.poll()` of the target queue.
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

    /// Waits up to `wait` for an element that is due, and takes it with those that have been moved
    /// to the target queue by then, up to `max`; nothing if none came.
    ///
    /// Takes up to 500 elements, or some 256 KiB. For callers that come back at once, as a loop
    /// that does little else, as much is claimed ahead; see [`take`](Self::take). A `wait` of zero
    /// is [`poll_many`](Self::poll_many).
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/claim.lua` and one of `lua/end_leases.lua` for all of them. A claim
    /// that brings as much ahead serves two calls. A payload of more than 1 MiB is fetched by itself,
    /// as in [`take`](Self::take), and can come in a later batch than smaller elements behind it.
    ///
    /// # Compatibility
    ///
    /// As `RBlockingDeque.pollFirst(duration, count)`, which loses the whole batch with its reply.
    ///
    /// # Errors
    ///
    /// As [`poll`](Self::poll). The batch ends before an element that the codec does not
    /// understand, which stays for the next call. If it comes first,
    /// [`Error::Decode`](crate::Error::Decode) has it, and nothing else was taken.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// loop {
    ///     let values = queue.take_many(100, Duration::from_secs(5)).await?;
    ///     println!("{} at once", values.len());
    /// }
    /// # }
    /// ```
    pub async fn take_many(&self, max: usize, wait: Duration) -> Result<Vec<T>> {
        self.taker().take_many(max, wait).await
    }

    /// Takes what has been moved to the target queue, up to `max`, without waiting: what was
    /// claimed ahead, if anything was, and what one claim brings, up to 500 elements or some 256
    /// KiB.
    ///
    /// # Redis
    ///
    /// As [`take_many`](Self::take_many).
    ///
    /// # Compatibility
    ///
    /// As `RBlockingQueue.poll(limit)` of the target queue, but of bounded size.
    ///
    /// # Errors
    ///
    /// As [`take_many`](Self::take_many).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn poll_many(&self, max: usize) -> Result<Vec<T>> {
        self.taker().drain(max, 1).await
    }

    /// Takes all that has been moved to the target queue, up to `max`, with as many claims as that
    /// needs; see [`BlockingQueue::drain_to`](crate::BlockingQueue::drain_to).
    ///
    /// # Redis
    ///
    /// As [`take_many`](Self::take_many), for each 500 elements or 256 KiB.
    ///
    /// # Compatibility
    ///
    /// As `RBlockingQueue.drainTo(c, max)` of the target queue, whose retry after a lost reply
    /// loses the first batch.
    ///
    /// # Errors
    ///
    /// As [`take_many`](Self::take_many).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn drain_to(&self, max: usize) -> Result<Vec<T>> {
        self.taker().drain(max, usize::MAX).await
    }

    /// The elements as they become due, without end.
    ///
    /// An error does not end the stream, except [`Error::Closed`](crate::Error::Closed), which is
    /// its last item.
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
        self.destination().stream()
    }

    fn taker(&self) -> Taker<'_, T> {
        Taker {
            core: &self.core,
            codec: &*self.codec,
            end: End::First,
        }
    }
}
