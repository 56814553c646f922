//! Reads times from numbers and from ISO 8601, because Java reads both.

use num_bigint::BigInt;

use super::scan::Scan;
use super::{NANOS, epoch_second, local, old_epoch_second};
use crate::jackson::number::{decimal_of, integer_of};
use crate::jackson::tape::{Node, Token};
use crate::java::{
    Instant, LocalDate, LocalDateTime, LocalTime, OffsetDateTime, Period, Temporal, YearMonth,
    ZonedDateTime, zone,
};

/// Reads a value of this class of `java.time`. `None` if the node is no such value.
pub(in crate::jackson) fn temporal(class: &str, node: Node<'_>) -> Option<Temporal> {
    let text = node.text();
    Some(match class.strip_prefix("java.time.")? {
        "Duration" => {
            let (seconds, nanos) = text.and_then(duration).or_else(|| seconds_of(node))?;
            Temporal::Duration(seconds, nanos)
        }
        "Instant" => Temporal::Instant(instant(node)?),
        "LocalDate" => Temporal::LocalDate(match text {
            Some(text) => whole(text, date)?,
            None => from_parts(node)?.date,
        }),
        "LocalDateTime" => Temporal::LocalDateTime(match text {
            Some(text) => whole(text.strip_suffix('Z').unwrap_or(text), date_time)?,
            None => from_parts(node)?,
        }),
        "LocalTime" => Temporal::LocalTime(match text {
            Some(text) => whole(text, clock)?,
            None => time_of(&parts(node)?)?,
        }),
        "OffsetDateTime" => {
            let read = text.and_then(offset_date_time);
            Temporal::OffsetDateTime(read.or_else(|| in_greenwich(node))?)
        }
        "ZonedDateTime" => {
            let read = text.and_then(zoned);
            Temporal::ZonedDateTime(read.or_else(|| in_utc(node))?)
        }
        "Period" => Temporal::Period(period(text?)?),
        "Year" => Temporal::Year(integer_of(node.token())?.try_into().ok()?),
        "YearMonth" => Temporal::YearMonth(match text {
            Some(text) => whole(text, year_month)?,
            None => month_of(&parts(node)?)?,
        }),
        "ZoneOffset" => Temporal::ZoneOffset(zone::parse(text?)?),
        "ZoneId" | "ZoneRegion" => match zone::parse(text?) {
            Some(offset) => Temporal::ZoneOffset(offset),
            None => Temporal::ZoneRegion(text?.to_owned()),
        },
        _ => return None,
    })
}

/// Reads the milliseconds of a `java.util.Date`. The days of a text before 15 October 1582 are those
/// of the Julian calendar.
pub(in crate::jackson) fn millis(node: Node<'_>) -> Option<i64> {
    if let Some(millis) = integer_of(node.token()) {
        return millis.try_into().ok();
    }
    let (local, offset) = match node.text() {
        Some(text) => match whole(text, date) {
            Some(date) => (
                LocalDateTime {
                    date,
                    time: MIDNIGHT,
                },
                0,
            ),
            None => match offset_date_time(text) {
                Some(OffsetDateTime { local, offset }) => (local, offset),
                None => return millis_of(seconds_of(node)?),
            },
        },
        None => return None,
    };
    millis_of((
        old_epoch_second(&local) - i64::from(offset),
        local.time.nano,
    ))
}

fn millis_of((seconds, nanos): (i64, i32)) -> Option<i64> {
    seconds
        .checked_mul(1000)?
        .checked_add(i64::from(nanos) / 1_000_000)
}

fn instant(node: Node<'_>) -> Option<Instant> {
    if let Some(text) = node.text()
        && let Some(OffsetDateTime { local, offset }) = offset_date_time(text)
    {
        local.date.check().ok()?;
        return Some(Instant {
            seconds: epoch_second(&local) - i64::from(offset),
            nanos: local.time.nano,
        });
    }
    let (seconds, nanos) = seconds_of(node)?;
    Some(Instant { seconds, nanos })
}

fn in_greenwich(node: Node<'_>) -> Option<OffsetDateTime> {
    let local = local_of(node)?;
    Some(OffsetDateTime { local, offset: 0 })
}

fn in_utc(node: Node<'_>) -> Option<ZonedDateTime> {
    // Jackson since 2.16; before, the zone was `UTC`.
    let (local, zone) = (local_of(node)?, "Z".to_owned());
    Some(ZonedDateTime { local, zone })
}

/// The local time in Greenwich, from a number of seconds since 1970.
fn local_of(node: Node<'_>) -> Option<LocalDateTime> {
    let (seconds, nanos) = seconds_of(node)?;
    local(seconds, nanos)
}

/// Whole seconds, and the nanoseconds to add to them.
fn seconds_of(node: Node<'_>) -> Option<(i64, i32)> {
    let number = decimal_of(node.token())?;
    if !(-20..=1000).contains(&number.scale) {
        return None;
    }
    let ten = BigInt::from(10);
    let nanos = match u32::try_from(9 - number.scale) {
        Ok(more) => number.unscaled * ten.pow(more),
        Err(_) => number.unscaled / ten.pow((number.scale - 9).unsigned_abs()),
    };
    let nanos = i128::try_from(nanos).ok()?;
    Some((
        nanos.div_euclid(NANOS).try_into().ok()?,
        nanos.rem_euclid(NANOS).try_into().ok()?,
    ))
}

fn parts(node: Node<'_>) -> Option<Vec<i64>> {
    if !matches!(node.token(), Token::Array(_)) || node.len() > 7 {
        return None;
    }
    let part = |item: Node<'_>| match item.token() {
        Token::Integer(it) => Some(*it),
        _ => None,
    };
    node.items().map(part).collect()
}

/// Reads `[2024,2,29,13,14,15,123456789]`, or a date without a time.
fn from_parts(node: Node<'_>) -> Option<LocalDateTime> {
    let parts = parts(node)?;
    let (day, rest) = parts.split_at_checked(3)?;
    let date = LocalDate {
        year: day[0].try_into().ok()?,
        month: day[1].try_into().ok()?,
        day: day[2].try_into().ok()?,
    };
    let time = match rest {
        [] => MIDNIGHT,
        rest => time_of(rest)?,
    };
    Some(LocalDateTime { date, time })
}

fn month_of(parts: &[i64]) -> Option<YearMonth> {
    let [year, month] = parts else {
        return None;
    };
    Some(YearMonth {
        year: (*year).try_into().ok()?,
        month: (*month).try_into().ok()?,
    })
}

fn time_of(parts: &[i64]) -> Option<LocalTime> {
    let at = |place: usize| parts.get(place).copied().unwrap_or_default();
    if !(2..=4).contains(&parts.len()) {
        return None;
    }
    Some(LocalTime {
        hour: at(0).try_into().ok()?,
        minute: at(1).try_into().ok()?,
        second: at(2).try_into().ok()?,
        nano: at(3).try_into().ok()?,
    })
}

/// Reads a text to its end. Fails if `read` stops earlier.
fn whole<T>(text: &str, read: impl FnOnce(&mut Scan<'_>) -> Option<T>) -> Option<T> {
    let mut scan = Scan::new(text);
    read(&mut scan).filter(|_| scan.rest().is_empty())
}

fn year(scan: &mut Scan<'_>) -> Option<i32> {
    let negative = scan.skip('-');
    let most = if negative || scan.skip('+') { 10 } else { 4 };
    let year = scan.digits(4, most)?;
    (if negative { -year } else { year }).try_into().ok()
}

fn year_month(scan: &mut Scan<'_>) -> Option<YearMonth> {
    let year = year(scan)?;
    scan.mark('-')?;
    let month = scan.digits(2, 2)?.try_into().ok()?;
    Some(YearMonth { year, month })
}

fn date(scan: &mut Scan<'_>) -> Option<LocalDate> {
    let YearMonth { year, month } = year_month(scan)?;
    scan.mark('-')?;
    let day = scan.digits(2, 2)?.try_into().ok()?;
    Some(LocalDate { year, month, day })
}

fn clock(scan: &mut Scan<'_>) -> Option<LocalTime> {
    let hour = scan.digits(2, 2)?.try_into().ok()?;
    scan.mark(':')?;
    let minute = scan.digits(2, 2)?.try_into().ok()?;
    let (second, nano) = match scan.skip(':') {
        true => (scan.digits(2, 2)?.try_into().ok()?, scan.fraction()?),
        false => (0, 0),
    };
    Some(LocalTime {
        hour,
        minute,
        second,
        nano,
    })
}

fn date_time(scan: &mut Scan<'_>) -> Option<LocalDateTime> {
    let date = date(scan)?;
    scan.mark('T')?;
    let time = clock(scan)?;
    Some(LocalDateTime { date, time })
}

fn offset_date_time(text: &str) -> Option<OffsetDateTime> {
    let mut scan = Scan::new(text);
    let local = date_time(&mut scan)?;
    let offset = zone::parse(scan.rest())?;
    Some(OffsetDateTime { local, offset })
}

/// Reads a time with its zone in brackets behind the offset, or with the offset alone.
fn zoned(text: &str) -> Option<ZonedDateTime> {
    let mut scan = Scan::new(text);
    let local = date_time(&mut scan)?;
    let zone = match scan.rest().split_once('[') {
        Some((offset, zone)) => {
            zone::parse(offset)?;
            zone.strip_suffix(']')?
        }
        None => {
            zone::parse(scan.rest())?;
            scan.rest()
        }
    };
    let zone = zone.to_owned();
    Some(ZonedDateTime { local, zone })
}

/// Reads `P1Y2M3D`. Each part may have a sign. A week counts as seven days.
fn period(text: &str) -> Option<Period> {
    let (negative, text) = signed(text);
    let mut scan = Scan::new(text);
    scan.mark('P')?;
    let mut period = Period {
        years: 0,
        months: 0,
        days: 0,
    };
    for (unit, of) in [('Y', 1), ('M', 1), ('W', 7), ('D', 1)] {
        let before = scan.rest();
        let Some(count) = part(&mut scan, negative).filter(|_| scan.skip(unit)) else {
            scan = Scan::new(before);
            continue;
        };
        let count = i32::try_from(count).ok()?.checked_mul(of)?;
        match unit {
            'Y' => period.years = count,
            'M' => period.months = count,
            _ => period.days = period.days.checked_add(count)?,
        }
    }
    scan.rest().is_empty().then_some(period)
}

/// Reads `P1DT2H3M4.5S`. Each part may have a sign.
fn duration(text: &str) -> Option<(i64, i32)> {
    let (negative, text) = signed(text);
    let mut scan = Scan::new(text);
    scan.mark('P')?;
    let mut nanos = 0i128;
    for (unit, of) in [('D', 86_400), ('T', 0), ('H', 3600), ('M', 60)] {
        if unit == 'T' {
            scan.skip('T');
            continue;
        }
        let before = scan.rest();
        match part(&mut scan, negative).filter(|_| scan.skip(unit)) {
            Some(count) => nanos += i128::from(count) * of * NANOS,
            None => scan = Scan::new(before),
        }
    }
    if !scan.rest().is_empty() {
        let minus = scan.rest().starts_with('-') != negative;
        let seconds = i128::from(part(&mut scan, false)?.unsigned_abs());
        let count = seconds * NANOS + i128::from(scan.fraction()?);
        scan.mark('S')?;
        nanos += if minus { -count } else { count };
    }
    if !scan.rest().is_empty() {
        return None;
    }
    Some((
        nanos.div_euclid(NANOS).try_into().ok()?,
        nanos.rem_euclid(NANOS).try_into().ok()?,
    ))
}

fn signed(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    }
}

fn part(scan: &mut Scan<'_>, negative: bool) -> Option<i64> {
    let minus = scan.skip('-') != negative;
    let count = scan.digits(1, 18)?;
    Some(if minus { -count } else { count })
}

const MIDNIGHT: LocalTime = LocalTime {
    hour: 0,
    minute: 0,
    second: 0,
    nano: 0,
};
