//! The keys of a queue: one row for each.
//!
//! Whatever lists keys is made from this table, or compared with it by a test: what scripts call them,
//! the documentation, and what calls about the whole queue do.

use super::{QueueKeys, prefixed};

/// A key of a queue.
#[derive(Debug)]
pub(crate) struct Row {
    /// The name of its accessor. Scripts use the same name.
    pub(crate) name: &'static str,
    /// Its type in Redis.
    pub(crate) kind: &'static str,
    pub(crate) life: Life,
    /// For the tests, which compare the script and the documentation with it.
    #[cfg(test)]
    pub(crate) travel: Travel,
}

/// When a key goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Life {
    /// It lives as long as the queue: `expire` sets its expiry.
    Queue,
    /// It has an expiry of its own. `clear_expire` could not restore that, so `expire` leaves it alone.
    Own,
    /// It has an expiry of its own, and `delete` leaves it alone, because it keeps late attempts at
    /// offers out.
    Kept,
}

/// Whether a key is renamed and copied with the queue.
#[cfg(test)]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Travel {
    /// It is renamed and copied.
    Both,
    /// It is renamed, and a copy of the queue does without it.
    Renamed,
    /// It stays, because it tells of claims and calls under the old name.
    Stays,
}

/// Each row: the documentation of the key, its name, what stands before the name of the queue, its type,
/// and what calls about the whole queue do.
macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident: $prefix:literal, $kind:literal, $life:ident, $travel:ident;)+) => {
        /// The keys of one queue.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub(super) struct Keys {
            $($name: String,)+
        }

        impl Keys {
            pub(super) fn new(target: &str) -> Self {
                Self {
                    $($name: match $prefix {
                        "" => target.to_owned(),
                        prefix => prefixed(prefix, target),
                    },)+
                }
            }
        }

        pub(crate) const ROWS: &[Row] = &[
            $(Row {
                name: stringify!($name),
                kind: $kind,
                life: Life::$life,
                #[cfg(test)]
                travel: Travel::$travel,
            },)+
        ];

        impl QueueKeys {
            $(
                $(#[$doc])*
                #[must_use]
                pub fn $name(&self) -> &str {
                    &self.keys.$name
                }
            )+

            /// The key that scripts call by this name, which is that of its accessor here.
            pub(crate) fn named(&self, name: &str) -> Option<&str> {
                match name {
                    $(stringify!($name) => Some(&self.keys.$name),)+
                    _ => None,
                }
            }
        }
    };
}

keys! {
    /// The list of payloads that are ready. Its key is the name of the queue in Redis.
    target: "", "list", Queue, Both;
    /// The list of packed members in offer order.
    ordering: "redisson_delay_queue", "list", Queue, Both;
    /// The sorted set of packed members by due time, in Unix milliseconds.
    timeouts: "redisson_delay_queue_timeout", "zset", Queue, Both;
    /// The sorted set of what `take()` has claimed and not handed over, by the end of the lease.
    leases: "rdq1_leases", "zset", Queue, Stays;
    /// The sorted set of members that neither Java nor this crate can unpack.
    quarantine: "rdq1_quarantine", "zset", Queue, Both;
    /// The sorted set that remembers for a while what was done, so that nothing takes effect twice.
    ///
    /// Each entry is a token. Its score is the unix ms until which the token counts. Parts that
    /// stand side by side are joined without anything in between; letters are in quotes:
    ///
    /// | Token | What it says |
    /// |---|---|
    /// | id | the member was written before, or was taken out: no late attempt at its offer writes it |
    /// | id 'o' | the offer stored its member |
    /// | id 'r' | the offer replaced another member |
    /// | id 'm' | the offer moved the due time of another member |
    /// | id 'k' | the offer kept another member |
    /// | id call | this call removed or rescheduled the member |
    /// | call | this withdrawal was undone: a late attempt at it takes nothing |
    /// | call place | this withdrawal took the member at that place of its arguments |
    /// | call place 'u' | the same, and the member was not in the ordering list |
    /// | import count 'i' | `rdq import` has written so many records of this file |
    /// | name 'p' | the occurrences of this periodic offer were offered up to 55 s before the score |
    ///
    /// An id is that of a member; this crate writes ids of 8 to 26 bytes. A call is 16 random
    /// bytes. A place is a big-endian `u16` that counts from 0. A count is a big-endian `u64`, and an
    /// import 16 random bytes.
    settled: "rdq1_settled", "zset", Kept, Stays;
    /// The hash of the members that were offered under a key of the caller, by that key.
    keyed: "rdq1_keyed", "hash", Own, Both;
    /// The sorted set of the keys in [`keyed`](Self::keyed), by the time to check whether their
    /// members are still pending.
    keyed_due: "rdq1_keyed_due", "zset", Own, Both;
    /// The hash of the periodic offers, by their names.
    periodic: "rdq1_periodic", "hash", Queue, Renamed;
    /// The sorted set of the names of the periodic offers, by the time of the next occurrence.
    periodic_due: "rdq1_periodic_due", "zset", Queue, Renamed;
    /// The hash of the state that all processes share: whether delivery is paused, the rate limit,
    /// and how much of the ordering list is still to be tidied.
    state: "rdq1_state", "hash", Queue, Both;
    /// The hash that counts the elements that expired.
    counts: "rdq1_counts", "hash", Own, Renamed;
    /// The hash of the payloads that somebody has claimed, by the first claim of each: those that
    /// `take()` has not handed over, and those that a [`Consumer`](crate::Consumer) has or retries later.
    deliveries: "rdq1_deliveries", "hash", Queue, Stays;
    /// The sorted set of the deliveries that a [`Consumer`](crate::Consumer) has, by the end of the
    /// lease.
    delivery_leases: "rdq1_delivery_leases", "zset", Queue, Stays;
    /// The sorted set of the deliveries that wait for another attempt, by the time of that attempt.
    retries: "rdq1_retries", "zset", Queue, Stays;
    /// The hash of the groups of deliveries that are handled one at a time, by the delivery that
    /// holds each; see [`Processing`](crate::Processing).
    groups: "rdq1_groups", "hash", Queue, Stays;
    /// The sorted set of the deliveries that wait because another one holds their group.
    grouped: "rdq1_grouped", "zset", Queue, Stays;
    /// The last [fence](crate::Receipt::fence), a number.
    fence: "rdq1_fence", "string", Own, Stays;
    /// The string with the clock by which leases and retries end: Redis's, as long as that does not
    /// go back. It holds what the clock showed when it was noted, and by how much it is ahead of
    /// Redis's, in microseconds.
    clock: "rdq1_clock", "string", Own, Stays;
    /// The list of notes about the elements of a dead-letter queue, in the order of its target
    /// queue: why each is there, and since when.
    dead_notes: "rdq1_dead_notes", "list", Queue, Both;
}

impl QueueKeys {
    /// Each key, with its row.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&str, &'static Row)> {
        ROWS.iter()
            .filter_map(|row| Some((self.named(row.name)?, row)))
    }

    /// Each key with its type in Redis, as `TYPE` names it.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_delayed_queue::keys::QueueKeys;
    ///
    /// let keys = QueueKeys::new("orders")?;
    /// assert_eq!(keys.types().next(), Some(("orders", "list")));
    /// # Ok::<(), redisson_delayed_queue::keys::NameError>(())
    /// ```
    pub fn types(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.rows().map(|(key, row)| (key, row.kind))
    }
}
