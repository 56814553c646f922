//! What the shards of a queue do not allow.

use crate::wire::keys::NameError;

/// Why shards cannot be used as the caller wants. Nothing was written. It is the caller's fault,
/// unless the variant says otherwise.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// The base of numbered names has braces, so all names would have one cluster slot. Choose a
    /// base without braces.
    #[error("names that begin with {base:?} would all have one cluster slot")]
    Braces {
        /// The refused base.
        base: String,
    },

    /// The names are changing, and the change moves the key to another shard.
    ///
    /// The change is at fault: somebody else may offer under the key to the other shard. Offer
    /// again when the change has come further; see [`Shards`](crate::Shards).
    #[error("the key is moving from shard {from:?} to shard {to:?}")]
    KeyMoves {
        /// The key's shard before the change.
        from: String,
        /// The key's shard after the change.
        to: String,
    },

    /// A shard's name cannot name a queue.
    #[error(transparent)]
    Name(#[from] NameError),

    /// There is no name. A sharded queue needs one at least.
    #[error("a sharded queue needs at least one name")]
    NoNames,

    /// Two names have the same CRC-32, so no key would tell them apart.
    ///
    /// Chance is at fault, about once in four thousand million pairs. Choose another name.
    #[error("shards {name:?} and {other:?} have the same hash")]
    SameHash {
        /// The refused name.
        name: String,
        /// The name before it.
        other: String,
    },

    /// Two names share keys: `a` and `{a}` differ only in their target queues.
    #[error("shards {name:?} and {other:?} share keys")]
    SharesKeys {
        /// The refused name.
        name: String,
        /// The name before it.
        other: String,
    },

    /// A name was given twice.
    #[error("shard {name:?} is there twice")]
    Twice {
        /// The name.
        name: String,
    },

    /// [`Offer::unique_in_queue`](crate::Offer::unique_in_queue) looks through one queue, and a
    /// sharded queue has several. Offer under a key, or to a single shard.
    #[error("an offer cannot be unique in all shards; offer it under a key")]
    UniqueInQueue,

    /// No shard has the name in a ticket. It may have been dropped while elements were still there.
    #[error("there is no shard {name:?}")]
    Unknown {
        /// The name.
        name: String,
    },

    /// The shards are changing already: finish one change before the next.
    #[error("the shards are changing already")]
    Unsettled,
}
