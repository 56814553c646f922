//! Names that a queue cannot have.

/// Why a string cannot name a queue. The caller chose the name, and nothing was sent to Redis.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// In Redis Cluster, the keys of a queue called `name` would lie in several slots.
    ///
    /// Choose a name without braces, or with one pair around a part of it.
    #[error(
        "queue name {name:?} puts its keys into several cluster slots; {:?} would not",
        without_braces(name)
    )]
    CrossesSlots {
        /// The refused name.
        name: String,
    },

    /// The name is empty.
    #[error("queue name is empty")]
    Empty,

    /// The call touches two queues at once, and Redis Cluster keeps them in different slots.
    ///
    /// Give both names the same text in braces, such as `{orders}` and `{orders}:late`.
    #[error(
        "queues {name:?} and {other:?} are in different cluster slots, which no command spans; \
         names with the same text in braces share one"
    )]
    OtherSlot {
        /// The queue on which the call was made.
        name: String,
        /// The other queue.
        other: String,
    },

    /// A queue cannot be its own dead-letter queue: choose another name for the dead letters.
    #[error("queue {name:?} cannot be its own dead-letter queue")]
    OwnDeadLetters {
        /// The refused name.
        name: String,
    },

    /// A queue called `name` would share keys with the queue that is renamed or copied: `a` and
    /// `{a}` differ only in their target queues.
    ///
    /// Choose a name with another text in its braces.
    #[error("queue name {name:?} shares keys with the queue that would be renamed or copied")]
    SharesKeys {
        /// The refused name.
        name: String,
    },
}

/// A name like this one whose keys share a slot.
fn without_braces(name: &str) -> String {
    let name = name.replace(['{', '}'], "");
    if name.is_empty() {
        return "queue".to_owned();
    }
    name
}
