//! The clock of a server.

use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Master, Result};

/// What the clock of this master shows, in Unix us.
pub(crate) async fn now_us(master: &Master) -> Result<u64> {
    let (seconds, micros): (u64, u64) = master.query(&cmd("TIME")).await?;
    Ok(seconds * 1_000_000 + micros)
}
