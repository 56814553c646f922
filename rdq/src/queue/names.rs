//! Finds the queues of a server or a cluster.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use futures::future::try_join_all;
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Client, Master};

use crate::failure::Result;
use crate::queue::listeners::listeners;
use crate::queue::types;

/// The names of all delayed queues that Redis knows of, in alphabetical order.
///
/// A queue is known by a key beside its target queue, or by a client that subscribes to its
/// channel. A queue that has only due elements, and no client, is a list like any other: nothing
/// tells that it is a queue.
///
/// # Redis
///
/// `SCAN` of the whole database of each master, 1,000 keys a call, and `PUBSUB CHANNELS`.
pub(crate) async fn find(client: &Client) -> Result<BTreeSet<String>> {
    let names = Mutex::<BTreeSet<_>>::default();
    let found = |name| {
        let mut names = names.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(name);
    };
    find_each(client, found).await?;
    Ok(names.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// As [`find`], but hands each name over as soon as it is found. A name may come several times.
pub(crate) async fn find_each(client: &Client, found: impl Fn(String) + Sync) -> Result {
    let masters = client.masters().into_iter();
    try_join_all(masters.map(|master| find_at(master, &found))).await?;
    Ok(())
}

/// True if Redis knows of this queue: by a key of it, or by a client that subscribes to its channel.
///
/// # Redis
///
/// `TYPE` of each key, and `PUBSUB NUMSUB` on each master.
pub(crate) async fn is_known(client: &Client, name: &str) -> Result<bool> {
    let keys = QueueKeys::new(name)?;
    if types::is_any_there(&client.master_of(name)?, &keys).await? {
        return Ok(true);
    }
    // In a cluster, a client may subscribe at any node.
    for master in client.masters() {
        if listeners(&master, &[keys.channel()]).await? != [0] {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn find_at(master: Master, found: &(impl Fn(String) + Sync)) -> Result {
    let mut cursor = 0_u64;
    loop {
        let mut scan = cmd("SCAN");
        // `redisson_delay_queue…` and `rdq1_…`: one pass for both.
        scan.arg(cursor).arg("MATCH").arg("r[de][dq]*:*");
        let (next, keys): (u64, Vec<Vec<u8>>) = master.query(scan.arg("COUNT").arg(1_000)).await?;
        keys.iter().filter_map(|key| name_of(key)).for_each(found);
        cursor = next;
        if cursor == 0 {
            break;
        }
    }
    let mut channels = cmd("PUBSUB");
    channels
        .arg("CHANNELS")
        .arg("redisson_delay_queue_channel:*");
    let channels: Vec<Vec<u8>> = master.query(&channels).await?;
    let names = channels.iter().filter_map(|channel| name_of(channel));
    names.for_each(found);
    Ok(())
}

fn name_of(key: &[u8]) -> Option<String> {
    let keys = QueueKeys::of_key(std::str::from_utf8(key).ok()?)?;
    Some(keys.target().to_owned())
}
