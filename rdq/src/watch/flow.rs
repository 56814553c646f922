//! Estimates from successive counts how many elements come and go a second.

use serde::Serialize;

use crate::queue::stats::{Last, Stats};

/// Says how many elements come and go a second, as far as counts tell.
///
/// Redis counts no offers and no takes of one queue, so these are conclusions:
///
/// - Moved: how many of the elements that were due by the [mark](crate::queue::stats::Marks) between two
///   counts have left, or how many moves of Rust clients were heard of, if that is more. This misses
///   elements that came and left between two counts, if Java moved them. It wrongly counts elements
///   that were cancelled shortly before they were due.
/// - Offered: by how much more elements are pending, and those that moved.
/// - Taken: those that moved, less by how much more elements are ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Flow {
    #[serde(rename = "offered_per_s")]
    pub(crate) offered: f64,
    #[serde(rename = "moved_per_s")]
    pub(crate) moved: f64,
    #[serde(rename = "taken_per_s")]
    pub(crate) taken: f64,
}

/// Remembers the last count, from which it estimates the next flow.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    last: Option<Counted>,
}

#[derive(Debug)]
struct Counted {
    at_ms: u64,
    pending: u64,
    ready: u64,
    last: Last,
    due_by_mark: u64,
}

impl Meter {
    /// Returns what the next count needs of the last.
    pub(crate) fn last(&self) -> Option<Last> {
        self.last.as_ref().map(|it| it.last)
    }

    /// Returns the flow since the last count. Rust clients said that they moved `heard` elements
    /// meanwhile.
    pub(crate) fn note(&mut self, stats: &Stats, heard: u64) -> Option<Flow> {
        let next = Counted {
            at_ms: stats.at_ms,
            pending: stats.pending,
            ready: stats.ready,
            last: stats.as_last(),
            due_by_mark: stats.marks.due_by_next,
        };
        let last = self.last.replace(next)?;
        let elapsed_ms = stats.at_ms.checked_sub(last.at_ms).filter(|it| *it > 0)?;
        let (mark_ms, remaining) = stats.marks.last?;
        let left = match mark_ms == last.last.mark_ms {
            true => last.due_by_mark.saturating_sub(remaining),
            false => 0,
        };
        let moved = left.max(heard) as f64;
        let more = |now: u64, before: u64| now as f64 - before as f64;
        let a_second = |count: f64| count.max(0.0) * 1_000.0 / elapsed_ms as f64;
        Some(Flow {
            offered: a_second(more(stats.pending, last.pending) + moved),
            moved: a_second(moved),
            taken: a_second(moved - more(stats.ready, last.ready)),
        })
    }

    /// Forgets the last count: too much may have happened since.
    pub(crate) fn forget(&mut self) {
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::stats::Marks;

    fn stats(at_ms: u64, pending: u64, ready: u64, marks: Marks) -> Stats {
        Stats {
            at_ms,
            pending,
            ready,
            marks,
            ..Stats::default()
        }
    }

    fn marks(last: Option<(u64, u64)>, next_ms: u64, due_by_next: u64) -> Marks {
        Marks {
            last,
            next_ms,
            due_by_next,
        }
    }

    /// Two seconds later, 6 of 10 due elements have left, 4 of them to a taker, and 16 were offered.
    #[test]
    fn what_left_was_moved_and_the_rest_follows() {
        let mut meter = Meter::default();
        let first = stats(1_000, 100, 5, marks(None, 3_000, 10));
        assert_eq!(meter.note(&first, 0), None);
        assert_eq!(meter.last().unwrap().mark_ms, 3_000);
        let second = stats(3_000, 110, 7, marks(Some((3_000, 4)), 5_000, 9));
        let flow = meter.note(&second, 0).unwrap();
        assert_eq!((flow.offered, flow.moved, flow.taken), (8.0, 3.0, 2.0));
    }

    /// Elements with a short delay come and go between two counts: only messages tell of them.
    #[test]
    fn heard_moves_count_if_they_are_more() {
        let mut meter = Meter::default();
        meter.note(&stats(1_000, 0, 0, marks(None, 2_000, 0)), 0);
        let second = stats(2_000, 0, 0, marks(Some((2_000, 0)), 3_000, 0));
        let flow = meter.note(&second, 50).unwrap();
        assert_eq!((flow.offered, flow.moved, flow.taken), (50.0, 50.0, 50.0));
    }

    #[test]
    fn a_clock_that_stands_or_goes_back_tells_nothing() {
        let mut meter = Meter::default();
        let first = stats(1_000, 1, 0, marks(None, 2_000, 0));
        meter.note(&first, 0);
        let same = stats(1_000, 9, 0, marks(Some((2_000, 0)), 2_000, 0));
        assert_eq!(meter.note(&same, 0), None);
        let before = stats(900, 9, 0, marks(Some((2_000, 0)), 1_900, 0));
        assert_eq!(meter.note(&before, 0), None);
    }
}
