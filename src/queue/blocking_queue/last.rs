//! Taking from the tail of the queue.
//!
//! The tail has an intake of its own. What it claimed and nobody wants goes back to the tail; what
//! a process that ended had claimed goes to whoever claims next, at either end.

use std::time::Duration;

use super::BlockingQueue;
use crate::end::End;
use crate::error::Result;

/// Taking from the tail of the queue.
impl<T: 'static> BlockingQueue<T> {
    /// Waits for an element, and takes the last one.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::take`](crate::DelayedQueue::take), with claims from the last element on.
    ///
    /// # Compatibility
    ///
    /// As `RBlockingDeque.takeLast()`. An element whose consumer vanished comes first, wherever it
    /// stood.
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn take_last(&self) -> Result<T> {
        self.taker(End::Last).take().await
    }

    /// Waits up to `timeout` for an element, and takes the last one; nothing if none came.
    ///
    /// # Redis
    ///
    /// As [`take_last`](Self::take_last).
    ///
    /// # Compatibility
    ///
    /// As `RBlockingDeque.pollLast(timeout, unit)`, but to the millisecond.
    ///
    /// # Errors
    ///
    /// As [`poll`](Self::poll).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn poll_last(&self, timeout: Duration) -> Result<Option<T>> {
        self.taker(End::Last).poll(timeout).await
    }

    /// Takes the last element if there is one; nothing otherwise.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::try_take`](crate::DelayedQueue::try_take).
    ///
    /// # Compatibility
    ///
    /// As `RDeque.pollLast()`.
    ///
    /// # Errors
    ///
    /// As [`poll`](Self::poll).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn try_take_last(&self) -> Result<Option<T>> {
        self.poll_last(Duration::ZERO).await
    }

    /// Takes what is there from the last element on, up to `max`, without waiting; the last comes
    /// first.
    ///
    /// Takes what one claim brings: up to 500 elements or some 256 KiB.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::poll_many`](crate::DelayedQueue::poll_many).
    ///
    /// # Compatibility
    ///
    /// As `RDeque.pollLast(limit)`.
    ///
    /// # Errors
    ///
    /// As [`take_many`](Self::take_many).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn poll_last_many(&self, max: usize) -> Result<Vec<T>> {
        self.taker(End::Last).drain(max, 1).await
    }
}
