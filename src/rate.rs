//! How fast elements may be taken from a queue.

use std::time::Duration;

/// How fast all consumers of a queue together may take elements.
///
/// In any period `t` they claim at most `burst + t / interval` elements.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use redisson_delayed_queue::RateLimit;
///
/// let limit = RateLimit::new(50, Duration::from_secs(1));
/// assert_eq!(limit.interval(), Duration::from_millis(20));
/// assert_eq!(limit.burst(), 1);
/// assert_eq!(limit.with_burst(10).burst(), 10);
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct RateLimit {
    interval_us: u64,
    burst: u32,
}

impl RateLimit {
    /// Allows `elements` in each `per`, evenly spread.
    ///
    /// The [`interval`](Self::interval) is `per / elements`, rounded up to a whole microsecond, at
    /// least 1 us and at most an hour. 0 `elements` count as 1. The [`burst`](Self::burst) is as
    /// many elements as come in 20 ms, and at least 1.
    #[must_use]
    pub fn new(elements: u32, per: Duration) -> Self {
        let interval = per.as_micros().div_ceil(u128::from(elements.max(1)));
        let interval_us = u64::try_from(interval).map_or(HOUR_US, |us| us.clamp(1, HOUR_US));
        Self {
            interval_us,
            burst: u32::try_from(BURST_US / interval_us).map_or(1, |burst| burst.max(1)),
        }
    }

    /// Allows this many elements at once after a quiet period; at least 1.
    ///
    /// Consumers reach the full rate only if the burst covers the delays of wake-ups and of the
    /// network, some milliseconds. Then an element that comes late does not delay those behind it.
    #[must_use]
    pub fn with_burst(self, burst: u32) -> Self {
        Self {
            burst: burst.max(1),
            ..self
        }
    }

    /// How long after one element the next may come, at the full rate.
    #[must_use]
    pub fn interval(&self) -> Duration {
        Duration::from_micros(self.interval_us)
    }

    /// How many elements may come at once.
    #[must_use]
    pub fn burst(&self) -> u32 {
        self.burst
    }

    /// The limit with these stored numbers; `None` if they are not a limit.
    pub(crate) fn from_stored(interval_us: u64, burst: u32) -> Option<Self> {
        (interval_us > 0 && burst > 0).then_some(Self { interval_us, burst })
    }

    pub(crate) fn interval_us(&self) -> u64 {
        self.interval_us
    }
}

const HOUR_US: u64 = 3_600_000_000;
const BURST_US: u64 = 20_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_is_rounded_up_to_a_microsecond_within_an_hour() {
        let interval = |elements, per| RateLimit::new(elements, per).interval();
        let second = Duration::from_secs(1);
        assert_eq!(interval(3, second), Duration::from_micros(333_334));
        assert_eq!(interval(u32::MAX, second), Duration::from_micros(1));
        assert_eq!(interval(5, Duration::ZERO), Duration::from_micros(1));
        assert_eq!(interval(0, second), second);
        assert_eq!(interval(1, Duration::MAX), Duration::from_secs(3_600));
    }

    #[test]
    fn a_burst_is_one_at_least() {
        let limit = |elements| RateLimit::new(elements, Duration::from_secs(1));
        assert_eq!(limit(1).burst(), 1);
        assert_eq!(limit(1).with_burst(0), limit(1));
        assert_eq!(limit(1_000).burst(), 20);
    }
}
