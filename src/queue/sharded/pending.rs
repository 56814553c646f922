//! The pending elements of all shards.

use std::fmt;
use std::time::SystemTime;

use futures::future::{join_all, try_join_all};

use super::ShardedQueue;
use crate::error::{Result, Step};

/// The pending elements of all shards of a [`ShardedQueue`].
///
/// Made by [`ShardedQueue::pending`]. Clones are cheap. Each call asks all shards, including those
/// that are only [drained](crate::Shards::drained_names). The answers are not of one moment: other
/// processes offer and take meanwhile. For calls that it does not have, ask the
/// [`pending`](crate::DelayedQueue::pending) of each of its [queues](ShardedQueue::queues).
///
/// # Examples
///
/// ```no_run
/// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) -> redisson_delayed_queue::Result<()> {
/// let pending = queue.pending();
/// println!("{} wait, the next until {:?}", pending.len().await?, pending.next_due().await?);
/// # Ok(()) }
/// ```
pub struct ShardedPending<T> {
    queue: ShardedQueue<T>,
}

impl<T: 'static> ShardedPending<T> {
    pub(super) fn new(queue: ShardedQueue<T>) -> Self {
        Self { queue }
    }

    /// How many elements are pending in all shards together; see
    /// [`Pending::len`](crate::Pending::len).
    ///
    /// # Redis
    ///
    /// As [`Pending::len`](crate::Pending::len), for each shard at the same time.
    ///
    /// # Compatibility
    ///
    /// As the sum of `size()` of all `RDelayedQueue`s.
    ///
    /// # Errors
    ///
    /// Any error of Redis or the connection; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// println!("{} wait", queue.pending().len().await?);
    /// # Ok(()) }
    /// ```
    pub async fn len(&self) -> Result<usize> {
        let shards = self.queue.queues.iter().map(|it| it.pending());
        let lengths = try_join_all(shards.map(|it| async move { it.len().await })).await?;
        Ok(lengths.into_iter().sum())
    }

    /// True if no element is pending in any shard; see [`len`](Self::len).
    ///
    /// # Errors
    ///
    /// As [`len`](Self::len).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// if queue.pending().is_empty().await? {
    ///     println!("nothing waits");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// True if a pending element of any shard equals `value`.
    ///
    /// # Redis
    ///
    /// As [`Pending::contains`](crate::Pending::contains), for each shard at the same time. If you
    /// know the key, ask its [shard](ShardedQueue::shard_for) alone.
    ///
    /// # Compatibility
    ///
    /// As `contains(o)` of all `RDelayedQueue`s.
    ///
    /// # Errors
    ///
    /// As [`Pending::contains`](crate::Pending::contains).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let is_pending = queue.pending().contains(&"order 17".to_owned()).await?;
    /// # drop(is_pending);
    /// # Ok(()) }
    /// ```
    pub async fn contains(&self, value: &T) -> Result<bool> {
        let payload = self.queue.queues[0].encode(value)?;
        let shards = self.queue.queues.iter();
        let found = shards.map(|it| it.core().contains(&payload, it.listing()));
        let found = try_join_all(found).await?;
        Ok(found.into_iter().any(|found| found))
    }

    /// When the next pending element of any shard becomes due; `None` if no element is pending.
    ///
    /// # Redis
    ///
    /// As [`Pending::next_due`](crate::Pending::next_due), for each shard at the same time.
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
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// println!("next at {:?}", queue.pending().next_due().await?);
    /// # Ok(()) }
    /// ```
    pub async fn next_due(&self) -> Result<Option<SystemTime>> {
        let shards = self.queue.queues.iter().map(|it| it.pending());
        let due = try_join_all(shards.map(|it| async move { it.next_due().await })).await?;
        Ok(due.into_iter().flatten().min())
    }

    /// Removes one pending element that equals `value`, the oldest of its shard; false if there is
    /// none.
    ///
    /// # Redis
    ///
    /// As [`Pending::remove`](crate::Pending::remove), in one shard after the other until one has the
    /// element. [`ShardedQueue::cancel`] needs no search.
    ///
    /// # Compatibility
    ///
    /// As `remove(o)` of one `RDelayedQueue` after the other.
    ///
    /// # Errors
    ///
    /// As [`Pending::remove`](crate::Pending::remove).
    ///
    /// # Cancel safety
    ///
    /// Leaves the element removed or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let was_pending = queue.pending().remove(&"order 17".to_owned()).await?;
    /// # drop(was_pending);
    /// # Ok(()) }
    /// ```
    pub async fn remove(&self, value: &T) -> Result<bool> {
        for queue in self.queue.queues.iter() {
            if queue.pending().remove(value).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes all pending elements of all shards; see [`Pending::clear`](crate::Pending::clear).
    ///
    /// # Redis
    ///
    /// As [`Pending::clear`](crate::Pending::clear), for each shard at the same time.
    ///
    /// # Compatibility
    ///
    /// As `clear()` of all `RDelayedQueue`s.
    ///
    /// # Errors
    ///
    /// - [`Error::SomeShards`](crate::Error::SomeShards) if it failed in some shards only. Calling
    ///   again is safe.
    /// - As [`Pending::clear`](crate::Pending::clear) if it failed in all shards.
    ///
    /// # Cancel safety
    ///
    /// Leaves each shard cleared or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// queue.pending().clear().await?;
    /// # Ok(()) }
    /// ```
    pub async fn clear(&self) -> Result<()> {
        let shards = self.queue.queues.iter().map(|it| it.pending());
        let cleared = join_all(shards.map(|it| async move { it.clear().await })).await;
        self.queue.changed(Step::Clear, cleared).map(drop)
    }
}

impl<T> Clone for ShardedPending<T> {
    fn clone(&self) -> Self {
        Self {
            queue: self.queue.clone(),
        }
    }
}

impl<T: 'static> fmt::Debug for ShardedPending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardedPending")
            .field("shards", self.queue.shards())
            .finish_non_exhaustive()
    }
}
