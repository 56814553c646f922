//! Times as the ISO 8601 texts that `java.time` writes.

use super::{local, offset_of, old_local};
use crate::jackson::tape::Token;
use crate::java::{
    Instant, LocalDate, LocalDateTime, LocalTime, Mismatch, OffsetDateTime, Period, Temporal,
    ZonedDateTime, zone,
};

pub(in crate::jackson) fn write(time: &Temporal) -> Result<Token<'static>, Mismatch> {
    let text = match time {
        Temporal::Duration(seconds, nanos) => duration(*seconds, *nanos),
        Temporal::Instant(it) => instant(it)?,
        Temporal::LocalDate(it) => local_date(it),
        Temporal::LocalDateTime(it) => local_date_time(it),
        Temporal::LocalTime(it) => local_time(it),
        Temporal::OffsetDateTime(OffsetDateTime { local, offset }) => {
            local_date_time(local) + &zone::id(*offset)
        }
        Temporal::Period(it) => period(it),
        // Jackson writes only this one as a number.
        Temporal::Year(it) => return Ok(Token::Integer((*it).into())),
        Temporal::YearMonth(it) => format!("{}-{:02}", year(it.year), it.month),
        Temporal::ZoneOffset(it) => zone::id(*it),
        Temporal::ZoneRegion(it) => it.clone(),
        Temporal::ZonedDateTime(it @ ZonedDateTime { local, .. }) => {
            local_date_time(local) + &zone::id(offset_of(it)?)
        }
    };
    Ok(Token::String(text.into()))
}

/// The text of a `java.util.Date`, always with three digits behind the point. Its days before
/// 15 October 1582 are those of the Julian calendar.
pub(in crate::jackson) fn date(millis: i64) -> String {
    let fraction = millis.rem_euclid(1000);
    // Milliseconds in 64 bits never leave the years of Java.
    let at = old_local(millis.div_euclid(1000));
    // The year before 1 is `+0000`.
    let sign = match &at {
        Some(at) if at.date.year == 0 => "+",
        _ => "",
    };
    let shown = at.map(|it| local_date_time(&it));
    format!("{sign}{}.{fraction:03}Z", shown.unwrap_or_default())
}

pub(super) fn period(period: &Period) -> String {
    let parts = [
        (period.years, 'Y'),
        (period.months, 'M'),
        (period.days, 'D'),
    ];
    let parts = parts.iter().filter(|(count, _)| *count != 0);
    let text: String = parts
        .map(|(count, unit)| format!("{count}{unit}"))
        .collect();
    match text.as_str() {
        "" => "P0D".to_owned(),
        text => format!("P{text}"),
    }
}

/// An instant has zero, three, six or nine digits behind the point.
fn instant(instant: &Instant) -> Result<String, Mismatch> {
    let Some(at) = local(instant.seconds, 0) else {
        let found = format!("second {}", instant.seconds);
        return Err(Mismatch::unknown("an instant of java.time", found));
    };
    let fraction = thousands(instant.nanos);
    Ok(format!("{}{fraction}Z", local_date_time(&at)))
}

/// A fraction of three, six or nine digits, or none.
pub(super) fn thousands(nanos: i32) -> String {
    match nanos {
        0 => String::new(),
        _ if nanos % 1_000_000 == 0 => format!(".{:03}", nanos / 1_000_000),
        _ if nanos % 1000 == 0 => format!(".{:06}", nanos / 1000),
        _ => format!(".{nanos:09}"),
    }
}

fn local_date_time(at: &LocalDateTime) -> String {
    format!("{}T{}", local_date(&at.date), local_time(&at.time))
}

pub(super) fn local_date(date: &LocalDate) -> String {
    format!("{}-{:02}-{:02}", year(date.year), date.month, date.day)
}

/// A local time always has seconds, and no zeros at the end of its fraction.
fn local_time(time: &LocalTime) -> String {
    let fraction = fraction(time.nano);
    format!(
        "{:02}:{:02}:{:02}{fraction}",
        time.hour, time.minute, time.second
    )
}

fn fraction(nano: i32) -> String {
    match nano {
        0 => String::new(),
        _ => format!(".{}", format!("{nano:09}").trim_end_matches('0')),
    }
}

/// A year has at least four digits, and a sign if it has more or is negative.
fn year(year: i32) -> String {
    let sign = match year {
        ..0 => "-",
        0..=9999 => "",
        _ => "+",
    };
    format!("{sign}{:04}", year.unsigned_abs())
}

/// The text of `Duration.toString`: hours, minutes and seconds, each with its own sign.
fn duration(seconds: i64, nanos: i32) -> String {
    if seconds == 0 && nanos == 0 {
        return "PT0S".to_owned();
    }
    // Nanoseconds are never negative, so -0.001 s is stored as -1 s and 0.999 s.
    let borrowed = seconds < 0 && nanos > 0;
    let whole = if borrowed { seconds + 1 } else { seconds };
    let (hours, minutes, left) = (whole / 3600, whole / 60 % 60, whole % 60);
    let mut text = "PT".to_owned();
    if hours != 0 {
        text += &format!("{hours}H");
    }
    if minutes != 0 {
        text += &format!("{minutes}M");
    }
    if left == 0 && nanos == 0 {
        return text;
    }
    let sign = if borrowed && left == 0 { "-" } else { "" };
    let behind = if borrowed {
        1_000_000_000 - nanos
    } else {
        nanos
    };
    format!("{text}{sign}{left}{}S", fraction(behind))
}
