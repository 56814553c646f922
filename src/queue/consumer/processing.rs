//! Which elements are handled at the same time.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::codec::Codec;
use crate::payload::decode;
use crate::wire::script::{Grouping, KeyOf};

/// Which elements of a queue consumers handle at the same time.
///
/// With [`sequential`](Self::sequential) and [`by_key`](Self::by_key), an element is delivered only
/// when the one before it is acknowledged or a dead letter, in all processes together. So a retry
/// holds up the elements behind it: all of them, or those of its own key.
///
/// - That holds among consumers with the same processing. Java consumers and
///   [`take`](crate::DelayedQueue::take) know nothing of it.
/// - It holds as long as the lease does. If a handler outlives its lease, another consumer gets the
///   element, and [`Receipt::fence`](super::Receipt::fence) tells the two apart.
/// - With [`AckMode::Auto`](super::AckMode::Auto), elements are acknowledged before they are handled,
///   so it orders the deliveries only.
///
/// # Compatibility
///
/// `sequential` is `ProcessingMode.SEQUENTIAL` of Redisson PRO's `RReliableQueue`, `parallel` its
/// `PARALLEL`. `by_key` is like the message groups of an SQS FIFO queue.
///
/// # Examples
///
/// ```no_run
/// use redisson_delayed_queue::{DelayedQueue, Processing, Result};
///
/// # async fn run(orders: DelayedQueue<String>) -> Result<()> {
/// // An order is "customer:number". Those of a customer are handled one after the other.
/// let customer = |order: &String| order.split(':').next().unwrap_or_default().to_owned();
/// let consumer = orders.consumer().processing(Processing::by_key(customer)).build()?;
/// # Ok(()) }
/// ```
pub struct Processing<T>(Grouping<Key<T>>);

type Key<T> = Arc<dyn Fn(&T) -> Vec<u8> + Send + Sync>;

impl<T: 'static> Processing<T> {
    /// All elements, in any order. The default.
    pub fn parallel() -> Self {
        Self(Grouping::Parallel)
    }

    /// One element at a time, in the order of the target queue.
    ///
    /// # Redis
    ///
    /// A claim and an acknowledgement for each element, one after the other.
    pub fn sequential() -> Self {
        Self(Grouping::Sequential)
    }

    /// One element at a time for each key, in the order of the target queue. `key` computes the key
    /// from the value, such as the number of a customer. If it panics, the element is a dead
    /// letter.
    ///
    /// `key` runs on the thread of the client's connections, so it must not block. The value is decoded
    /// for it, and once more for the handler.
    ///
    /// # Redis
    ///
    /// Beside what [`recv`](super::Consumer::recv) says, an `EVALSHA` of `lua/join.lua` for each claim
    /// that brought new elements. Until it is done, other consumers of the queue claim no new ones. If
    /// the process ends in between, they wait up to 5 s, or with a payload of more than 1 MiB up to the
    /// visibility time.
    ///
    /// An element whose key is busy waits in Redis, outside the target queue, where Java and `take`
    /// do not find it. If 100,000 wait, no further element is claimed until some of them are done.
    pub fn by_key<K, F>(key: F) -> Self
    where
        F: Fn(&T) -> K + Send + Sync + 'static,
        K: AsRef<[u8]>,
    {
        let key = move |value: &T| key(value).as_ref().to_vec();
        Self(Grouping::ByKey(Arc::new(key)))
    }

    pub(super) fn grouping(&self, codec: &Arc<dyn Codec<T>>) -> Grouping {
        let codec = Arc::clone(codec);
        self.0.clone().map(|key| -> KeyOf {
            Arc::new(move |payload| {
                let value = decode(&*codec, payload.clone()).ok()?;
                catch_unwind(AssertUnwindSafe(|| key(&value))).ok()
            })
        })
    }
}

impl<T> Default for Processing<T> {
    fn default() -> Self {
        Self(Grouping::Parallel)
    }
}

impl<T> Clone for Processing<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> fmt::Debug for Processing<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
