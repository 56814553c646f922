//! The Lua scripts: one static a file of `lua/`, one typed function under it. Only these modules know
//! the order of KEYS and ARGV.

use std::time::Duration;

/// Compiles in `lua/<name>.lua`, behind what all scripts share, and behind `lua/prelude_<part>.lua`
/// for each part that it names.
macro_rules! script {
    ($name:literal $(, $part:literal)*) => {
        LazyLock::new(|| {
            Script::new(concat!(
                include_str!("../../lua/prelude.lua"),
                $(include_str!(concat!("../../lua/prelude_", $part, ".lua")),)*
                include_str!(concat!("../../lua/", $name, ".lua"))
            ))
        })
    };
}

mod lease;
mod offer;
mod place;
mod removal;
mod search;
mod transfer;

pub(crate) use lease::{claim, give_back, recover};
pub(crate) use offer::{Attempt, Attempted, When, offer};
pub(crate) use place::{Done, Key, Searched, offer_keyed, replace};
pub(crate) use removal::{Removed, remove};
pub(crate) use search::find;
pub(crate) use transfer::{Transferred, transfer};

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
