//! The target queue: what is due, and what is offered without a delay.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::codec::Codec;
use crate::error::Result;
use crate::payload;
use crate::queue::delayed_queue::DelayedQueue;
use crate::queue::raw::RawQueue;

// What every user needs comes first in the documentation.
mod offer;
mod take;

mod any;
mod change;
mod last;
mod look;
mod relay;

/// The list that a delayed queue delivers to; Redisson's `RBlockingQueue` and `RBlockingDeque` of
/// the same name.
///
/// Made by [`DelayedQueue::destination`](crate::DelayedQueue::destination) and
/// [`Client::blocking_queue`](crate::Client::blocking_queue). Handles of either kind share what
/// they claim.
///
/// # What is in it
///
/// What is due, or was offered here, and waits for a consumer. An element that a Rust process has
/// claimed and not yet handed to a caller is not in the list: no call below sees, counts or removes
/// it, and it comes back to the front if it is not handed over after all.
///
/// Elements have no ids here, only payloads: two elements are equal if the codec writes the same
/// bytes for both, as in Redisson. A place, counted from 0 at the front, is true for one moment,
/// for elements leave at the front all the time.
///
/// # Calls of several commands
///
/// No call keeps Redis from others for long, so where Redisson sends one command or script for any
/// number of elements, some calls here send several, and others see the list in between. When one
/// of these fails, the call ends in [`Error::Unfinished`](crate::Error::Unfinished) if an earlier
/// one changed something.
pub struct BlockingQueue<T> {
    core: Arc<RawQueue>,
    codec: Arc<dyn Codec<T>>,
}

impl<T: 'static> BlockingQueue<T> {
    pub(crate) fn new(core: Arc<RawQueue>, codec: Arc<dyn Codec<T>>) -> Self {
        Self { core, codec }
    }

    /// The name of the queue, which is its key.
    #[must_use]
    pub fn name(&self) -> &str {
        self.core.keys().target()
    }

    fn encode(&self, value: &T) -> Result<Bytes> {
        payload::encode(&*self.codec, value)
    }

    fn decode(&self, payload: Bytes) -> Result<T> {
        payload::decode(&*self.codec, payload)
    }
}

/// The queue that due elements are moved to.
impl<T: 'static> From<DelayedQueue<T>> for BlockingQueue<T> {
    fn from(queue: DelayedQueue<T>) -> Self {
        queue.destination()
    }
}

impl<T: 'static> Clone for BlockingQueue<T> {
    fn clone(&self) -> Self {
        Self::new(Arc::clone(&self.core), Arc::clone(&self.codec))
    }
}

impl<T: 'static> fmt::Debug for BlockingQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockingQueue")
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}
