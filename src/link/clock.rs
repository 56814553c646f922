//! The clock that says when an element is due, and what Redis's clock shows now.

use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use crate::sync::lock;

#[cfg(feature = "test-util")]
mod manual;

#[cfg(feature = "test-util")]
pub use manual::ManualClock;

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
    /// A clock that stands still until a test moves it.
    #[cfg(feature = "test-util")]
    Manual(ManualClock),
    /// Redis's `TIME`, read inside the script. The default.
    #[default]
    Redis,
}

impl Clock {
    /// The clock as an argument of scripts: unix us, or an empty string for Redis's own.
    pub(crate) fn argument(self) -> String {
        self.own_us().map(|us| us.to_string()).unwrap_or_default()
    }

    /// The time of this clock, unix us. `None` if only Redis knows it.
    pub(crate) fn own_us(self) -> Option<i64> {
        match self {
            Self::Local => Some(local_unix_us()),
            #[cfg(feature = "test-util")]
            Self::Manual(clock) => Some(clock.unix_ms().saturating_mul(1_000)),
            Self::Redis => None,
        }
    }

    /// The earliest moment at which this clock may show `unix_ms`, at least `now`. `None` if only
    /// Redis has the clock and it has not been seen yet.
    pub(crate) fn instant_of_ms(
        self,
        unix_ms: i64,
        redis: &RemoteClock,
        now: Instant,
    ) -> Option<Instant> {
        let shown_us = self.own_us().or_else(|| redis.at_most_us(now))?;
        Some(after_us(
            now,
            unix_ms.saturating_mul(1_000).saturating_sub(shown_us),
        ))
    }
}

/// The clock of one server, known from its last report: between two bounds that lie a round trip
/// apart.
#[derive(Debug, Default)]
pub(crate) struct RemoteClock {
    report: Mutex<Option<Report>>,
    /// By how much the clock went back since somebody asked.
    back: Mutex<Duration>,
}

/// The clock showed `unix_us` at some moment between `sent` and `received`.
#[derive(Clone, Copy, Debug)]
struct Report {
    sent: Instant,
    received: Instant,
    unix_us: i64,
}

impl RemoteClock {
    /// A clock that goes back by less is not reported: clocks are adjusted all the time.
    const NOTICED: Duration = Duration::from_secs(1);

    /// Notes that the clock showed `unix_us` at some moment between `sent` and `received`.
    pub(crate) fn observe(&self, sent: Instant, received: Instant, unix_us: i64) {
        let report = Report {
            sent,
            received,
            unix_us,
        };
        let before = lock(&self.report).replace(report);
        // If two calls are under way at once, either may run first.
        if let Some(before) = before.filter(|it| it.received <= sent)
            && let Some(least_us) = before.plus(sent - before.received)
        {
            let back_us = u64::try_from(least_us - unix_us).unwrap_or_default();
            let back = Duration::from_micros(back_us);
            if back > Self::NOTICED {
                *lock(&self.back) += back;
            }
        }
    }

    /// By how much the clock went back since the last call. None if it did not.
    pub(crate) fn take_back(&self) -> Option<Duration> {
        let back = std::mem::take(&mut *lock(&self.back));
        (!back.is_zero()).then_some(back)
    }

    /// The earliest time that the clock may show at `now`, unix us. `None` before the first report.
    pub(crate) fn at_least_us(&self, now: Instant) -> Option<i64> {
        let report = (*lock(&self.report))?;
        report.plus(now.saturating_duration_since(report.received))
    }

    /// The latest time that the clock may show at `now`, unix us. `None` before the first report.
    fn at_most_us(&self, now: Instant) -> Option<i64> {
        let report = (*lock(&self.report))?;
        report.plus(now.saturating_duration_since(report.sent))
    }
}

impl Report {
    fn plus(&self, time: Duration) -> Option<i64> {
        self.unix_us
            .checked_add(i64::try_from(time.as_micros()).ok()?)
    }
}

fn local_unix_us() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// The latest due time, unix ms: the largest score that Redisson reads back as the integer it was.
pub(crate) const LATEST_MS: u64 = 1 << 53;

/// Whole ms, rounded up. The largest number if it is more.
pub(crate) fn ms_up(time: Duration) -> u64 {
    u64::try_from(time.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

/// Unix ms, rounded up. The largest or smallest number if the moment is beyond it.
#[cfg(any(feature = "periodic", feature = "test-util"))]
pub(crate) fn unix_ms(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(ms_up(after)).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    }
}

/// The moment `ms` after the beginning of Unix time, or before it.
pub(crate) fn time_of(ms: i64) -> SystemTime {
    let distance = Duration::from_millis(ms.unsigned_abs());
    let time = if ms < 0 {
        UNIX_EPOCH.checked_sub(distance)
    } else {
        UNIX_EPOCH.checked_add(distance)
    };
    time.unwrap_or(UNIX_EPOCH)
}

/// The moment in the middle of a round trip.
pub(crate) fn midpoint(sent: Instant, received: Instant) -> Instant {
    sent + received.saturating_duration_since(sent) / 2
}

/// The moment `us` microseconds after `from`; at most a year later, which is longer than any task
/// sleeps.
pub(crate) fn after_us(from: Instant, us: i64) -> Instant {
    const YEAR: u64 = 366 * 24 * 3_600 * 1_000_000;
    from + Duration::from_micros(u64::try_from(us).unwrap_or(0).min(YEAR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_clock_goes_on_from_its_last_report_between_two_bounds() {
        let clock = RemoteClock::default();
        let start = Instant::now();
        assert_eq!(clock.at_least_us(start), None);
        clock.observe(start, start + Duration::from_millis(2), 5_000_000);
        let later = start + Duration::from_millis(12);
        assert_eq!(clock.at_least_us(later), Some(5_010_000));
        assert_eq!(clock.at_most_us(later), Some(5_012_000));
    }

    #[test]
    fn a_clock_that_goes_back_is_noticed_once() {
        let clock = RemoteClock::default();
        let start = Instant::now();
        let ms = Duration::from_millis;
        clock.observe(start, start + ms(2), 900_000_000);
        clock.observe(start + ms(1), start + ms(3), 100_000_000);
        assert_eq!(clock.take_back(), None, "which one ran first is unknown");
        clock.observe(start, start + ms(2), 900_000_000);
        clock.observe(start + ms(1_002), start + ms(1_004), 900_500_000);
        assert_eq!(clock.take_back(), None, "half a second");
        clock.observe(start + ms(2_004), start + ms(2_006), 301_500_000);
        assert_eq!(clock.take_back(), Some(Duration::from_secs(600)));
        assert_eq!(clock.take_back(), None);
        clock.observe(start + ms(3_006), start + ms(3_008), 901_500_000);
        assert_eq!(clock.take_back(), None, "it went ahead");
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
