//! What is stored of a queue for all its consumers: whether it is paused, and how fast it goes.

use std::time::Instant;

use super::RawQueue;
use crate::error::{Result, Step};
use crate::rate::RateLimit;
use crate::wire::script;

impl RawQueue {
    pub(crate) async fn pause(&self) -> Result<()> {
        // For people who look at it; that the field is there is what counts.
        let now_ms = self.client.clock.at_least_us(Instant::now()).unwrap_or(0) / 1_000;
        let mut command = redis::cmd("HSETNX");
        command.arg(self.keys.state()).arg(PAUSED).arg(now_ms);
        self.query(Step::Pause, true, self.keys.state(), &command)
            .await
    }

    pub(crate) async fn resume(&self) -> Result<()> {
        let mut command = redis::cmd("HDEL");
        command.arg(self.keys.state()).arg(PAUSED);
        self.query(Step::Pause, true, self.keys.state(), &command)
            .await
    }

    pub(crate) async fn is_paused(&self) -> Result<bool> {
        let mut command = redis::cmd("HEXISTS");
        command.arg(self.keys.state()).arg(PAUSED);
        self.query(Step::Read, true, self.keys.state(), &command)
            .await
    }

    pub(crate) async fn set_rate_limit(&self, limit: Option<RateLimit>) -> Result<()> {
        self.call(Step::Limit, true, |connection| {
            script::limit(connection, &self.keys, limit)
        })
        .await
    }

    pub(crate) async fn rate_limit(&self) -> Result<Option<RateLimit>> {
        let mut command = redis::cmd("HMGET");
        command
            .arg(self.keys.state())
            .arg(&["interval_us", "burst"]);
        let (interval_us, burst): (Option<String>, Option<String>) = self
            .query(Step::Read, true, self.keys.state(), &command)
            .await?;
        // What is no number limits nothing.
        let interval_us = interval_us.and_then(|it| it.parse().ok());
        let burst = burst.and_then(|it| it.parse().ok());
        Ok(interval_us
            .zip(burst)
            .and_then(|(interval_us, burst)| RateLimit::from_stored(interval_us, burst)))
    }
}

const PAUSED: &str = "paused";
