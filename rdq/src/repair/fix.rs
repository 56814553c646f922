//! What can be put right.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use crate::screen::number::count_of;

/// Something that can be put right.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Ord, PartialEq, PartialOrd, Serialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fix {
    /// Move members that nobody can read into the quarantine.
    Malformed,
    /// Replace due times that Redisson cannot read or never reaches by the nearest that it can.
    Scores,
    /// Multiply due times by 1,000 that are in seconds where ms belong: those of 1970.
    Seconds,
    /// Remove second entries from the ordering list.
    Repeats,
    /// Remove entries of the ordering list whose elements were delivered. `--ghosts` decides about the
    /// others without a due time, which `rdq doctor` calls orphans.
    Ghosts,
    /// Append elements that the ordering list lacks, or remove them.
    Unlisted,
}

/// What to do with entries without a due time, if nothing proves that their elements were delivered.
#[derive(Clone, Copy, Debug, Eq, PartialEq, ValueEnum)]
pub(crate) enum Ghosts {
    /// Remove them: their elements were delivered.
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
    /// Remove them: Redisson's retainAll() should have done so.
    Drop,
}

impl Fix {
    /// So many of what is put right.
    pub(crate) fn counted(self, count: u64) -> String {
        let (one, several) = match self {
            Self::Malformed => ("malformed member", "malformed members"),
            Self::Scores => ("odd due time", "odd due times"),
            Self::Seconds => ("due time in seconds", "due times in seconds"),
            Self::Repeats => ("second entry", "second entries"),
            Self::Ghosts => ("ghost", "ghosts"),
            Self::Unlisted => ("unlisted element", "unlisted elements"),
        };
        count_of(count, one, several)
    }
}
