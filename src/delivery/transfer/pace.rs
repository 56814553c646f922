//! How many elements a run of the transfer moves.

use std::time::Duration;

/// Learns from each run how many elements the next one may move.
///
/// The time for which a run keeps Redis busy decides. A long round trip may be the network's, and
/// then a smaller run would only need more of them. So after a long one, the next run is timed by
/// the clock of Redis.
#[derive(Debug)]
pub(crate) struct Pace {
    limit: usize,
    /// The last round trip was long.
    was_long: bool,
}

/// How long a run took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Took {
    pub(crate) round_trip: Duration,
    /// How long Redis was busy with it, if it was timed.
    pub(crate) busy: Option<Duration>,
}

impl Pace {
    /// How many elements a run moves at first, as in Redisson.
    const FIRST: usize = 100;
    /// The most elements to move in one run.
    const MOST: usize = 1_000;
    /// A longer run moves too many elements and holds up everybody on the server. The limit falls
    /// to [`FIRST`](Self::FIRST) at the least, since most of the time may be a cost of any run.
    const LONG: Duration = Duration::from_millis(80);
    /// A longer run always lowers the limit: one that outlasts the response timeout loses the
    /// connection.
    const SLOW: Duration = Duration::from_millis(200);

    /// The most elements that the next run moves.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// True if the next run should be timed.
    pub(crate) fn wants_time(&self) -> bool {
        self.was_long
    }

    /// Notes a run in which `left` elements left, the most that it could if `is_cut`.
    pub(crate) fn ran(&mut self, took: Took, left: usize, is_cut: bool) {
        let limit = self.limit;
        self.was_long = took.round_trip > Self::LONG;
        let busy = match took.busy {
            Some(busy) => busy,
            None if self.was_long => return,
            None => took.round_trip,
        };
        self.limit = match busy {
            _ if busy > Self::SLOW => (limit / 4).max(1),
            _ if busy > Self::LONG => limit.min((limit / 2).max(Self::FIRST)),
            _ if left >= limit => (limit * 2).min(Self::MOST),
            // The script stopped at its limit of bytes, so more would not fit.
            _ if left > Self::FIRST && is_cut => left,
            _ => limit,
        };
    }

    /// Notes a run whose reply is lost.
    pub(crate) fn lost(&mut self) {
        self.limit = (self.limit / 4).max(1);
    }
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            limit: Self::FIRST,
            was_long: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs that move as many as they may, over a network that takes `away` on top of how long
    /// Redis is busy. Returns the limit in the end.
    fn after_runs(mut pace: Pace, runs: usize, away: u64, busy: impl Fn(usize) -> u64) -> usize {
        for _ in 0..runs {
            let busy = busy(pace.limit());
            let took = Took {
                round_trip: Duration::from_millis(away + busy),
                busy: pace.wants_time().then(|| Duration::from_millis(busy)),
            };
            pace.ran(took, pace.limit(), true);
        }
        pace.limit()
    }

    /// How long Redis is busy with a run, short enough for the limit to reach the most.
    fn usual(limit: usize) -> u64 {
        limit as u64 / 20
    }

    #[test]
    fn a_distant_server_gets_runs_as_large_as_a_near_one() {
        let near = after_runs(Pace::default(), 20, 0, usual);
        assert_eq!(near, Pace::MOST);
        for away in [100, 300, 1_900] {
            let distant = after_runs(Pace::default(), 20, away, usual);
            assert_eq!(distant, near, "{away} ms away");
        }
    }

    #[test]
    fn runs_that_keep_redis_busy_become_small_however_far_it_is() {
        for away in [0, 300] {
            let limit = after_runs(Pace::default(), 20, away, |limit| 50 * limit as u64);
            assert!(limit <= 4, "{limit} at {away} ms");
            let limit = after_runs(Pace::default(), 20, away, |_| 100);
            assert_eq!(limit, Pace::FIRST, "a cost of any run, {away} ms away");
        }
    }

    #[test]
    fn lost_replies_make_runs_small_and_later_ones_large_again() {
        let mut pace = Pace::default();
        (0..9).for_each(|_| pace.lost());
        assert_eq!(pace.limit(), 1);
        assert_eq!(after_runs(pace, 10, 300, |_| 1), 512);
    }
}
