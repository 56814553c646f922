//! Remembers for how long the head of a queue was overdue, now and lately.

use std::collections::VecDeque;

use crate::queue::stats::Stats;

/// Remembers the lateness at each of the last counts. The latest comes last.
#[derive(Debug, Default)]
pub(crate) struct Lateness {
    /// Holds the moment of each count, and by how many ms the head was overdue then by Redis's clock.
    seen: VecDeque<(u64, u64)>,
}

impl Lateness {
    /// A count is forgotten after this time.
    pub(crate) const WINDOW_MS: u64 = 120_000;

    pub(crate) fn note(&mut self, stats: &Stats) {
        self.seen.push_back((stats.at_ms, overdue_ms(stats)));
        // A clock that was set back leaves times ahead of now.
        let is_recent = |at: u64| at <= stats.at_ms && at + Self::WINDOW_MS > stats.at_ms;
        self.seen.retain(|(at, _)| is_recent(*at));
    }

    /// Returns the greatest lateness in the window.
    pub(crate) fn most_ms(&self) -> u64 {
        self.seen.iter().map(|(_, late)| *late).max().unwrap_or(0)
    }

    /// Returns each count in the window, for a plot.
    pub(crate) fn series(&self) -> Vec<u64> {
        self.seen.iter().map(|(_, late)| *late).collect()
    }
}

/// The head may be overdue by so much before the dashboards call the queue late: the safety poll of
/// Rust clients is a second, and Java looks every five.
pub(crate) const LATE_MS: u64 = 6_000;

/// Returns by how many ms the head was overdue.
pub(crate) fn overdue_ms(stats: &Stats) -> u64 {
    let head_ms = stats.next_due_ms.unwrap_or(f64::MAX);
    (stats.at_ms as f64 - head_ms).max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn late(at_ms: u64, head_ms: f64) -> Stats {
        Stats {
            at_ms,
            next_due_ms: Some(head_ms),
            ..Stats::default()
        }
    }

    #[test]
    fn the_most_is_forgotten_after_the_window() {
        let mut lateness = Lateness::default();
        lateness.note(&late(1_000_000, 999_100.0));
        lateness.note(&late(1_001_000, 1_500_000.0));
        assert_eq!(lateness.series(), [900, 0]);
        assert_eq!(lateness.most_ms(), 900);
        lateness.note(&late(1_120_500, 1_120_450.0));
        assert_eq!(lateness.most_ms(), 50);
    }

    #[test]
    fn an_empty_queue_is_not_late() {
        assert_eq!(overdue_ms(&Stats::default()), 0);
    }
}
