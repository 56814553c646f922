//! Counts what is in all queues.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::{Mutex, PoisonError};
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
/// A master that gives no answer keeps back its own queues: their entries say why.
///
/// # Redis
///
/// For each queue one script, 8 at a time. For each 256 queues of a master one `PUBSUB NUMSUB`.
///
/// # Errors
///
/// Fails if no queue could be counted because servers do not answer. If Redis refuses to count a queue,
/// the queue's entry says why.
pub(crate) async fn read(
    client: Client,
    queues: Vec<(String, Option<Last>)>,
    every: Duration,
) -> Result<Survey> {
    // Why masters that have not answered once are not asked again.
    let silent = &Mutex::<BTreeMap<_, String>>::default();
    let heard = || silent.lock().unwrap_or_else(PoisonError::into_inner);
    let client = &client;
    let counts = iter(queues).map(|(name, last)| async move {
        let master = client.master_of(&name).map(|it| it.address()).ok();
        let known = master.as_ref().and_then(|it| heard().get(it).cloned());
        if let Some(reason) = known {
            return (name, Err((reason, None)));
        }
        let counted = Stats::count(client, &name, last, every).await;
        let counted = counted.map_err(|failure| {
            let reason = failure.to_string();
            if failure.is_refusal() {
                return (reason, None);
            }
            if let Some(master) = master {
                heard().insert(master, reason.clone());
            }
            (reason, Some(failure))
        });
        (name, counted)
    });
    let mut counts = pin!(counts.buffer_unordered(AT_ONCE));
    let (mut survey, mut is_answered, mut first) = (Survey::new(), false, None);
    while let Some((name, counted)) = counts.next().await {
        let counted = counted.map_err(|(reason, failure)| {
            first = first.take().or(failure);
            reason
        });
        is_answered |= counted.is_ok();
        survey.insert(name, counted);
    }
    match first {
        Some(failure) if !is_answered => return Err(failure),
        _ => count_listeners(client, &mut survey).await?,
    }
    Ok(survey)
}

/// Counts the listeners of the queues that were counted.
async fn count_listeners(client: &Client, survey: &mut Survey) -> Result {
    let mut by_master = BTreeMap::new();
    for name in survey.iter().filter(|it| it.1.is_ok()).map(|it| it.0) {
        let master = client.master_of(name)?;
        let channel = QueueKeys::new(&**name)?.channel().to_owned();
        let (_, found) = by_master
            .entry(master.address())
            .or_insert_with(|| (master, Vec::new()));
        found.push((name.clone(), channel));
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
