//! Taking out many elements that are not yet due.

use std::borrow::Borrow;
use std::collections::HashSet;

use bytes::Bytes;

use super::DelayedQueue;
use crate::error::Result;
use crate::ticket::Ticket;

/// Taking out many elements that are not yet due.
impl<T: 'static> DelayedQueue<T> {
    /// Removes the elements that `tickets` name; returns how many of them were scheduled.
    ///
    /// The others had been moved or removed already. A ticket that is named twice counts once.
    /// Like [`cancel`](Self::cancel) this settles offers of unknown outcome.
    ///
    /// The elements are removed in several steps. Who looks meanwhile sees some removed, and each
    /// of them in both keys or in none.
    ///
    /// # Redis
    ///
    /// `LLEN`, and as many `EVALSHA` of `lua/remove.lua` as keep each short: at most 500 elements,
    /// 256 KiB, and 2 million entries to be scanned. O(M * (log N + D)): M elements, each with D
    /// entries between it and an end of the ordering list; O(log N) for one that had been moved or
    /// is [unlisted](crate::Ordering::Unlisted).
    ///
    /// # Compatibility
    ///
    /// Leaves the same as `RDelayedQueue.remove(o)` for each element. `removeAll(c)` searches by
    /// value; that is [`remove_all`](Self::remove_all).
    ///
    /// # Errors
    ///
    /// - [`Error::Unfinished`](crate::Error::Unfinished) if one of these came after some elements
    ///   were removed. Calling again is safe.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the [retry
    ///   window](crate::ClientBuilder::retry_window). Calling again is safe, but does not count
    ///   what was removed before.
    /// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
    ///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType):
    ///   nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves each element removed or not.
    pub async fn cancel_all(
        &self,
        tickets: impl IntoIterator<Item = impl Borrow<Ticket>>,
    ) -> Result<usize> {
        let tickets: Vec<Ticket> = tickets.into_iter().map(|it| it.borrow().clone()).collect();
        self.core.cancel_all(&tickets).await
    }

    /// Removes all elements that are not yet due and equal one of `values`; returns how many.
    ///
    /// Equal means that the codec writes the same bytes, as in Redisson. Every element that is
    /// there throughout the call is removed if it equals one; one that is offered meanwhile, or for
    /// an [unlisted](crate::Ordering::Unlisted) handle is rescheduled, may be or not. Who looks
    /// meanwhile sees some removed, and each of them in both keys or in none. An entry that is no
    /// packed member is left alone.
    ///
    /// # Redis
    ///
    /// One `LRANGE` of the ordering list for up to 1,000 elements scheduled, which carries their
    /// payloads, and one `EVALSHA` of `lua/sift.lua` for at most 200 that are found: `ZREM`, `LSET`
    /// of a marker, and one `LREM` from the nearer end. Elements that others' removals have shifted
    /// far from where they were read are removed as by [`cancel_all`](Self::cancel_all). Their ids
    /// are in `rdq1_settled:{name}` for 61 s. No values: nothing is sent.
    ///
    /// An unlisted handle reads as [`iter`](Self::iter), and removes what it finds in a page as
    /// [`cancel_all`](Self::cancel_all).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.removeAll(c)`, which returns whether there was any, and blocks Redis for
    /// the whole search. No message is published: a Java client wakes early and sleeps again.
    ///
    /// # Errors
    ///
    /// As [`cancel_all`](Self::cancel_all), and [`Error::Encode`](crate::Error::Encode), before
    /// anything is sent.
    ///
    /// # Cancel safety
    ///
    /// Leaves each element removed or not.
    pub async fn remove_all(&self, values: &[T]) -> Result<usize> {
        let payloads = self.encode_all(values)?;
        if payloads.is_empty() {
            return Ok(0);
        }
        self.core
            .remove_where(&payloads, false, self.ordering)
            .await
    }

    /// Removes all elements that are not yet due and equal none of `values`; returns how many.
    ///
    /// With no values that is all elements, as [`clear`](Self::clear) removes them, entries that
    /// are no packed members included; the number is then that of an instant before. Otherwise as
    /// [`remove_all`](Self::remove_all).
    ///
    /// # Redis
    ///
    /// As [`remove_all`](Self::remove_all); with no values `LLEN`, or `ZCARD` for an unlisted
    /// handle, and what [`clear`](Self::clear) sends.
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.retainAll(c)` removes from the ordering list only, so that what it removed is
    /// delivered all the same. Here it is removed from both keys, and is not delivered.
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
            let count = self.core.len(self.ordering).await?;
            self.core.clear().await?;
            return Ok(count);
        }
        self.core.remove_where(&payloads, true, self.ordering).await
    }

    pub(super) fn encode_all(&self, values: &[T]) -> Result<HashSet<Bytes>> {
        values.iter().map(|value| self.encode(value)).collect()
    }
}
