use futures::future::try_join_all;

use super::ShardedQueue;
use crate::error::Result;

/// Whether the names that were removed are empty.
impl<T: 'static> ShardedQueue<T> {
    /// True if the shards that are only [drained](crate::Shards::drained_names) are empty: no
    /// element is pending, ready or claimed there, and none is scheduled to be offered.
    ///
    /// If it is true and nobody offers to these names any more, no process needs to take from them.
    /// Sends one `EXISTS` of five keys for each of these shards, which is O(1).
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
        let left = try_join_all(
            drained
                .iter()
                .map(|queue| async move { queue.object().has_elements().await }),
        )
        .await?;
        Ok(!left.into_iter().any(|has_elements| has_elements))
    }
}
