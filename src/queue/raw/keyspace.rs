//! The keys of a queue as a whole.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use redis::{Cmd, FromRedisValue};

use super::RawQueue;
use crate::error::{Result, Step};
use crate::link::clock::ms_up;
use crate::wire::keys::{NameError, QueueKeys};
use crate::wire::script::{self, Lifetime, Relocation};

/// How many of [`lasting`] a copy takes over: what is of the queue and not of its processes.
const COPIED: usize = 7;

/// How many of [`lasting`] get a new name: all but the leases.
const RENAMED: usize = 10;

/// Every key of a queue but its settled ids, which end by themselves and must not end earlier: they
/// keep late attempts at offers out.
fn lasting(keys: &QueueKeys) -> [&str; 11] {
    [
        keys.timeouts(),
        keys.ordering(),
        keys.target(),
        keys.quarantine(),
        keys.keyed(),
        keys.keyed_due(),
        keys.state(),
        keys.periodic(),
        keys.periodic_due(),
        keys.counts(),
        keys.leases(),
    ]
}

/// Those of [`lasting`] that do not end by themselves.
fn unending(keys: &QueueKeys) -> Vec<&str> {
    let ends = [keys.keyed(), keys.keyed_due(), keys.counts()];
    let lasting = lasting(keys).into_iter();
    lasting.filter(|key| !ends.contains(key)).collect()
}

impl RawQueue {
    pub(crate) async fn delete(&self) -> Result<bool> {
        let deleted = self.count_of("UNLINK", Step::Delete).await?;
        Ok(deleted > 0)
    }

    pub(crate) async fn exists(&self) -> Result<bool> {
        Ok(self.count_of("EXISTS", Step::Read).await? > 0)
    }

    pub(crate) async fn touch(&self) -> Result<bool> {
        Ok(self.count_of("TOUCH", Step::Read).await? > 0)
    }

    pub(crate) async fn expire(&self, after: Duration) -> Result<bool> {
        if after.is_zero() {
            return self.end(Lifetime::AtMs(0)).await;
        }
        // Up to a whole millisecond, for nothing ends early.
        self.end(Lifetime::InMs(ms_up(after))).await
    }

    pub(crate) async fn expire_at(&self, at: SystemTime) -> Result<bool> {
        // Any moment that has passed is as good as the beginning.
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        self.end(Lifetime::AtMs(ms_up(since))).await
    }

    pub(crate) async fn clear_expire(&self) -> Result<bool> {
        let keys = unending(&self.keys);
        self.end_of(&keys, Lifetime::Never).await
    }

    async fn end(&self, end: Lifetime) -> Result<bool> {
        self.end_of(&lasting(&self.keys), end).await
    }

    async fn end_of(&self, keys: &[&str], end: Lifetime) -> Result<bool> {
        let count = self
            .call(Step::Expire, true, |connection| {
                script::expire(connection, keys, end)
            })
            .await?;
        Ok(count > 0)
    }

    /// How long until the first of the keys ends.
    pub(crate) async fn remaining_ttl(&self) -> Result<Option<Duration>> {
        let keys = unending(&self.keys);
        // Negative for a key that is not there, or does not end.
        let left: Vec<i64> = self.each(&keys, &["PTTL"]).await?;
        let left = left.into_iter().filter_map(|ms| u64::try_from(ms).ok());
        Ok(left.min().map(Duration::from_millis))
    }

    /// How many bytes all keys take, the settled ids as well.
    pub(crate) async fn size_in_memory(&self) -> Result<u64> {
        let lasting = lasting(&self.keys);
        let keys = [&lasting[..], &[self.keys.settled()]].concat();
        let sizes: Vec<Option<u64>> = self.each(&keys, &["MEMORY", "USAGE"]).await?;
        Ok(sizes.into_iter().flatten().sum())
    }

    /// Whether there was something to rename.
    pub(crate) async fn rename(&self, to: &QueueKeys, replace: bool) -> Result<bool> {
        let (from, to_keys) = (lasting(&self.keys), lasting(to));
        self.relocate(
            Step::Rename,
            to,
            &Relocation {
                command: "RENAME",
                from: &from[..RENAMED],
                to: &to_keys,
                to_channel: to.channel(),
                replace,
            },
        )
        .await
    }

    /// Whether there was something to copy.
    pub(crate) async fn copy(&self, to: &QueueKeys, replace: bool) -> Result<bool> {
        let (from, to_keys) = (lasting(&self.keys), lasting(to));
        self.relocate(
            Step::Copy,
            to,
            &Relocation {
                command: "COPY",
                from: &from[..COPIED],
                to: &to_keys,
                to_channel: to.channel(),
                replace,
            },
        )
        .await
    }

    async fn relocate(
        &self,
        step: Step,
        to: &QueueKeys,
        relocation: &Relocation<'_>,
    ) -> Result<bool> {
        if to.target() == self.keys.target() {
            // Its own keys are in the way, and replacing them by themselves changes nothing.
            return Ok(relocation.replace && self.exists().await?);
        }
        if to.timeouts() == self.keys.timeouts() {
            // What is in the way is the queue itself, and would go first.
            let name = to.target().to_owned();
            return Err(NameError::SharesKeys { name }.into());
        }
        // Not repeatable: what has been written to either name since would be overwritten.
        let relocated = self
            .call(step, false, |connection| {
                script::relocate(connection, relocation)
            })
            .await?;
        if relocated {
            self.client.has_new_head(to, Instant::now());
        }
        Ok(relocated)
    }

    /// Sends a command about all keys at once, which answers how many of them there are.
    async fn count_of(&self, command: &str, step: Step) -> Result<u64> {
        let mut command = redis::cmd(command);
        command.arg(&lasting(&self.keys)[..]);
        self.query(step, true, self.keys.target(), &command).await
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
        self.call(Step::Read, true, |mut connection| async move {
            pipe.query_async(&mut connection).await
        })
        .await
    }
}
