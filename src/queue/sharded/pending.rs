//! The pending elements of all shards.

use std::fmt;
use std::time::SystemTime;

use futures::future::{join_all, try_join_all};

use super::ShardedQueue;
use crate::error::{Result, Step};

/// The pending elements of all shards of a [`ShardedQueue`].
///
/// Made by [`ShardedQueue::pending`]. Clones are cheap. Each call asks all shards at the same time,
/// including those that are only [drained](crate::Shards::drained_names), and does there what the
/// call of the same name of [`Pending`](crate::Pending) does, with the same costs, errors and
/// cancel safety. The answers are not of one moment: other processes offer and take meanwhile. For
/// calls that it does not have, ask the [`pending`](crate::DelayedQueue::pending) of each of its
/// [queues](ShardedQueue::queues).
pub struct ShardedPending<T> {
    queue: ShardedQueue<T>,
}

impl<T: 'static> ShardedPending<T> {
    pub(super) fn new(queue: ShardedQueue<T>) -> Self {
        Self { queue }
    }

    /// How many elements are pending in all shards together; see
    /// [`Pending::len`](crate::Pending::len).
    pub async fn len(&self) -> Result<usize> {
        let shards = self.queue.queues.iter().map(|it| it.pending());
        let lengths = try_join_all(shards.map(|it| async move { it.len().await })).await?;
        Ok(lengths.into_iter().sum())
    }

    /// True if no element is pending in any shard; see [`len`](Self::len).
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// True if a pending element of any shard equals `value`; see
    /// [`Pending::contains`](crate::Pending::contains).
    ///
    /// If you know the key, ask its [shard](ShardedQueue::shard_for) alone.
    pub async fn contains(&self, value: &T) -> Result<bool> {
        let payload = self.queue.queues[0].encode(value)?;
        let shards = self.queue.queues.iter();
        let found = shards.map(|it| it.core().contains(&payload, it.listing()));
        let found = try_join_all(found).await?;
        Ok(found.into_iter().any(|found| found))
    }

    /// When the next pending element of any shard becomes due; `None` if no element is pending. See
    /// [`Pending::next_due`](crate::Pending::next_due).
    pub async fn next_due(&self) -> Result<Option<SystemTime>> {
        let shards = self.queue.queues.iter().map(|it| it.pending());
        let due = try_join_all(shards.map(|it| async move { it.next_due().await })).await?;
        Ok(due.into_iter().flatten().min())
    }

    /// Removes one pending element that equals `value`, the oldest of its shard, as
    /// [`Pending::remove`](crate::Pending::remove) does; false if there is none.
    ///
    /// Searches one shard after the other until one has the element. [`ShardedQueue::cancel`] needs
    /// no search.
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
    /// If it fails in some shards only, the error is
    /// [`Error::SomeShards`](crate::Error::SomeShards). Calling again is safe.
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
