//! The state that all consumers share: the pause, the rate limit and the count of expired elements.

use tokio::time::Instant;

use super::RawQueue;
use crate::error::{Result, Step};
use crate::rate::RateLimit;
use crate::wire::script;

impl RawQueue {
    pub(crate) async fn pause(&self) -> Result<()> {
        // The time is for people who inspect the key; only the field's presence counts.
        let node = self.session.node(&self.keys);
        let clock = node.clock();
        let now_ms = clock.at_least_us(Instant::now()).unwrap_or(0) / 1_000;
        let mut command = redis::cmd("HSETNX");
        command.arg(self.keys.state()).arg(PAUSED).arg(now_ms);
        self.command(Step::Pause, true, &command).await
    }

    pub(crate) async fn resume(&self) -> Result<()> {
        let mut command = redis::cmd("HDEL");
        command.arg(self.keys.state()).arg(PAUSED);
        self.command(Step::Pause, true, &command).await
    }

    pub(crate) async fn is_paused(&self) -> Result<bool> {
        let mut command = redis::cmd("HEXISTS");
        command.arg(self.keys.state()).arg(PAUSED);
        self.command(Step::Read, true, &command).await
    }

    pub(crate) async fn set_rate_limit(&self, limit: Option<RateLimit>) -> Result<()> {
        self.script(Step::Limit, true, |connection| {
            script::limit(connection, &self.keys, limit)
        })
        .await
    }

    pub(crate) async fn rate_limit(&self) -> Result<Option<RateLimit>> {
        let mut command = redis::cmd("HMGET");
        command
            .arg(self.keys.state())
            .arg(&["interval_us", "burst"]);
        let (interval_us, burst): (Option<String>, Option<String>) =
            self.command(Step::Read, true, &command).await?;
        // Ignores a limit that is not a number.
        let interval_us = interval_us.and_then(|it| it.parse().ok());
        let burst = burst.and_then(|it| it.parse().ok());
        Ok(interval_us
            .zip(burst)
            .and_then(|(interval_us, burst)| RateLimit::from_stored(interval_us, burst)))
    }

    pub(crate) async fn expired(&self) -> Result<u64> {
        let mut expired = 0;
        // Earlier versions, which may run beside this one, count in the state.
        for key in [self.keys.counts(), self.keys.state()] {
            let mut command = redis::cmd("HGET");
            command.arg(key).arg("expired");
            let count: Option<u64> = self.command(Step::Read, true, &command).await?;
            expired += count.unwrap_or(0);
        }
        Ok(expired)
    }
}

const PAUSED: &str = "paused";
