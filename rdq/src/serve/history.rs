//! What the plots of a queue show: how its counts went during the last minutes, and during the last day.

use std::collections::VecDeque;

use serde::Serialize;

use crate::queue::stats::{Last, Stats};
use crate::watch::flow::{Flow, Meter};
use crate::watch::lateness::overdue_ms;

/// The samples of one queue, oldest first.
#[derive(Debug, Default)]
pub(super) struct History {
    samples: VecDeque<Sample>,
    minutes: VecDeque<Minute>,
    meter: Meter,
}

/// What the plots show of one moment.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Sample {
    pub(super) at_ms: u64,
    pub(super) pending: u64,
    pub(super) ready: u64,
    /// How long the first pending element has been due.
    pub(super) late_ms: u64,
    /// Null if the count before was too long ago to tell.
    pub(super) flow: Option<Flow>,
}

/// One minute in the plot of the last day.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Minute {
    /// When its first sample was taken, whose counts these are.
    pub(super) at_ms: u64,
    pub(super) pending: u64,
    pub(super) ready: u64,
    pub(super) dead: u64,
    /// The longest time that a sample of the minute was late.
    pub(super) late_ms: u64,
}

impl History {
    /// What the next count needs of the last.
    pub(super) fn last(&self) -> Option<Last> {
        self.meter.last()
    }

    /// Takes a note of these counts, unless they are no newer than the last. Begins anew if the clock is far
    /// behind: after a failover it may be that of another server.
    pub(super) fn note(&mut self, stats: &Stats) {
        let newest = self.samples.back();
        if newest.is_some_and(|it| it.at_ms > stats.at_ms + FARTHEST_MS) {
            *self = Self::default();
        }
        let last_ms = self.samples.back().map(|it| it.at_ms);
        if last_ms.is_some_and(|it| it >= stats.at_ms) {
            return;
        }
        let late_ms = overdue_ms(stats);
        self.note_minute(stats, late_ms);
        let elapsed_ms = last_ms.map(|it| stats.at_ms - it);
        let flow = self.meter.note(stats, 0);
        self.samples.push_back(Sample {
            at_ms: stats.at_ms,
            pending: stats.pending,
            ready: stats.ready,
            late_ms,
            flow: flow.filter(|_| elapsed_ms.is_some_and(|it| it <= FARTHEST_MS)),
        });
        if self.samples.len() > MOST {
            self.samples.pop_front();
        }
    }

    fn note_minute(&mut self, stats: &Stats, late_ms: u64) {
        if let Some(last) = self.minutes.back_mut()
            && stats.at_ms / MINUTE_MS == last.at_ms / MINUTE_MS
        {
            last.late_ms = last.late_ms.max(late_ms);
            return;
        }
        self.minutes.push_back(Minute {
            at_ms: stats.at_ms,
            pending: stats.pending,
            ready: stats.ready,
            dead: stats.dead,
            late_ms,
        });
        if self.minutes.len() > MINUTES_OF_DAY {
            self.minutes.pop_front();
        }
    }

    /// The samples after this moment.
    pub(super) fn since(&self, ms: u64) -> Vec<Sample> {
        let samples = self.samples.iter();
        samples.filter(|it| it.at_ms > ms).cloned().collect()
    }

    /// The minutes that have a sample after this moment.
    pub(super) fn minutes_since(&self, ms: u64) -> Vec<Minute> {
        let minutes = self.minutes.iter();
        let is_new = |it: &&Minute| it.at_ms / MINUTE_MS >= ms / MINUTE_MS;
        minutes.filter(is_new).cloned().collect()
    }
}

/// Ten minutes, at one sample a second.
const MOST: usize = 600;

const MINUTE_MS: u64 = 60_000;

const MINUTES_OF_DAY: usize = 24 * 60;

/// Two counts that are farther apart tell too little: what comes and goes between them is not seen.
const FARTHEST_MS: u64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(at_ms: u64, pending: u64) -> Stats {
        Stats {
            at_ms,
            pending,
            ..Stats::default()
        }
    }

    #[test]
    fn history_keeps_the_last_samples_once_each() {
        let mut history = History::default();
        for at_ms in 1..=MOST as u64 + 5 {
            history.note(&stats(at_ms, 1));
            history.note(&stats(at_ms, 2));
        }
        let samples = history.since(0);
        assert_eq!(samples.len(), MOST);
        assert_eq!((samples[0].at_ms, samples[0].pending), (6, 1));
        assert_eq!(history.since(MOST as u64 + 4).len(), 1);
    }

    #[test]
    fn history_goes_on_by_a_clock_that_is_behind() {
        let mut history = History::default();
        for at_ms in [100_000, 99_000, 50_000, 51_000] {
            history.note(&stats(at_ms, 1));
        }
        let times: Vec<_> = history.since(0).iter().map(|it| it.at_ms).collect();
        assert_eq!(times, [50_000, 51_000]);
        assert_eq!(history.minutes_since(0).len(), 1);
    }

    #[test]
    fn a_day_has_one_entry_a_minute_with_the_longest_lateness() {
        let mut history = History::default();
        for second in 1..=100_000 {
            let late_ms = if second % 60 == 30 { 5_000 } else { 0 };
            history.note(&Stats {
                next_due_ms: Some((second * 1_000 - late_ms) as f64),
                ..stats(second * 1_000, second)
            });
        }
        let minutes = history.minutes_since(0);
        assert_eq!(minutes.len(), MINUTES_OF_DAY);
        assert!(minutes.iter().all(|it| it.late_ms == 5_000));
        let last = &minutes[minutes.len() - 1];
        assert_eq!((last.at_ms, last.pending), (99_960_000, 99_960));
        assert_eq!(history.minutes_since(last.at_ms + 1).len(), 1);
        assert_eq!(history.minutes_since(last.at_ms - 1).len(), 2);
    }

    /// Nobody counts at the same place of each minute.
    #[test]
    fn counts_a_little_less_than_a_minute_apart_are_all_kept() {
        let mut history = History::default();
        for minute in 1..=9 {
            history.note(&stats(minute * MINUTE_MS + 9_000 - minute, minute));
        }
        assert_eq!(history.minutes_since(0).len(), 9);
    }

    #[test]
    fn counts_far_apart_tell_no_rate() {
        let mut history = History::default();
        for (at_ms, mark_ms) in [(1_000, 2_000), (2_000, 3_000), (60_000, 61_000)] {
            let mut stats = stats(at_ms, at_ms / 1_000);
            stats.marks.last = history.last().map(|it| (it.mark_ms, 0));
            stats.marks.next_ms = mark_ms;
            history.note(&stats);
        }
        let offered = |it: &Sample| it.flow.as_ref().map(|flow| flow.offered);
        let rates: Vec<_> = history.since(0).iter().map(offered).collect();
        assert_eq!(rates, [None, Some(1.0), None]);
    }
}
