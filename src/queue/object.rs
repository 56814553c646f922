//! A queue as a whole: its keys, but for those that go by themselves.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::error::Result;
use crate::queue::raw::RawQueue;

/// A delayed queue as a whole: Redisson's `RObject` and `RExpirable`, over every
/// [key](crate::wire::keys) of the queue.
///
/// Made by [`DelayedQueue::object`](crate::DelayedQueue::object). Clones are cheap and are handles
/// to the same queue.
///
/// The keys hold the due elements, the pending elements, and everything else that this crate stores
/// for the queue, such as periodic offers, a pause and a rate limit. Redisson's calls of the same
/// names reach only some of the keys; `# Compatibility` of each method says which.
///
/// # Examples
///
/// ```no_run
/// # async fn run(queue: redisson_delayed_queue::DelayedQueue<String>) -> redisson_delayed_queue::Result<()> {
/// let backup = format!("{}-backup", queue.name());
/// queue.object().copy_replacing(&backup).await?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct QueueObject {
    core: Arc<RawQueue>,
}

impl QueueObject {
    pub(crate) fn new(core: Arc<RawQueue>) -> Self {
        Self { core }
    }

    /// Deletes the queue: due elements, pending elements, and everything stored beside them. True if
    /// there was anything.
    ///
    /// That includes quarantined members, periodic offers, a pause and a rate limit. If a process
    /// has claimed an element at this moment, a caller may still get it.
    /// [`Pending::clear`](crate::Pending::clear) deletes only the pending elements.
    ///
    /// # Redis
    ///
    /// `UNLINK` of every [key](crate::wire::keys) but `rdq1_settled:{name}`, which shuts out late
    /// attempts at offers and expires within about a minute. O(1), and O(N) in the background.
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.delete()` deletes the pending elements and leaves the target queue, as
    /// [`Pending::clear`](crate::Pending::clear) does. `RDelayedQueue.unlink()` deletes the target
    /// queue and leaves the pending elements.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the retry window;
    ///   calling again is safe. If a reply was lost once, false may mean that the first attempt
    ///   deleted the queue.
    /// - Any error of Redis or the connection; nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the queue deleted or not.
    pub async fn delete(&self) -> Result<bool> {
        self.core.delete().await
    }

    /// True if any key of the queue exists: there are elements, due, claimed or pending, or
    /// a schedule, a pause, a rate limit or the quarantine is stored beside them.
    ///
    /// # Redis
    ///
    /// `EXISTS` of every [key](crate::wire::keys) that does not expire by itself. O(1).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.isExists()` looks at the target queue alone, so it is false while all elements
    /// are pending.
    ///
    /// # Errors
    ///
    /// Any error of Redis or the connection; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    #[doc(alias = "isExists")]
    pub async fn exists(&self) -> Result<bool> {
        self.core.exists().await
    }

    /// Lets Redis delete the whole queue `after` from now, by Redis's clock; false if the queue does
    /// not [exist](Self::exists).
    ///
    /// `after` and the clock are rounded up to a millisecond; zero deletes the queue at once. All
    /// keys expire at the same moment, with the elements offered until then, except those that
    /// expire by themselves anyway. Redis drops the expiry of a key that becomes empty. So if the
    /// queue runs empty earlier, elements offered later stay: call `expire` again.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/expire.lua`: `PEXPIREAT` of every [key](crate::wire::keys) that does not
    /// expire by itself. O(1).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.expire(duration)` leaves out the target queue, so due elements stay for ever.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the retry window;
    ///   calling again is safe.
    /// - Any error of Redis or the connection; nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the expiry of all keys set or not.
    pub async fn expire(&self, after: Duration) -> Result<bool> {
        self.core.expire(after).await
    }

    /// Lets Redis delete the whole queue at the moment `at`, by Redis's clock; false if the queue
    /// does not exist.
    ///
    /// A moment in the past deletes the queue at once. Otherwise as [`expire`](Self::expire).
    ///
    /// # Compatibility
    ///
    /// In Java `RDelayedQueue.expire(instant)` and `expireAt(…)`, which leave out the target queue.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    ///
    /// # Cancel safety
    ///
    /// Leaves the expiry of all keys set or not.
    pub async fn expire_at(&self, at: SystemTime) -> Result<bool> {
        self.core.expire_at(at).await
    }

    /// Takes back [`expire`](Self::expire): Redis no longer deletes the queue. False if no expiry
    /// was set.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/expire.lua`: `PERSIST` of every [key](crate::wire::keys) that does not
    /// expire by itself. O(1).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.clearExpire()` leaves out the target queue.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire). If a reply was lost once, false may mean that the first attempt
    /// did it.
    ///
    /// # Cancel safety
    ///
    /// Leaves the expiry of all keys cleared or not.
    pub async fn clear_expire(&self) -> Result<bool> {
        self.core.clear_expire().await
    }

    /// How long until the first key of the queue expires; `None` if no expiry is set.
    ///
    /// # Redis
    ///
    /// `PTTL` of every [key](crate::wire::keys) that does not expire by itself, in one round trip.
    /// O(1).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.remainTimeToLive()` looks at the target queue, which its `expire` leaves out.
    ///
    /// # Errors
    ///
    /// Any error of Redis or the connection; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    #[doc(alias = "getExpireTime")]
    #[doc(alias = "remainTimeToLive")]
    pub async fn remaining_ttl(&self) -> Result<Option<Duration>> {
        self.core.remaining_ttl().await
    }

    /// Gives the whole queue the name `name`, and overwrites a queue that has it. If there is
    /// nothing to rename, it changes nothing and returns false.
    ///
    /// Elements, tickets, due times, expiry times and periodic offers come along. Claimed elements
    /// stay with the processes that claimed them: their callers get them, or they come again under
    /// the old name. The deliveries of a [`Consumer`](crate::Consumer) stay under the old name, and
    /// so do those that it retries later.
    ///
    /// Handles keep the old name. Open the queue under its new name with
    /// [`Client::delayed_queue`](crate::Client::delayed_queue). Programs that go on offering to the
    /// old name make a new queue there. If an [`offer`](crate::DelayedQueue::offer) lost its reply
    /// and is retried during the call, its element may stand under both names.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/relocate.lua`: `RENAME` of every [key](crate::wire::keys) but
    /// `rdq1_settled:{name}`, `rdq1_leases:{name}` and those of deliveries, `UNLINK` of the keys that
    /// `name` had, and
    /// `PUBLISH` of the next due time to the channel of `name`, so that its movers wake in time.
    /// O(1). The user needs the [rights](crate::ClientBuilder::connect) to the keys of both names; in
    /// Redis Cluster both must be in one slot.
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.rename(name)` renames the target queue alone, so pending elements arrive under
    /// the old name. It fails if there is nothing to rename.
    ///
    /// # Errors
    ///
    /// - [`Error::Name`](crate::Error::Name) if `name` is empty, or differs from the name of this
    ///   queue in braces only, as `{a}` and `a` do; nothing was sent.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost. The call is not repeated, because
    ///   it would overwrite what was written since. [`exists`](Self::exists) tells whether the queue
    ///   was renamed, if nobody offers to the old name.
    /// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
    ///   [`Error::Refused`](crate::Error::Refused): nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the whole queue renamed or not.
    pub async fn rename(&self, name: &str) -> Result<bool> {
        self.core.rename(&self.core.partner(name)?, true).await
    }

    /// Gives the whole queue the name `name`. If a queue has that name already, or if there is
    /// nothing to rename, it changes nothing and returns false.
    ///
    /// Otherwise as [`rename`](Self::rename).
    ///
    /// # Compatibility
    ///
    /// In Java `RDelayedQueue.renamenx(name)`, which renames the target queue alone.
    ///
    /// # Errors
    ///
    /// As [`rename`](Self::rename).
    ///
    /// # Cancel safety
    ///
    /// Leaves the whole queue renamed or not.
    #[doc(alias = "renamenx")]
    pub async fn rename_if_absent(&self, name: &str) -> Result<bool> {
        self.core.rename(&self.core.partner(name)?, false).await
    }

    /// Copies the queue to the name `name`. If a queue has that name already, or if there is nothing
    /// to copy, it changes nothing and returns false.
    ///
    /// Every element is then delivered under both names, and its ticket names it in both. A pause,
    /// a rate limit and expiry times are copied, too. The copy has no periodic offers, because they
    /// would fire twice from then on. It also lacks the elements that processes have claimed or that
    /// a [`Consumer`](crate::Consumer) has not acknowledged, the settled ids, and the count of expired
    /// elements.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/relocate.lua`: `COPY` of every [key](crate::wire::keys) but
    /// `rdq1_settled:{name}`, `rdq1_leases:{name}`, those of deliveries, `rdq1_periodic:{name}`,
    /// `rdq1_periodic_due:{name}` and `rdq1_counts:{name}`, and `PUBLISH` of the next due time to
    /// the channel of `name`. O(N), during which Redis does nothing else. Rights and slots as for
    /// [`rename`](Self::rename).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.copy(name)` copies the ordering list to the place of the target queue of
    /// `name`, whose consumers then get packed members for values.
    ///
    /// # Errors
    ///
    /// As [`rename`](Self::rename).
    ///
    /// # Cancel safety
    ///
    /// Leaves the whole queue copied or not.
    pub async fn copy_to(&self, name: &str) -> Result<bool> {
        self.core.copy(&self.core.partner(name)?, false).await
    }

    /// Copies the queue to the name `name`, and overwrites everything under that name except the
    /// settled ids. If there is nothing to copy, it changes nothing and returns false.
    ///
    /// Otherwise as [`copy_to`](Self::copy_to).
    ///
    /// # Compatibility
    ///
    /// In Java `RDelayedQueue.copyAndReplace(name)`, which copies as `copy(name)` does.
    ///
    /// # Errors
    ///
    /// As [`copy_to`](Self::copy_to).
    ///
    /// # Cancel safety
    ///
    /// Leaves the whole queue copied or not.
    #[doc(alias = "copyAndReplace")]
    pub async fn copy_replacing(&self, name: &str) -> Result<bool> {
        self.core.copy(&self.core.partner(name)?, true).await
    }

    /// Marks the whole queue as used just now, for a Redis that evicts unused keys; false if there
    /// was nothing to mark.
    ///
    /// # Redis
    ///
    /// `TOUCH` of every [key](crate::wire::keys) but `rdq1_settled:{name}`. O(1).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.touch()` marks the target queue alone.
    ///
    /// # Errors
    ///
    /// Any error of Redis or the connection; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no element is changed.
    pub async fn touch(&self) -> Result<bool> {
        self.core.touch().await
    }

    /// How many bytes of Redis's memory the queue takes, as Redis estimates it.
    ///
    /// # Redis
    ///
    /// `MEMORY USAGE` of every [key](crate::wire::keys), in one round trip. O(1): Redis looks at five
    /// elements of each.
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.sizeInMemory()` leaves out the target queue.
    ///
    /// # Errors
    ///
    /// Any error of Redis or the connection; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn size_in_memory(&self) -> Result<u64> {
        self.core.size_in_memory().await
    }
}

impl fmt::Debug for QueueObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueObject")
            .field("name", &self.core.name())
            .finish_non_exhaustive()
    }
}
