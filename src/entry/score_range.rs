//! A range of due times as a range of scores.

use std::ops::{Bound, RangeBounds};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::link::clock::LATEST_MS;

/// The scores of the elements that are due within a range of time, as `ZCOUNT` takes them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ScoreRange {
    pub(crate) lowest: String,
    pub(crate) highest: String,
}

impl ScoreRange {
    /// Every score.
    pub(crate) fn everything() -> Self {
        Self {
            lowest: "-inf".to_owned(),
            highest: "+inf".to_owned(),
        }
    }

    /// The scores whose [due time](super::due_of) lies in `range`.
    pub(crate) fn of(range: &impl RangeBounds<SystemTime>) -> Self {
        let mut scores = Self::everything();
        let first = match range.start_bound() {
            Bound::Included(time) => ms_up(*time),
            Bound::Excluded(time) => ms_down(*time) + 1,
            Bound::Unbounded => 0,
        };
        let last = match range.end_bound() {
            Bound::Included(time) => ms_down(*time),
            Bound::Excluded(time) => ms_up(*time) - 1,
            Bound::Unbounded => i128::from(LATEST_MS),
        };
        // A fraction is due at the next whole millisecond, so a lower bound is everything above the
        // millisecond before.
        match first {
            ..=0 => {}
            first if first > i128::from(LATEST_MS) => "(inf".clone_into(&mut scores.lowest),
            first => scores.lowest = format!("({}", first - 1),
        }
        match last {
            ..0 => "(-inf".clone_into(&mut scores.highest),
            last if last >= i128::from(LATEST_MS) => {}
            last => scores.highest = last.to_string(),
        }
        scores
    }
}

/// Unix ms, rounded up.
fn ms_up(time: SystemTime) -> i128 {
    -(-unix_ns(time)).div_euclid(1_000_000)
}

/// Unix ms, rounded down.
fn ms_down(time: SystemTime) -> i128 {
    unix_ns(time).div_euclid(1_000_000)
}

fn unix_ns(time: SystemTime) -> i128 {
    let ns = |duration: std::time::Duration| i128::try_from(duration.as_nanos());
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => ns(since).unwrap_or(i128::MAX / 2),
        Err(error) => -ns(error.duration()).unwrap_or(i128::MAX / 2),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::entry::due_of;

    fn at(us: i64) -> SystemTime {
        let magnitude = Duration::from_micros(us.unsigned_abs());
        if us < 0 {
            UNIX_EPOCH - magnitude
        } else {
            UNIX_EPOCH + magnitude
        }
    }

    fn holds(range: &ScoreRange, score: f64) -> bool {
        let bound = |text: &str| match text.strip_prefix('(') {
            Some(rest) => (rest.parse::<f64>().unwrap(), false),
            None => (text.parse::<f64>().unwrap(), true),
        };
        let ((low, low_in), (high, high_in)) = (bound(&range.lowest), bound(&range.highest));
        (score > low || low_in && score == low) && (score < high || high_in && score == high)
    }

    /// The due time of an entry decides, whatever its score.
    #[test]
    fn a_range_holds_the_scores_whose_due_time_lies_in_the_range() {
        let times = [-1_500, -1, 0, 1, 999, 1_000, 1_001, 1_999, 2_000, 3_000_000].map(at);
        let scores = [
            f64::NEG_INFINITY,
            -3.0,
            -0.5,
            0.0,
            0.5,
            1.0,
            1.5,
            2.0,
            2.5,
            2_999.0,
            3_000.0,
            3_000.5,
            4.6e18,
            f64::INFINITY,
        ];
        let bounds = |time| {
            [
                Bound::Included(time),
                Bound::Excluded(time),
                Bound::Unbounded,
            ]
        };
        for start in times.into_iter().flat_map(bounds) {
            for end in times.into_iter().flat_map(bounds) {
                let range = ScoreRange::of(&(start, end));
                for score in scores {
                    let expected = (start, end).contains(&due_of(score));
                    assert_eq!(
                        holds(&range, score),
                        expected,
                        "{score} in {start:?}..{end:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_range_beyond_every_score_is_empty() {
        let beyond = UNIX_EPOCH + Duration::from_millis(LATEST_MS + 1);
        assert!(!holds(&ScoreRange::of(&(beyond..)), f64::INFINITY));
        let last = UNIX_EPOCH + Duration::from_millis(LATEST_MS);
        assert!(holds(&ScoreRange::of(&(last..)), f64::INFINITY));
        assert!(holds(&ScoreRange::of(&(..=beyond)), f64::INFINITY));
    }
}
