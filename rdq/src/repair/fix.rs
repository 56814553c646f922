//! What can be put right.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Something that can be put right.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fix {
    /// Members that nobody can read go into the quarantine.
    Malformed,
    /// Due times that are none become the nearest that Redisson can read.
    Scores,
    /// Second entries of the ordering list go.
    Repeats,
    /// Entries of the ordering list without a due time go, or become due.
    Ghosts,
    /// Elements that the ordering list lacks are appended to it, or go.
    Unlisted,
}

/// What to do with ghosts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum Ghosts {
    /// Remove them: their elements were delivered.
    #[default]
    Drop,
    /// Make them due now: the timeout set was lost, and their elements were not delivered.
    Deliver,
}

/// What to do with elements that the ordering list lacks.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq, ValueEnum)]
pub(crate) enum Unlisted {
    /// Append them to the ordering list.
    #[default]
    List,
    /// Remove them: a retainAll() of Redisson was to do so.
    Drop,
}

impl Fix {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Scores => "scores",
            Self::Repeats => "repeats",
            Self::Ghosts => "ghosts",
            Self::Unlisted => "unlisted",
        }
    }
}
