//! How much to claim before anybody asks for it.

use std::time::{Duration, Instant};

use super::Worker;

/// Learns from claim to claim how fast callers come back for more.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// The last claim, unless it tells nothing of the next.
    last: Option<Claim>,
}

#[derive(Clone, Copy, Debug)]
struct Claim {
    sent: Instant,
    round_trip: Duration,
}

impl Ahead {
    /// Takes in what became of a claim, if there was one. One that did not bring all that it asked
    /// for says that there is no more, that its reply was full, or that the rate is limited: then
    /// others, or later callers, are to have what comes.
    pub(super) fn learn(&mut self, sent: Instant, now: Instant, asked_for: usize, brought: usize) {
        if asked_for == 0 {
            return;
        }
        self.last = (brought == asked_for).then(|| Claim {
            sent,
            round_trip: now - sent,
        });
    }

    /// How many elements to claim when `spare` are at hand that nobody waits for: none while more
    /// than half of what there should be is there.
    pub(super) fn lack(&self, consumed: usize, spare: usize, now: Instant) -> usize {
        let ahead = self.reckon(consumed, now).min(Worker::BATCH);
        if spare > ahead / 2 { 0 } else { ahead - spare }
    }

    /// How many elements to have at hand, when so many were consumed since the last claim was sent:
    /// what callers take in two round trips, so that they come to the second half when the next
    /// claim is due. Who comes back more slowly than that has nothing kept for him, and nobody what
    /// would go back unused.
    fn reckon(&self, consumed: usize, now: Instant) -> usize {
        let Some(Claim { sent, round_trip }) = self.last else {
            return 0;
        };
        let elapsed = now - sent;
        if elapsed > Worker::SURPLUS {
            return 0;
        }
        let span = (2 * round_trip).min(Worker::SURPLUS).as_nanos();
        // No less than one round trip has passed, but the clock may stand still.
        let ahead = consumed as u128 * span / elapsed.as_nanos().max(1);
        usize::try_from(ahead).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND_TRIP: Duration = Duration::from_micros(100);

    /// What is reckoned so many round trips after a claim was sent.
    fn after(round_trips: f64, consumed: usize) -> usize {
        let sent = Instant::now();
        let mut ahead = Ahead::default();
        ahead.learn(sent, sent + ROUND_TRIP, 5, 5);
        ahead.reckon(consumed, sent + ROUND_TRIP.mul_f64(round_trips))
    }

    #[test]
    fn a_loop_grows_to_what_it_takes_in_two_round_trips() {
        assert_eq!(after(1.0, 0), 0);
        assert_eq!(after(1.5, 1), 1);
        assert_eq!(after(1.0, 30), 60);
        assert_eq!(after(2.0, 60), 60);
        assert_eq!(after(10.0, 300), 60);
    }

    #[test]
    fn who_comes_back_after_two_round_trips_has_nothing_kept() {
        assert_eq!(after(2.1, 1), 0);
        assert_eq!(after(40.0, 16), 0);
        assert_eq!(after(201.0, 100_000), 0, "nor after the patience");
    }

    #[test]
    fn a_claim_that_fell_short_is_followed_by_none_ahead() {
        let sent = Instant::now();
        let mut ahead = Ahead::default();
        assert_eq!(ahead.reckon(100, sent), 0);
        ahead.learn(sent, sent + ROUND_TRIP, 5, 5);
        ahead.learn(sent, sent + ROUND_TRIP, 5, 4);
        assert_eq!(ahead.reckon(100, sent + ROUND_TRIP), 0);
        ahead.learn(sent, sent, 5, 5);
        assert_eq!(ahead.reckon(1, sent), 0, "the clock stands still");
    }
}
