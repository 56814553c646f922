//! The delayed queue as its users see it.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::codec::Codec;
use crate::error::Result;
use crate::ordering::Ordering;
use crate::payload;
use crate::queue::blocking_queue::BlockingQueue;
use crate::queue::raw::RawQueue;

// What every user needs comes first in the documentation.
mod offer;
mod take;

mod change;
mod delivery;
mod expiry;
mod look;
#[cfg(feature = "periodic")]
mod periodic;
mod place;
mod removal;
mod reschedule;
mod undue;

mod keyspace;

/// A queue whose elements become takeable after a delay; Redisson's `RDelayedQueue`, together with
/// the `RBlockingQueue` that it delivers to.
///
/// Clones are cheap and are handles to the same queue. Made by
/// [`Client::delayed_queue`](crate::Client::delayed_queue).
///
/// # Delivery
///
/// Every element is handed to one consumer, in whatever language. After the hand-over it is that
/// consumer's alone, as in Redisson: if the process ends before it has dealt with the element, the
/// element is gone. Before the hand-over nothing is lost: a future may be dropped, a connection cut
/// or a process killed at any moment.
///
/// Until Redis knows of the hand-over, a [lease](crate::ClientBuilder::claim_lease) keeps the
/// element from others. If the lease runs out first, the element is delivered twice. So it is if
///
/// - the process is killed before it has sent the end of the lease, some 0.1 ms after the hand-over
///   at rest and a few ms under load;
/// - the process is cut off from Redis at the hand-over until the lease has run out, which takes 10
///   to 30 s by default;
/// - the clock of Redis jumps forward past the end of the lease, as it can at a failover. This can
///   double all that is claimed just then.
///
/// A killed process can leave leases of up to 500 elements that it claimed for its callers, and of
/// as many ahead. When a lease has run out, any Rust client that transfers the queue returns the
/// element to the head of the target queue within a [safety
/// poll](crate::ClientBuilder::safety_poll), and consumers in any language find it there. A Rust
/// client that takes from the queue may claim it first. Java clients do neither: without a Rust
/// client, such elements stay in `rdq1_leases:{name}` until one runs again.
pub struct DelayedQueue<T> {
    core: Arc<RawQueue>,
    codec: Arc<dyn Codec<T>>,
    ordering: Ordering,
}

impl<T: 'static> DelayedQueue<T> {
    pub(crate) fn new(core: Arc<RawQueue>, codec: Arc<dyn Codec<T>>) -> Self {
        Self {
            core,
            codec,
            ordering: Ordering::default(),
        }
    }

    /// This handle, with another answer to whether what it offers is listed, and whether its calls
    /// go by offer order. [`Ordering`] says which to choose; all handles of a queue should have the
    /// same. Default: [`Ordering::Listed`].
    ///
    /// Nothing is sent, and other handles stay as they are. Clones of this one have its ordering.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use std::time::Duration;
    /// use redisson_delayed_queue::{Client, DelayedQueue, Ordering, codec::StringCodec};
    ///
    /// # async fn run(client: Client) -> redisson_delayed_queue::Result<()> {
    /// let sessions: DelayedQueue<String> = client.delayed_queue("sessions", StringCodec)?;
    /// let sessions = sessions.with_ordering(Ordering::Unlisted);
    /// let ticket = sessions.offer(&"session 17".to_owned(), Duration::from_secs(1_800)).await?;
    /// // As fast with a million sessions as with ten.
    /// sessions.cancel(&ticket).await?;
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_ordering(mut self, ordering: Ordering) -> Self {
        self.ordering = ordering;
        self
    }

    /// Whether what this handle offers is listed.
    #[must_use]
    pub fn ordering(&self) -> Ordering {
        self.ordering
    }

    /// The name of the queue, which is the key of its target list.
    #[must_use]
    pub fn name(&self) -> &str {
        self.core.keys().target()
    }

    /// The queue that due elements are moved to.
    #[must_use]
    pub fn destination(&self) -> BlockingQueue<T> {
        BlockingQueue::new(Arc::clone(&self.core), Arc::clone(&self.codec))
    }

    fn encode(&self, value: &T) -> Result<Bytes> {
        payload::encode(&*self.codec, value)
    }

    pub(crate) fn decode(&self, payload: Bytes) -> Result<T> {
        payload::decode(&*self.codec, payload)
    }
}

impl<T: 'static> Clone for DelayedQueue<T> {
    fn clone(&self) -> Self {
        Self {
            core: Arc::clone(&self.core),
            codec: Arc::clone(&self.codec),
            ordering: self.ordering,
        }
    }
}

impl<T: 'static> fmt::Debug for DelayedQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DelayedQueue")
            .field("name", &self.name())
            .field("ordering", &self.ordering)
            .finish_non_exhaustive()
    }
}
