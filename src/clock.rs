//! Whose clock says when an element is due, and what Redis's clock shows now.

use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::sync::lock;

/// Whose clock dates an offer and decides what is due.
///
/// Redisson uses the clock of each Java process, so the fastest clock among them delivers early and
/// the slowest offers late. With [`Clock::Redis`] the Rust processes on a queue agree, whatever
/// their own clocks show.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Clock {
    /// This process's clock, as Redisson does.
    Local,
    /// Redis's `TIME`, read inside the script. The default.
    #[default]
    Redis,
}

impl Clock {
    /// What the scripts take as their clock: unix us, or nothing for Redis's own.
    pub(crate) fn argument(self) -> String {
        match self {
            Self::Local => local_unix_us().to_string(),
            Self::Redis => String::new(),
        }
    }

    /// When this clock will show `unix_ms`, or `now` if it does already; nothing before the first
    /// report of Redis's clock.
    pub(crate) fn instant_of_ms(
        self,
        unix_ms: i64,
        redis: &RemoteClock,
        now: Instant,
    ) -> Option<Instant> {
        let shown_us = match self {
            Self::Local => local_unix_us(),
            Self::Redis => redis.unix_us(now)?,
        };
        Some(after_us(
            now,
            unix_ms.saturating_mul(1_000).saturating_sub(shown_us),
        ))
    }
}

/// What another machine's clock shows now, as far as its last report tells.
///
/// A report is dated to the middle of its round trip: for a symmetric network that is exact, and it
/// is never off by more than half a round trip.
#[derive(Debug, Default)]
pub(crate) struct RemoteClock {
    report: Mutex<Option<Report>>,
}

#[derive(Clone, Copy, Debug)]
struct Report {
    at: Instant,
    unix_us: i64,
}

impl RemoteClock {
    /// Takes in that the clock showed `unix_us` at some moment between `sent` and `received`.
    pub(crate) fn observe(&self, sent: Instant, received: Instant, unix_us: i64) {
        let at = midpoint(sent, received);
        *lock(&self.report) = Some(Report { at, unix_us });
    }

    /// What the clock shows at `now`, unix us; nothing before the first report.
    pub(crate) fn unix_us(&self, now: Instant) -> Option<i64> {
        let report = (*lock(&self.report))?;
        let since = i64::try_from(now.saturating_duration_since(report.at).as_micros()).ok()?;
        report.unix_us.checked_add(since)
    }
}

fn local_unix_us() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// The moment in the middle of a round trip.
pub(crate) fn midpoint(sent: Instant, received: Instant) -> Instant {
    sent + received.saturating_duration_since(sent) / 2
}

/// `from`, `us` microseconds later; a year later at the most, which no wake-up needs to exceed.
pub(crate) fn after_us(from: Instant, us: i64) -> Instant {
    const YEAR: u64 = 366 * 24 * 3_600 * 1_000_000;
    from + Duration::from_micros(u64::try_from(us).unwrap_or(0).min(YEAR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_clock_goes_on_from_its_last_report() {
        let clock = RemoteClock::default();
        let start = Instant::now();
        assert_eq!(clock.unix_us(start), None);
        clock.observe(start, start + Duration::from_millis(2), 5_000_000);
        assert_eq!(
            clock.unix_us(start + Duration::from_millis(11)),
            Some(5_010_000)
        );
    }

    #[test]
    fn a_time_that_has_passed_is_now() {
        let clock = RemoteClock::default();
        let start = Instant::now();
        clock.observe(start, start, 5_000_000);
        let at = |ms| Clock::Redis.instant_of_ms(ms, &clock, start);
        assert_eq!(at(4_999), Some(start));
        assert_eq!(at(5_007), Some(start + Duration::from_millis(7)));
    }
}
