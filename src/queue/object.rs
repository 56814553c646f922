//! A queue as a whole: its keys, but for those that go by themselves.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redis::{Cmd, FromRedisValue};
use tokio::time::Instant;

use crate::error::{Result, Step};
use crate::link::clock::ms_up;
use crate::queue::raw::RawQueue;
use crate::wire::keys::{Life, NameError};
use crate::wire::script::{self, Lifetime};

/// A delayed queue as a whole: Redisson's `RObject` and `RExpirable`, over every
/// [key](crate::wire::keys) of the queue.
///
/// Made by [`DelayedQueue::object`](crate::DelayedQueue::object). Clones are cheap and are handles
/// to the same queue.
///
/// The keys hold the ready elements, the pending elements, and everything else that this crate
/// stores for the queue, such as periodic offers, a pause and a rate limit.
///
/// # Redis
///
/// A call sends a command for each [key](crate::wire::keys) that does not expire by itself, in one
/// script or round trip. Redisson's calls of the same names reach only some of the keys:
///
/// | Call | Commands | Cost | `RDelayedQueue` in Java |
/// |---|---|---|---|
/// | [`delete`](Self::delete) | `UNLINK`, of all keys but `rdq1_settled:{name}` | O(1), and O(N) in the background | `delete()` deletes the pending elements, `unlink()` the target queue |
/// | [`exists`](Self::exists) | `EXISTS` | O(1) | looks at the target queue alone, so it is false while all elements are pending |
/// | [`expire`](Self::expire), [`expire_at`](Self::expire_at) | `PEXPIREAT` | O(1) | leave out the target queue, so ready elements stay for ever |
/// | [`clear_expire`](Self::clear_expire) | `PERSIST` | O(1) | leaves out the target queue |
/// | [`remaining_ttl`](Self::remaining_ttl) | `PTTL` | O(1) | looks at the target queue, which its `expire` leaves out |
/// | [`rename`](Self::rename), [`rename_if_absent`](Self::rename_if_absent) | `RENAME` | O(1) | rename the target queue alone, so pending elements arrive under the old name; `rename` fails if there is nothing to rename |
/// | [`copy_to`](Self::copy_to), [`copy_replacing`](Self::copy_replacing) | `COPY` | O(N), during which Redis does nothing else | copy the ordering list to the place of the target queue of `name`, whose consumers then get packed members for values |
/// | [`touch`](Self::touch) | `TOUCH`, of all keys but `rdq1_settled:{name}` | O(1) | marks the target queue alone |
/// | [`size_in_memory`](Self::size_in_memory) | `MEMORY USAGE`, of all keys | O(1): Redis looks at five elements of each | leaves out the target queue |
///
/// # Errors
///
/// - [`Error::Connect`](crate::Error::Connect), [`Error::Denied`](crate::Error::Denied),
///   [`Error::Refused`](crate::Error::Refused), [`Error::WrongType`](crate::Error::WrongType), and
///   [`Error::Closed`](crate::Error::Closed) after [`Client::shutdown`](crate::Client::shutdown):
///   nothing was changed.
/// - [`Error::Lost`](crate::Error::Lost) if the reply was lost throughout the [retry
///   window](crate::ClientBuilder::retry_window). Until then the client repeats the call, and
///   calling again is safe, unless the method says otherwise. If a reply was lost once, false may
///   mean that the first attempt did it.
///
/// # Cancel safety
///
/// Calls that only read are cancel safe. Any other call that is dropped leaves its change made in
/// all keys, or in none.
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

    /// Deletes the queue: ready elements, pending elements, and everything stored beside them. True
    /// if there was anything.
    ///
    /// That includes quarantined members, periodic offers, a pause and a rate limit. If a process
    /// has claimed an element at this moment, a caller may still get it. `rdq1_settled:{name}`
    /// stays: it shuts out late attempts at offers, and expires within about a minute.
    /// [`Pending::clear`](crate::Pending::clear) deletes only the pending elements, as Java's
    /// `delete()` does.
    pub async fn delete(&self) -> Result<bool> {
        self.count_of("UNLINK", Step::Delete, &self.deleted()).await
    }

    /// True if the queue holds anything: there are elements, pending, ready or claimed, or a
    /// schedule, a pause, a rate limit or the quarantine is stored beside them.
    #[doc(alias = "isExists")]
    pub async fn exists(&self) -> Result<bool> {
        self.count_of("EXISTS", Step::Read, &self.of_queue()).await
    }

    /// Lets Redis delete the whole queue `after` from now, by Redis's clock; false if the queue does
    /// not [exist](Self::exists).
    ///
    /// `after` and the clock are rounded up to a millisecond; zero deletes the queue at once. All
    /// keys expire at the same moment, with the elements offered until then, except those that
    /// expire by themselves anyway. Redis drops the expiry of a key that becomes empty. So if the
    /// queue runs empty earlier, elements offered later stay: call `expire` again.
    pub async fn expire(&self, after: Duration) -> Result<bool> {
        if after.is_zero() {
            return self.set_lifetime(Lifetime::AtMs(0)).await;
        }
        // Rounded up, so that nothing expires early.
        self.set_lifetime(Lifetime::InMs(ms_up(after))).await
    }

    /// Lets Redis delete the whole queue at the moment `at`, by Redis's clock; false if the queue
    /// does not exist.
    ///
    /// A moment in the past deletes the queue at once. Otherwise as [`expire`](Self::expire).
    pub async fn expire_at(&self, at: SystemTime) -> Result<bool> {
        // Every moment in the past has the same effect.
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        self.set_lifetime(Lifetime::AtMs(ms_up(since))).await
    }

    /// Takes back [`expire`](Self::expire): Redis no longer deletes the queue. False if no expiry
    /// was set.
    pub async fn clear_expire(&self) -> Result<bool> {
        self.set_lifetime(Lifetime::Never).await
    }

    /// How long until the first key of the queue expires; `None` if no expiry is set.
    #[doc(alias = "getExpireTime")]
    #[doc(alias = "remainTimeToLive")]
    pub async fn remaining_ttl(&self) -> Result<Option<Duration>> {
        // Negative if the key does not exist or has no expiry.
        let left: Vec<i64> = self.each(&self.of_queue(), &["PTTL"]).await?;
        let left = left.into_iter().filter_map(|ms| u64::try_from(ms).ok());
        Ok(left.min().map(Duration::from_millis))
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
    /// One `EVALSHA` of `lua/relocate.lua` for all
    /// [keys](crate::wire::keys#calls-about-the-whole-queue) that move. It also deletes the keys
    /// that `name` had, and publishes the next due time to the channel of `name`, so that its
    /// movers wake in time. The user needs the [rights](crate::ClientBuilder::connect) to the keys
    /// of both names; in Redis Cluster both must be in one slot.
    ///
    /// # Errors
    ///
    /// - [`Error::Name`](crate::Error::Name) if `name` is empty, or differs from the name of this
    ///   queue in braces only, as `{a}` and `a` do; nothing was sent.
    /// - [`Error::Lost`](crate::Error::Lost) if the reply was lost. The call is not repeated,
    ///   because it would overwrite what was written since. [`exists`](Self::exists) tells whether
    ///   the queue was renamed, if nobody offers to the old name.
    pub async fn rename(&self, name: &str) -> Result<bool> {
        self.relocate(Step::Rename, name, true).await
    }

    /// Gives the whole queue the name `name`. If a queue has that name already, or if there is
    /// nothing to rename, it changes nothing and returns false.
    ///
    /// Otherwise as [`rename`](Self::rename).
    #[doc(alias = "renamenx")]
    pub async fn rename_if_absent(&self, name: &str) -> Result<bool> {
        self.relocate(Step::Rename, name, false).await
    }

    /// Copies the queue to the name `name`. If a queue has that name already, or if there is
    /// nothing to copy, it changes nothing and returns false.
    ///
    /// Every element is then delivered under both names, and its ticket names it in both. A pause,
    /// a rate limit and expiry times are copied, too. The copy has no periodic offers, because they
    /// would fire twice from then on. It also lacks the elements that processes have claimed or
    /// that a [`Consumer`](crate::Consumer) has not acknowledged, the settled ids, and the count of
    /// expired elements.
    ///
    /// Rights, slots and errors are those of [`rename`](Self::rename); the client does not repeat
    /// the call. It publishes the next due time to the channel of `name`.
    pub async fn copy_to(&self, name: &str) -> Result<bool> {
        self.relocate(Step::Copy, name, false).await
    }

    /// Copies the queue to the name `name`, and overwrites everything under that name except the
    /// settled ids. If there is nothing to copy, it changes nothing and returns false.
    ///
    /// Otherwise as [`copy_to`](Self::copy_to).
    #[doc(alias = "copyAndReplace")]
    pub async fn copy_replacing(&self, name: &str) -> Result<bool> {
        self.relocate(Step::Copy, name, true).await
    }

    /// Marks the whole queue as used just now, for a Redis that evicts unused keys; false if there
    /// was nothing to mark.
    pub async fn touch(&self) -> Result<bool> {
        self.count_of("TOUCH", Step::Read, &self.deleted()).await
    }

    /// How many bytes of Redis's memory the queue takes, as Redis estimates it.
    pub async fn size_in_memory(&self) -> Result<u64> {
        let keys: Vec<&str> = self.core.keys.rows().map(|(key, _)| key).collect();
        let sizes: Vec<Option<u64>> = self.each(&keys, &["MEMORY", "USAGE"]).await?;
        Ok(sizes.into_iter().flatten().sum())
    }

    /// True if an element is pending, ready, claimed or delivered, or a periodic offer will make
    /// one.
    pub(crate) async fn has_elements(&self) -> Result<bool> {
        let keys = &self.core.keys;
        let keys = [
            keys.timeouts(),
            keys.target(),
            keys.leases(),
            keys.deliveries(),
            keys.periodic_due(),
        ];
        self.count_of("EXISTS", Step::Read, &keys).await
    }

    /// The keys that `delete` removes.
    fn deleted(&self) -> Vec<&str> {
        let rows = self.core.keys.rows();
        let rows = rows.filter(|(_, row)| row.life != Life::Kept);
        rows.map(|(key, _)| key).collect()
    }

    /// The queue is there as long as one of these keys is.
    fn of_queue(&self) -> Vec<&str> {
        let rows = self.core.keys.rows();
        let rows = rows.filter(|(_, row)| row.life == Life::Queue);
        rows.map(|(key, _)| key).collect()
    }

    async fn set_lifetime(&self, lifetime: Lifetime) -> Result<bool> {
        let count = self
            .core
            .script(Step::Expire, true, |connection| {
                script::expire(connection, &self.core.keys, lifetime)
            })
            .await?;
        Ok(count > 0)
    }

    /// Renames or copies the queue, as `step` says.
    async fn relocate(&self, step: Step, name: &str, replaces: bool) -> Result<bool> {
        let (from, to) = (&self.core.keys, self.core.partner(name)?);
        if to.target() == from.target() {
            // The queue is in its own way, and replacing it by itself changes nothing.
            return Ok(replaces && self.exists().await?);
        }
        if to.timeouts() == from.timeouts() {
            // The queue is in its own way, and the script would delete it first.
            let name = to.name().to_owned();
            return Err(NameError::SharesKeys { name }.into());
        }
        let copies = step == Step::Copy;
        // Not repeatable: a second run would overwrite later writes to either name.
        let relocated = self
            .core
            .script(step, false, |connection| {
                script::relocate(connection, from, &to, copies, replaces)
            })
            .await?;
        if relocated {
            self.core.session.tell_new_head(&to, Instant::now());
        }
        Ok(relocated)
    }

    /// Sends a command about these keys at once, which answers how many of them there are. True if
    /// there are any.
    async fn count_of(&self, command: &str, step: Step, keys: &[&str]) -> Result<bool> {
        let mut command = redis::cmd(command);
        let count: u64 = self.core.command(step, true, command.arg(keys)).await?;
        Ok(count > 0)
    }

    /// Reads something about each of `keys`.
    async fn each<T: FromRedisValue>(&self, keys: &[&str], command: &[&str]) -> Result<Vec<T>> {
        let mut pipe = redis::pipe();
        for key in keys {
            let mut words = Cmd::new();
            words.arg(command).arg(*key);
            pipe.add_command(words);
        }
        let pipe = &pipe;
        let each = |mut connection| async move { pipe.query_async(&mut connection).await };
        self.core.script(Step::Read, true, each).await
    }
}

impl fmt::Debug for QueueObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueueObject")
            .field("name", &self.core.name())
            .finish_non_exhaustive()
    }
}
