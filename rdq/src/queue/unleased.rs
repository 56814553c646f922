//! Claimed payloads that no set names any more.

use std::sync::LazyLock;

use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::script::Script;
use redisson_delayed_queue::{Error, Master};

use super::script::{lua, run};
use crate::screen::number::count_of;

static UNLEASED: LazyLock<Script> = lua!("unleased");

/// How many there are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Count {
    Exact(u64),
    /// There was too much to read, and so many more payloads are claimed than the sets name.
    About(u64),
}

/// Counts them.
///
/// # Redis
///
/// One script. O(1) if every payload has a lease or waits for its next attempt, else 1 ms for each 1,000
/// payloads that are claimed.
pub(crate) async fn count(master: &Master, keys: &QueueKeys) -> Result<u64, Error> {
    Ok(call(master, keys, false, u64::MAX).await?.unsigned_abs())
}

/// Counts them, unless that takes long.
///
/// # Redis
///
/// As [`count`], and at most some 10 ms.
pub(crate) async fn count_soon(master: &Master, keys: &QueueKeys) -> Result<Count, Error> {
    let count = call(master, keys, false, FEW).await?;
    Ok(match count {
        0.. => Count::Exact(count.unsigned_abs()),
        _ => Count::About(count.unsigned_abs()),
    })
}

impl Count {
    /// This number of these things, unless it is 0.
    pub(crate) fn text(self, one: &str, many: &str) -> Option<String> {
        match self {
            Self::Exact(0) => None,
            Self::Exact(count) => Some(count_of(count, one, many)),
            Self::About(count) => Some(format!("about {}", count_of(count, one, many))),
        }
    }
}

/// Counts them by what is known already: how many payloads are claimed, and how many of them sets name.
/// `None` if there is too much to read.
///
/// # Redis
///
/// Nothing, unless more are claimed than named. Then as [`count`], and at most some 10 ms.
pub(crate) async fn count_beyond(
    master: &Master,
    keys: &QueueKeys,
    claimed: u64,
    named: u64,
) -> Result<Option<u64>, Error> {
    match claimed {
        _ if claimed <= named => Ok(Some(0)),
        ..=FEW => count(master, keys).await.map(Some),
        _ => Ok(None),
    }
}

/// Gives them leases that ran out. Any Rust client that moves elements returns them then. Returns how
/// many there were.
///
/// # Redis
///
/// As [`count`].
pub(crate) async fn lease(master: &Master, keys: &QueueKeys) -> Result<u64, Error> {
    Ok(call(master, keys, true, u64::MAX).await?.unsigned_abs())
}

/// The script reads as many claimed elements in some 10 ms.
const FEW: u64 = 10_000;

async fn call(
    master: &Master,
    keys: &QueueKeys,
    leases_them: bool,
    most: u64,
) -> Result<i64, Error> {
    let mut call = UNLEASED.of(keys);
    call.arg("leases_them", leases_them).arg("most", most);
    run(master, &mut call).await
}
