//! The pending elements of a delayed queue, as a collection.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::codec::Codec;
use crate::entry::Entry;
use crate::error::Result;
use crate::listing::Listing;
use crate::payload;
use crate::queue::raw::{RawEntry, RawQueue};

mod entries;
mod look;
mod poll;
mod remove;

pub use entries::Entries;

/// The pending elements of a delayed queue; Redisson's `RDelayedQueue` as a collection.
///
/// Made by [`DelayedQueue::pending`](crate::DelayedQueue::pending). Clones are cheap and are handles
/// to the same elements. A handle keeps the [listing](crate::Listing) of the queue that made it.
///
/// # Which elements are pending
///
/// An element is pending from its offer until a client moves it to the target queue, when it is
/// due. So the first elements by due time may be due already, for a moment or while the queue is
/// [paused](crate::DelayedQueue::pause). Elements in the target queue are not pending:
/// [`DelayedQueue::destination`](crate::DelayedQueue::destination) has them.
///
/// Two elements are equal if the codec writes the same bytes for both, as in Redisson.
///
/// # Order
///
/// Redisson keeps its delayed queue in the order of the offers, which need not be the order in which
/// elements become due. Calls that are named like Redisson's follow the order of the offers:
/// [`peek`](Self::peek), [`poll`](Self::poll), [`read_all`](Self::read_all),
/// [`remove`](Self::remove). For an [unlisted](crate::Listing::Unlisted) handle they follow the due
/// times. [`peek_next`](Self::peek_next), [`next_due`](Self::next_due), [`iter`](Self::iter) and
/// [`between`](Self::between) always follow the due times.
///
/// # Waiting
///
/// No call here waits for an element: [`poll`](Self::poll) takes a pending element before it is
/// due. To wait for the next due element, use [`DelayedQueue::take`](crate::DelayedQueue::take) or
/// [`DelayedQueue::poll`](crate::DelayedQueue::poll).
///
/// # Examples
///
/// ```no_run
/// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
/// let pending = queue.pending();
/// println!("{} wait, the next until {:?}", pending.len().await?, pending.next_due().await?);
/// # Ok(()) }
/// ```
pub struct Pending<T> {
    core: Arc<RawQueue>,
    codec: Arc<dyn Codec<T>>,
    listing: Listing,
}

impl<T: 'static> Pending<T> {
    pub(crate) fn new(core: Arc<RawQueue>, codec: Arc<dyn Codec<T>>, listing: Listing) -> Self {
        Self {
            core,
            codec,
            listing,
        }
    }

    fn encode(&self, value: &T) -> Result<Bytes> {
        payload::encode(&*self.codec, value)
    }

    fn encode_all(&self, values: &[T]) -> Result<HashSet<Bytes>> {
        values.iter().map(|value| self.encode(value)).collect()
    }

    fn decode(&self, payload: Bytes) -> Result<T> {
        payload::decode(&*self.codec, payload)
    }

    fn decode_entry(&self, entry: RawEntry) -> Result<Entry<T>> {
        Ok(Entry {
            due: entry.due,
            ticket: entry.ticket,
            value: self.decode(entry.payload)?,
        })
    }
}

impl<T: 'static> Clone for Pending<T> {
    fn clone(&self) -> Self {
        Self::new(
            Arc::clone(&self.core),
            Arc::clone(&self.codec),
            self.listing,
        )
    }
}

impl<T: 'static> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending")
            .field("name", &self.core.name())
            .field("listing", &self.listing)
            .finish_non_exhaustive()
    }
}
