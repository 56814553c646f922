//! Cancelling and rescheduling elements by ticket.

use std::borrow::Borrow;
use std::time::{Duration, SystemTime};

use futures::future::join_all;

use super::{ShardError, ShardTicket, ShardedQueue, worse};
use crate::error::{Error, Result, Step};
use crate::queue::delayed_queue::DelayedQueue;

/// Cancelling and rescheduling elements by ticket.
///
/// A ticket names its shard, so each call costs as much as on a [`DelayedQueue`]. It also works for
/// shards that are only [drained](crate::Shards::drained_names).
impl<T: 'static> ShardedQueue<T> {
    /// Removes the pending element that `ticket` names; false if it was moved or removed before.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::cancel`](crate::DelayedQueue::cancel).
    ///
    /// # Compatibility
    ///
    /// As [`DelayedQueue::cancel`](crate::DelayedQueue::cancel).
    ///
    /// # Errors
    ///
    /// As [`DelayedQueue::cancel`](crate::DelayedQueue::cancel). [`ShardError::Unknown`] in
    /// [`Error::Shard`] if no shard has the ticket's name; nothing was sent.
    ///
    /// # Cancel safety
    ///
    /// Leaves the element removed or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use redisson_delayed_queue::{ShardTicket, ShardedQueue};
    ///
    /// async fn order_paid(
    ///     queue: &ShardedQueue<String>,
    ///     column: &str,
    /// ) -> Result<bool, Box<dyn std::error::Error>> {
    ///     let ticket: ShardTicket = column.parse()?;
    ///     Ok(queue.cancel(&ticket).await?)
    /// }
    /// ```
    pub async fn cancel(&self, ticket: &ShardTicket) -> Result<bool> {
        self.shard_of(ticket)?.cancel(ticket.ticket()).await
    }

    /// Removes the pending elements that `tickets` name; returns how many it removed.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::cancel_all`](crate::DelayedQueue::cancel_all), for each shard at the same
    /// time.
    ///
    /// # Compatibility
    ///
    /// As [`DelayedQueue::cancel_all`](crate::DelayedQueue::cancel_all).
    ///
    /// # Errors
    ///
    /// - As [`DelayedQueue::cancel_all`](crate::DelayedQueue::cancel_all): [`Error::Unfinished`] if
    ///   elements were removed before an error, in whatever shard. Calling again is safe.
    /// - [`ShardError::Unknown`] in [`Error::Shard`] if no shard has the name of a ticket; nothing was
    ///   sent.
    ///
    /// # Cancel safety
    ///
    /// Leaves each element removed or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use redisson_delayed_queue::{ShardTicket, ShardedQueue};
    /// # async fn run(queue: ShardedQueue<String>, tickets: Vec<ShardTicket>) -> redisson_delayed_queue::Result<()> {
    /// let removed = queue.cancel_all(&tickets).await?;
    /// println!("{removed} of {} were pending", tickets.len());
    /// # Ok(()) }
    /// ```
    pub async fn cancel_all(
        &self,
        tickets: impl IntoIterator<Item = impl Borrow<ShardTicket>>,
    ) -> Result<usize> {
        let mut of_shards = vec![Vec::new(); self.queues.len()];
        for ticket in tickets {
            let ticket = ticket.borrow();
            of_shards[self.place_of(ticket)?].push(ticket.ticket().clone());
        }
        let cancelled = self.queues.iter().zip(of_shards);
        let cancelled = cancelled.map(|(queue, tickets)| queue.cancel_all(tickets));
        let (mut count, mut failure) = (0, None);
        for result in join_all(cancelled).await {
            match result {
                Ok(done) => count += done,
                Err(Error::Unfinished { done, source, .. }) => {
                    count += done;
                    failure = Some(worse(failure, *source));
                }
                Err(error) => failure = Some(worse(failure, error)),
            }
        }
        failure.map_or(Ok(count), |error| Err(error.after(Step::Cancel, count)))
    }

    /// Makes the element that `ticket` names due `delay` from now, earlier or later than it was;
    /// false if it is no longer pending.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::reschedule`](crate::DelayedQueue::reschedule).
    ///
    /// # Compatibility
    ///
    /// As [`DelayedQueue::reschedule`](crate::DelayedQueue::reschedule).
    ///
    /// # Errors
    ///
    /// As [`DelayedQueue::reschedule`](crate::DelayedQueue::reschedule), and [`ShardError::Unknown`]
    /// as from [`cancel`](Self::cancel).
    ///
    /// # Cancel safety
    ///
    /// Leaves the element rescheduled or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// # use redisson_delayed_queue::{ShardTicket, ShardedQueue};
    /// # async fn run(sessions: ShardedQueue<String>, ticket: ShardTicket) -> redisson_delayed_queue::Result<()> {
    /// if !sessions.reschedule(&ticket, Duration::from_secs(1_800)).await? {
    ///     println!("too late, the session has ended");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn reschedule(&self, ticket: &ShardTicket, delay: Duration) -> Result<bool> {
        let shard = self.shard_of(ticket)?;
        shard.reschedule(ticket.ticket(), delay).await
    }

    /// Makes the element that `ticket` names due at `due`; false if it is no longer pending.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::reschedule`](crate::DelayedQueue::reschedule).
    ///
    /// # Compatibility
    ///
    /// As [`DelayedQueue::reschedule`](crate::DelayedQueue::reschedule).
    ///
    /// # Errors
    ///
    /// As [`reschedule`](Self::reschedule).
    ///
    /// # Cancel safety
    ///
    /// Leaves the element rescheduled or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::{Duration, SystemTime};
    /// # use redisson_delayed_queue::{ShardTicket, ShardedQueue};
    /// # async fn run(queue: ShardedQueue<String>, ticket: ShardTicket) -> redisson_delayed_queue::Result<()> {
    /// let in_an_hour = SystemTime::now() + Duration::from_secs(3_600);
    /// queue.reschedule_at(&ticket, in_an_hour).await?;
    /// # Ok(()) }
    /// ```
    pub async fn reschedule_at(&self, ticket: &ShardTicket, due: SystemTime) -> Result<bool> {
        let shard = self.shard_of(ticket)?;
        shard.reschedule_at(ticket.ticket(), due).await
    }

    /// Makes the element that `ticket` names due now; false if it is no longer pending.
    ///
    /// # Redis
    ///
    /// As [`DelayedQueue::promote`](crate::DelayedQueue::promote).
    ///
    /// # Compatibility
    ///
    /// As [`DelayedQueue::promote`](crate::DelayedQueue::promote).
    ///
    /// # Errors
    ///
    /// As [`reschedule`](Self::reschedule), but never one for the due time.
    ///
    /// # Cancel safety
    ///
    /// Leaves the element due now or as it was.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use redisson_delayed_queue::{ShardTicket, ShardedQueue};
    /// # async fn run(queue: ShardedQueue<String>, ticket: ShardTicket) -> redisson_delayed_queue::Result<()> {
    /// queue.promote(&ticket).await?;
    /// # Ok(()) }
    /// ```
    pub async fn promote(&self, ticket: &ShardTicket) -> Result<bool> {
        self.shard_of(ticket)?.promote(ticket.ticket()).await
    }

    fn shard_of(&self, ticket: &ShardTicket) -> Result<&DelayedQueue<T>> {
        Ok(&self.queues[self.place_of(ticket)?])
    }

    fn place_of(&self, ticket: &ShardTicket) -> Result<usize, ShardError> {
        let place = self.shards.place_named(ticket.queue());
        place.ok_or_else(|| ShardError::Unknown {
            name: ticket.queue().to_owned(),
        })
    }
}
