//! Taking due elements from all shards.

use std::time::Duration;

use super::ShardedQueue;
use crate::error::Result;
use crate::queue::blocking_queue::TakeStream;
use crate::queue::taker::until_closed;

/// Taking due elements from all shards.
///
/// No shard starves: each call looks at the shards in turn, and begins behind the one that was served
/// last. That includes shards that are only [drained](crate::Shards::drained_names).
impl<T: 'static> ShardedQueue<T> {
    /// Waits for the next due element of any shard, and takes it.
    ///
    /// Keeps waiting while a Redis is unreachable, frozen or restarting. Shards on other servers go on
    /// meanwhile.
    ///
    /// # Redis
    ///
    /// As [`Selector::take`](crate::Selector::take).
    ///
    /// # Compatibility
    ///
    /// As `take()` of the `RBlockingQueue` of any of the shards.
    ///
    /// # Errors
    ///
    /// As [`DelayedQueue::take`](crate::DelayedQueue::take), of any of the shards.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// loop {
    ///     println!("{}", queue.take().await?);
    /// }
    /// # }
    /// ```
    pub async fn take(&self) -> Result<T> {
        Ok(self.selector.take().await?.1)
    }

    /// Waits up to `timeout` for a due element of any shard, and takes it; `None` if none came. A
    /// timeout of zero asks Redis once for each shard, all at once.
    ///
    /// # Redis
    ///
    /// As [`Selector::take`](crate::Selector::take).
    ///
    /// # Errors
    ///
    /// As [`DelayedQueue::poll`](crate::DelayedQueue::poll), of any of the shards.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// match queue.poll(Duration::from_millis(500)).await? {
    ///     Some(order) => println!("{order}"),
    ///     None => println!("nothing came"),
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn poll(&self, timeout: Duration) -> Result<Option<T>> {
        let taken = self.selector.poll(timeout).await?;
        Ok(taken.map(|(_, value)| value))
    }

    /// Takes an element if there is one in the target queue of any shard; `None` otherwise.
    ///
    /// # Errors
    ///
    /// As [`poll`](Self::poll).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// while let Some(order) = queue.try_take().await? {
    ///     println!("{order}");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn try_take(&self) -> Result<Option<T>> {
        self.poll(Duration::ZERO).await
    }

    /// Waits up to `wait` for a due element of any shard, and takes it together with the elements of
    /// all shards that have arrived by then, up to `max`; an empty list if none came.
    ///
    /// # Redis
    ///
    /// As [`Selector::take_many`](crate::Selector::take_many).
    ///
    /// # Errors
    ///
    /// As [`Selector::take_many`](crate::Selector::take_many).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let orders = queue.take_many(100, Duration::from_secs(5)).await?;
    /// println!("{} at once", orders.len());
    /// # Ok(()) }
    /// ```
    pub async fn take_many(&self, max: usize, wait: Duration) -> Result<Vec<T>> {
        let taken = self.selector.take_many(max, wait).await?;
        Ok(taken.into_iter().map(|(_, value)| value).collect())
    }

    /// The elements of all shards as they become due, without end: each item is a
    /// [`take`](Self::take).
    ///
    /// An error does not end the stream, except [`Error::Closed`](crate::Error::Closed), which is its
    /// last item.
    ///
    /// # Redis
    ///
    /// Nothing until the stream is polled; then as [`take`](Self::take).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped between two items, or while waiting for one.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use futures::StreamExt;
    ///
    /// # async fn run(queue: redisson_delayed_queue::ShardedQueue<String>) {
    /// let mut orders = queue.stream();
    /// while let Some(order) = orders.next().await {
    ///     println!("{order:?}");
    /// }
    /// # }
    /// ```
    pub fn stream(&self) -> TakeStream<T> {
        let values = until_closed(self.selector.clone(), |selector| async move {
            let taken = selector.take().await.map(|(_, value)| value);
            (selector, taken)
        });
        let names: Vec<&str> = self.shards.all().collect();
        TakeStream::new(names.join(", "), values)
    }
}
