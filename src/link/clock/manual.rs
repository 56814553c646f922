//! A clock that a test moves.

use std::fmt;
use std::ptr;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::link::clock::{time_of, unix_ms};

/// A clock that stands still until it is set, to the millisecond. Copies are the same clock.
///
/// A client uses it by [`Clock::Manual`](crate::Clock::Manual). [`TestServer::advance`] moves it
/// and then the due elements. Setting it by hand moves no elements.
///
/// [`TestServer::advance`]: crate::test_util::TestServer::advance
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use redisson_delayed_queue::test_util::ManualClock;
///
/// let clock = ManualClock::default();
/// let copy = clock;
/// clock.set(clock.now() + Duration::from_secs(1));
/// assert_eq!(copy.now(), ManualClock::default().now() + Duration::from_secs(1));
/// ```
#[derive(Clone, Copy)]
pub struct ManualClock {
    /// Leaks eight bytes, so that [`Clock`](crate::Clock) stays `Copy`.
    unix_ms: &'static AtomicI64,
}

impl ManualClock {
    /// A clock that shows `time`, rounded up to a millisecond.
    #[must_use]
    pub fn starting_at(time: SystemTime) -> Self {
        Self {
            unix_ms: Box::leak(Box::new(AtomicI64::new(unix_ms(time)))),
        }
    }

    /// The time that it shows.
    #[must_use]
    pub fn now(self) -> SystemTime {
        time_of(self.unix_ms())
    }

    /// Shows `time` from now on, rounded up to a millisecond. It may be later or earlier.
    pub fn set(self, time: SystemTime) {
        self.set_unix_ms(unix_ms(time));
    }

    pub(crate) fn unix_ms(self) -> i64 {
        self.unix_ms.load(Relaxed)
    }

    pub(crate) fn set_unix_ms(self, ms: i64) {
        self.unix_ms.store(ms, Relaxed);
    }
}

/// A clock that shows 2026-01-01 00:00 UTC, a Thursday.
impl Default for ManualClock {
    fn default() -> Self {
        Self::starting_at(UNIX_EPOCH + Duration::from_secs(1_767_225_600))
    }
}

/// True if both are the same clock, whatever they show.
impl PartialEq for ManualClock {
    fn eq(&self, other: &Self) -> bool {
        ptr::eq(self.unix_ms, other.unix_ms)
    }
}

impl Eq for ManualClock {}

impl fmt::Debug for ManualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManualClock")
            .field("now", &self.now())
            .finish()
    }
}
