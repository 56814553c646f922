//! Taking what is due.

use std::time::{Duration, Instant};

use futures::stream::{self, Stream};

use super::DelayedQueue;
use crate::error::{Error, Result};
use crate::intake::Patience;

impl<T: 'static> DelayedQueue<T> {
    /// Waits for the next element that is due, and takes it.
    ///
    /// Keeps waiting while Redis is unreachable, frozen or restarting. Callers are served in the
    /// order in which they came.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/claim.lua` for all callers that wait when there may be something for
    /// them, an `LLEN` when there was not enough, and a `ZREM` for the elements handed over. While
    /// the queue is empty, nothing but one look per [safety
    /// poll](crate::ClientBuilder::safety_poll).
    ///
    /// # Compatibility
    ///
    /// Competes with `RBlockingQueue.take()` and `poll()` for the same elements, each of which one
    /// of them gets. An element that is claimed and not yet handed over is not in the target
    /// list.
    ///
    /// # Errors
    ///
    /// - [`Error::Decode`] if the codec does not understand the payload, which the error carries:
    ///   the element was taken.
    /// - [`Error::Denied`], [`Error::Refused`], [`Error::WrongType`] if Redis refuses to claim;
    ///   nothing was taken. Call again to wait for the cause to pass.
    /// - [`Error::Closed`] after [`Client::shutdown`](crate::Client::shutdown).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped. A future that is kept and not polled keeps its
    /// place in the line, and may keep an element from others for two thirds of a
    /// [lease](crate::ClientBuilder::claim_lease).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// loop {
    ///     println!("{}", queue.take().await?);
    /// }
    /// # }
    /// ```
    pub async fn take(&self) -> Result<T> {
        loop {
            // Never `None` without a limit to the wait.
            if let Some(payload) = self.core.take(Patience::Forever).await? {
                return self.decode(payload);
            }
        }
    }

    /// Waits up to `timeout` for an element that is due, and takes it; nothing if none came.
    ///
    /// The timeout counts to the millisecond, where Redisson cuts it to whole seconds. A timeout of
    /// zero asks Redis once, as [`try_take`](Self::try_take).
    ///
    /// # Redis
    ///
    /// As [`take`](Self::take).
    ///
    /// # Errors
    ///
    /// As [`take`](Self::take); and [`Error::Connect`] or [`Error::Lost`] if Redis cannot be
    /// reached when the time is up. Nothing was taken.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn poll(&self, timeout: Duration) -> Result<Option<T>> {
        let patience = match Instant::now().checked_add(timeout) {
            _ if timeout.is_zero() => Patience::Once,
            Some(deadline) => Patience::Until(deadline),
            None => Patience::Forever,
        };
        let payload = self.core.take(patience).await?;
        payload.map(|payload| self.decode(payload)).transpose()
    }

    /// Takes an element if one has been moved to the target queue; nothing otherwise.
    ///
    /// Callers that wait already come first.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/claim.lua`, or none if this process holds an element nobody waits for.
    ///
    /// # Errors
    ///
    /// As [`poll`](Self::poll).
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: nothing was taken if dropped.
    pub async fn try_take(&self) -> Result<Option<T>> {
        self.poll(Duration::ZERO).await
    }

    /// The elements as they become due, without end.
    ///
    /// An error does not end the stream, except [`Error::Closed`], which is its last item.
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
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) {
    /// let mut values = queue.stream();
    /// while let Some(value) = values.next().await {
    ///     println!("{value:?}");
    /// }
    /// # }
    /// ```
    pub fn stream(&self) -> impl Stream<Item = Result<T>> + Send + Unpin + use<T>
    where
        T: Send,
    {
        let stream = stream::unfold(Some(self.clone()), |queue| async move {
            let queue = queue?;
            let taken = queue.take().await;
            let rest = (!matches!(taken, Err(Error::Closed))).then_some(queue);
            Some((taken, rest))
        });
        // Boxed, so that callers need not pin it.
        Box::pin(stream)
    }
}
