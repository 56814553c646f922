//! `java.time.Ser`, which stands for the values of `java.time`.

use super::{Instance, Item, Texts};
use crate::java::{
    Cursor, Instant, JavaValue, LocalDate, LocalDateTime, LocalTime, Malformed, OffsetDateTime,
    Period, Temporal, YearMonth, ZonedDateTime, zone,
};

pub(super) fn value(instance: &Instance, texts: Texts) -> Result<JavaValue, Malformed> {
    let part = instance.part("java.time.Ser");
    let bytes = match part.map(|part| &part.data[..]) {
        Some([Item::Block(bytes)]) => &bytes[..],
        _ => &[],
    };
    let mut from = Cursor::new(bytes);
    let kind = from.u8()?;
    let value = match kind {
        1 => Temporal::Duration(from.i64()?, from.i32()?),
        2 => Temporal::Instant(Instant {
            seconds: from.i64()?,
            nanos: from.i32()?,
        }),
        3 => Temporal::LocalDate(date(&mut from)?),
        4 => Temporal::LocalTime(time(&mut from)?),
        5 => Temporal::LocalDateTime(date_time(&mut from)?),
        6 => Temporal::ZonedDateTime(zoned(&mut from, texts)?),
        7 => Temporal::ZoneRegion(region(&mut from, texts)?),
        8 => Temporal::ZoneOffset(offset(&mut from)?),
        9 => {
            let time = JavaValue::Time(Temporal::LocalTime(time(&mut from)?));
            let offset = JavaValue::Time(Temporal::ZoneOffset(offset(&mut from)?));
            let fields = [("time", time), ("offset", offset)];
            return Ok(JavaValue::object("java.time.OffsetTime", fields));
        }
        10 => Temporal::OffsetDateTime(OffsetDateTime {
            local: date_time(&mut from)?,
            offset: offset(&mut from)?,
        }),
        11 => Temporal::Year(from.i32()?),
        12 => Temporal::YearMonth(YearMonth {
            year: from.i32()?,
            month: from.u8()?,
        }),
        13 => {
            let month = JavaValue::Integer(from.u8()?.into());
            let day = JavaValue::Integer(from.u8()?.into());
            let fields = [("month", month), ("day", day)];
            return Ok(JavaValue::object("java.time.MonthDay", fields));
        }
        14 => Temporal::Period(Period {
            years: from.i32()?,
            months: from.i32()?,
            days: from.i32()?,
        }),
        _ => return Err(from.malformed("a value of java.time is of an unknown kind")),
    };
    Ok(JavaValue::Time(value))
}

fn date(from: &mut Cursor<'_>) -> Result<LocalDate, Malformed> {
    Ok(LocalDate {
        year: from.i32()?,
        month: from.u8()?,
        day: from.u8()?,
    })
}

/// The last part that is not zero is complemented, and zeros after it are left out.
fn time(from: &mut Cursor<'_>) -> Result<LocalTime, Malformed> {
    let mut parts = [0; 3];
    let mut is_cut = false;
    for part in &mut parts {
        let read = from.i8()?;
        is_cut = read < 0;
        *part = if is_cut { !read } else { read }.cast_unsigned();
        if is_cut {
            break;
        }
    }
    let [hour, minute, second] = parts;
    let nano = if is_cut { 0 } else { from.i32()? };
    Ok(LocalTime {
        hour,
        minute,
        second,
        nano,
    })
}

fn date_time(from: &mut Cursor<'_>) -> Result<LocalDateTime, Malformed> {
    Ok(LocalDateTime {
        date: date(from)?,
        time: time(from)?,
    })
}

/// In quarters of an hour, or else 127 and seconds.
fn offset(from: &mut Cursor<'_>) -> Result<i32, Malformed> {
    match from.i8()? {
        127 => from.i32(),
        quarters => Ok(i32::from(quarters) * 900),
    }
}

fn zoned(from: &mut Cursor<'_>, texts: Texts) -> Result<ZonedDateTime, Malformed> {
    let local = date_time(from)?;
    // The zone tells it again, but for the hour that comes twice in autumn.
    offset(from)?;
    let zone = match from.u8()? {
        7 => region(from, texts)?,
        8 => zone::id(offset(from)?),
        _ => return Err(from.malformed("a time zone is of an unknown kind")),
    };
    Ok(ZonedDateTime { local, zone })
}

fn region(from: &mut Cursor<'_>, texts: Texts) -> Result<String, Malformed> {
    match texts {
        Texts::Bytes => from.name(),
        #[cfg(feature = "marshalling")]
        Texts::Units => from.long_name(),
    }
}
