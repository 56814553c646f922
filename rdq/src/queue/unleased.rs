//! Claimed payloads that no set names any more.

use std::sync::LazyLock;

use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::script::Script;
use redisson_delayed_queue::{Error, Master};

use super::script::{lua, run};

static UNLEASED: LazyLock<Script> = lua!("unleased");

/// Counts them.
///
/// # Redis
///
/// One script. O(1) if every payload has a lease or waits for its next attempt.
pub(crate) async fn count(master: &Master, keys: &QueueKeys) -> Result<u64, Error> {
    call(master, keys, false).await
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
    call(master, keys, true).await
}

/// The script reads as many claimed elements in some 10 ms.
const FEW: u64 = 10_000;

async fn call(master: &Master, keys: &QueueKeys, leases_them: bool) -> Result<u64, Error> {
    run(master, UNLEASED.of(keys).arg("leases_them", leases_them)).await
}
