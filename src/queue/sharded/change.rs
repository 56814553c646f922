use std::borrow::Borrow;
use std::time::{Duration, SystemTime};

use futures::future::join_all;

use super::{ShardedQueue, worse};
use crate::error::{Error, Result, ShardError, Step};
use crate::queue::delayed_queue::DelayedQueue;
use crate::ticket::ShardTicket;

/// Cancelling and rescheduling elements by ticket.
///
/// A ticket names its shard, so each call costs as much as on a
/// [`DelayedQueue`](crate::DelayedQueue). It also works for shards that are only
/// [drained](crate::Shards::drained_names).
impl<T: 'static> ShardedQueue<T> {
    /// Removes the pending element that `ticket` names, as
    /// [`DelayedQueue::cancel`](crate::DelayedQueue::cancel) does; false if it was moved or removed
    /// before.
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

    /// Removes the pending elements that `tickets` name, as
    /// [`DelayedQueue::cancel_all`](crate::DelayedQueue::cancel_all) does in each shard at the same
    /// time; returns how many it removed.
    ///
    /// Fails with [`Error::Unfinished`] if elements were removed before an error, in whatever
    /// shard.
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

    /// Makes the element that `ticket` names due `delay` from now, as
    /// [`DelayedQueue::reschedule`](crate::DelayedQueue::reschedule) does; false if it is no longer
    /// pending.
    pub async fn reschedule(&self, ticket: &ShardTicket, delay: Duration) -> Result<bool> {
        let shard = self.shard_of(ticket)?;
        shard.reschedule(ticket.ticket(), delay).await
    }

    /// Makes the element that `ticket` names due at `due`, as
    /// [`DelayedQueue::reschedule_at`](crate::DelayedQueue::reschedule_at) does; false if it is no
    /// longer pending.
    pub async fn reschedule_at(&self, ticket: &ShardTicket, due: SystemTime) -> Result<bool> {
        let shard = self.shard_of(ticket)?;
        shard.reschedule_at(ticket.ticket(), due).await
    }

    /// Makes the element that `ticket` names due now, as
    /// [`DelayedQueue::promote`](crate::DelayedQueue::promote) does; false if it is no longer
    /// pending.
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
