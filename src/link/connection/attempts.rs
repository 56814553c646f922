//! When to connect next.

use std::time::{Duration, Instant};

use redis::RedisError;

use crate::link::backoff::Backoff;

/// The attempts to connect since a connection last was of use.
///
/// That one could be made says little: a replica, or a proxy without a server behind it, accepts
/// whoever comes. So the pauses between attempts grow until a connection has lasted a while and a
/// command on it went well.
#[derive(Debug)]
pub(super) struct Attempts {
    backoff: Backoff,
    /// When to make the next.
    next_at: Option<Instant>,
    /// When the last was over, if that made a connection.
    made_at: Option<Instant>,
    failed: Option<Failed>,
}

/// An attempt that made no connection.
#[derive(Debug)]
struct Failed {
    at: Instant,
    error: RedisError,
}

impl Attempts {
    /// The longest pause after an attempt that made no connection, and the longest for a caller.
    pub(super) const LONGEST_PAUSE: Duration = Duration::from_millis(250);
    /// The longest pause after connections that were of no use.
    const LONGEST_IN_VAIN: Duration = Duration::from_secs(1);
    /// How long a connection of use lasts at least.
    const LASTING: Duration = Duration::from_millis(100);

    /// Why the last attempt failed, if that was after a caller `asked`: those who waited for one
    /// attempt share what came of it.
    pub(super) fn failed_since(&self, asked: Instant) -> Option<RedisError> {
        let failed = self.failed.as_ref().filter(|failed| failed.at > asked)?;
        Some(failed.error.clone())
    }

    /// When to make the next attempt at `now`, for a caller or not, after a connection that was of
    /// use or not.
    pub(super) fn next(&mut self, was_of_use: bool, for_caller: bool, now: Instant) -> Instant {
        let lasted = self
            .made_at
            .is_some_and(|at| now.saturating_duration_since(at) >= Self::LASTING);
        if was_of_use && lasted {
            self.backoff.reset();
            self.next_at = None;
        }
        let next = self.next_at.unwrap_or(now);
        if for_caller {
            next.min(now + Self::LONGEST_PAUSE)
        } else {
            next
        }
    }

    /// Takes in an attempt that was over at `now`.
    pub(super) fn made(&mut self, failure: Option<&RedisError>, now: Instant) {
        let pause = self.backoff.next();
        let pause = match failure {
            Some(_) => pause.min(Self::LONGEST_PAUSE),
            None => pause,
        };
        self.next_at = Some(now + pause);
        self.made_at = failure.is_none().then_some(now);
        self.failed = failure.map(|error| Failed {
            at: now,
            error: error.clone(),
        });
    }
}

impl Default for Attempts {
    fn default() -> Self {
        Self {
            backoff: Backoff::new(Self::LONGEST_IN_VAIN),
            next_at: None,
            made_at: None,
            failed: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused() -> RedisError {
        std::io::Error::from(std::io::ErrorKind::ConnectionRefused).into()
    }

    /// How many attempts fit into a minute, of which each fails or not, with connections that are
    /// lost at once or after a while.
    fn in_a_minute(failure: Option<&RedisError>, of_use: bool, lasting: Duration) -> usize {
        let start = Instant::now();
        let mut now = start;
        let mut attempts = Attempts::default();
        let mut count = 0;
        while now < start + Duration::from_secs(60) {
            now = attempts.next(of_use, false, now);
            attempts.made(failure, now);
            now += lasting;
            count += 1;
        }
        count
    }

    #[test]
    fn attempts_that_fail_and_connections_of_no_use_become_rare() {
        assert!(in_a_minute(Some(&refused()), false, Duration::ZERO) < 60 * 9);
        assert!(in_a_minute(None, false, Duration::ZERO) < 130);
        assert!(
            in_a_minute(None, true, Duration::ZERO) < 130,
            "lost at once"
        );
        assert!(in_a_minute(None, true, Duration::from_millis(100)) < 601);
    }

    #[test]
    fn a_connection_that_was_of_use_is_made_again_at_once() {
        let now = Instant::now();
        let mut attempts = Attempts::default();
        assert_eq!(attempts.next(false, false, now), now);
        for _ in 0..20 {
            attempts.made(None, now);
        }
        let later = now + Attempts::LASTING;
        assert!(attempts.next(false, false, later) > later);
        assert_eq!(attempts.next(true, false, later), later);
    }

    #[test]
    fn a_caller_waits_less_than_a_task() {
        let now = Instant::now();
        let mut attempts = Attempts::default();
        for _ in 0..20 {
            attempts.made(None, now);
        }
        assert!(attempts.next(false, false, now) >= now + Duration::from_millis(500));
        assert!(attempts.next(false, true, now) <= now + Attempts::LONGEST_PAUSE);
    }

    #[test]
    fn who_waited_for_an_attempt_shares_its_failure() {
        let before = Instant::now();
        let mut attempts = Attempts::default();
        let now = before + Duration::from_millis(1);
        attempts.made(Some(&refused()), now);
        assert!(attempts.failed_since(before).is_some());
        assert!(attempts.failed_since(now).is_none());
        attempts.made(None, now);
        assert!(attempts.failed_since(before).is_none());
    }
}
