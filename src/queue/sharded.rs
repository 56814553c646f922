//! One logical queue over several Redis names.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use crate::error::{Error, Result};
use crate::listing::Listing;
use crate::queue::delayed_queue::DelayedQueue;
use crate::queue::selector::Selector;

// What every user needs comes first in the documentation.
mod offer;
mod take;

mod change;
mod drained;
mod score;
mod shards;

pub use shards::Shards;

/// One logical queue over several Redis names, so that it spreads over the masters of a cluster.
///
/// Made by [`Client::sharded_queue`](crate::Client::sharded_queue). Each name is a **shard**: a
/// [`DelayedQueue`] like any other, which Java shares as an `RDelayedQueue`. Clones are cheap and
/// are handles to the same queue. It works on any Redis; on a single server it only costs more.
///
/// A call does what the call of the same name of [`DelayedQueue`] does, with the same costs, errors
/// and cancel safety. Its documentation says only what differs.
///
/// # Which shard
///
/// | Offer | Shard |
/// |---|---|
/// | with a [key](crate::Offer::key), or [keyed by its value](crate::Offer::keyed_by_value) | [the key's](Shards::shard_of) |
/// | of a handle that is [grouped](Self::grouped_by) | its group's |
/// | any other | each in turn |
///
/// So at most one element is pending under a key, in all shards together.
/// [`Offer::unique_in_queue`](crate::Offer::unique_in_queue) is refused.
///
/// # Order
///
/// Elements of one shard become takeable in the order of their due times. Between shards there is no
/// order: an element that is due later can come earlier, if its shard has fewer elements.
///
/// # Changing the names
///
/// [`Shards`] says how the queue gets more names or fewer, without losing an element.
///
/// # Redis
///
/// A call about one element goes to its shard.
///
/// # Compatibility
///
/// Java uses each shard as an `RDelayedQueue` with its `RBlockingQueue`.
///
/// # Errors
///
/// The error names the shard. Beside those of [`DelayedQueue`]:
///
/// - [`ShardError::Unknown`](crate::ShardError::Unknown) in [`Error::Shard`] if no shard has the
///   name in a ticket; nothing was sent.
///
/// # Examples
///
/// ```no_run
/// use std::time::Duration;
/// use redisson_delayed_queue::{Client, Offer, ShardedQueue, Shards, codec::StringCodec};
///
/// # async fn run(client: Client) -> redisson_delayed_queue::Result<()> {
/// // orders:0 to orders:7
/// let orders: ShardedQueue<String> =
///     client.sharded_queue(Shards::numbered("orders", 8)?, StringCodec)?;
///
/// let ticket = orders.offer(&"order 17".to_owned(), Duration::from_secs(30)).await?;
/// orders.cancel(&ticket).await?;
///
/// let in_an_hour = Offer::after(Duration::from_secs(3_600)).key("order 18");
/// orders.offer_with(&"remind order 18".to_owned(), in_an_hour).await?;
/// println!("{}", orders.take().await?);
/// # Ok(()) }
/// ```
pub struct ShardedQueue<T> {
    shards: Arc<Shards>,
    /// A queue for each name, in the order of the names.
    queues: Arc<[DelayedQueue<T>]>,
    selector: Selector<T>,
    /// Counts offers that go to each shard in turn.
    turn: Arc<AtomicUsize>,
    group: Option<Arc<Group<T>>>,
}

/// Says to which group a value belongs.
type Group<T> = dyn Fn(&T) -> Vec<u8> + Send + Sync;

impl<T: 'static> ShardedQueue<T> {
    /// Opens a queue for each name.
    pub(crate) fn open(
        shards: Shards,
        open: impl Fn(&str) -> Result<DelayedQueue<T>>,
    ) -> Result<Self> {
        let queues = shards.all().map(open).collect::<Result<Arc<[_]>>>()?;
        Ok(Self {
            shards: Arc::new(shards),
            selector: Selector::new(queues.iter().cloned()),
            queues,
            // Otherwise the first shard would get the only offer of every short-lived process.
            turn: Arc::new(AtomicUsize::new(rand::random_range(0..1 << 16))),
            group: None,
        })
    }

    /// Returns this handle with groups: its offers without a key go to the shard of the group that
    /// `group` returns.
    ///
    /// So the elements of one group come in the order of their due times. Any number of them may be
    /// pending. A group goes to the same shard as a key of the same bytes. Nothing is sent, and other
    /// handles stay as they are.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use redisson_delayed_queue::ShardedQueue;
    ///
    /// # fn run(orders: ShardedQueue<String>) {
    /// // "ada: order 17" and "ada: order 18" go to one shard.
    /// let orders = orders.grouped_by(|order| order.split(':').next().unwrap_or_default().to_owned());
    /// # drop(orders); }
    /// ```
    #[must_use]
    pub fn grouped_by<K: Into<Vec<u8>>>(
        mut self,
        group: impl Fn(&T) -> K + Send + Sync + 'static,
    ) -> Self {
        self.group = Some(Arc::new(move |value| group(value).into()));
        self
    }

    /// Returns this handle with another [`Listing`] for all shards; see
    /// [`DelayedQueue::with_listing`].
    #[must_use]
    pub fn with_listing(mut self, listing: Listing) -> Self {
        let queues = self.queues.iter().cloned();
        self.queues = queues.map(|queue| queue.with_listing(listing)).collect();
        self
    }

    /// The names of the shards, and how they change.
    #[must_use]
    pub fn shards(&self) -> &Shards {
        &self.shards
    }

    /// The queue of the shard at `place`, in the order in which the [names](Shards::names) were
    /// given; `None` if there are not so many.
    #[must_use]
    pub fn shard(&self, place: usize) -> Option<&DelayedQueue<T>> {
        self.queues[..self.shards.len()].get(place)
    }

    /// The queues of all shards: first those to offer to, in the order of their
    /// [names](Shards::names), and then those that are only [drained](Shards::drained_names).
    ///
    /// Loop over them for calls that a sharded queue does not have, and to consume.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// use redisson_delayed_queue::{DeliveryInfo, HandlerError, Result, ShardedQueue, Workers};
    ///
    /// # async fn ship(order: String, _: DeliveryInfo) -> std::result::Result<(), HandlerError> { Ok(()) }
    /// async fn run(orders: ShardedQueue<String>) -> Result<()> {
    ///     let mut pending = 0;
    ///     for queue in orders.queues() {
    ///         pending += queue.pending().len().await?;
    ///     }
    ///     println!("{pending} pending");
    ///
    ///     // Eight handlers for the elements of all shards, at least once each.
    ///     let mut workers = Workers::new().concurrency(8);
    ///     for queue in orders.queues() {
    ///         let consumer = queue.consumer().build()?;
    ///         workers = workers.with(consumer.run(8, ship));
    ///     }
    ///     workers.await;
    ///     Ok(())
    /// }
    /// ```
    pub fn queues(&self) -> impl ExactSizeIterator<Item = &DelayedQueue<T>> {
        self.queues.iter()
    }

    /// The queue of the shard to which an offer under `key` goes.
    ///
    /// Use it for calls that a sharded queue does not have, such as a
    /// [rate limit](DelayedQueue::set_rate_limit) or a schedule. Make offers with a key through
    /// [`offer_with`](Self::offer_with): it also knows which keys are
    /// [moving](crate::ShardError::KeyMoves).
    #[must_use]
    pub fn shard_for(&self, key: impl AsRef<[u8]>) -> &DelayedQueue<T> {
        &self.queues[self.shards.current_of(key.as_ref())]
    }
}

/// Prefers an error that may have changed Redis; otherwise the first.
fn worse(first: Option<Error>, later: Error) -> Error {
    match first {
        Some(first) if first.may_have_changed_redis() || !later.may_have_changed_redis() => first,
        _ => later,
    }
}

impl<T> Clone for ShardedQueue<T> {
    fn clone(&self) -> Self {
        Self {
            shards: Arc::clone(&self.shards),
            queues: Arc::clone(&self.queues),
            selector: self.selector.clone(),
            turn: Arc::clone(&self.turn),
            group: self.group.clone(),
        }
    }
}

impl<T: 'static> fmt::Debug for ShardedQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardedQueue")
            .field("shards", &self.shards)
            .finish_non_exhaustive()
    }
}
