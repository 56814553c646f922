//! The Lua scripts: one static a file of `lua/`, one typed function under it. Only these modules
//! know the order of KEYS and ARGV.

use std::time::Duration;

use redis::{RedisResult, Script};

use crate::link::connection::{Connection, LARGE};

/// Compiles in `lua/<name>.lua`, behind what all scripts share, and behind `lua/prelude_<part>.lua`
/// for each part that it names. `lua/<first>.lua` stands in front of it all and may answer alone. A
/// script that is `bare` goes without what all scripts share.
macro_rules! script {
    (bare $name:literal, $part:literal) => {
        LazyLock::new(|| {
            Script::new(concat!(
                include_str!(concat!("../../../lua/prelude_", $part, ".lua")),
                include_str!(concat!("../../../lua/", $name, ".lua"))
            ))
        })
    };
    ($(first $first:literal,)? $name:literal $(, $part:literal)*) => {
        LazyLock::new(|| {
            Script::new(concat!(
                $(include_str!(concat!("../../../lua/", $first, ".lua")),)?
                include_str!("../../../lua/prelude.lua"),
                $(include_str!(concat!("../../../lua/prelude_", $part, ".lua")),)*
                include_str!(concat!("../../../lua/", $name, ".lua"))
            ))
        })
    };
}

mod entries;
mod keyspace;
mod lease;
mod limit;
mod list;
mod offer;
#[cfg(feature = "periodic")]
mod periodic;
mod place;
mod relay;
mod removal;
mod reschedule;
mod search;
mod transfer;
mod undue;
mod when;

pub(crate) use entries::{Place, page};
pub(crate) use keyspace::{Lifetime, Relocation, expire, relocate};
pub(crate) use lease::{
    Bar, Claim, Lease, LeasedBytes, SettleToken, claim, end_leases, fetch_lease, give_back,
    recover, restore, settle_leases,
};
pub(crate) use limit::limit;
pub(crate) use list::{move_between, retain};
pub(crate) use offer::{Attempt, Attempted, offer};
#[cfg(feature = "periodic")]
pub(crate) use periodic::{Seen, Stood, fire, schedule, schedules, unschedule, upcoming};
pub(crate) use place::{Done, Key, Searched, offer_keyed, replace, replace_due};
pub(crate) use relay::relay;
pub(crate) use removal::{Removal, Removed, Sifted, remove, sift};
pub(crate) use reschedule::{Reschedule, reschedule};
pub(crate) use search::{Sought, find, seek};
pub(crate) use transfer::{
    Guesses, Known, Quarantined, Start, Told, Transferred, starts_in_order, starts_of_heads,
    transfer,
};
pub(crate) use undue::{Undue, oldest, poll_last, put_back, withdraw};
pub(crate) use when::When;

/// What a script did that leaves what has more bytes than it was allowed to move.
#[derive(Debug)]
pub(crate) enum Fitting<T> {
    Done(T),
    /// It moved nothing, for what comes first has so many bytes.
    Left(usize),
}

impl<T> Fitting<T> {
    /// As the scripts answer: `left_bytes` is 0 for nothing.
    fn new(done: T, left_bytes: usize) -> Self {
        match left_bytes {
            0 => Self::Done(done),
            bytes => Self::Left(bytes),
        }
    }
}

/// Loads a script before a call of so many bytes if these are many: a server that does not know it
/// would have all of them sent again.
async fn load_before(
    script: &Script,
    connection: &mut Connection,
    bytes: usize,
) -> RedisResult<()> {
    if bytes >= LARGE {
        script.load_async(connection).await?;
    }
    Ok(())
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
