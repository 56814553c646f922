//! Places of a list that follow one another.

use std::ops::{Bound, RangeBounds};

/// The places from `first` to `last`, both included; to the end of the list if there is no `last`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Places {
    pub(crate) first: usize,
    pub(crate) last: Option<usize>,
}

impl Places {
    /// `None` if no list can have an element in `range`.
    pub(crate) fn new(range: impl RangeBounds<usize>) -> Option<Self> {
        let first = match range.start_bound() {
            Bound::Included(first) => *first,
            Bound::Excluded(before) => before.checked_add(1)?,
            Bound::Unbounded => 0,
        };
        let last = match range.end_bound() {
            Bound::Included(last) => Some(*last),
            Bound::Excluded(after) => Some(after.checked_sub(1)?),
            Bound::Unbounded => None,
        };
        // Redis counts in signed numbers, and refuses larger ones.
        let last = last.filter(|last| *last < MOST);
        (first < MOST && last.is_none_or(|last| first <= last)).then_some(Self { first, last })
    }
}

/// More than any list holds.
const MOST: usize = 1 << 53;

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads as the slice of a vector does, but for ranges on which that panics.
    #[test]
    fn places_are_what_ranges_select() {
        let places = |first, last| Some(Places { first, last });
        assert_eq!(Places::new(..), places(0, None));
        assert_eq!(Places::new(3..), places(3, None));
        assert_eq!(Places::new(..3), places(0, Some(2)));
        assert_eq!(Places::new(..=3), places(0, Some(3)));
        assert_eq!(Places::new(2..3), places(2, Some(2)));
        let after_2 = (Bound::Excluded(2), Bound::Included(5));
        assert_eq!(Places::new(after_2), places(3, Some(5)));
        assert_eq!(Places::new(7..usize::MAX), places(7, None));
    }

    /// Redis would take -1 for the last place, and refuse numbers past its own.
    #[test]
    fn ranges_without_a_place_are_no_spans() {
        for range in [0..0, 3..3, usize::MAX..usize::MAX] {
            assert_eq!(Places::new(range), None);
        }
        let reversed = (Bound::Included(4), Bound::Excluded(3));
        assert_eq!(Places::new(reversed), None);
        let after_all = (Bound::Excluded(usize::MAX), Bound::Unbounded);
        assert_eq!(Places::new(after_all), None);
        assert_eq!(Places::new(usize::MAX..), None);
    }
}
