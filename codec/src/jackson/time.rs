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
    epoch_day(&local.date) * DAY + second_of_day(&local.time)
}

/// The same for a `java.util.Date`: see [`old_epoch_day`].
pub(super) fn old_epoch_second(local: &LocalDateTime) -> i64 {
    old_epoch_day(&local.date) * DAY + second_of_day(&local.time)
}

fn second_of_day(time: &LocalTime) -> i64 {
    i64::from(time.hour) * 3600 + i64::from(time.minute) * 60 + i64::from(time.second)
}

/// The local time in Greenwich, `seconds` after 1970. `None` beyond the years of Java.
pub(super) fn local(seconds: i64, nano: i32) -> Option<LocalDateTime> {
    Some(LocalDateTime {
        date: date(seconds.div_euclid(DAY))?,
        time: time_of_day(seconds, nano),
    })
}

/// The same for a `java.util.Date`: see [`old_epoch_day`].
pub(super) fn old_local(seconds: i64) -> Option<LocalDateTime> {
    Some(LocalDateTime {
        date: old_date(seconds.div_euclid(DAY))?,
        time: time_of_day(seconds, 0),
    })
}

fn time_of_day(seconds: i64, nano: i32) -> LocalTime {
    let second = seconds.rem_euclid(DAY);
    let part = |unit: i64, of: i64| u8::try_from(second / unit % of).unwrap_or_default();
    LocalTime {
        hour: part(3600, 24),
        minute: part(60, 60),
        second: part(1, 60),
        nano,
    }
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
fn epoch_day(date: &LocalDate) -> i64 {
    let (year, _) = from_march(date);
    julian_day(date) - year.div_euclid(100) + year.div_euclid(400) - TO_1970
}

/// The same for a `java.util.Date`, whose days before 15 October 1582 are those of the Julian
/// calendar.
fn old_epoch_day(date: &LocalDate) -> i64 {
    match (date.year, date.month, date.day) < (1582, 10, 15) {
        true => julian_day(date) - JULIAN_TO_1970,
        false => epoch_day(date),
    }
}

/// The days from the first of March of the year 0 to a date, if each fourth year has a leap day.
fn julian_day(date: &LocalDate) -> i64 {
    let (year, month) = from_march(date);
    let of_year = (153 * month + 2) / 5 + i64::from(date.day) - 1;
    year * 365 + year.div_euclid(4) + of_year
}

/// The year and the month of a date, both from March on: so a leap day is the last day of a year.
fn from_march(date: &LocalDate) -> (i64, i64) {
    let january = i64::from(date.month <= 2);
    let month = i64::from(date.month) - 3 + 12 * january;
    (i64::from(date.year) - january, month)
}

fn date(epoch_day: i64) -> Option<LocalDate> {
    const ERA: i64 = 146_097;

    let day = epoch_day.checked_add(TO_1970)?;
    let of_era = day.rem_euclid(ERA);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / (ERA - 1)) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    date_of(day.div_euclid(ERA) * 400 + year_of_era, of_year)
}

/// The same for a `java.util.Date`: see [`old_epoch_day`].
fn old_date(epoch_day: i64) -> Option<LocalDate> {
    const ERA: i64 = 1461;

    if epoch_day >= FIRST_OF_TODAYS {
        return date(epoch_day);
    }
    let day = epoch_day.checked_add(JULIAN_TO_1970)?;
    let of_era = day.rem_euclid(ERA);
    let year_of_era = (of_era - of_era / 1460) / 365;
    date_of(
        day.div_euclid(ERA) * 4 + year_of_era,
        of_era - 365 * year_of_era,
    )
}

/// The date that is so many days after the first of March of a year.
fn date_of(year: i64, days: i64) -> Option<LocalDate> {
    let month = (5 * days + 2) / 153;
    let day_of_month = days - (153 * month + 2) / 5 + 1;
    let january = i64::from(month >= 10);
    Some(LocalDate {
        year: i32::try_from(year + january).ok()?,
        month: u8::try_from(month + 3 - 12 * january).ok()?,
        day: u8::try_from(day_of_month).ok()?,
    })
}

/// Days from the first of March of the year 0 to 1970-01-01.
const TO_1970: i64 = 719_468;

/// The same in the Julian calendar.
const JULIAN_TO_1970: i64 = TO_1970 + 2;

/// 15 October 1582 in days from 1970: the first day of today's calendar.
const FIRST_OF_TODAYS: i64 = -141_427;

#[cfg(test)]
mod tests;
