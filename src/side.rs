//! One of the two sides of a list.

/// A side of a target queue.
#[expect(clippy::exhaustive_enums, reason = "a list has two sides")]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Side {
    /// The front, with the element that is taken next.
    First,
    /// The back, where elements are appended.
    Last,
}

impl Side {
    /// The command that takes an element from this side.
    pub(crate) fn pop(self) -> &'static str {
        match self {
            Self::First => "LPOP",
            Self::Last => "RPOP",
        }
    }

    /// The command that puts an element to this side.
    pub(crate) fn push(self) -> &'static str {
        match self {
            Self::First => "LPUSH",
            Self::Last => "RPUSH",
        }
    }

    /// The command that puts an element to this side only if the list has elements.
    pub(crate) fn push_if_exists(self) -> &'static str {
        match self {
            Self::First => "LPUSHX",
            Self::Last => "RPUSHX",
        }
    }
}
