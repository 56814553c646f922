//! Looking at what is not yet due.

use super::DelayedQueue;
use crate::error::Result;

impl<T: 'static> DelayedQueue<T> {
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
    /// Nothing is changed by any: [`Error::Encode`](crate::Error::Encode), or what keeps Redis from
    /// answering.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn contains(&self, value: &T) -> Result<bool> {
        self.core.contains(&self.encode(value)?).await
    }

    /// Whether for each of `values` an element that is not yet due equals it; true for none.
    ///
    /// An element that is there throughout the call is seen. One that comes or goes meanwhile may
    /// be or not.
    ///
    /// # Redis
    ///
    /// One `LRANGE` of the ordering list for each 1,000 elements scheduled, from the newest on,
    /// until all are found. It carries their payloads; [`contains`](Self::contains) carries none.
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.containsAll(c)`, which blocks Redis for the whole search.
    ///
    /// # Errors
    ///
    /// As [`contains`](Self::contains).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn contains_all(&self, values: &[T]) -> Result<bool> {
        self.core.contains_all(self.encode_all(values)?).await
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
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand an element, which
    ///   stays in the queue.
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
}
