//! When to connect again.

use std::time::Duration;

use redis::RedisError;
use tokio::time::Instant;

use crate::link::pauses::Pauses;

/// Decides when to connect again, from the attempts since the last connection of use.
///
/// Connecting proves little: a replica or an empty proxy accepts everyone. So pauses grow until a
/// connection has lasted a while and a command on it succeeded.
#[derive(Debug)]
pub(super) struct Redial {
    pauses: Pauses,
    /// When to make the next attempt.
    next_at: Option<Instant>,
    /// When the last attempt ended, if it made a connection.
    made_at: Option<Instant>,
    failed: Option<Failed>,
}

/// An attempt that made no connection.
#[derive(Debug)]
struct Failed {
    at: Instant,
    error: RedisError,
}

impl Redial {
    /// The longest pause after an attempt that made no connection, and the longest for a caller.
    pub(super) const LONGEST_PAUSE: Duration = Duration::from_millis(250);
    /// The longest pause after connections that were of no use.
    const LONGEST_IN_VAIN: Duration = Duration::from_secs(1);
    /// How long a connection of use lasts at least.
    const LASTING: Duration = Duration::from_millis(100);

    /// Why the last attempt failed, if it failed after a caller `asked`. Callers who waited for the
    /// same attempt share its error.
    pub(super) fn failed_since(&self, asked: Instant) -> Option<RedisError> {
        let failed = self.failed.as_ref().filter(|failed| failed.at > asked)?;
        Some(failed.error.clone())
    }

    /// When to make the next attempt. `was_of_use` says whether the last connection was. A caller
    /// waits less than a task.
    pub(super) fn next(&mut self, was_of_use: bool, for_caller: bool, now: Instant) -> Instant {
        let lasted = self
            .made_at
            .is_some_and(|at| now.saturating_duration_since(at) >= Self::LASTING);
        if was_of_use && lasted {
            self.pauses.reset();
            self.next_at = None;
        }
        let next = self.next_at.unwrap_or(now);
        if for_caller {
            next.min(now + Self::LONGEST_PAUSE)
        } else {
            next
        }
    }

    /// Notes an attempt that ended at `now`.
    pub(super) fn made(&mut self, failure: Option<&RedisError>, now: Instant) {
        let pause = self.pauses.next();
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

impl Default for Redial {
    fn default() -> Self {
        Self {
            pauses: Pauses::new(Self::LONGEST_IN_VAIN),
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

    /// How many attempts fit into a minute. Each fails with `failure`, or makes a connection that
    /// lasts for `lasting`.
    fn in_a_minute(failure: Option<&RedisError>, of_use: bool, lasting: Duration) -> usize {
        let start = Instant::now();
        let mut now = start;
        let mut redial = Redial::default();
        let mut count = 0;
        while now < start + Duration::from_secs(60) {
            now = redial.next(of_use, false, now);
            redial.made(failure, now);
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
        let mut redial = Redial::default();
        assert_eq!(redial.next(false, false, now), now);
        for _ in 0..20 {
            redial.made(None, now);
        }
        let later = now + Redial::LASTING;
        assert!(redial.next(false, false, later) > later);
        assert_eq!(redial.next(true, false, later), later);
    }

    #[test]
    fn a_caller_waits_less_than_a_task() {
        let now = Instant::now();
        let mut redial = Redial::default();
        for _ in 0..20 {
            redial.made(None, now);
        }
        assert!(redial.next(false, false, now) >= now + Duration::from_millis(500));
        assert!(redial.next(false, true, now) <= now + Redial::LONGEST_PAUSE);
    }

    #[test]
    fn who_waited_for_an_attempt_shares_its_failure() {
        let before = Instant::now();
        let mut redial = Redial::default();
        let now = before + Duration::from_millis(1);
        redial.made(Some(&refused()), now);
        assert!(redial.failed_since(before).is_some());
        assert!(redial.failed_since(now).is_none());
        redial.made(None, now);
        assert!(redial.failed_since(before).is_none());
    }
}
