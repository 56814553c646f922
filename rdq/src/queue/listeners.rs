//! Who listens to the channels of queues.

use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Master, Result};

/// How many connections to this server listen to each of these channels.
pub(crate) async fn listeners(master: &Master, channels: &[&str]) -> Result<Vec<u64>> {
    let mut command = cmd("PUBSUB");
    command.arg("NUMSUB").arg(channels);
    let counted: Vec<(String, u64)> = master.query(&command).await?;
    Ok(counted.into_iter().map(|(_, count)| count).collect())
}
