//! How many elements a queue lets go in which time.

use std::time::Duration;

/// A limit to the rate at which the consumers of a queue together take elements.
///
/// Over any time `t` at most `burst + t / interval` elements are claimed.
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
    /// `elements` in each `per`, evenly spread: one in each `per / elements`, in whole
    /// microseconds, rounded up, from 1 us to an hour. No elements count as one. The burst is
    /// what comes in 20 ms, and one at least.
    #[must_use]
    pub fn new(elements: u32, per: Duration) -> Self {
        let interval = per.as_micros().div_ceil(u128::from(elements.max(1)));
        let interval_us = u64::try_from(interval).map_or(HOUR_US, |us| us.clamp(1, HOUR_US));
        Self {
            interval_us,
            burst: u32::try_from(BURST_US / interval_us).map_or(1, |burst| burst.max(1)),
        }
    }

    /// How many elements may come at once after a time without any; one at least.
    ///
    /// A limit is reached only with a burst that covers the delays of waking up and of the network,
    /// some milliseconds: an element that comes late within the burst costs those behind it
    /// nothing.
    #[must_use]
    pub fn with_burst(self, burst: u32) -> Self {
        Self {
            burst: burst.max(1),
            ..self
        }
    }

    /// The time that each element uses up.
    #[must_use]
    pub fn interval(&self) -> Duration {
        Duration::from_micros(self.interval_us)
    }

    /// How many elements may come at once.
    #[must_use]
    pub fn burst(&self) -> u32 {
        self.burst
    }

    /// From how it is stored; nothing if that is no limit.
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
