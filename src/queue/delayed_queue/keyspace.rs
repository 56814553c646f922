//! The keys of a queue as a whole.

use std::time::{Duration, SystemTime};

use super::DelayedQueue;
use crate::error::Result;
use crate::wire::keys::QueueKeys;

/// The keys of a queue as a whole.
impl<T: 'static> DelayedQueue<T> {
    /// Deletes the queue: what is due, what is not, and all that is kept beside it. True if
    /// anything was there.
    ///
    /// That includes members in quarantine, periodic offers, a pause and a rate limit. An element
    /// that a process has claimed at this moment may still be handed to a caller.
    /// [`clear`](Self::clear) deletes no more than what is not yet due.
    ///
    /// # Redis
    ///
    /// `UNLINK` of every [key](crate::wire::keys) but `rdq1_settled:{name}`, which keeps late attempts at
    /// offers out and expires within about a minute. O(1), and O(N) in the background.
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.delete()` deletes what is not yet due and leaves the target queue; that is
    /// [`clear`](Self::clear) here. `RDelayedQueue.unlink()` deletes the target queue and leaves
    /// what is not yet due.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the retry window;
    ///   calling again is safe. After a reply that was lost once, false may mean that the first
    ///   attempt deleted the queue.
    /// - What keeps Redis from answering; nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the queue deleted or not.
    pub async fn delete(&self) -> Result<bool> {
        self.core.delete().await
    }

    /// Lets the whole queue end `after` from now, by Redis's clock; false if nothing is there.
    ///
    /// Rounded up to a millisecond; zero deletes the queue at once. All keys end at the same
    /// moment, and with them whatever is offered until then. Redis forgets the end of a key that
    /// runs empty, so what is offered after that stays: set the end again after such a time.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/expire.lua`: `PEXPIREAT` of every [key](crate::wire::keys) but
    /// `rdq1_settled:{name}`. O(1).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.expire(duration)` leaves out the target queue, so that what is due never
    /// ends.
    ///
    /// # Errors
    ///
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the retry window;
    ///   calling again is safe.
    /// - What keeps Redis from answering; nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the end of all keys set or not.
    pub async fn expire(&self, after: Duration) -> Result<bool> {
        self.core.expire(after).await
    }

    /// Lets the whole queue end at the moment `at`, by Redis's clock; false if nothing is there.
    ///
    /// A moment that has passed deletes the queue at once. Otherwise as [`expire`](Self::expire);
    /// in Java `RDelayedQueue.expire(instant)` and `expireAt(…)`.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire).
    ///
    /// # Cancel safety
    ///
    /// Leaves the end of all keys set or not.
    pub async fn expire_at(&self, at: SystemTime) -> Result<bool> {
        self.core.expire_at(at).await
    }

    /// Lets no key of the queue end any more; false if none would have.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/expire.lua`: `PERSIST` of every [key](crate::wire::keys) that does not end by
    /// itself. O(1).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.clearExpire()` leaves out the target queue.
    ///
    /// # Errors
    ///
    /// As [`expire`](Self::expire). After a reply that was lost once, false may mean that the first
    /// attempt did it.
    ///
    /// # Cancel safety
    ///
    /// Leaves the end of all keys cleared or not.
    pub async fn clear_expire(&self) -> Result<bool> {
        self.core.clear_expire().await
    }

    /// How long until the first key of the queue ends; nothing if none does.
    ///
    /// # Redis
    ///
    /// `PTTL` of every [key](crate::wire::keys) that does not end by itself, in one round trip. O(1).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.remainTimeToLive()` asks for the target queue, which its `expire` leaves out.
    ///
    /// # Errors
    ///
    /// What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    #[doc(alias = "getExpireTime")]
    #[doc(alias = "remainTimeToLive")]
    pub async fn remaining_ttl(&self) -> Result<Option<Duration>> {
        self.core.remaining_ttl().await
    }

    /// Whether anything of the queue is there: elements, due, claimed or not, or what is kept
    /// beside them.
    ///
    /// # Redis
    ///
    /// `EXISTS` of every [key](crate::wire::keys) but `rdq1_settled:{name}`. O(1).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.isExists()` asks for the target queue alone, and is false while everything is
    /// still to become due.
    ///
    /// # Errors
    ///
    /// What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    #[doc(alias = "isExists")]
    pub async fn exists(&self) -> Result<bool> {
        self.core.exists().await
    }

    /// Marks the whole queue as used just now, for a Redis that evicts what was not; false if
    /// nothing is there.
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
    /// What keeps Redis from answering; nothing is changed.
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
    /// `RDelayedQueue.sizeInMemory()` leaves out what is due.
    ///
    /// # Errors
    ///
    /// What keeps Redis from answering; nothing is changed.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: it only reads.
    pub async fn size_in_memory(&self) -> Result<u64> {
        self.core.size_in_memory().await
    }

    /// Gives the whole queue the name `name`, in place of whatever queue has it; false, and nothing
    /// is changed, if there is nothing to rename.
    ///
    /// Elements, tickets, due times, ends of life and periodic offers come along. What does not is
    /// in the hands of processes that know the old name: an element that one has claimed is handed
    /// over there, or comes again under the old name. This handle stays with the old name, too:
    /// open the queue under its new name with
    /// [`Client::delayed_queue`](crate::Client::delayed_queue). Programs that go on offering to the
    /// old name make a new queue there; an [`offer`](Self::offer) that is retried at this very
    /// moment, because its reply was lost, may come to stand under both names.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/relocate.lua`: `RENAME` of every [key](crate::wire::keys) but
    /// `rdq1_settled:{name}` and `rdq1_leases:{name}`, `UNLINK` of what `name` held, and `PUBLISH`
    /// of the next due time to the channel of `name`, so that its movers wake in time. O(1). The
    /// user needs the [rights](crate::ClientBuilder::connect) to the keys of both names; in Redis
    /// Cluster both must be in one slot.
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.rename(name)` renames the target queue alone, and what is not yet due arrives
    /// under the old name. It fails if there is nothing to rename.
    ///
    /// # Errors
    ///
    /// - [`Error::Name`](crate::Error::Name) if `name` is empty, or differs from the name of this
    ///   queue in braces only, as `{a}` and `a` do; nothing was sent.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost. It is not repeated: what was
    ///   written since would be overwritten. [`exists`](Self::exists) tells whether it was renamed,
    ///   if nobody offers to the old name.
    /// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
    ///   [`Error::Refused`](crate::Error::Refused): nothing was changed.
    ///
    /// # Cancel safety
    ///
    /// Leaves the whole queue renamed or not.
    pub async fn rename(&self, name: &str) -> Result<bool> {
        self.core.rename(&QueueKeys::new(name)?, true).await
    }

    /// Gives the whole queue the name `name`; false, and nothing is changed, if anything of a queue
    /// is there already, or if there is nothing to rename.
    ///
    /// Otherwise as [`rename`](Self::rename); in Java `RDelayedQueue.renamenx(name)`.
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
        self.core.rename(&QueueKeys::new(name)?, false).await
    }

    /// Copies the queue to the name `name`; false, and nothing is changed, if anything of a queue
    /// is there already, or if there is nothing to copy.
    ///
    /// Every element is then delivered under both names, and its ticket names it in both. A pause,
    /// a rate limit and ends of life are copied, too. Not copied are periodic offers, which would
    /// fire twice from then on, and what belongs to processes that use this queue: elements that
    /// they have claimed, and settled ids.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/relocate.lua`: `COPY` of every [key](crate::wire::keys) but
    /// `rdq1_settled:{name}`, `rdq1_leases:{name}`, `rdq1_periodic:{name}` and
    /// `rdq1_periodic_due:{name}`, and `PUBLISH` of the next due time to the channel of `name`.
    /// O(N), during which Redis does nothing else. Rights and slots as for
    /// [`rename`](Self::rename).
    ///
    /// # Compatibility
    ///
    /// `RDelayedQueue.copy(name)` copies the ordering list to where the target queue of `name`
    /// belongs, whose consumers then get packed members for values.
    ///
    /// # Errors
    ///
    /// As [`rename`](Self::rename).
    ///
    /// # Cancel safety
    ///
    /// Leaves the whole queue copied or not.
    pub async fn copy_to(&self, name: &str) -> Result<bool> {
        self.core.copy(&QueueKeys::new(name)?, false).await
    }

    /// Copies the queue to the name `name`, in place of whatever queue has it; false, and nothing
    /// is changed, if there is nothing to copy.
    ///
    /// Of what has that name nothing stays but settled ids. Otherwise as
    /// [`copy_to`](Self::copy_to); in Java `RDelayedQueue.copyAndReplace(name)`.
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
        self.core.copy(&QueueKeys::new(name)?, true).await
    }
}
