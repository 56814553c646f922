//! The texts and numbers that stand for points in time.

use crate::java::{LocalDate, LocalDateTime, LocalTime, Mismatch, ZonedDateTime, zone};

pub(super) mod iso;
pub(super) mod key;
pub(super) mod number;
pub(super) mod read;
mod scan;

pub(super) const NANOS: i128 = 1_000_000_000;
const DAY: i64 = 86_400;

/// The seconds from 1970 to this local time, if it is the time in Greenwich.
pub(super) fn epoch_second(local: &LocalDateTime) -> i64 {
    let LocalTime {
        hour,
        minute,
        second,
        ..
    } = local.time;
    epoch_day(&local.date) * DAY
        + i64::from(hour) * 3600
        + i64::from(minute) * 60
        + i64::from(second)
}

/// The local time in Greenwich, `seconds` after 1970. `None` beyond the years of Java.
pub(super) fn local(seconds: i64, nano: i32) -> Option<LocalDateTime> {
    let second = seconds.rem_euclid(DAY);
    let part = |unit: i64, of: i64| u8::try_from(second / unit % of).unwrap_or_default();
    Some(LocalDateTime {
        date: date(seconds.div_euclid(DAY))?,
        time: LocalTime {
            hour: part(3600, 24),
            minute: part(60, 60),
            second: part(1, 60),
            nano,
        },
    })
}

/// The offset of a time from Greenwich in seconds, east is positive.
///
/// Fails for a region. Its offset depends on the day, and only a time zone database knows it.
fn offset_of(time: &ZonedDateTime) -> Result<i32, Mismatch> {
    let name = time.zone.as_str();
    let fixed = ["UTC", "GMT", "UT"]
        .iter()
        .find_map(|it| name.strip_prefix(it));
    match fixed.unwrap_or(name) {
        "" => Some(0),
        offset => zone::parse(offset),
    }
    .ok_or_else(|| Mismatch::unknown("a zone with a fixed offset", name))
}

/// The days from 1970-01-01 to a date. Dates before 1582 are in today's calendar too.
///
/// The computation starts years in March, so that a leap day is the last day of a year.
fn epoch_day(date: &LocalDate) -> i64 {
    let january = i64::from(date.month <= 2);
    let year = i64::from(date.year) - january;
    let month = i64::from(date.month) - 3 + 12 * january;
    let of_year = (153 * month + 2) / 5 + i64::from(date.day) - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + of_year
        - TO_1970
}

fn date(epoch_day: i64) -> Option<LocalDate> {
    const ERA: i64 = 146_097;

    let day = epoch_day.checked_add(TO_1970)?;
    let of_era = day.rem_euclid(ERA);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / (ERA - 1)) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day_of_month = of_year - (153 * month + 2) / 5 + 1;
    let january = i64::from(month >= 10);
    Some(LocalDate {
        year: i32::try_from(day.div_euclid(ERA) * 400 + year_of_era + january).ok()?,
        month: u8::try_from(month + 3 - 12 * january).ok()?,
        day: u8::try_from(day_of_month).ok()?,
    })
}

/// Days from the first of March of the year 0 to 1970-01-01.
const TO_1970: i64 = 719_468;

#[cfg(test)]
mod tests;
