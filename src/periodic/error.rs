use std::time::Duration;

/// The shortest interval of a fixed rate.
pub(super) const SHORTEST: Duration = Duration::from_millis(100);

/// Why a schedule is refused. Always the caller's fault. Nothing was sent to Redis.
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
    #[error("invalid cron pattern {pattern:?}: {detail}")]
    Pattern {
        /// The refused pattern.
        pattern: String,
        /// What is wrong with it.
        detail: String,
    },

    /// The interval of a fixed rate is too long for a due time.
    #[error("an interval of {} s is too long", interval.as_secs())]
    TooLong {
        /// The refused interval.
        interval: Duration,
    },

    /// The interval of a fixed rate is shorter than
    /// [`Schedule::SHORTEST`](crate::Schedule::SHORTEST).
    #[error("an interval of {interval:?} is shorter than {SHORTEST:?}")]
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
