use futures::future::{join_all, try_join_all};

use super::ShardedQueue;
use crate::error::{Result, Step};

/// Holding deliveries back, and what became of elements.
impl<T: 'static> ShardedQueue<T> {
    /// Pauses all shards, as [`DelayedQueue::pause`](crate::DelayedQueue::pause) does: no Rust
    /// process delivers their elements until [`resume`](Self::resume).
    ///
    /// The shards are paused at the same time, but not at the same instant. A shard that is added
    /// later is not paused.
    pub async fn pause(&self) -> Result<()> {
        let paused = join_all(self.queues.iter().map(|queue| queue.pause())).await;
        self.changed(Step::Pause, paused).map(drop)
    }

    /// Ends the [`pause`](Self::pause) of all shards, as
    /// [`DelayedQueue::resume`](crate::DelayedQueue::resume) does.
    pub async fn resume(&self) -> Result<()> {
        let resumed = join_all(self.queues.iter().map(|queue| queue.resume())).await;
        self.changed(Step::Pause, resumed).map(drop)
    }

    /// True if all shards are paused.
    pub async fn is_paused(&self) -> Result<bool> {
        let paused = try_join_all(self.queues.iter().map(|queue| queue.is_paused())).await?;
        Ok(paused.into_iter().all(|is_paused| is_paused))
    }

    /// How many elements of all shards have [expired](crate::Offer::expires_at); see
    /// [`DelayedQueue::expired`](crate::DelayedQueue::expired).
    pub async fn expired(&self) -> Result<u64> {
        let expired = try_join_all(self.queues.iter().map(|queue| queue.expired())).await?;
        Ok(expired.into_iter().sum())
    }

    /// True if the shards that are only [drained](crate::Shards::drained_names) are empty: no
    /// element is pending, due or claimed there, and none is scheduled to be offered.
    ///
    /// If it is true and nobody offers to these names any more, no process needs to take from them.
    /// Sends one `EXISTS` of four keys for each of these shards, which is O(1).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use redisson_delayed_queue::{Client, ShardedQueue, Shards, codec::StringCodec};
    ///
    /// # async fn run(client: Client) -> redisson_delayed_queue::Result<()> {
    /// let shards = Shards::numbered("orders", 2)?.retired(["orders:2", "orders:3"])?;
    /// let orders: ShardedQueue<String> = client.sharded_queue(shards, StringCodec)?;
    /// if orders.is_drained().await? {
    ///     println!("the next release needs orders:0 and orders:1 only");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn is_drained(&self) -> Result<bool> {
        let drained = &self.queues[self.shards.len()..];
        let left = try_join_all(drained.iter().map(|queue| queue.core().has_elements())).await?;
        Ok(!left.into_iter().any(|has_elements| has_elements))
    }
}
