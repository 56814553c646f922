//! One of the two ends of a list.

/// An end of a target queue.
#[expect(clippy::exhaustive_enums, reason = "a list has two ends")]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum End {
    /// Where the oldest element is, which is taken next.
    First,
    /// Where elements are appended.
    Last,
}

impl End {
    /// The command that takes an element from this end.
    pub(crate) fn pop(self) -> &'static str {
        match self {
            Self::First => "LPOP",
            Self::Last => "RPOP",
        }
    }

    /// The command that puts an element to this end.
    pub(crate) fn push(self) -> &'static str {
        match self {
            Self::First => "LPUSH",
            Self::Last => "RPUSH",
        }
    }

    /// The command that does so only if the list has elements.
    pub(crate) fn push_if_exists(self) -> &'static str {
        match self {
            Self::First => "LPUSHX",
            Self::Last => "RPUSHX",
        }
    }
}
