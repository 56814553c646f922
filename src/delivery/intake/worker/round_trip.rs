//! What a round trip to Redis costs the elements of a claim.

use std::time::Duration;

/// How long claims and decisions took lately, from the command to its reply.
#[derive(Debug, Default)]
pub(crate) struct RoundTrip {
    lately: Duration,
    /// They took too long, and that was reported.
    is_reported: bool,
}

impl RoundTrip {
    /// How long to let a lease last in addition: it begins in Redis, half a round trip before the
    /// elements are here, and what callers decide takes as long to get back.
    pub(super) fn lately(&self) -> Duration {
        self.lately
    }

    /// Notes how long a command took. One that was quick by chance says little.
    pub(super) fn learn(&mut self, took: Duration) {
        self.lately = took.max(self.lately / 2);
    }

    /// True if it must be reported that a command took two thirds of the lease or longer. The next
    /// report comes only after a command that took less than a third.
    pub(super) fn is_news(&mut self, took: Duration, lease: Duration) -> bool {
        if took >= lease * 2 / 3 {
            return !std::mem::replace(&mut self.is_reported, true);
        }
        self.is_reported &= took >= lease / 3;
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_round_trip_counts_for_some_claims_and_is_reported_once() {
        let ms = Duration::from_millis;
        let mut round_trip = RoundTrip::default();
        round_trip.learn(ms(400));
        assert_eq!(round_trip.lately(), ms(400));
        round_trip.learn(ms(2));
        round_trip.learn(ms(2));
        assert_eq!(round_trip.lately(), ms(100));
        let told = [400, 400, 150, 400, 20, 400].map(|it| round_trip.is_news(ms(it), ms(300)));
        assert_eq!(told, [true, false, false, false, false, true]);
    }
}
