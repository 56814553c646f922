//! Lua scripts about queues.
//!
//! A [`Script`] says in its header what its keys and arguments are called, and a [`Call`] of it names
//! them. [`Master::call`](crate::Master::call) runs scripts of your own.

// Each file of `lua/` is named once here, in the typed function that runs it.

/// The script in `lua/<name>.lua`, after the files of `lua/lib/` that it uses. If two files are named,
/// the first may answer without the second.
macro_rules! script {
    ($($name:literal),+) => {{
        static SCRIPT: std::sync::LazyLock<super::lua::Script> = std::sync::LazyLock::new(|| {
            super::lua::Script::of_parts(&[
                $(include_str!(concat!("../../../lua/", $name, ".lua"))),+
            ])
        });
        &*SCRIPT
    }};
}

mod call;
mod claim;
mod cursor;
mod delivery;
mod entries;
mod grouping;
mod keyspace;
mod lease;
mod leased;
mod letters;
mod library;
mod limit;
mod list;
mod lua;
mod mark;
mod offer;
#[cfg(feature = "periodic")]
mod periodic;
mod places;
mod quarantine;
mod relay;
mod removal;
mod reply;
mod reschedule;
mod search;
mod transfer;
mod unique;
mod when;
mod withdraw;

pub use call::Call;
pub(crate) use claim::{Claim, Claimed, claim};
pub(crate) use cursor::Cursor;
pub(crate) use delivery::{Consumption, Decision, Fate, conclude, consume};
pub(crate) use entries::{RawEntry, Scored, oldest, page};
pub(crate) use grouping::{Grouping, Joined, Joining, KeyOf, join};
pub(crate) use keyspace::{Lifetime, expire, relocate};
pub(crate) use lease::{Lease, LeaseSet, LeasedBytes, Origin, end_leases, fetch, give_back};
pub(crate) use leased::{LeasedEntry, leased, recover, release};
pub(crate) use letters::{LetterRemoval, Passed, letters, remove_letter, requeue_letters};
pub(crate) use limit::limit;
pub(crate) use list::{move_between, retain};
pub use lua::Script;
pub(crate) use mark::mark;
pub(crate) use offer::{Attempt, Attempted, offer};
#[cfg(feature = "periodic")]
pub(crate) use periodic::{Seen, Stood, fire, schedule, schedules, unschedule, upcoming};
pub(crate) use quarantine::{DROPPED, Quarantined, WayOut, dequarantine};
pub(crate) use relay::relay;
pub(crate) use removal::{Removal, Removed, Sifted, remove, sift};
pub(crate) use reschedule::{Reschedule, reschedule};
pub(crate) use search::{Sought, find, seek};
pub(crate) use transfer::{
    Guesses, Start, Transfer, Transferred, starts_in_order, starts_of_heads, transfer,
};
pub(crate) use unique::{Answer, Key, Searched, offer_keyed, offer_unique_listed, pending_under};
pub(crate) use when::When;
pub(crate) use withdraw::{poll_last, put_back, withdraw};

/// The result of a script that moves payloads up to a size.
#[derive(Debug)]
pub(crate) enum Fitting<T> {
    Done(T),
    /// It moved nothing: the first payload has this many bytes.
    Left(usize),
}

impl<T> Fitting<T> {
    /// Reads the fields of a reply. `left_bytes` is 0 if it left none.
    fn new(done: T, left_bytes: usize) -> Self {
        match left_bytes {
            0 => Self::Done(done),
            bytes => Self::Left(bytes),
        }
    }
}

#[cfg(test)]
mod tests;
