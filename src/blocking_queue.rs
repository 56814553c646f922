//! The target queue: what is due, and what is offered without a delay.

use std::fmt;
use std::sync::Arc;

use crate::codec::Codec;
use crate::error::{Error, Result};
use crate::queue::DelayedQueue;
use crate::raw::RawQueue;

mod any;
mod last;
mod relay;
mod take;

/// The list that a delayed queue delivers to; Redisson's `RBlockingQueue` and `RBlockingDeque` of
/// the same name.
///
/// Made by [`DelayedQueue::destination`](crate::DelayedQueue::destination) and
/// [`Client::blocking_queue`](crate::Client::blocking_queue). Handles of either kind share what
/// they claim.
pub struct BlockingQueue<T> {
    core: Arc<RawQueue>,
    codec: Arc<dyn Codec<T>>,
}

impl<T: 'static> BlockingQueue<T> {
    pub(crate) fn new(core: Arc<RawQueue>, codec: Arc<dyn Codec<T>>) -> Self {
        Self { core, codec }
    }

    /// The name of the queue, which is its key.
    #[must_use]
    pub fn name(&self) -> &str {
        self.core.keys().target()
    }

    /// Appends `value`, which can be taken at once.
    ///
    /// # Redis
    ///
    /// `RPUSH`, as `RBlockingQueue.offer(e)`. O(1).
    ///
    /// # Errors
    ///
    /// - [`Error::Encode`] if the codec refuses `value`; nothing was sent.
    /// - [`Error::Lost`] if the reply was lost; `value` may have been appended. Nothing tells two
    ///   equal payloads in this list apart, so it is not retried.
    /// - [`Error::Connect`], [`Error::Denied`], [`Error::Refused`], [`Error::WrongType`]: nothing
    ///   was written.
    ///
    /// # Cancel safety
    ///
    /// Leaves the value stored or not.
    pub async fn offer(&self, value: &T) -> Result<()> {
        let payload = self
            .codec
            .encode(value)
            .map_err(|source| Error::Encode { source })?;
        self.core.target_offer(&payload).await
    }

    /// How many elements are due and not yet claimed by a consumer.
    ///
    /// # Redis
    ///
    /// `LLEN`, as `RBlockingQueue.size()`. O(1).
    ///
    /// # Errors
    ///
    /// What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn len(&self) -> Result<usize> {
        self.core.target_len().await
    }

    /// Whether no element is due and unclaimed; see [`len`](Self::len).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }
}

/// The queue that due elements are moved to.
impl<T: 'static> From<DelayedQueue<T>> for BlockingQueue<T> {
    fn from(queue: DelayedQueue<T>) -> Self {
        queue.destination()
    }
}

impl<T: 'static> Clone for BlockingQueue<T> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.core), Arc::clone(&self.codec))
    }
}

impl<T: 'static> fmt::Debug for BlockingQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockingQueue")
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}
