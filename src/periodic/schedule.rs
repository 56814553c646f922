//! When something is offered: pure arithmetic on Unix milliseconds.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, TimeZone};
use chrono_tz::Tz;
use croner::Cron;
use serde::{Deserialize, Serialize};

use super::ScheduleError;
use crate::link::clock::unix_ms;
use crate::ordering::Ordering;

mod stored;

/// When a periodic offer becomes due, again and again; behind the feature `periodic`.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use redisson_delayed_queue::{Missed, Schedule};
///
/// # fn run() -> Result<(), redisson_delayed_queue::ScheduleError> {
/// let opening = Schedule::cron("0 30 9 * * Mon-Fri")?.in_zone("Europe/Berlin")?;
/// let heartbeat = Schedule::every(Duration::from_secs(30))?.missed(Missed::Skip);
/// # Ok(()) }
/// # run().unwrap();
/// ```
#[derive(Clone, Eq, PartialEq)]
pub struct Schedule {
    pattern: Pattern,
    /// No occurrence is before this, unix ms.
    start_ms: Option<i64>,
    missed: Missed,
}

/// What becomes of occurrences that no client was there to offer.
///
/// An occurrence is missed once a second has passed since it. Those of one schedule that are missed
/// are treated together with all that have passed since.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Missed {
    /// One offer, due at once, stands for all of them. The default.
    #[default]
    FireOnce,
    /// None of them is offered.
    Skip,
}

#[derive(Clone, Eq, PartialEq)]
enum Pattern {
    Cron {
        /// As it was given, with single spaces.
        text: String,
        cron: Box<Cron>,
        zone: Tz,
    },
    Every {
        interval_ms: i64,
    },
}

impl Schedule {
    /// The shortest interval of a fixed rate.
    pub const SHORTEST: Duration = Duration::from_millis(100);

    /// As a cron pattern says: `second minute hour day month weekday`, in UTC.
    ///
    /// The second may be left out and is 0 then; a year may follow as a seventh field. Months and
    /// weekdays may be named in English, 0 and 7 are Sunday. Lists, ranges, steps, `L`, `W`, `#`
    /// and names such as `@hourly` are understood as by the crate `croner`. When both day and
    /// weekday are restricted, either is enough.
    ///
    /// # Compatibility
    ///
    /// Weekdays are counted as by Unix and Spring: 1 is Monday. Redisson's `CronSchedule` counts as
    /// Quartz does: there 1 is Sunday. A name such as `Mon` means the same everywhere.
    ///
    /// # Errors
    ///
    /// - [`ScheduleError::Pattern`] if that is no pattern.
    pub fn cron(pattern: &str) -> Result<Self, ScheduleError> {
        let text: Vec<&str> = pattern.split_whitespace().collect();
        let text = text.join(" ");
        let cron = Cron::from_str(&text).map_err(|error| ScheduleError::Pattern {
            detail: error.to_string().trim_end_matches('.').to_owned(),
            pattern: text.clone(),
        })?;
        Ok(Self::new(Pattern::Cron {
            text,
            cron: Box::new(cron),
            zone: Tz::UTC,
        }))
    }

    /// Once an `interval`, in whole milliseconds, rounded down. The first occurrence is one
    /// interval after the call that schedules it, or at the [start](Self::starting_at).
    ///
    /// Occurrences keep their distance from the first, however late one of them is fired.
    ///
    /// # Errors
    ///
    /// - [`ScheduleError::TooOften`] below [`SHORTEST`](Self::SHORTEST).
    /// - [`ScheduleError::TooLong`] above some 285,000 years.
    pub fn every(interval: Duration) -> Result<Self, ScheduleError> {
        if interval < Self::SHORTEST {
            return Err(ScheduleError::TooOften { interval });
        }
        let interval_ms = i64::try_from(interval.as_millis())
            .ok()
            .filter(|ms| *ms <= LATEST)
            .ok_or(ScheduleError::TooLong { interval })?;
        Ok(Self::new(Pattern::Every { interval_ms }))
    }

    /// Reads a cron pattern in the local time of `zone`, a name of the IANA database such as
    /// `Europe/Berlin`. A fixed rate has no zone and stays what it is.
    ///
    /// Where clocks go forward, a pattern of fixed hours fires as soon as the gap is over; where
    /// they go back, in the first of the two hours only. A pattern that repeats within the hour
    /// fires as often as time passes.
    ///
    /// # Errors
    ///
    /// - [`ScheduleError::Zone`] if the database that was compiled in does not know the name.
    pub fn in_zone(mut self, name: &str) -> Result<Self, ScheduleError> {
        let known = Tz::from_str(name).map_err(|_| ScheduleError::Zone {
            name: name.to_owned(),
        })?;
        if let Pattern::Cron { zone, .. } = &mut self.pattern {
            *zone = known;
        }
        Ok(self)
    }

    /// Lets nothing occur before `start`, rounded up to a millisecond. For a fixed rate it is the
    /// first occurrence, and if it has passed, all are whole intervals away from it.
    #[must_use]
    pub fn starting_at(mut self, start: SystemTime) -> Self {
        self.start_ms = Some(unix_ms(start));
        self
    }

    /// What becomes of occurrences that nobody was there to offer. Default: [`Missed::FireOnce`].
    #[must_use]
    pub fn missed(mut self, missed: Missed) -> Self {
        self.missed = missed;
        self
    }

    fn new(pattern: Pattern) -> Self {
        Self {
            pattern,
            start_ms: None,
            missed: Missed::default(),
        }
    }

    /// The first occurrence of one that is scheduled at `now_ms`.
    pub(crate) fn first_ms(&self, now_ms: i64) -> Option<i64> {
        match (&self.pattern, self.start_ms) {
            (_, Some(start)) if start > now_ms => self.after_ms(start - 1),
            (Pattern::Every { interval_ms }, None) => within_range(now_ms, *interval_ms),
            _ => self.after_ms(now_ms),
        }
    }

    /// What to do about a schedule whose next occurrence is `next_ms`.
    pub(crate) fn plan(&self, next_ms: i64, now_ms: i64, horizon_ms: i64) -> Plan {
        let mut dues = Vec::new();
        let mut next = Some(next_ms);
        if next_ms < now_ms - Self::GRACE_MS {
            if self.missed == Missed::FireOnce {
                dues.push(now_ms);
            }
            next = match &self.pattern {
                Pattern::Every { interval_ms } => on_the_beat(next_ms, *interval_ms, now_ms),
                Pattern::Cron { .. } => self.after_ms(now_ms),
            };
        }
        while let Some(due) = next.filter(|it| *it <= horizon_ms && dues.len() < Self::MOST) {
            dues.push(due);
            next = match &self.pattern {
                Pattern::Every { interval_ms } => within_range(due, *interval_ms),
                Pattern::Cron { .. } => self.after_ms(due),
            };
        }
        Plan {
            dues_ms: dues,
            next_ms: next,
        }
    }

    /// The first occurrence after `ms` that the pattern or the start alone decide.
    fn after_ms(&self, ms: i64) -> Option<i64> {
        match &self.pattern {
            Pattern::Every { interval_ms } => on_the_beat(self.start_ms?, *interval_ms, ms),
            Pattern::Cron { cron, zone, .. } => {
                // Patterns know whole seconds.
                let from: DateTime<Tz> = zone.timestamp_opt(ms.div_euclid(1_000), 0).single()?;
                let found = cron.find_next_occurrence(&from, false).ok()?;
                Some(found.timestamp_millis()).filter(|found| *found > ms)
            }
        }
    }

    /// How long ago an occurrence may be that is offered late as if in time.
    const GRACE_MS: i64 = 1_000;
    /// The most occurrences to offer at once: more than lie within the look-ahead.
    const MOST: usize = 100;
}

/// In words: the pattern and its zone, or the interval.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            Pattern::Cron { text, zone, .. } => write!(f, "{text} ({})", zone.name()),
            Pattern::Every { interval_ms } => write!(f, "every {interval_ms} ms"),
        }
    }
}

/// As it is stored.
impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schedule")
            .field(&format_args!("{}", self.to_json(Ordering::Listed)))
            .finish()
    }
}

/// What a schedule asks for at one moment.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Plan {
    /// The due times of the elements to offer.
    pub(crate) dues_ms: Vec<i64>,
    /// The occurrence after these; nothing if there is none.
    pub(crate) next_ms: Option<i64>,
}

/// The first of the moments `beat` + n * `interval` that is after `ms` and not before `beat`.
fn on_the_beat(beat: i64, interval: i64, ms: i64) -> Option<i64> {
    let passed = i128::from(ms) - i128::from(beat);
    let intervals = if passed < 0 {
        0
    } else {
        passed / i128::from(interval) + 1
    };
    let next = i128::from(beat) + intervals * i128::from(interval);
    i64::try_from(next).ok().filter(|next| *next <= LATEST)
}

fn within_range(from: i64, interval: i64) -> Option<i64> {
    from.checked_add(interval).filter(|next| *next <= LATEST)
}

/// The largest score that Redisson reads back as the integer it was.
const LATEST: i64 = 1 << 53;

#[cfg(test)]
mod tests;
