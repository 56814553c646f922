//! The clocks of a server and of a queue.

use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::{Cmd, cmd};
use redisson_delayed_queue::{Master, Result};

/// What the clock of this master shows, in Unix us.
pub(crate) async fn now_us(master: &Master) -> Result<u64> {
    let (seconds, micros): (u64, u64) = master.query(&cmd("TIME")).await?;
    Ok(seconds * 1_000_000 + micros)
}

/// What the clock shows by which leases and retries of this queue end, in Unix us. Unlike the
/// master's clock it does not go back; see `lua/lib/steady.lua`.
pub(crate) async fn steady_now_us(master: &Master, keys: &QueueKeys) -> Result<u64> {
    // As in the scripts, whoever may not read the note has the master's clock.
    let note: Result<Option<String>> = master.query(&Cmd::get(keys.clock())).await;
    let now_us = now_us(master).await?;
    let numbers = note
        .as_ref()
        .ok()
        .and_then(Option::as_deref)
        .and_then(|it| it.split_once(' '));
    let numbers =
        numbers.and_then(|(noted, ahead)| Some((noted.parse().ok()?, ahead.parse().ok()?)));
    let (noted_us, ahead_us): (u64, u64) = numbers.unwrap_or_default();
    Ok(noted_us.max(now_us.saturating_add(ahead_us)))
}
