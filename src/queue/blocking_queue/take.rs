use std::time::Duration;

use super::BlockingQueue;
use crate::error::Result;
use crate::queue::stream::QueueStream;
use crate::side::Side;

/// Taking from the head of the queue.
impl<T: 'static> BlockingQueue<T> {
    /// Waits for the next element, and takes it, as
    /// [`DelayedQueue::take`](crate::DelayedQueue::take) does; the callers of both stand in one
    /// line.
    ///
    /// If the client has no delayed queue of this name, Redis tells it of new elements, and it
    /// looks once a [safety poll](crate::ClientBuilder::safety_poll) while a caller waits.
    pub async fn take(&self) -> Result<T> {
        self.core.take_value(Side::First).await
    }

    /// Waits up to `timeout` for an element, and takes it, as
    /// [`DelayedQueue::poll`](crate::DelayedQueue::poll) does; `None` if none came.
    pub async fn poll(&self, timeout: Duration) -> Result<Option<T>> {
        self.core.poll_value(Side::First, timeout).await
    }

    /// Takes the first element if there is one, as
    /// [`DelayedQueue::try_take`](crate::DelayedQueue::try_take) does; `None` otherwise.
    pub async fn try_take(&self) -> Result<Option<T>> {
        self.poll(Duration::ZERO).await
    }

    /// Waits up to `wait` for an element, and takes it together with the other elements that are
    /// there by then, up to `max`, as [`DelayedQueue::take_many`](crate::DelayedQueue::take_many)
    /// does; an empty list if none came.
    pub async fn take_many(&self, max: usize, wait: Duration) -> Result<Vec<T>> {
        self.core.take_values(Side::First, max, wait).await
    }

    /// Takes the elements that are there, up to `max`, without waiting. It takes what one claim
    /// brings: at most 500 elements, or some 256 KiB.
    ///
    /// Otherwise as [`take_many`](Self::take_many).
    pub async fn poll_many(&self, max: usize) -> Result<Vec<T>> {
        self.core.drain_values(Side::First, max, 1).await
    }

    /// Takes all elements that are there, up to `max`, without waiting, and with as many claims as
    /// that needs.
    ///
    /// If a claim fails, it returns the elements that it has by then. An element that the codec
    /// does not understand ends the batch as in [`take_many`](Self::take_many). Elements stay
    /// leased until the call returns. If it lasts longer than two thirds of a
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
    pub async fn drain_to(&self, max: usize) -> Result<Vec<T>> {
        self.core.drain_values(Side::First, max, usize::MAX).await
    }

    /// The elements as they come, without end: each item is a [`take`](Self::take).
    ///
    /// Java's `subscribeOnElements(consumer)` loses an element if the consumer throws.
    pub fn stream(&self) -> QueueStream<T> {
        QueueStream::until_closed(self.name(), self.clone(), |queue| async move {
            let taken = queue.take().await;
            (queue, taken)
        })
    }
}
