//! Taking due elements from all shards.

use std::time::Duration;

use super::ShardedQueue;
use crate::error::Result;
use crate::queue::stream::QueueStream;

/// Taking due elements from all shards, as a [`Selector`](crate::Selector) over their queues does.
///
/// No shard starves: each call looks at the shards in turn, and begins behind the one that was
/// served last. That includes shards that are only [drained](crate::Shards::drained_names).
impl<T: 'static> ShardedQueue<T> {
    /// Waits for the next due element of any shard, and takes it; see
    /// [`Selector::take`](crate::Selector::take).
    ///
    /// Keeps waiting while a Redis is unreachable, frozen or restarting. Shards on other servers go
    /// on meanwhile.
    pub async fn take(&self) -> Result<T> {
        Ok(self.selector.take().await?.1)
    }

    /// Waits up to `timeout` for a due element of any shard, and takes it; `None` if none came. A
    /// timeout of zero asks Redis once for each shard, all at once. See
    /// [`Selector::poll`](crate::Selector::poll).
    pub async fn poll(&self, timeout: Duration) -> Result<Option<T>> {
        let taken = self.selector.poll(timeout).await?;
        Ok(taken.map(|(_, value)| value))
    }

    /// Takes an element if there is one in the target queue of any shard; `None` otherwise.
    pub async fn try_take(&self) -> Result<Option<T>> {
        self.poll(Duration::ZERO).await
    }

    /// Waits up to `wait` for a due element of any shard, and takes it together with the elements
    /// of all shards that have arrived by then, up to `max`; an empty list if none came. See
    /// [`Selector::take_many`](crate::Selector::take_many).
    pub async fn take_many(&self, max: usize, wait: Duration) -> Result<Vec<T>> {
        let taken = self.selector.take_many(max, wait).await?;
        Ok(taken.into_iter().map(|(_, value)| value).collect())
    }

    /// The elements of all shards as they become due, without end: each item is a
    /// [`take`](Self::take).
    pub fn stream(&self) -> QueueStream<T> {
        let names = self.shards.all().collect::<Vec<_>>().join(", ");
        QueueStream::until_closed(names, self.selector.clone(), |selector| async move {
            let taken = selector.take().await.map(|(_, value)| value);
            (selector, taken)
        })
    }
}
