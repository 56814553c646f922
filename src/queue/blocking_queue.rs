//! The target queue: due elements, and elements offered without a delay.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::codec::Codec;
use crate::error::Result;
use crate::payload;
use crate::queue::raw::RawQueue;

// What every user needs comes first in the documentation.
mod offer;
mod take;

mod any;
mod change;
mod elements;
mod last;
mod look;
mod relay;
mod stream;

pub use elements::Elements;
pub use stream::TakeStream;

/// The list that a delayed queue delivers to; Redisson's `RBlockingQueue` and `RBlockingDeque` of
/// the same name.
///
/// Made by [`DelayedQueue::destination`](crate::DelayedQueue::destination) and
/// [`Client::blocking_queue`](crate::Client::blocking_queue). A client's handles of one name share
/// the elements that they claim, whichever way they were made.
///
/// # Which elements are in it
///
/// The list has the elements that are due, and those that were offered here, until a consumer takes
/// them. When a Rust process claims an element for a caller, the element leaves the list: no call
/// below sees, counts or removes it. If no caller gets it after all, it comes back to the front.
/// Elements that are not yet due are in [`DelayedQueue::pending`](crate::DelayedQueue::pending).
///
/// Elements have no ids here, only payloads: two elements are equal if the codec writes the same
/// bytes for both, as in Redisson. A place, counted from 0 at the front, is true for one moment,
/// because elements leave at the front all the time.
///
/// # Waiting
///
/// The name of a call says whether it waits for an element, on every handle of this crate:
///
/// - `take…` waits, for as long as it takes; [`take_many`](Self::take_many) up to its `wait`.
/// - `poll…` waits up to its `timeout`, and not at all if it has none, as
///   [`poll_many`](Self::poll_many).
/// - `try_take…` never waits. Neither does [`drain_to`](Self::drain_to).
///
/// # Calls of several commands
///
/// No call blocks Redis for long. Redisson sends one command or script for any number of elements;
/// some calls here send several instead, and others see the list in between. If one of the commands
/// fails after an earlier one changed something, the call returns
/// [`Error::Unfinished`](crate::Error::Unfinished).
pub struct BlockingQueue<T> {
    core: Arc<RawQueue>,
    codec: Arc<dyn Codec<T>>,
}

impl<T: 'static> BlockingQueue<T> {
    pub(crate) fn new(core: Arc<RawQueue>, codec: Arc<dyn Codec<T>>) -> Self {
        Self { core, codec }
    }

    /// The name of the queue. It is also its key, unless the client has a
    /// [name mapper](crate::NameMapper).
    #[must_use]
    pub fn name(&self) -> &str {
        self.core.name()
    }

    fn encode(&self, value: &T) -> Result<Bytes> {
        payload::encode(&*self.codec, value)
    }

    pub(crate) fn decode(&self, payload: Bytes) -> Result<T> {
        payload::decode(&*self.codec, payload)
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
