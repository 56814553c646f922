use super::DelayedQueue;
use crate::error::Result;
use crate::rate::RateLimit;

/// Holding deliveries back: for a while, or to a rate.
impl<T: 'static> DelayedQueue<T> {
    /// Pauses the queue: no Rust process delivers its elements until [`resume`](Self::resume).
    ///
    /// While the queue is paused, no Rust client moves due elements, and none claims from the target
    /// queue. Callers that take go on waiting. They may still get elements that were claimed before.
    /// Offers and all other calls work as usual. The pause outlives this process, and a restart of
    /// a durable Redis. Pausing a paused queue changes nothing.
    ///
    /// # Redis
    ///
    /// `HSETNX` of the field `paused` of the hash `rdq1_state:{name}`, unix ms by Redis's clock.
    /// O(1). While a queue is paused, each client checks it once a [safety
    /// poll](crate::ClientBuilder::safety_poll), for its transfer and for its waiting callers.
    ///
    /// # Compatibility
    ///
    /// Java does not know pauses: a Java client with an `RDelayedQueue` still moves due elements,
    /// and Java consumers take them.
    pub async fn pause(&self) -> Result<()> {
        self.core.pause().await
    }

    /// Ends a [`pause`](Self::pause), by `HDEL`: all Rust processes go on at once.
    ///
    /// If Redis cannot tell a process, it goes on within a [safety
    /// poll](crate::ClientBuilder::safety_poll). Resuming a queue that is not paused changes
    /// nothing.
    pub async fn resume(&self) -> Result<()> {
        self.core.resume().await
    }

    /// True if the queue is paused. Sends `HEXISTS`, which is O(1).
    pub async fn is_paused(&self) -> Result<bool> {
        self.core.is_paused().await
    }

    /// Limits the rate at which all Rust processes together take from this queue; `None` ends the
    /// limit.
    ///
    /// The limit takes effect in all processes at once, even for callers that wait. If Redis cannot
    /// tell a process, or if the limit allows more than ten elements a second, it takes effect
    /// within a tenth of a second or a [safety poll](crate::ClientBuilder::safety_poll). It
    /// outlives this process, and a restart of a durable Redis. Setting the limit that is already
    /// set changes nothing, so each process may set it when it starts. Another limit begins with
    /// its whole burst.
    ///
    /// An element counts when a process claims it, by Redis's clock. If its consumer vanishes, it
    /// counts again at the next claim. If its caller gives up and the element goes back, it has
    /// counted. Calls that do not wait, such as
    /// [`try_take`](Self::try_take) and [`drain_to`](crate::BlockingQueue::drain_to), get as many
    /// elements as the limit allows at that moment.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/limit.lua`: the fields `interval_us` and `burst` of the hash
    /// `rdq1_state:{name}`, beside which claims keep `next_us`. O(1). A process that must wait
    /// sleeps until the next element is allowed.
    ///
    /// # Compatibility
    ///
    /// Java does not know the limit: Java consumers are not limited, and the elements that they take
    /// do not count.
    pub async fn set_rate_limit(&self, limit: Option<RateLimit>) -> Result<()> {
        self.core.set_rate_limit(limit).await
    }

    /// The rate limit of this queue; `None` if it has none. Sends `HMGET`, which is O(1).
    pub async fn rate_limit(&self) -> Result<Option<RateLimit>> {
        self.core.rate_limit().await
    }
}
