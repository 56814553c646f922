use std::collections::HashSet;
use std::time::Duration;

use tokio::time::Instant;

/// What is known about firing the periodic offers of one queue.
#[derive(Debug, Default)]
pub(crate) struct Firing {
    /// A look is under way.
    pub(super) running: bool,
    /// The last look failed, and that was reported.
    pub(super) failing: bool,
    /// The names and schedules that could not be read and were reported.
    pub(super) unreadable: HashSet<(Vec<u8>, Vec<u8>)>,
    /// What the queue's clock showed last, unix us, and when.
    shown: Option<(i64, Instant)>,
    /// The clock has not gone back since somebody looked whether it had.
    pub(super) is_checked: bool,
}

impl Firing {
    /// A clock that is behind by less than this may just be slow.
    const SLOW: Duration = Duration::from_secs(1);

    /// Notes what the queue's clock showed at `now`.
    pub(super) fn note_clock(&mut self, shown_us: i64, now: Instant) {
        if let Some((before_us, then)) = self.shown.replace((shown_us, now)) {
            let passed = now
                .saturating_duration_since(then)
                .saturating_sub(Self::SLOW);
            let passed_us = i64::try_from(passed.as_micros()).unwrap_or(i64::MAX);
            self.is_checked &= shown_us >= before_us.saturating_add(passed_us);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_goes_back_is_noticed_and_one_that_is_slow_is_not() {
        let start = Instant::now();
        let mut firing = Firing::default();
        assert!(!firing.is_checked, "nobody has looked yet");
        firing.is_checked = true;
        let mut note = |shown_s: i64, passed_s: u64| {
            firing.note_clock(shown_s * 1_000_000, start + Duration::from_secs(passed_s));
            firing.is_checked
        };
        assert!(note(10_000, 0));
        assert!(note(10_010, 10));
        assert!(note(10_011, 12), "it is slow");
        assert!(note(20_000, 13), "it went ahead");
        assert!(!note(16_400, 14), "it went back");
        assert!(!note(16_401, 15), "until somebody has looked");
    }
}
