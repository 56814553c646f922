//! A pending element and its due time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::link::clock::LATEST_MS;
use crate::ticket::Ticket;

mod score_range;

pub(crate) use score_range::ScoreRange;

/// A pending element, with its due time.
///
/// Returned by [`Pending::iter`](crate::Pending::iter), [`between`](crate::Pending::between) and
/// [`peek_next`](crate::Pending::peek_next).
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Entry<T> {
    /// When the element becomes due, in whole milliseconds of the clock that dated its offer.
    ///
    /// Redisson and this crate write whole numbers from 0 to 2^53. If another program wrote a
    /// fraction, it is rounded up; a number outside that range counts as the nearer end. This crate
    /// delivers the element at that time.
    pub due: SystemTime,
    /// Which element it is.
    pub ticket: Ticket,
    /// The value that was offered.
    pub value: T,
}

/// When an element with this score becomes due.
pub(crate) fn due_of(score: f64) -> SystemTime {
    // The cast turns a number outside 0 to 2^64 - 1 into the nearer end.
    let ms = (score.ceil() as u64).min(LATEST_MS);
    UNIX_EPOCH + Duration::from_millis(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_score_is_due_at_the_nearest_time_that_there_is() {
        let cases = [
            (1_000.0, 1_000),
            (0.0, 0),
            (-5.0, 0),
            (f64::NEG_INFINITY, 0),
            (-0.5, 0),
            (1_000.25, 1_001),
            (LATEST_MS as f64, LATEST_MS),
            (4.6e18, LATEST_MS),
            (f64::INFINITY, LATEST_MS),
        ];
        for (score, ms) in cases {
            let due = UNIX_EPOCH + Duration::from_millis(ms);
            assert_eq!(due_of(score), due, "{score}");
        }
    }
}
