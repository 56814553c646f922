//! How long to wait before trying again.

use std::time::Duration;

/// Waits that double up to a limit, from 10 ms if nothing else is said. Each is shortened at random
/// by up to a half, so that many clients of one server do not return in step.
#[derive(Debug)]
pub(crate) struct Pauses {
    first: Duration,
    next: Duration,
    limit: Duration,
}

impl Pauses {
    const FIRST: Duration = Duration::from_millis(10);

    pub(crate) fn new(limit: Duration) -> Self {
        Self::from_to(Self::FIRST, limit)
    }

    pub(crate) fn from_to(first: Duration, limit: Duration) -> Self {
        Self {
            first,
            next: first,
            limit,
        }
    }

    pub(crate) fn next(&mut self) -> Duration {
        let wait = self.next.min(self.limit);
        self.next = (wait * 2).min(self.limit);
        wait.mul_f64(rand::random_range(0.5..=1.0))
    }

    pub(crate) fn reset(&mut self) {
        self.next = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_the_limit_and_start_over_after_a_success() {
        let limit = Duration::from_millis(35);
        let mut pauses = Pauses::new(limit);
        let waits: Vec<Duration> = (0..6).map(|_| pauses.next()).collect();
        assert!(waits[0] <= Pauses::FIRST);
        assert!(waits[5] >= limit / 2 && waits[5] <= limit, "{waits:?}");
        pauses.reset();
        assert!(pauses.next() <= Pauses::FIRST);
    }
}
