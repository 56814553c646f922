//! Removing pending elements by value.

use super::Pending;
use crate::error::Result;

/// Removing pending elements by value.
impl<T: 'static> Pending<T> {
    /// Removes the oldest pending element that equals `value`; false if there is none.
    ///
    /// If a reply is lost, the call is repeated, and still removes one element at most. An
    /// [unlisted](crate::Listing::Unlisted) handle removes the equal element that is due first. It
    /// can miss one that is rescheduled during the call.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/find.lua` for each 1,000 pending elements, and one of
    /// `lua/remove.lua`. An unlisted handle sends one of `lua/seek.lua` for each 1,000 until it
    /// finds an element, and one of `lua/remove.lua`. If you have the ticket, use
    /// [`cancel`](crate::DelayedQueue::cancel), which needs no search.
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.remove(o)`. That finds no unlisted element, blocks Redis for the whole
    /// search, and can remove two equal elements when its reply is lost.
    ///
    /// # Errors
    ///
    /// As [`cancel`](crate::DelayedQueue::cancel), and [`Error::Encode`](crate::Error::Encode) or
    /// [`Error::TooLarge`](crate::Error::TooLarge) for the value.
    ///
    /// # Cancel safety
    ///
    /// Leaves the element removed or not.
    pub async fn remove(&self, value: &T) -> Result<bool> {
        self.core.remove(&self.encode(value)?, self.listing).await
    }

    /// Removes all pending elements that equal one of `values`; returns how many.
    ///
    /// The call removes every equal element that is pending from its start to its end. It may or may
    /// not remove one that is offered meanwhile. For an [unlisted](crate::Listing::Unlisted) handle,
    /// that includes one that is rescheduled meanwhile. Others see the elements go in several steps,
    /// each element from both keys at once. Malformed members stay.
    ///
    /// # Redis
    ///
    /// One `LRANGE` of the ordering list for up to 1,000 pending elements, which reads their
    /// payloads, and one `EVALSHA` of `lua/sift.lua` for at most 200 equal elements: `ZREM`, `LSET`
    /// of a marker, and one `LREM` from the nearer end. If other removals have meanwhile shifted an
    /// element far from its place, it is removed as by
    /// [`cancel_all`](crate::DelayedQueue::cancel_all). The ids stay in `rdq1_settled:{name}` for
    /// 61 s. With no `values`, nothing is sent.
    ///
    /// An unlisted handle reads as [`iter`](Self::iter), and removes the equal elements of each page
    /// as [`cancel_all`](crate::DelayedQueue::cancel_all).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.removeAll(c)`, which returns whether it removed any, and blocks Redis for
    /// the whole search. No message is published: a Java client wakes early and sleeps again.
    ///
    /// # Errors
    ///
    /// As [`cancel_all`](crate::DelayedQueue::cancel_all), and
    /// [`Error::Encode`](crate::Error::Encode), before anything is sent.
    ///
    /// # Cancel safety
    ///
    /// Leaves each element removed or not.
    pub async fn remove_all(&self, values: &[T]) -> Result<usize> {
        let payloads = self.encode_all(values)?;
        if payloads.is_empty() {
            return Ok(0);
        }
        self.core.remove_where(&payloads, false, self.listing).await
    }

    /// Removes all pending elements that equal none of `values`; returns how many.
    ///
    /// Otherwise as [`remove_all`](Self::remove_all). With no `values` it removes everything as
    /// [`clear`](Self::clear), malformed members included; it then counts just before it clears.
    ///
    /// # Redis
    ///
    /// As [`remove_all`](Self::remove_all). With no `values`: [`len`](Self::len) and
    /// [`clear`](Self::clear).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.retainAll(c)` removes elements from the ordering list only, so Redisson still
    /// delivers them. This call removes them from both keys, so nobody delivers them.
    ///
    /// # Errors
    ///
    /// As [`remove_all`](Self::remove_all).
    ///
    /// # Cancel safety
    ///
    /// Leaves each element removed or not.
    pub async fn retain_all(&self, values: &[T]) -> Result<usize> {
        let payloads = self.encode_all(values)?;
        if payloads.is_empty() {
            let count = self.core.len(self.listing).await?;
            self.core.clear().await?;
            return Ok(count);
        }
        self.core.remove_where(&payloads, true, self.listing).await
    }

    /// Removes all pending elements, whatever the listing of the handle.
    ///
    /// Elements in the target queue stay there, and quarantined members in quarantine. If an offer
    /// has not returned yet, its element may survive. [`QueueObject::delete`] leaves nothing.
    ///
    /// [`QueueObject::delete`]: crate::QueueObject::delete
    ///
    /// # Redis
    ///
    /// `DEL` of the timeout set, the ordering list, `rdq1_keyed:{name}` and
    /// `rdq1_keyed_due:{name}`. O(N).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.clear()` and `RDelayedQueue.delete()`, which delete the first two keys and
    /// know no others.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the retry window;
    ///   calling again is safe.
    /// - Any error of Redis or the connection; nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves all pending elements removed or none.
    pub async fn clear(&self) -> Result<()> {
        self.core.clear().await
    }
}
