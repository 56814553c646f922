//! Looking at pending elements.

use std::time::SystemTime;

use super::Pending;
use crate::entry::Entry;
use crate::error::Result;

/// Looking at pending elements.
impl<T: 'static> Pending<T> {
    /// How many elements are pending. A [listed](crate::Listing::Listed) handle counts the listed
    /// ones, an unlisted handle counts all.
    ///
    /// # Redis
    ///
    /// `LLEN` of the ordering list; `ZCARD` of the timeout set for an unlisted handle. O(1).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.size()`.
    ///
    /// # Errors
    ///
    /// Any error of Redis or the connection; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    #[doc(alias = "size")]
    pub async fn len(&self) -> Result<usize> {
        self.core.len(self.listing).await
    }

    /// True if no element is pending; see [`len`](Self::len).
    ///
    /// # Errors
    ///
    /// As [`len`](Self::len).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// True if a pending element equals `value`.
    ///
    /// An [unlisted](crate::Listing::Unlisted) handle can miss an element that is rescheduled
    /// during the call.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/find.lua` for up to 1,000 pending elements, from the newest on, until
    /// it finds one. An unlisted handle sends `lua/seek.lua` instead, and starts with the earliest
    /// due.
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.contains(o)`: it compares the bytes that the codec writes.
    ///
    /// # Errors
    ///
    /// None of these changes anything: [`Error::Encode`](crate::Error::Encode),
    /// [`Error::TooLarge`](crate::Error::TooLarge), or any error of Redis or the connection.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn contains(&self, value: &T) -> Result<bool> {
        self.core.contains(&self.encode(value)?, self.listing).await
    }

    /// True if every one of `values` equals a pending element; true if `values` is empty.
    ///
    /// The call sees every element that is pending from its start to its end. It may or may not see
    /// an element that comes or goes meanwhile. An [unlisted](crate::Listing::Unlisted) handle can
    /// also miss an element that is rescheduled meanwhile.
    ///
    /// # Redis
    ///
    /// One `LRANGE` of the ordering list for up to 1,000 pending elements, from the newest on, until
    /// it has found all. It reads their payloads; [`contains`](Self::contains) reads none. An
    /// unlisted handle reads as [`iter`](Self::iter).
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
        self.core
            .contains_all(self.encode_all(values)?, self.listing)
            .await
    }

    /// The pending element that was offered first, which need not be the next to become due. An
    /// [unlisted](crate::Listing::Unlisted) handle returns the next to become due.
    ///
    /// # Redis
    ///
    /// `LRANGE 0 0` of the ordering list. O(1). An unlisted handle reads as
    /// [`peek_next`](Self::peek_next).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.peek()`.
    ///
    /// # Errors
    ///
    /// As [`read_all`](Self::read_all).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn peek(&self) -> Result<Option<T>> {
        let payload = self.core.peek(self.listing).await?;
        payload.map(|it| self.decode(it)).transpose()
    }

    /// The pending element that becomes due next, with its due time.
    ///
    /// [`peek`](Self::peek) returns the element that was offered first.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/page.lua`, and one more for each 500 malformed members before the
    /// element. O(log N).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue` has no such call.
    ///
    /// # Errors
    ///
    /// As [`read_all`](Self::read_all).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn peek_next(&self) -> Result<Option<Entry<T>>> {
        let entry = self.core.first_entry().await?;
        entry.map(|it| self.decode_entry(it)).transpose()
    }

    /// When the next pending element becomes due; `None` if no element is pending.
    ///
    /// A time in the past means that the element is about to be moved to the target queue. The call
    /// needs no codec, so it also works for an element that the codec does not understand.
    ///
    /// # Redis
    ///
    /// As [`peek_next`](Self::peek_next).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue` has no such call.
    ///
    /// # Errors
    ///
    /// Any error of Redis or the connection; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn next_due(&self) -> Result<Option<SystemTime>> {
        let entry = self.core.first_entry().await?;
        Ok(entry.map(|it| it.due))
    }

    /// All pending elements in offer order, or by due time for an
    /// [unlisted](crate::Listing::Unlisted) handle.
    ///
    /// The result has every element once that is pending from the start to the end of the call. It
    /// may or may not have an element that comes or goes meanwhile. For an unlisted handle, that
    /// includes an element that is rescheduled meanwhile.
    ///
    /// # Redis
    ///
    /// One `LRANGE` of the ordering list for up to 1,000 elements. An unlisted handle reads as
    /// [`iter`](Self::iter).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.readAll()`, which reads everything in one script, and fails on a malformed
    /// member. This call leaves out malformed members.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`](crate::Error::Decode) if the codec does not understand an element, which
    ///   stays in the queue.
    /// - Any error of Redis or the connection; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn read_all(&self) -> Result<Vec<T>> {
        let payloads = self.core.read_all(self.listing).await?;
        payloads.into_iter().map(|it| self.decode(it)).collect()
    }
}
