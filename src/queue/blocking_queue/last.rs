//! Taking from the tail of the queue.
//!
//! The tail has an intake of its own. What it claimed and nobody wants goes back to the tail; what
//! a process that ended had claimed goes to whoever claims next, at either side.

use std::time::Duration;

use super::BlockingQueue;
use crate::error::Result;
use crate::side::Side;

/// Taking from the tail of the queue.
impl<T: 'static> BlockingQueue<T> {
    /// Waits for an element, and takes the last one.
    ///
    /// Claims from the last element on; otherwise as [`take`](Self::take). An element whose
    /// consumer vanished comes first, wherever it stood.
    pub async fn take_last(&self) -> Result<T> {
        self.core.take_value(Side::Last).await
    }

    /// Waits up to `timeout` for an element, and takes the last one as
    /// [`take_last`](Self::take_last); `None` if none came.
    pub async fn poll_last(&self, timeout: Duration) -> Result<Option<T>> {
        self.core.poll_value(Side::Last, timeout).await
    }

    /// Takes the last element if there is one; `None` otherwise.
    pub async fn try_take_last(&self) -> Result<Option<T>> {
        self.poll_last(Duration::ZERO).await
    }

    /// Takes up to `max` elements from the last one on, without waiting; the last comes first.
    ///
    /// Makes one claim, as [`poll_many`](Self::poll_many): up to 500 elements or some 256 KiB.
    pub async fn poll_last_many(&self, max: usize) -> Result<Vec<T>> {
        self.core.drain_values(Side::Last, max, 1).await
    }
}
