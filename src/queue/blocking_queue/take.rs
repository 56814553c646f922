//! Taking from the head of the queue.

use std::time::Duration;

use super::BlockingQueue;
use crate::error::Result;
use crate::queue::taker::Taker;
use crate::side::Side;

/// Taking from the head of the queue.
impl<T: 'static> BlockingQueue<T> {
    /// Waits for the next element, and takes it.
    ///
    /// The same as [`DelayedQueue::take`](crate::DelayedQueue::take), and callers of both stand in
    /// one line. If the client has no delayed queue of this name, Redis tells it of new elements,
    /// and it looks once a [safety poll](crate::ClientBuilder::safety_poll) while a caller waits.
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
        self.taker(Side::First).take().await
    }

    /// Waits up to `timeout` for an element, and takes it; `None` if none came.
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
        self.taker(Side::First).poll(timeout).await
    }

    /// Takes the first element if there is one; `None` otherwise.
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

    /// Waits up to `wait` for an element, and takes it together with the other elements that are
    /// there by then, up to `max`; an empty list if none came.
    ///
    /// As [`DelayedQueue::take_many`](crate::DelayedQueue::take_many): at most 500 elements, or some
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
    /// understand, which stays for the next call. If that element comes first, the call returns it in
    /// an [`Error::Decode`](crate::Error::Decode), and takes nothing else.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn take_many(&self, max: usize, wait: Duration) -> Result<Vec<T>> {
        self.taker(Side::First).take_many(max, wait).await
    }

    /// Takes the elements that are there, up to `max`, without waiting. It takes what one claim
    /// brings: at most 500 elements, or some 256 KiB.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::take_many`](crate::DelayedQueue::take_many).
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
        self.taker(Side::First).drain(max, 1).await
    }

    /// Takes all elements that are there, up to `max`, without waiting, and with as many claims as
    /// that needs.
    ///
    /// If a claim fails, it returns the elements that it has by then. Elements stay leased until the
    /// call returns. If it lasts longer than two thirds of a
    /// [lease](crate::ClientBuilder::claim_lease), it leaves the elements that it claimed first to
    /// others.
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
        self.taker(Side::First).drain(max, usize::MAX).await
    }

    pub(crate) fn taker(&self, side: Side) -> Taker<'_, T> {
        Taker {
            core: &self.core,
            codec: &*self.codec,
            side,
        }
    }
}
