use std::collections::HashSet;

use super::Pending;
use crate::error::Result;

/// Removing pending elements by value.
impl<T: 'static> Pending<T> {
    /// Removes the oldest pending element that equals `value`; false if there is none.
    ///
    /// If a reply is lost, the call is repeated, and still removes one element at most. An
    /// [unlisted](crate::Listing::Unlisted) handle removes the equal element that is due first. If
    /// you have the ticket, use [`cancel`](crate::DelayedQueue::cancel), which needs no search.
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.remove(o)` finds no unlisted element, and can remove two equal elements when
    /// its reply is lost.
    pub async fn remove(&self, value: &T) -> Result<bool> {
        self.core
            .remove(&self.core.encode(value)?, self.listing)
            .await
    }

    /// Removes all pending elements that equal one of `values`; returns how many.
    ///
    /// Others see the elements go in several steps, each element from both keys at once. Malformed
    /// members stay. If an error comes after some elements were removed, it is
    /// [`Error::Unfinished`](crate::Error::Unfinished).
    ///
    /// # Redis
    ///
    /// One `LRANGE` of the ordering list for up to 1,000 pending elements, which reads their
    /// payloads, and one `EVALSHA` of `lua/sift.lua` for at most 200 equal elements: `ZREM`, `LSET`
    /// of a marker, and one `LREM` from the nearer end. If other removals have meanwhile shifted an
    /// element far from its place, it is removed as by
    /// [`cancel_all`](crate::DelayedQueue::cancel_all). With no `values`, nothing is sent.
    ///
    /// An unlisted handle reads as [`iter`](Self::iter), and removes the equal elements of each page
    /// as [`cancel_all`](crate::DelayedQueue::cancel_all).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.removeAll(c)` returns whether it removed any. No message is published: a Java
    /// client wakes early and sleeps again.
    pub async fn remove_all(&self, values: &[T]) -> Result<usize> {
        let payloads: HashSet<_> = self.core.encode_all(values)?;
        if payloads.is_empty() {
            return Ok(0);
        }
        self.core.remove_where(&payloads, false, self.listing).await
    }

    /// Removes all pending elements that equal none of `values`; returns how many.
    ///
    /// Otherwise as [`remove_all`](Self::remove_all). With no `values` it removes everything by
    /// [`clear`](Self::clear), malformed members included, and counts by [`len`](Self::len) just
    /// before that.
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.retainAll(c)` removes elements from the ordering list only, so Redisson still
    /// delivers them. This call removes them from both keys, so nobody delivers them.
    pub async fn retain_all(&self, values: &[T]) -> Result<usize> {
        let payloads: HashSet<_> = self.core.encode_all(values)?;
        if payloads.is_empty() {
            let count = self.core.len(self.listing).await?;
            self.core.clear().await?;
            return Ok(count);
        }
        self.core.remove_where(&payloads, true, self.listing).await
    }

    /// Removes all pending elements or none, whatever the listing of the handle.
    ///
    /// Elements in the target queue stay there, and quarantined members in quarantine. If an offer
    /// has not returned yet, its element may survive. [`QueueObject::delete`] leaves nothing.
    /// Java's `clear()` and `delete()` know only the timeout set and the ordering list.
    ///
    /// [`QueueObject::delete`]: crate::QueueObject::delete
    pub async fn clear(&self) -> Result<()> {
        self.core.clear().await
    }
}
