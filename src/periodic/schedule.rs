//! When a periodic offer occurs: pure arithmetic on Unix milliseconds.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use croner::Cron;
use serde::{Deserialize, Serialize};

use super::error::SHORTEST;
use super::{LOOK_AHEAD, ScheduleError};
use crate::link::clock::{LATEST_MS, unix_ms};
use crate::listing::Listing;

mod stored;
mod wall;

/// When the elements of a periodic offer are due. Needs the feature `periodic`.
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
    /// The earliest occurrence, unix ms.
    start_ms: Option<i64>,
    missed: Missed,
}

/// What happens to occurrences that passed while no client was there to deliver them.
///
/// An occurrence is missed if no client offered it within a second after its time, or none moved it
/// to the target queue within a second although it was offered ahead. So are those of a queue that is
/// [paused](crate::DelayedQueue::pause). The client that comes next handles all missed occurrences of
/// a schedule together, and with them all later ones that have passed by then.
///
/// An element that was offered ahead and missed [expires](crate::Event::Expired): the client that
/// would move it drops it. Redisson knows no expiry and moves it, however late.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Missed {
    /// One element replaces all of them: the latest that was offered ahead, or a new one that is due
    /// at once. The default.
    #[default]
    FireOnce,
    /// No element is delivered for them.
    Skip,
}

#[derive(Clone, Eq, PartialEq)]
enum Pattern {
    Cron {
        /// The pattern as given, with single spaces.
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
    pub const SHORTEST: Duration = SHORTEST;

    /// Occurs as a cron pattern says: `second minute hour day month weekday`, in UTC.
    ///
    /// You can leave out the second, which is then 0, and add a year as a seventh field. Months and
    /// weekdays can have English names; 0 and 7 are Sunday. Lists, ranges, steps, `L`, `W`, `#` and
    /// names such as `@hourly` work as in the crate `croner`. A pattern that restricts both day and
    /// weekday occurs if either matches. [`ScheduleError::Pattern`] if `pattern` cannot be read.
    ///
    /// # Compatibility
    ///
    /// Weekdays are counted as in Unix and Spring: 1 is Monday. Redisson's `CronSchedule` counts as
    /// Quartz does: 1 is Sunday. A name such as `Mon` means the same everywhere.
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

    /// Occurs once per `interval`, rounded down to whole milliseconds.
    ///
    /// The first occurrence is one interval after the call that schedules it, or at the
    /// [start](Self::starting_at).
    ///
    /// Later ones keep their distance from the first, however late one of them is fired.
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

    /// Reads a cron pattern in the local time of a zone of the IANA database, such as
    /// `Europe/Berlin`. Does not change a fixed rate. [`ScheduleError::Zone`] if the compiled-in
    /// database does not have the name.
    ///
    /// When clocks change, patterns do as the jobs of ISC (Vixie) cron:
    ///
    /// - A pattern with **fixed times** occurs once for each of its times. Times in hours that
    ///   clocks skip occur once, as soon as these hours are over. In hours that clocks repeat, it
    ///   occurs the first time only. These patterns name hours, one by one or by a list, a range or
    ///   a step, as `15 2,14`, `15 1-5` and `15 */2` do.
    /// - A pattern that **repeats** goes by elapsed time: its seconds or minutes have a `*` or a
    ///   step, or its hours are all 24. It does not occur in skipped hours, and in repeated hours
    ///   it occurs both times.
    pub fn in_zone(mut self, name: &str) -> Result<Self, ScheduleError> {
        let known = Tz::from_str(name).map_err(|_| ScheduleError::Zone {
            name: name.to_owned(),
        })?;
        if let Pattern::Cron { zone, .. } = &mut self.pattern {
            *zone = known;
        }
        Ok(self)
    }

    /// Sets the earliest time of an occurrence, rounded up to a millisecond.
    ///
    /// A fixed rate occurs at `start` first. If `start` has passed, each occurrence is a whole
    /// number of intervals after it.
    #[must_use]
    pub fn starting_at(mut self, start: SystemTime) -> Self {
        self.start_ms = Some(unix_ms(start));
        self
    }

    /// Sets what happens to occurrences that passed while no client was there. Default:
    /// [`Missed::FireOnce`].
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

    /// The first occurrence of a schedule that is stored at `now_ms`.
    pub(crate) fn first_ms(&self, now_ms: i64) -> Option<i64> {
        match (&self.pattern, self.start_ms) {
            (_, Some(start)) if start > now_ms => self.after_ms(start - 1),
            (Pattern::Every { interval_ms }, None) => within_range(now_ms, *interval_ms),
            _ => self.after_ms(now_ms),
        }
    }

    /// What to offer up to `horizon_ms` if the next occurrence is `next_ms`.
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
            occurrences: self.occurrences(&dues, next),
            next_ms: next,
        }
    }

    /// The occurrences that follow each other, with `next_ms` after the last.
    fn occurrences(&self, dues: &[i64], next_ms: Option<i64>) -> Vec<Occurrence> {
        // If a missed occurrence fires once and the next one is missed, too, the next one replaces
        // it.
        let successors = dues.iter().skip(1).copied().map(Some).chain([next_ms]);
        let occurrence = |(due, successor): (&i64, Option<i64>)| Occurrence {
            due_ms: *due,
            expires_ms: match self.missed {
                Missed::FireOnce => successor,
                Missed::Skip => Some(*due),
            }
            .map(|ms| ms + Self::GRACE_MS),
        };
        dues.iter().zip(successors).map(occurrence).collect()
    }

    /// The occurrence to go on with if the clock went back: then `next_ms` is further away than any
    /// client can have meant at `now_ms`. `None` otherwise.
    pub(crate) fn set_back_ms(&self, next_ms: i64, now_ms: i64) -> Option<i64> {
        let start = self.start_ms.unwrap_or(i64::MIN);
        let ahead = match &self.pattern {
            // A small correction of the clock must not make an occurrence fire again.
            Pattern::Cron { cron, .. } if wall::is_fixed(cron) => Self::CORRECTION_MS,
            _ => Self::AHEAD_MS + Self::GRACE_MS,
        };
        let latest = (now_ms + ahead).max(start.saturating_sub(1));
        let furthest = match &self.pattern {
            Pattern::Every { interval_ms } => latest.saturating_add(*interval_ms),
            Pattern::Cron { .. } => self.after_ms(latest)?,
        };
        if next_ms <= furthest {
            return None;
        }
        match (&self.pattern, self.start_ms) {
            // Keeps its distance from the others.
            (Pattern::Every { interval_ms }, None) => {
                Some(now_ms + 1 + (next_ms - now_ms - 1).rem_euclid(*interval_ms))
            }
            _ => self.first_ms(now_ms),
        }
    }

    /// The first occurrence after `ms`, from the pattern and the start alone. So a fixed rate
    /// without a start has none.
    fn after_ms(&self, ms: i64) -> Option<i64> {
        match &self.pattern {
            Pattern::Every { interval_ms } => on_the_beat(self.start_ms?, *interval_ms, ms),
            Pattern::Cron { cron, zone, .. } => {
                // Patterns know whole seconds.
                let from = DateTime::<Utc>::from_timestamp(ms.div_euclid(1_000), 0)?;
                // `chrono` panics if the clocks of the zone show a moment out of its range.
                let day = TimeDelta::days(1);
                from.checked_add_signed(day)?;
                from.checked_sub_signed(day)?;
                let found = wall::next(cron, from.with_timezone(zone))?;
                Some(found.timestamp_millis()).filter(|found| *found > ms)
            }
        }
    }

    /// How long ago an occurrence may have passed and still be offered as if it were on time.
    pub(crate) const GRACE_MS: i64 = 1_000;
    const AHEAD_MS: i64 = LOOK_AHEAD.as_millis() as i64;
    /// A clock that went back further shows a new time, by cron's rules.
    const CORRECTION_MS: i64 = 3 * 3_600_000;
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

/// In its stored form.
impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schedule")
            .field(&format_args!("{}", self.to_json(Listing::Listed)))
            .finish()
    }
}

/// What to offer at one moment, and what comes next.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Plan {
    /// What to offer, the earliest first.
    pub(crate) occurrences: Vec<Occurrence>,
    /// The occurrence after these; `None` if there is none.
    pub(crate) next_ms: Option<i64>,
}

/// When an element becomes due, and when it expires.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Occurrence {
    pub(crate) due_ms: i64,
    /// Until when to deliver it; `None` for without end.
    pub(crate) expires_ms: Option<i64>,
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

/// The largest score that Redisson reads back as the same integer.
const LATEST: i64 = LATEST_MS as i64;

#[cfg(test)]
mod tests;
