//! The keys of a queue as a whole.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use redis::{Cmd, FromRedisValue};
use tokio::time::Instant;

use super::RawQueue;
use crate::error::{Result, Step};
use crate::link::clock::ms_up;
use crate::wire::keys::{Life, NameError, QueueKeys};
use crate::wire::script::{self, Lifetime, Relocation};

/// The keys that `delete` removes.
fn deleted(keys: &QueueKeys) -> Vec<&str> {
    let rows = keys.rows().filter(|(_, row)| row.life != Life::Kept);
    rows.map(|(key, _)| key).collect()
}

/// The queue is there as long as one of these keys is.
fn of_queue(keys: &QueueKeys) -> Vec<&str> {
    let rows = keys.rows().filter(|(_, row)| row.life == Life::Queue);
    rows.map(|(key, _)| key).collect()
}

impl RawQueue {
    pub(crate) async fn delete(&self) -> Result<bool> {
        let keys = deleted(&self.keys);
        Ok(self.count_of("UNLINK", Step::Delete, &keys).await? > 0)
    }

    pub(crate) async fn exists(&self) -> Result<bool> {
        let keys = of_queue(&self.keys);
        Ok(self.count_of("EXISTS", Step::Read, &keys).await? > 0)
    }

    /// True if an element is pending, due, claimed or delivered, or a periodic offer will make one.
    pub(crate) async fn has_elements(&self) -> Result<bool> {
        let keys = &self.keys;
        let keys = [
            keys.timeouts(),
            keys.target(),
            keys.leases(),
            keys.deliveries(),
            keys.periodic_due(),
        ];
        Ok(self.count_of("EXISTS", Step::Read, &keys).await? > 0)
    }

    pub(crate) async fn touch(&self) -> Result<bool> {
        let keys = deleted(&self.keys);
        Ok(self.count_of("TOUCH", Step::Read, &keys).await? > 0)
    }

    pub(crate) async fn expire(&self, after: Duration) -> Result<bool> {
        if after.is_zero() {
            return self.set_lifetime(Lifetime::AtMs(0)).await;
        }
        // Rounded up, so that nothing expires early.
        self.set_lifetime(Lifetime::InMs(ms_up(after))).await
    }

    pub(crate) async fn expire_at(&self, at: SystemTime) -> Result<bool> {
        // Every moment in the past has the same effect.
        let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
        self.set_lifetime(Lifetime::AtMs(ms_up(since))).await
    }

    pub(crate) async fn clear_expire(&self) -> Result<bool> {
        self.set_lifetime(Lifetime::Never).await
    }

    async fn set_lifetime(&self, lifetime: Lifetime) -> Result<bool> {
        let keys = &self.keys;
        let count = self
            .script(Step::Expire, true, |connection| {
                script::expire(connection, keys, lifetime)
            })
            .await?;
        Ok(count > 0)
    }

    pub(crate) async fn remaining_ttl(&self) -> Result<Option<Duration>> {
        let keys = of_queue(&self.keys);
        // Negative if the key does not exist or has no expiry.
        let left: Vec<i64> = self.each(&keys, &["PTTL"]).await?;
        let left = left.into_iter().filter_map(|ms| u64::try_from(ms).ok());
        Ok(left.min().map(Duration::from_millis))
    }

    pub(crate) async fn size_in_memory(&self) -> Result<u64> {
        let keys: Vec<&str> = self.keys.rows().map(|(key, _)| key).collect();
        let sizes: Vec<Option<u64>> = self.each(&keys, &["MEMORY", "USAGE"]).await?;
        Ok(sizes.into_iter().flatten().sum())
    }

    pub(crate) async fn rename(&self, to: &QueueKeys, replace: bool) -> Result<bool> {
        self.relocate(
            Step::Rename,
            to,
            &Relocation {
                command: "RENAME",
                from: &self.keys,
                to,
                replace,
            },
        )
        .await
    }

    pub(crate) async fn copy(&self, to: &QueueKeys, replace: bool) -> Result<bool> {
        self.relocate(
            Step::Copy,
            to,
            &Relocation {
                command: "COPY",
                from: &self.keys,
                to,
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
            // The queue is in its own way, and replacing it by itself changes nothing.
            return Ok(relocation.replace && self.exists().await?);
        }
        if to.timeouts() == self.keys.timeouts() {
            // The queue is in its own way, and the script would delete it first.
            let name = to.name().to_owned();
            return Err(NameError::SharesKeys { name }.into());
        }
        // Not repeatable: a second run would overwrite later writes to either name.
        let relocated = self
            .script(step, false, |connection| {
                script::relocate(connection, relocation)
            })
            .await?;
        if relocated {
            self.session.tell_new_head(to, Instant::now());
        }
        Ok(relocated)
    }

    /// Sends a command about these keys at once, which answers how many of them there are.
    async fn count_of(&self, command: &str, step: Step, keys: &[&str]) -> Result<u64> {
        let mut command = redis::cmd(command);
        command.arg(keys);
        self.command(step, true, self.keys.target(), &command).await
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
        self.script(Step::Read, true, |mut connection| async move {
            pipe.query_async(&mut connection).await
        })
        .await
    }
}
