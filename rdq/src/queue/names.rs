//! Finds the queues of a server or a cluster.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use futures::future::join_all;
use futures::stream::{self, StreamExt, TryStreamExt};
use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::redis::cmd;
use redisson_delayed_queue::{Client, Master};

use crate::failure::{Failure, Result};
use crate::queue::elsewhere;
use crate::queue::home::Home;
use crate::queue::listeners::listeners;
use crate::queue::masters::Silent;
use crate::queue::types;

/// What a search for queues found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) homes: BTreeSet<Home>,
    /// Keys of queues that no client finds.
    pub(crate) strays: Vec<Stray>,
    /// Keys of queues whose names are not UTF-8, with the server that has them.
    pub(crate) unreadable: Vec<(String, Vec<u8>)>,
    /// The masters that could not be searched to the end.
    pub(crate) silent: Vec<Silent>,
}

/// Keys of a queue at a master that does not own their slot.
#[derive(Clone, Debug)]
pub(crate) struct Stray {
    pub(crate) queue: String,
    pub(crate) keys: Vec<String>,
    pub(crate) slot: u16,
    pub(crate) holder: Master,
    pub(crate) owner: Master,
    /// What the cluster calls the owner.
    pub(crate) owner_id: String,
    /// The owner has one of the keys, too.
    pub(crate) is_doubled: bool,
}

impl Found {
    /// The names by which to look at the queues, in alphabetical order. With some of `known` if not all
    /// masters could be searched.
    pub(crate) fn names(self, known: impl IntoIterator<Item = String>) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = self.homes.into_iter().flat_map(Home::names).collect();
        if !self.silent.is_empty() {
            names.extend(known);
        }
        names
    }
}

/// Finds all delayed queues that Redis knows of. Fails if none of these masters could be searched.
///
/// A queue is known by a key beside its target queue, or by a client that subscribes to its
/// channel. A queue that has only ready elements, and no client, is a list like any other: nothing
/// tells that it is a queue. A client that subscribes may mean the queue of another database: it
/// counts only if no other database has such keys.
///
/// # Redis
///
/// `SCAN` of the whole database of each master, 1,000 keys a call, and `PUBSUB CHANNELS`. `TYPE` of two
/// keys for each queue. For queues that only a channel names: `INFO keyspace` and
/// `CLIENT INFO`; if other databases have keys, `TYPE` of the keys of each of these queues, and a script for each of these databases. If keys stand at a
/// master that does not own their slot: `CLUSTER NODES` of both, a second `SCAN`, and `TYPE` of each
/// key at the owner.
pub(crate) async fn homes(client: &Client, masters: &[Master]) -> Result<Found> {
    let homes = Mutex::<BTreeSet<_>>::default();
    let found = |home| {
        let mut homes = homes.lock().unwrap_or_else(PoisonError::into_inner);
        homes.insert(home);
    };
    let searches = masters.iter().map(|it| find_at(client, it.clone(), &found));
    let (mut all, mut first) = (Found::default(), None);
    for (master, searched) in masters.iter().zip(join_all(searches).await) {
        match searched {
            Ok(odd) => {
                let address = master.address();
                let unreadable = odd.unreadable.into_iter();
                all.unreadable
                    .extend(unreadable.map(|it| (address.to_string(), it)));
                all.strays.extend(strays(client, master, odd.strays).await);
            }
            Err(failure) => {
                all.silent.push(Silent::at(master, &failure));
                first.get_or_insert(failure);
            }
        }
    }
    all.homes = homes.into_inner().unwrap_or_else(PoisonError::into_inner);
    match first {
        Some(failure) if all.silent.len() == masters.len() => Err(failure),
        _ => Ok(all),
    }
}

/// As [`homes`], but hands each over as soon as it is found. One may come several times. Fails at the end
/// if a master could not be searched.
pub(crate) async fn find_each(
    client: &Client,
    masters: &[Master],
    found: impl Fn(Home) + Sync,
) -> Result {
    let searches = masters.iter().map(|it| find_at(client, it.clone(), &found));
    let searched = join_all(searches).await;
    searched.into_iter().try_for_each(|it| it.map(drop))
}

/// The lists of a master that belong to none of these queues.
///
/// # Redis
///
/// `SCAN` of the whole database with `TYPE`, 1,000 keys a call.
pub(crate) async fn other_lists(
    master: &Master,
    queues: &BTreeSet<String>,
) -> redisson_delayed_queue::Result<Vec<String>> {
    let mut others = BTreeSet::new();
    let mut cursor = 0_u64;
    loop {
        let mut scan = cmd("SCAN");
        scan.arg(cursor).arg("COUNT").arg(1_000);
        let (next, keys): (u64, Vec<Vec<u8>>) = master.query(scan.arg("TYPE").arg("list")).await?;
        let keys = keys.into_iter().filter_map(|it| String::from_utf8(it).ok());
        others.extend(keys.filter(|key| {
            let buried = buried_in(key).is_some_and(|it| queues.contains(it.target()));
            let is_queue = queues.contains(key) || is_twin(key, queues);
            !is_queue && QueueKeys::of_key(key).is_none() && !buried
        }));
        cursor = next;
        if cursor == 0 {
            return Ok(others.into_iter().collect());
        }
    }
}

/// True if one of these queues has the same keys: nobody knew whose they were before the first element came
/// to this list.
fn is_twin(list: &str, queues: &BTreeSet<String>) -> bool {
    let twin = QueueKeys::new(list).ok().and_then(|it| it.twin());
    twin.is_some_and(|it| queues.contains(&it))
}

/// The queue whose dead letters stand in a list of this name by default. It may be that of the name with
/// braces around it.
pub(crate) fn buried_in(list: &str) -> Option<QueueKeys> {
    let name = list.strip_suffix("-dead")?;
    let keys = QueueKeys::new(name).ok()?;
    let keys = match keys.twin() {
        Some(bare) if name.contains('{') => QueueKeys::new(bare).ok()?,
        _ => keys,
    };
    (keys.default_dead_letters() == list).then_some(keys)
}

/// Fails if Redis does not know of one of these queues: the name may be misspelt. Without the right to
/// look, nothing tells.
///
/// # Redis
///
/// As [`is_known`].
pub(crate) async fn ensure_known(client: &Client, names: &[String]) -> Result {
    let mut missing = Vec::new();
    for name in names {
        match is_known(client, &client.masters(), name).await {
            Ok(false) => missing.push(name.as_str()),
            Err(failure) if !failure.is_refusal() => return Err(failure),
            _ => {}
        }
    }
    match missing.is_empty() {
        true => Ok(()),
        false => Err(unknown(&missing)),
    }
}

/// The failure that these queues are not known.
pub(crate) fn unknown(names: &[&str]) -> Failure {
    Failure::Nothing(format!(
        "there is no key and no client of a queue called {}",
        names.join(", ")
    ))
}

/// True if Redis knows of this queue: by a key of it, or by a client that subscribes to its channel.
///
/// # Redis
///
/// `TYPE` of each key, and `PUBSUB NUMSUB` on each of these masters.
pub(crate) async fn is_known(client: &Client, masters: &[Master], name: &str) -> Result<bool> {
    let keys = QueueKeys::new(name)?;
    if types::is_any_there(&client.master_of(name)?, &keys).await? {
        return Ok(true);
    }
    // In a cluster, a client may subscribe at any node.
    for master in masters {
        if listeners(master, &[keys.channel()]).await? != [0] {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Keys that a search found, and that lead to no queue.
#[derive(Default)]
struct Odd {
    strays: Vec<(QueueKeys, String)>,
    unreadable: Vec<Vec<u8>>,
}

async fn find_at(client: &Client, master: Master, found: &(impl Fn(Home) + Sync)) -> Result<Odd> {
    let mut known = BTreeSet::new();
    let mut odd = Odd::default();
    let mut cursor = 0_u64;
    loop {
        let mut scan = cmd("SCAN");
        // `redisson_delay_queue…` and `rdq1_…`: one pass for both.
        scan.arg(cursor).arg("MATCH").arg("r[de][dq]*:*");
        let (next, keys): (u64, Vec<Vec<u8>>) = master.query(scan.arg("COUNT").arg(1_000)).await?;
        let mut queues = Vec::new();
        for key in keys {
            match (queue_of(&key), String::from_utf8(key)) {
                (Some(keys), Ok(key)) => {
                    let owner = client.master_of(keys.target()).map(|it| it.address());
                    match owner.is_ok_and(|it| it != master.address()) {
                        true => odd.strays.push((keys, key)),
                        false => queues.push(keys),
                    }
                }
                (_, Err(key)) if is_of_redisson(key.as_bytes()) => {
                    odd.unreadable.push(key.into_bytes());
                }
                _ => {}
            }
        }
        look(client, queues, &mut known, found).await?;
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
    let heard = channels.iter().filter_map(|it| queue_of(it));
    let heard: Vec<_> = heard.filter(|it| !known.contains(it.target())).collect();
    if heard.is_empty() {
        return Ok(odd);
    }
    let mut queues = Vec::new();
    let others = elsewhere::databases(&master).await;
    for keys in heard {
        // Channels know no databases. Without the right to look, nothing tells.
        let is_elsewhere = elsewhere::is_only_elsewhere(&master, &keys, &others).await;
        if !is_elsewhere.unwrap_or(false) {
            queues.push(keys);
        }
    }
    look(client, queues, &mut known, found).await?;
    Ok(odd)
}

/// Hands over these queues, but for those that are known.
async fn look(
    client: &Client,
    queues: Vec<QueueKeys>,
    known: &mut BTreeSet<String>,
    found: &(impl Fn(Home) + Sync),
) -> Result {
    let fresh: Vec<_> = queues
        .into_iter()
        .filter(|it| known.insert(it.target().to_owned()))
        .collect();
    let homes = stream::iter(fresh).map(|keys| async move { Home::find(client, &keys).await });
    let mut homes = homes.buffer_unordered(AT_ONCE);
    while let Some(home) = homes.try_next().await? {
        found(home);
    }
    Ok(())
}

/// The queue that has a key. Notes of dead letters are a key of the queue that these come from.
fn queue_of(key: &[u8]) -> Option<QueueKeys> {
    let key = std::str::from_utf8(key).ok()?;
    let keys = QueueKeys::of_key(key)?;
    match key == keys.dead_notes() {
        true => buried_in(keys.target()).or(Some(keys)),
        false => Some(keys),
    }
}

fn is_of_redisson(key: &[u8]) -> bool {
    key.starts_with(b"redisson_delay_queue:") || key.starts_with(b"redisson_delay_queue_timeout:")
}

/// The keys that really are astray: a slot that its owner sends to the holder brings them along.
async fn strays(client: &Client, holder: &Master, keys: Vec<(QueueKeys, String)>) -> Vec<Stray> {
    let mut strays = BTreeMap::<String, Stray>::new();
    if keys.is_empty() {
        return Vec::new();
    }
    let imported = nodes_as_seen_by(holder).await.unwrap_or_default();
    let holder_id = own_id(&imported);
    let mut sent = BTreeMap::new();
    for (queue, key) in keys {
        let slot = queue.slot();
        let Ok(owner) = client.master_of(queue.target()) else {
            continue;
        };
        if imported.contains(&format!("[{slot}-<-")) {
            let sent = match sent.entry(owner.address()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(nodes_as_seen_by(&owner).await),
            };
            let sends = format!("[{slot}->-{holder_id}]");
            // An owner that does not say may be sending it.
            if sent.as_ref().is_none_or(|it| it.contains(&sends)) {
                continue;
            }
        }
        let stray = match strays.entry(queue.target().to_owned()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let owner_id = owner.query(cmd("CLUSTER").arg("MYID")).await;
                new.insert(Stray {
                    queue: queue.target().to_owned(),
                    keys: Vec::new(),
                    slot,
                    holder: holder.clone(),
                    owner,
                    owner_id: owner_id.unwrap_or_default(),
                    is_doubled: false,
                })
            }
        };
        stray.keys.push(key);
    }
    add_lists(holder, &mut strays).await;
    for stray in strays.values_mut() {
        stray.keys.sort();
        for key in &stray.keys {
            let held = stray.owner.query::<String>(cmd("TYPE").arg(key)).await;
            stray.is_doubled |= held.is_ok_and(|it| it != "none");
        }
    }
    strays.into_values().collect()
}

/// Adds the lists that belong to these queues and that no pattern finds: target queues, and their dead
/// letters.
async fn add_lists(holder: &Master, strays: &mut BTreeMap<String, Stray>) {
    let mut cursor = 0_u64;
    loop {
        let mut scan = cmd("SCAN");
        scan.arg(cursor).arg("COUNT").arg(1_000);
        let scanned = holder.query(scan.arg("TYPE").arg("list")).await;
        // Without the right to look, the others are named all the same.
        let Ok((next, lists)): redisson_delayed_queue::Result<(u64, Vec<Vec<u8>>)> = scanned else {
            return;
        };
        for list in lists
            .into_iter()
            .filter_map(|it| String::from_utf8(it).ok())
        {
            let queue = match buried_in(&list) {
                Some(keys) if strays.contains_key(keys.target()) => keys.target().to_owned(),
                _ => list.clone(),
            };
            if let Some(stray) = strays.get_mut(&queue)
                && !stray.keys.contains(&list)
            {
                stray.keys.push(list);
            }
        }
        cursor = next;
        if cursor == 0 {
            return;
        }
    }
}

/// The view that a node has of its cluster; `None` if it refuses to tell.
async fn nodes_as_seen_by(node: &Master) -> Option<String> {
    node.query(cmd("CLUSTER").arg("NODES")).await.ok()
}

/// The id of the node that answered `CLUSTER NODES` with this text.
fn own_id(nodes: &str) -> &str {
    let is_own = |words: &Vec<&str>| {
        let flags = words.get(2).copied().unwrap_or_default();
        flags.split(',').any(|it| it == "myself")
    };
    let mut lines = nodes.lines().map(|it| it.split(' ').collect::<Vec<_>>());
    lines.find(is_own).map_or("", |words| words[0])
}

/// How many target queues to look for at a time.
const AT_ONCE: usize = 32;
