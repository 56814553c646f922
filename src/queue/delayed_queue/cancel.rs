use std::borrow::Borrow;

use super::DelayedQueue;
use crate::error::Result;
use crate::ticket::Ticket;

/// Cancelling elements by ticket.
impl<T: 'static> DelayedQueue<T> {
    /// Removes the pending element that `ticket` names; false if it was moved or removed before.
    ///
    /// After an [`Error::OutcomeUnknown`](crate::Error::OutcomeUnknown) this settles the matter: if
    /// an attempt of the offer is still on its way, it writes nothing any more.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/remove.lua`: `ZREM` and `LREM`. O(log N + D): D entries of the
    /// ordering list lie between the element and the newest. They may be counted from the oldest
    /// instead if that is nearer and the id tells so, as ids of
    /// [`MemberIds::Ordered`](crate::MemberIds) do. O(log N) if the element was moved, or is
    /// [unlisted](crate::Listing::Unlisted).
    ///
    /// # Compatibility
    ///
    /// Leaves the same keys as `RDelayedQueue.remove(o)`, which searches by value. No message is
    /// published: a Java client wakes early and sleeps again.
    ///
    /// # Examples
    ///
    /// A ticket can be stored beside the object it belongs to, and used by another process:
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
        Ok(self.core.remove_members(&[ticket], false).await?.count > 0)
    }

    /// Removes the pending elements that `tickets` name; returns how many it removed.
    ///
    /// The others were moved or removed before. A ticket that is given twice counts once. Like
    /// [`cancel`](Self::cancel) this settles offers of unknown outcome. Others see the elements go in
    /// several steps, each element from both keys at once.
    ///
    /// # Redis
    ///
    /// `LLEN`, and as many `EVALSHA` of `lua/remove.lua` as keep each short: at most 500 elements,
    /// 256 KiB, and 2 million scanned entries. O(M * (log N + D)): M elements, each with D entries
    /// between it and a side of the ordering list; O(log N) for an element that was moved or is
    /// [unlisted](crate::Listing::Unlisted).
    ///
    /// # Compatibility
    ///
    /// Leaves the same keys as `RDelayedQueue.remove(o)` for each element. `removeAll(c)` searches
    /// by value; that is [`Pending::remove_all`](crate::Pending::remove_all).
    ///
    /// # Errors
    ///
    /// After [`Error::Lost`](crate::Error::Lost), calling again does not count the elements that
    /// were removed before. [`Error::Unfinished`](crate::Error::Unfinished) if an error came after
    /// some elements were removed.
    pub async fn cancel_all(
        &self,
        tickets: impl IntoIterator<Item = impl Borrow<Ticket>>,
    ) -> Result<usize> {
        let tickets: Vec<Ticket> = tickets.into_iter().map(|it| it.borrow().clone()).collect();
        self.core.cancel_all(&tickets).await
    }
}
