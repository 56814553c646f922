//! Counts what is in all queues.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::iter;
use redisson_delayed_queue::Client;
use redisson_delayed_queue::keys::QueueKeys;

use crate::failure::Result;
use crate::queue::listeners::listeners;
use crate::queue::stats::{Last, Stats};

/// Holds what Redis said about each queue: its counts, or why there are none.
pub(crate) type Survey = BTreeMap<String, Result<Stats, String>>;

/// A survey counts so many queues at a time.
const AT_ONCE: usize = 8;
/// A survey asks about so many channels at a time.
const CHANNELS: usize = 256;

/// Counts what is in these queues. Each comes with what the last count found.
///
/// # Redis
///
/// For each queue one script, 8 at a time. For each 256 queues of a master one `PUBSUB NUMSUB`.
///
/// # Errors
///
/// Fails if the server does not answer. If it refuses to count a queue, the queue's entry says why.
pub(crate) async fn read(
    client: Client,
    queues: Vec<(String, Option<Last>)>,
    every: Duration,
) -> Result<Survey> {
    let names = queues.iter().map(|it| it.0.clone()).collect();
    let counts = iter(queues).map(|(name, last)| {
        let client = client.clone();
        async move {
            let counted = Stats::count(&client, &name, last, every).await;
            (name, counted)
        }
    });
    let mut counts = counts.buffer_unordered(AT_ONCE);
    let mut survey = Survey::new();
    while let Some((name, counted)) = counts.next().await {
        match counted {
            Ok(stats) => survey.insert(name, Ok(stats)),
            Err(failure) if failure.is_refusal() => survey.insert(name, Err(failure.to_string())),
            Err(failure) => return Err(failure),
        };
    }
    count_listeners(&client, names, &mut survey).await?;
    Ok(survey)
}

async fn count_listeners(
    client: &Client,
    names: BTreeSet<String>,
    survey: &mut Survey,
) -> Result<()> {
    let mut by_master = BTreeMap::new();
    for name in names {
        let master = client.master_of(&name)?;
        let channel = QueueKeys::new(&*name)?.channel().to_owned();
        let (_, found) = by_master
            .entry(master.address())
            .or_insert_with(|| (master, Vec::new()));
        found.push((name, channel));
    }
    for (master, found) in by_master.values() {
        for portion in found.chunks(CHANNELS) {
            let channels: Vec<&str> = portion.iter().map(|(_, channel)| &**channel).collect();
            let counts = listeners(master, &channels).await?;
            for ((name, _), count) in portion.iter().zip(counts) {
                if let Some(Ok(stats)) = survey.get_mut(name) {
                    stats.subscribers = count;
                }
            }
        }
    }
    Ok(())
}
