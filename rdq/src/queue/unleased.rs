//! Claimed payloads that no set names any more.

use redisson_delayed_queue::keys::QueueKeys;
use redisson_delayed_queue::{Error, Master};

use super::script::{Lua, lua};

static UNLEASED: Lua = lua!("unleased");

/// Counts them.
///
/// # Redis
///
/// One script. O(1) if every payload has a lease or waits for its next attempt.
pub(crate) async fn count(master: &Master, keys: &QueueKeys) -> Result<u64, Error> {
    call(master, keys, 0).await
}

/// Gives them leases that ran out. Any Rust client that moves elements returns them then. Returns how
/// many there were.
///
/// # Redis
///
/// As [`count`].
pub(crate) async fn lease(master: &Master, keys: &QueueKeys) -> Result<u64, Error> {
    call(master, keys, 1).await
}

async fn call(master: &Master, keys: &QueueKeys, leases: u64) -> Result<u64, Error> {
    let names = [
        keys.deliveries(),
        keys.leases(),
        keys.delivery_leases(),
        keys.retries(),
        keys.grouped(),
    ];
    UNLEASED.call(master, &names, &[leases]).await
}
