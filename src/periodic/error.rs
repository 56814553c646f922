//! What cannot be scheduled.

use std::time::Duration;

use super::Schedule;

/// Why something cannot be scheduled.
///
/// The caller's fault each time. Nothing was sent to Redis.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The schedule has no occurrence in the future.
    #[error("schedule {schedule} never occurs")]
    Never {
        /// The schedule, as it is displayed.
        schedule: String,
    },

    /// The cron pattern cannot be read.
    #[error("no cron pattern: {pattern:?}: {detail}")]
    Pattern {
        /// The refused pattern.
        pattern: String,
        /// What is wrong with it.
        detail: String,
    },

    /// The interval of a fixed rate is longer than any score.
    #[error("an interval of {} s is too long", interval.as_secs())]
    TooLong {
        /// The refused interval.
        interval: Duration,
    },

    /// The interval of a fixed rate is shorter than
    /// [`Schedule::SHORTEST`].
    #[error("an interval of {interval:?} is shorter than {:?}", Schedule::SHORTEST)]
    TooOften {
        /// The refused interval.
        interval: Duration,
    },

    /// The time zone is not known.
    #[error("unknown time zone {name:?}")]
    Zone {
        /// The refused name.
        name: String,
    },
}
