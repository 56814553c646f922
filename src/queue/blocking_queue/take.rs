//! Taking from the head of the queue.

use std::time::Duration;

use futures::stream::Stream;

use super::BlockingQueue;
use crate::end::End;
use crate::error::Result;
use crate::queue::taker::{Taker, until_closed};

/// Taking from the head of the queue.
impl<T: 'static> BlockingQueue<T> {
    /// Waits for the next element, and takes it.
    ///
    /// All of this is as in [`DelayedQueue::take`](crate::DelayedQueue::take), with which it
    /// competes on equal terms. A client that has no delayed queue of this name learns of new
    /// elements from Redis, and looks once a [safety poll](crate::ClientBuilder::safety_poll) while
    /// a caller waits.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::take`](crate::DelayedQueue::take).
    ///
    /// # Compatibility
    ///
    /// As `RBlockingQueue.take()` and `RBlockingDeque.takeFirst()`.
    ///
    /// # Errors
    ///
    /// As [`DelayedQueue::take`](crate::DelayedQueue::take).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn take(&self) -> Result<T> {
        self.taker(End::First).take().await
    }

    /// Waits up to `timeout` for an element, and takes it; nothing if none came.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::poll`](crate::DelayedQueue::poll).
    ///
    /// # Compatibility
    ///
    /// As `RBlockingQueue.poll(timeout, unit)` and `RBlockingDeque.pollFirst(timeout, unit)`, but
    /// to the millisecond: Redisson cuts the timeout to whole seconds.
    ///
    /// # Errors
    ///
    /// As [`DelayedQueue::poll`](crate::DelayedQueue::poll).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn poll(&self, timeout: Duration) -> Result<Option<T>> {
        self.taker(End::First).poll(timeout).await
    }

    /// Takes the first element if there is one; nothing otherwise.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::try_take`](crate::DelayedQueue::try_take).
    ///
    /// # Compatibility
    ///
    /// As `RQueue.poll()` and `RDeque.pollFirst()`.
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

    /// Waits up to `wait` for an element, and takes it with those that are there by then, up to
    /// `max`; nothing if none came.
    ///
    /// As [`DelayedQueue::take_many`](crate::DelayedQueue::take_many): up to 500 elements, or some
    /// 256 KiB.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::take_many`](crate::DelayedQueue::take_many).
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
    pub async fn take_many(&self, max: usize, wait: Duration) -> Result<Vec<T>> {
        self.taker(End::First).take_many(max, wait).await
    }

    /// Takes what is there, up to `max`, without waiting: what one claim brings, up to 500 elements
    /// or some 256 KiB.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::poll_many`](crate::DelayedQueue::poll_many).
    ///
    /// # Compatibility
    ///
    /// As `RQueue.poll(limit)`.
    ///
    /// # Errors
    ///
    /// As [`take_many`](Self::take_many).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn poll_many(&self, max: usize) -> Result<Vec<T>> {
        self.taker(End::First).drain(max, 1).await
    }

    /// Takes all that is there, up to `max`, with as many claims as that needs.
    ///
    /// Ends early when a claim fails, with what it has by then. What waits in memory while this
    /// goes on stays leased: a call that lasts for two thirds of a
    /// [lease](crate::ClientBuilder::claim_lease) leaves to others what it claimed first.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/claim.lua` and one of `lua/end_leases.lua` for each 500 elements or 256
    /// KiB. A payload of more than 1 MiB ends its claim and is fetched by itself.
    ///
    /// # Compatibility
    ///
    /// As `RBlockingQueue.drainTo(collection, max)`, which loses the whole batch with its reply.
    ///
    /// # Errors
    ///
    /// As [`take_many`](Self::take_many).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn drain_to(&self, max: usize) -> Result<Vec<T>> {
        self.taker(End::First).drain(max, usize::MAX).await
    }

    /// The elements as they come, without end.
    ///
    /// An error does not end the stream, except [`Error::Closed`](crate::Error::Closed), which is
    /// its last item.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped between two items, or while waiting for one.
    pub fn stream(&self) -> impl Stream<Item = Result<T>> + Send + Unpin + use<T>
    where
        T: Send,
    {
        until_closed(self.clone(), |queue| async move {
            let taken = queue.take().await;
            (queue, taken)
        })
    }

    pub(crate) fn taker(&self, end: End) -> Taker<'_, T> {
        Taker {
            core: &self.core,
            codec: &*self.codec,
            end,
        }
    }
}
