//! The members of a queue that nobody can read.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use redis::Cmd;

use crate::entry::ScoreRange;
use crate::error::{Result, Step};
use crate::queue::raw::RawQueue;
use crate::queue::stream::{QueueStream, paged};
use crate::wire::packed::{Malformed, Packed};
use crate::wire::script::{self, DROPPED, Scored, WayOut};

/// The members of a queue that nobody can read; made by
/// [`DelayedQueue::quarantine`](crate::DelayedQueue::quarantine).
///
/// Something other than Redisson or this crate wrote them. A client that transfers the queue sets
/// them aside, because they would stop every Redisson client; see
/// [`Event::Quarantined`](crate::Event::Quarantined). No client empties the quarantine by itself:
/// use this handle, or `rdq quarantine`.
///
/// Errors, repeats after a lost reply and cancel safety are those of a
/// [`DelayedQueue`](crate::DelayedQueue#errors).
///
/// # Examples
///
/// ```no_run
/// use futures::TryStreamExt;
/// use redisson_delayed_queue::{DelayedQueue, Result};
///
/// # async fn run(queue: DelayedQueue<String>) -> Result<()> {
/// let quarantine = queue.quarantine();
/// let mut members = quarantine.iter();
/// while let Some(member) = members.try_next().await? {
///     // A program wrote bare payloads into the timeout set.
///     let payload = member.bytes().clone();
///     quarantine.deliver(&member, payload).await?;
/// }
/// # Ok(()) }
/// ```
pub struct Quarantine {
    core: Arc<RawQueue>,
}

impl Quarantine {
    pub(crate) fn new(core: Arc<RawQueue>) -> Self {
        Self { core }
    }

    /// How many members there are. Sends `ZCARD` and `ZSCORE`, which are O(1).
    pub async fn len(&self) -> Result<usize> {
        let count = self
            .core
            .count("ZCARD", self.core.keys.quarantine())
            .await?;
        // One of them may be the count of those that did not fit.
        Ok(count - usize::from(self.dropped().await? > 0).min(count))
    }

    /// True if there are no members; see [`len`](Self::len).
    pub async fn is_empty(&self) -> Result<bool> {
        Ok(self.len().await? == 0)
    }

    /// How many members were dropped because the quarantine was [full](crate::keys#when-keys-go).
    /// [`clear`](Self::clear) ends the count. Sends `ZSCORE`, which is O(1).
    pub async fn dropped(&self) -> Result<u64> {
        let mut command = self.about("ZSCORE");
        let command = command.arg(DROPPED);
        let count: Option<f64> = self.core.command(Step::Read, true, command).await?;
        Ok(count.unwrap_or(0.0) as u64)
    }

    /// Reads the members in the order of their due times.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/page.lua` for each 500 members, or 256 KiB if that is fewer.
    pub fn iter(&self) -> QueueStream<QuarantinedMember> {
        let core = Arc::clone(&self.core);
        let members = paged(None, move |after: Option<Scored>| {
            let core = Arc::clone(&core);
            async move {
                let (key, range) = (core.keys.quarantine(), ScoreRange::everything());
                let page = core.members(key, &range, after.as_ref(), RawQueue::ENTRIES);
                let (members, next) = page.await?;
                let members = members.into_iter().filter(|it| it.member != DROPPED);
                let members = members.map(|it| QuarantinedMember {
                    member: it.member.into(),
                    // Rust parses every score Redis prints.
                    score: it.score.parse().unwrap_or_default(),
                });
                Ok((members.collect(), next.map(Some)))
            }
        });
        QueueStream::new(self.core.name(), members)
    }

    /// Takes a member out, and puts a payload at the end of the target queue instead: its bytes, a part
    /// of them, or what they should have been. False if it is not there any more.
    ///
    /// # Redis
    ///
    /// One `EVALSHA` of `lua/dequarantine.lua`. O(log N).
    pub async fn deliver(
        &self,
        member: &QuarantinedMember,
        payload: impl Into<Bytes>,
    ) -> Result<bool> {
        let payload = payload.into();
        let bytes = member.member.len() + payload.len();
        self.take_out(member, WayOut::Deliver(&payload), bytes)
            .await
    }

    /// Makes a member pending again, with the due time that it had. False if it is not there any
    /// more, or if [it cannot be read](QuarantinedMember::fault): any mover would meet it again.
    pub async fn restore(&self, member: &QuarantinedMember) -> Result<bool> {
        if member.fault().is_some() {
            return Ok(false);
        }
        let bytes = member.member.len();
        self.take_out(member, WayOut::Restore, bytes).await
    }

    /// Deletes a member, by `ZREM`. False if it is not there any more.
    pub async fn remove(&self, member: &QuarantinedMember) -> Result<bool> {
        let mut command = self.about("ZREM");
        let command = command.arg(&member.member[..]);
        self.core.command(Step::Delete, true, command).await
    }

    /// Deletes all members, and the count of those that were dropped. Sends `UNLINK`: O(1), and
    /// O(N) in the background.
    pub async fn clear(&self) -> Result<()> {
        let command = self.about("UNLINK");
        self.core.command(Step::Delete, true, &command).await
    }

    /// Runs the script that takes a member out, with arguments of so many bytes.
    async fn take_out(
        &self,
        member: &QuarantinedMember,
        way: WayOut<'_>,
        bytes: usize,
    ) -> Result<bool> {
        let script = |it| script::dequarantine(it, &self.core.keys, &member.member, way);
        // A second attempt finds it gone, and changes nothing.
        let taken = self.core.script_of_size(Step::Move, true, bytes, script);
        taken.await
    }

    /// A command about the key.
    fn about(&self, command: &str) -> Cmd {
        let mut command = redis::cmd(command);
        command.arg(self.core.keys.quarantine());
        command
    }
}

impl fmt::Debug for Quarantine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Quarantine")
            .field("queue", &self.core.name())
            .finish_non_exhaustive()
    }
}

/// A member that nobody can read, with the score that it had in the timeout set or among the leases.
#[derive(Clone, PartialEq)]
pub struct QuarantinedMember {
    member: Bytes,
    score: f64,
}

impl QuarantinedMember {
    /// The member as it stood in Redis.
    #[must_use]
    pub fn bytes(&self) -> &Bytes {
        &self.member
    }

    /// Its score: in the timeout set the due time in unix ms, if whoever wrote it meant that.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.score
    }

    /// Why it cannot be read. None if it can: somebody put it here by hand, or an older version of
    /// this crate did.
    #[must_use]
    pub fn fault(&self) -> Option<Malformed> {
        Packed::parse(self.member.clone()).err()
    }
}

impl fmt::Debug for QuarantinedMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The bytes may be private.
        f.debug_struct("QuarantinedMember")
            .field("bytes", &self.member.len())
            .field("score", &self.score)
            .field("fault", &self.fault())
            .finish()
    }
}
