//! The Lua scripts: one static a file of `lua/`, one typed function under it. Only these modules know
//! the order of KEYS and ARGV.

use std::time::Duration;

/// Compiles in `lua/<name>.lua`, behind what all scripts share.
macro_rules! script {
    ($name:literal) => {
        LazyLock::new(|| {
            Script::new(concat!(
                include_str!("../../lua/prelude.lua"),
                include_str!(concat!("../../lua/", $name, ".lua"))
            ))
        })
    };
}

mod entries;
mod keyspace;
mod lease;
mod offer;
mod removal;
mod search;
mod transfer;
mod undue;

pub(crate) use entries::{Place, page};
pub(crate) use keyspace::{End, Relocation, expire, relocate};
pub(crate) use lease::{claim, give_back, recover};
pub(crate) use offer::{Offer, Offered, Outcome, offer};
pub(crate) use removal::{Removed, remove};
pub(crate) use search::find;
pub(crate) use transfer::{Transferred, transfer};
pub(crate) use undue::{oldest, poll_last, put_back, withdraw};

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// How many bytes of payloads one reply may hold: little enough for a slow network to carry in
/// time, so much that larger replies would not be faster.
const MOST_BYTES: usize = 256 * 1024;

#[cfg(test)]
mod tests;
