//! How many elements to claim before callers ask for them.

use std::time::Duration;

use tokio::time::Instant;

use super::round::Round;
use crate::delivery::intake::consumed::Consumed;

/// Learns how fast callers come back for more, from one claim to the next.
#[derive(Debug)]
pub(super) struct Ahead {
    /// The last claim, unless it says nothing about the next.
    last: Option<Timing>,
    /// The most elements to claim ahead.
    most: usize,
    /// For how many round trips to have elements at hand.
    round_trips: u32,
    /// How many elements the next claim asks for, because those of the last one had to wait for
    /// their turn.
    search: usize,
}

/// How long a claim took.
#[derive(Clone, Copy, Debug)]
struct Timing {
    sent: Instant,
    round_trip: Duration,
}

impl Ahead {
    /// How long to keep elements that nobody waits for: a caller in a loop is back sooner.
    pub(super) const KEPT: Duration = Duration::from_millis(20);

    /// Callers who take come back at once.
    pub(super) const TAKING: u32 = 2;
    /// Consumers come back when Redis has confirmed what they decided, a round trip later.
    pub(super) const CONSUMING: u32 = 8;

    /// Claims ahead what callers consume in so many round trips. That is at most `most` elements, and
    /// at most a [batch](Round::BATCH).
    pub(super) fn new(most: usize, round_trips: u32) -> Self {
        Self {
            last: None,
            most: most.min(Round::BATCH),
            round_trips,
            search: 0,
        }
    }

    /// Learns from the result of a claim, if there was one. A claim that brings less than it asked
    /// for has emptied the queue, filled its reply or met a rate limit. In each case nothing more
    /// is claimed ahead: the next elements are for others, or for callers that come later.
    pub(super) fn learn(&mut self, sent: Instant, now: Instant, asked_for: usize, brought: usize) {
        if asked_for == 0 {
            return;
        }
        self.last = (brought == asked_for).then(|| Timing {
            sent,
            round_trip: now - sent,
        });
    }

    /// Learns how many elements of a claim have to wait for their turn. If all have to, elements
    /// that need not wait may stand behind many more of them, so the next claim looks at twice as
    /// many.
    pub(super) fn search_on(&mut self, asked_for: usize, without_turn: usize) {
        if asked_for > 0 {
            let is_vain = without_turn == asked_for;
            self.search = if is_vain { 2 * asked_for } else { 0 };
        }
    }

    /// How many elements to claim, besides those that callers wait for, to find some that have their
    /// turn.
    pub(super) fn search(&self) -> usize {
        self.search.min(self.most)
    }

    /// How many elements to claim ahead when `spare` elements are at hand that nobody waits for.
    /// Zero while more than half of the wanted stock is at hand. The stock is at most one batch,
    /// rounded down to whole calls.
    pub(super) fn lack(&self, consumed: Consumed, spare: usize, now: Instant) -> usize {
        let most = self.most - self.most % consumed.demand();
        let ahead = self.reckon(consumed, now).min(most);
        if spare > ahead / 2 { 0 } else { ahead - spare }
    }

    /// How many elements to have at hand, given what callers consumed since the last claim was
    /// sent: as many as their calls ask for in some round trips. Callers then reach the second half
    /// when the next claim is sent. Slower callers get nothing ahead, since it would go back
    /// unused, and no call gets less ahead than it asks for.
    fn reckon(&self, consumed: Consumed, now: Instant) -> usize {
        let Some(Timing { sent, round_trip }) = self.last else {
            return 0;
        };
        let elapsed = now - sent;
        if elapsed > Self::KEPT {
            return 0;
        }
        let span = (self.round_trips * round_trip).min(Self::KEPT).as_nanos();
        // At least one round trip has passed, unless the clock stands still.
        let calls = consumed.served() as u128 * span / elapsed.as_nanos().max(1);
        let ahead = calls.saturating_mul(consumed.demand() as u128);
        usize::try_from(ahead).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND_TRIP: Duration = Duration::from_micros(100);

    /// Calls for one element each that got it.
    fn singles(calls: usize) -> Consumed {
        Consumed {
            calls,
            asked: calls,
            got: calls,
        }
    }

    /// The number that `reckon` returns `round_trips` round trips after a claim was sent.
    fn after(round_trips: f64, consumed: Consumed) -> usize {
        let sent = Instant::now();
        let mut ahead = Ahead::new(Round::BATCH, Ahead::TAKING);
        ahead.learn(sent, sent + ROUND_TRIP, 5, 5);
        ahead.reckon(consumed, sent + ROUND_TRIP.mul_f64(round_trips))
    }

    #[test]
    fn a_loop_grows_to_what_it_takes_in_two_round_trips() {
        assert_eq!(after(1.0, singles(0)), 0);
        assert_eq!(after(1.5, singles(1)), 1);
        assert_eq!(after(1.0, singles(30)), 60);
        assert_eq!(after(2.0, singles(60)), 60);
        assert_eq!(after(10.0, singles(300)), 60);
    }

    #[test]
    fn who_consumes_may_come_back_later() {
        let sent = Instant::now();
        let mut ahead = Ahead::new(Round::BATCH, Ahead::CONSUMING);
        ahead.learn(sent, sent + ROUND_TRIP, 1, 1);
        assert_eq!(ahead.reckon(singles(1), sent + 2 * ROUND_TRIP), 4);
        assert_eq!(ahead.reckon(singles(1), sent + 9 * ROUND_TRIP), 0);
    }

    #[test]
    fn who_comes_back_after_two_round_trips_has_nothing_kept() {
        assert_eq!(after(2.1, singles(1)), 0);
        assert_eq!(after(40.0, singles(16)), 0);
        assert_eq!(after(201.0, singles(100_000)), 0, "nor after the patience");
    }

    /// If only a part of its elements were at hand, a call would return that part.
    #[test]
    fn a_call_for_many_has_all_of_it_kept_or_nothing() {
        let call = Consumed {
            calls: 1,
            asked: 300,
            got: 300,
        };
        assert_eq!(after(1.9, call), 300);
        assert_eq!(after(2.1, call), 0);
        assert_eq!(after(1.0, call), 600);
        let mut ahead = Ahead::new(Round::BATCH, Ahead::TAKING);
        let sent = Instant::now();
        let now = sent + ROUND_TRIP;
        ahead.learn(sent, now, 5, 5);
        assert_eq!(ahead.lack(call, 0, now), 300, "and not half of another");
        assert_eq!(ahead.lack(call, 100, now), 200);
        assert_eq!(ahead.lack(singles(300), 0, now), 500);
        let hungry = Consumed { got: 299, ..call };
        assert_eq!(after(1.0, hungry), 0, "there was no more");
    }

    #[test]
    fn a_search_for_elements_that_have_their_turn_doubles_until_it_finds_one() {
        let mut ahead = Ahead::new(100, Ahead::CONSUMING);
        assert_eq!(ahead.search(), 0);
        ahead.search_on(1, 1);
        assert_eq!(ahead.search(), 2);
        ahead.search_on(3, 3);
        assert_eq!(ahead.search(), 6);
        ahead.search_on(0, 0);
        assert_eq!(ahead.search(), 6, "there was no claim");
        ahead.search_on(90, 90);
        assert_eq!(ahead.search(), 100);
        ahead.search_on(101, 100);
        assert_eq!(ahead.search(), 0);
    }

    #[test]
    fn a_claim_that_fell_short_is_followed_by_none_ahead() {
        let sent = Instant::now();
        let mut ahead = Ahead::new(Round::BATCH, Ahead::TAKING);
        assert_eq!(ahead.reckon(singles(100), sent), 0);
        ahead.learn(sent, sent + ROUND_TRIP, 5, 5);
        ahead.learn(sent, sent + ROUND_TRIP, 5, 4);
        assert_eq!(ahead.reckon(singles(100), sent + ROUND_TRIP), 0);
        ahead.learn(sent, sent, 5, 5);
        assert_eq!(ahead.reckon(singles(1), sent), 0, "the clock stands still");
    }
}
