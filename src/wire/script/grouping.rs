//! Deliveries that are handled one at a time.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use redis::RedisResult;

use super::lease::{Group, Lease};
use crate::link::clock::ms_up;
use crate::link::connection::Connection;
use crate::wire::keys::QueueKeys;

/// Which deliveries must not be handled at the same time. `K` computes their keys.
#[derive(Clone)]
pub(crate) enum Grouping<K = KeyOf> {
    /// None: any may be handled at the same time.
    Parallel,
    /// All: one is handled at a time.
    Sequential,
    /// Those with the same key.
    ByKey(K),
}

/// Computes the key from a payload. None if the payload has none.
pub(crate) type KeyOf = Arc<dyn Fn(&Bytes) -> Option<Vec<u8>> + Send + Sync>;

impl Grouping {
    /// How long a worker may take to compute keys from payloads that are not large. Until then no
    /// other worker claims new elements.
    pub(super) const SORTING: Duration = Duration::from_secs(5);
    /// How many deliveries may wait for their groups.
    pub(super) const MOST_WAITING: usize = 100_000;

    /// How `consume` spells it.
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::Parallel => "p",
            Self::Sequential => "s",
            Self::ByKey(_) => "k",
        }
    }

    /// The group of everything new from the target queue, if the key does not matter.
    pub(super) fn group_of_new(&self) -> Option<Group> {
        match self {
            Self::Sequential => Group::read(b"all_the_elements"),
            Self::Parallel | Self::ByKey(_) => None,
        }
    }

    /// How `join` spells the group of a payload.
    pub(crate) fn group(&self, payload: &Bytes) -> Vec<u8> {
        match self {
            Self::Parallel => Vec::new(),
            Self::Sequential => b"s".to_vec(),
            Self::ByKey(key_of) => match key_of(payload) {
                Some(key) => [b"k", &key[..]].concat(),
                None => Vec::new(),
            },
        }
    }
}

impl<K> Grouping<K> {
    /// The same with another way to compute keys.
    pub(crate) fn map<L>(self, map: impl FnOnce(K) -> L) -> Grouping<L> {
        match self {
            Self::Parallel => Grouping::Parallel,
            Self::Sequential => Grouping::Sequential,
            Self::ByKey(key) => Grouping::ByKey(map(key)),
        }
    }
}

impl<K> fmt::Debug for Grouping<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Parallel => "Parallel",
            Self::Sequential => "Sequential",
            Self::ByKey(_) => "ByKey",
        })
    }
}

/// A delivery that is to join its group.
#[derive(Debug)]
pub(crate) struct Joining {
    pub(crate) lease: Lease,
    /// How long the lease is to last.
    pub(crate) length: Duration,
    /// From [`Grouping::group`].
    pub(crate) group: Vec<u8>,
}

/// What became of such a delivery.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Joined {
    /// It has its turn. The lease has its group and fence.
    Holds(Lease),
    /// Another delivery holds the group.
    Waits,
    /// Its lease was over.
    TooLate,
}

/// Sorts claimed deliveries into their groups, up to 1,000, in the order of their claims. May be called
/// again after a lost reply.
pub(crate) async fn join(
    connection: Connection,
    keys: &QueueKeys,
    channel: &str,
    incarnation: [u8; 8],
    deliveries: &[Joining],
) -> RedisResult<Vec<Joined>> {
    let mut call = script!("join").of(keys);
    call.arg("channel", channel)
        .arg("incarnation", &incarnation);
    for Joining {
        lease,
        length,
        group,
    } in deliveries
    {
        call.more(lease.ungrouped().token())
            .more(ms_up(*length))
            .more(&group[..]);
    }
    let joined: Vec<(i64, Vec<u8>)> = call.invoke(connection).await?;
    let leases = deliveries.iter().zip(joined);
    let leases = leases.map(|(it, (fence, group))| {
        let mut lease = it.lease;
        lease.group = Group::read(&group);
        match u64::try_from(fence) {
            Err(_) => Joined::TooLate,
            Ok(0) => Joined::Waits,
            Ok(fence) => {
                lease.fence = Some(fence);
                Joined::Holds(lease)
            }
        }
    });
    Ok(leases.collect())
}
