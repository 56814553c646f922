//! What changes cost Redis.

use super::change::{Action, Change, ListPlace};

/// About what a change costs Redis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    /// Some 15 us each: what a new score costs.
    pub(super) units: u64,
    /// The half of the list that Redis scans once for all removals of a step, if that takes long.
    pub(super) scans: Option<Half>,
}

/// A half of the ordering list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Half {
    Older,
    Newer,
}

impl Cost {
    /// What a change costs in a list of so many entries.
    pub(super) fn of(change: &Change, listed: u64) -> Self {
        let from_end = |place: u64| place.min(listed.saturating_sub(place));
        let found = |place| WINDOW + from_end(place) / ENTRIES_PASSED;
        let seen = match change.before.listed {
            ListPlace::At(place) => found(place),
            ListPlace::Twice(place, other, _) => found(place) + found(other),
            ListPlace::Any | ListPlace::Nowhere | ListPlace::Last => 0,
        };
        let (made, scans) = match change.action() {
            Action::Insert(place) if place <= LAST_INSERTED => {
                (NEIGHBOURS + place / ENTRIES_SCANNED, None)
            }
            Action::Insert(_) => (NEIGHBOURS, None),
            Action::Remove(place) if from_end(place) > FAR => match 2 * place < listed {
                true => (0, Some(Half::Older)),
                false => (0, Some(Half::Newer)),
            },
            _ => (0, None),
        };
        Self {
            units: 1 + seen + made,
            scans,
        }
    }
}

/// What it costs to read the entries around a place.
const WINDOW: u64 = 2;
/// What it costs to read the 500 entries around a place, before one is inserted there.
const NEIGHBOURS: u64 = 10;
/// How many entries `LINSERT` compares for one unit.
const ENTRIES_SCANNED: u64 = 500;
/// How many entries `LINDEX` and `LSET` go past for one unit.
const ENTRIES_PASSED: u64 = 30_000;
/// Behind this place, the script appends instead of inserting.
const LAST_INSERTED: u64 = 200_000;
/// Redis scans so many entries in some 0.6 ms.
const FAR: u64 = 20_000;
