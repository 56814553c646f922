//! Times as the numbers that `JavaTimeModule` writes by default.

use num_bigint::BigInt;

use super::{NANOS, epoch_second, offset_of};
use crate::jackson::tape::{Tape, Token};
use crate::java::{
    BigDecimal, Instant, LocalDate, LocalTime, Mismatch, OffsetDateTime, Temporal, ZonedDateTime,
    zone,
};

pub(in crate::jackson) fn write(time: &Temporal) -> Result<Tape<'static>, Mismatch> {
    let text = |text: String| Ok(Token::String(text.into()).into());
    match time {
        Temporal::Duration(seconds, nanos) => Ok(seconds_of(*seconds, *nanos)),
        Temporal::Instant(Instant { seconds, nanos }) => Ok(seconds_of(*seconds, *nanos)),
        Temporal::LocalDate(it) => Ok(array(&date(it))),
        Temporal::LocalTime(it) => Ok(array(&clock(it))),
        Temporal::LocalDateTime(it) => {
            let mut parts = date(&it.date);
            parts.extend(clock(&it.time));
            Ok(array(&parts))
        }
        Temporal::OffsetDateTime(OffsetDateTime { local, offset }) => {
            let second = epoch_second(local) - i64::from(*offset);
            Ok(seconds_of(second, local.time.nano))
        }
        Temporal::ZonedDateTime(it @ ZonedDateTime { local, .. }) => {
            let second = epoch_second(local) - i64::from(offset_of(it)?);
            Ok(seconds_of(second, local.time.nano))
        }
        Temporal::Year(it) => Ok(Token::Integer((*it).into()).into()),
        Temporal::YearMonth(it) => Ok(array(&[it.year.into(), it.month.into()])),
        Temporal::Period(it) => text(super::iso::period(it)),
        Temporal::ZoneOffset(it) => text(zone::id(*it)),
        Temporal::ZoneRegion(it) => text(it.clone()),
    }
}

/// Seconds with nine digits behind the point. Zero is `0.0`.
fn seconds_of(seconds: i64, nanos: i32) -> Tape<'static> {
    let nanos = i128::from(seconds) * NANOS + i128::from(nanos);
    let scale = if nanos == 0 { 1 } else { 9 };
    Token::Decimal(Box::new(BigDecimal::new(BigInt::from(nanos), scale))).into()
}

fn date(date: &LocalDate) -> Vec<i64> {
    vec![date.year.into(), date.month.into(), date.day.into()]
}

/// Hours and minutes, seconds unless both they and the nanoseconds are zero, and nanoseconds unless
/// they are zero.
fn clock(time: &LocalTime) -> Vec<i64> {
    let mut parts = vec![time.hour.into(), time.minute.into()];
    if time.second > 0 || time.nano > 0 {
        parts.push(time.second.into());
    }
    if time.nano > 0 {
        parts.push(time.nano.into());
    }
    parts
}

fn array(parts: &[i64]) -> Tape<'static> {
    let mut tape = Tape::new(0);
    let place = tape.open();
    parts.iter().for_each(|it| tape.push(Token::Integer(*it)));
    tape.end_array(place, parts.len());
    tape
}
