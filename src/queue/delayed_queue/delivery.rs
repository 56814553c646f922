//! Holding deliveries back: for a while, or to a rate.

use super::DelayedQueue;
use crate::error::Result;
use crate::rate::RateLimit;

/// Holding deliveries back: for a while, or to a rate.
impl<T: 'static> DelayedQueue<T> {
    /// Holds back deliveries of this queue in all Rust processes, until
    /// [`resume`](Self::resume).
    ///
    /// While it lasts no Rust client moves what is due, and none claims from the target queue.
    /// Callers that take go on waiting. Elements that were claimed before may still be handed over.
    /// Offers, and all other calls, go on. It outlives this process and a restart of a durable
    /// Redis. Pausing a paused queue changes nothing.
    ///
    /// # Redis
    ///
    /// `HSETNX` of the field `paused` of the hash `rdq1_state:{name}`, unix ms by Redis's
    /// clock. O(1). While a queue is paused each client looks once a [safety
    /// poll](crate::ClientBuilder::safety_poll) whether it still is, for its transfer and for its
    /// callers that wait.
    ///
    /// # Compatibility
    ///
    /// Java knows nothing of it, and cannot be held: a Java client with an `RDelayedQueue` moves
    /// what is due, and Java consumers take it.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the retry window;
    ///   calling again is safe.
    /// - What keeps Redis from answering; nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the queue paused or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// queue.pause().await?;
    /// // Migrate the database that all consumers need. What becomes due meanwhile waits.
    /// queue.resume().await?;
    /// # Ok(()) }
    /// ```
    pub async fn pause(&self) -> Result<()> {
        self.core.pause().await
    }

    /// Ends a [`pause`](Self::pause): all Rust processes go on at once.
    ///
    /// One that Redis cannot tell goes on within a [safety
    /// poll](crate::ClientBuilder::safety_poll). Resuming a queue that is not paused changes
    /// nothing.
    ///
    /// # Redis
    ///
    /// `HDEL`. O(1).
    ///
    /// # Errors
    ///
    /// As [`pause`](Self::pause).
    ///
    /// # Cancel safety
    ///
    /// Leaves the queue paused or not.
    pub async fn resume(&self) -> Result<()> {
        self.core.resume().await
    }

    /// Whether the queue is paused.
    ///
    /// # Redis
    ///
    /// `HEXISTS`. O(1).
    ///
    /// # Errors
    ///
    /// What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn is_paused(&self) -> Result<bool> {
        self.core.is_paused().await
    }

    /// Limits the rate at which all Rust processes together take from this queue, or ends the
    /// limit.
    ///
    /// Takes effect at once in all of them, also for callers that wait; where Redis cannot tell,
    /// and for limits of more than ten elements a second, within a tenth of a second or a
    /// [safety poll](crate::ClientBuilder::safety_poll). It outlives this process and a restart
    /// of a durable Redis. Setting a limit that is set already changes nothing, so each process
    /// may do so when it starts; another limit begins with its whole burst.
    ///
    /// What counts is when an element is claimed for a process, by Redis's clock. An element whose
    /// consumer vanished counts again when it is claimed again, and one that was claimed and given
    /// back, because its caller gave up, has counted. Calls that do not wait, such as
    /// [`try_take`](Self::try_take) and [`drain_to`](Self::drain_to), get what the limit lets go at
    /// that moment.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/limit.lua`: the fields `interval_us` and `burst` of the hash
    /// `rdq1_state:{name}`, beside which claims keep `next_us`. O(1). A process that must wait
    /// sleeps until the next element is allowed.
    ///
    /// # Compatibility
    ///
    /// Java knows nothing of it: Java consumers are not limited, and what they take does not count.
    ///
    /// # Errors
    ///
    /// As [`pause`](Self::pause).
    ///
    /// # Cancel safety
    ///
    /// Leaves the limit set or not.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::RateLimit;
    ///
    /// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
    /// let limit = RateLimit::new(50, Duration::from_secs(1)).with_burst(10);
    /// queue.set_rate_limit(Some(limit)).await?;
    /// # Ok(()) }
    /// ```
    pub async fn set_rate_limit(&self, limit: Option<RateLimit>) -> Result<()> {
        self.core.set_rate_limit(limit).await
    }

    /// The limit to the rate at which this queue's elements are taken; nothing if there is none.
    ///
    /// # Redis
    ///
    /// `HMGET`. O(1).
    ///
    /// # Errors
    ///
    /// What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn rate_limit(&self) -> Result<Option<RateLimit>> {
        self.core.rate_limit().await
    }
}
