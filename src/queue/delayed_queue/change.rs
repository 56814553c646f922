//! Changing and taking out what is not yet due.

use super::DelayedQueue;
use crate::error::Result;
use crate::ticket::Ticket;

/// Changing and taking out what is not yet due.
impl<T: 'static> DelayedQueue<T> {
    /// Removes the element that `ticket` names; false if it had been moved or removed already.
    ///
    /// After an [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown) this settles the matter: an
    /// attempt of the offer that is still on its way writes nothing any more.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/remove.lua`: `ZREM`, `LREM`, and in `rdq1_settled:{name}` the id for
    /// 61 s and the call for as long as it may be repeated, 9 s by default; both longer for a
    /// [large payload](crate::MAX_PAYLOAD). O(log N + D): D entries
    /// of the ordering list are between the element and the newest, or the oldest if that is
    /// nearer and the id tells so, as those of [`MemberIds::Ordered`](crate::MemberIds) do. O(log
    /// N) if it had been moved, or is [unlisted](crate::Ordering::Unlisted).
    ///
    /// # Compatibility
    ///
    /// Leaves the same as `RDelayedQueue.remove(o)`, which searches by value. No message is
    /// published: a Java client wakes early and sleeps again.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the [retry
    ///   window](crate::ClientBuilder::retry_window). Before that the call is repeated, which has
    ///   the effect and the answer of one that was not. Calling again is safe; false may then mean
    ///   that the first call removed it.
    /// - [`Error::TooLarge`](crate::Error::TooLarge) if the ticket has more than 512 MiB; nothing was
    ///   sent.
    /// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
    ///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType):
    ///   nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the element removed or not.
    ///
    /// # Examples
    ///
    /// A ticket can be stored beside what it belongs to, and used by another process:
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{DelayedQueue, Ticket};
    ///
    /// # type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;
    /// async fn order_placed(queue: &DelayedQueue<String>) -> Result<String> {
    ///     let ticket = queue.offer(&"order 17 is unpaid".to_owned(), Duration::from_secs(900)).await?;
    ///     Ok(ticket.to_string()) // for a column of the order
    /// }
    ///
    /// async fn order_paid(queue: &DelayedQueue<String>, column: &str) -> Result<()> {
    ///     let ticket: Ticket = column.parse()?;
    ///     if !queue.cancel(&ticket).await? {
    ///         println!("too late, it is being told already");
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub async fn cancel(&self, ticket: &Ticket) -> Result<bool> {
        self.core.cancel(ticket).await
    }

    /// Removes the oldest element that is not yet due and equals `value`; false if there is none.
    ///
    /// Equal means that the codec writes the same bytes, as in Redisson. However often the call is
    /// repeated because a reply was lost, it removes one element. An
    /// [unlisted](crate::Ordering::Unlisted) handle removes the one that is due first, and can miss
    /// one that is rescheduled at this moment.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/find.lua` for each 1,000 elements scheduled, and one of
    /// `lua/remove.lua`. An unlisted handle: one of `lua/seek.lua` for each 1,000, until one is
    /// found, and one of `lua/remove.lua`. [`cancel`](Self::cancel) needs no search.
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.remove(o)`, which finds no unlisted element, blocks Redis for the whole
    /// search, and can remove two equal elements when its reply is lost.
    ///
    /// # Errors
    ///
    /// As [`cancel`](Self::cancel), and [`Error::Encode`](crate::Error::Encode) or
    /// [`Error::TooLarge`](crate::Error::TooLarge) for the value.
    ///
    /// # Cancel safety
    ///
    /// Leaves the element removed or not.
    pub async fn remove(&self, value: &T) -> Result<bool> {
        self.core.remove(&self.encode(value)?, self.ordering).await
    }

    /// Deletes all elements that are not yet due.
    ///
    /// Elements that have been moved stay in the target queue, and quarantined members in
    /// quarantine. An offer whose call has not returned yet may come before or after.
    /// [`delete`](Self::delete) leaves nothing.
    ///
    /// # Redis
    ///
    /// `DEL` of the timeout set, the ordering list, `rdq1_keyed:{name}` and
    /// `rdq1_keyed_due:{name}`. O(N).
    ///
    /// # Compatibility
    ///
    /// As `RDelayedQueue.clear()`, and as `RDelayedQueue.delete()`, which do the same to the first
    /// two and know no others.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the retry window;
    ///   calling again is safe.
    /// - What keeps Redis from answering; nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the queue cleared or not.
    pub async fn clear(&self) -> Result<()> {
        self.core.clear().await
    }
}
