//! The values of `java.time` in numbers. Java's serialization and Kryo write the same numbers in the
//! same order, and differ in the bytes of a number.

use super::{
    Instant, LocalDate, LocalDateTime, LocalTime, OffsetDateTime, Period, Temporal, YearMonth,
    ZonedDateTime,
};
use crate::java::JavaValue;

/// Where numbers are read from.
pub(crate) trait Reads {
    type Error;

    fn byte(&mut self) -> Result<u8, Self::Error>;
    fn int(&mut self) -> Result<i32, Self::Error>;
    fn long(&mut self) -> Result<i64, Self::Error>;
    fn region(&mut self) -> Result<String, Self::Error>;

    /// Four bytes, even if Kryo writes other numbers in fewer.
    fn wide_int(&mut self) -> Result<i32, Self::Error> {
        self.int()
    }

    /// Eight bytes.
    fn wide_long(&mut self) -> Result<i64, Self::Error> {
        self.long()
    }

    /// The zone behind a time.
    fn zone(&mut self) -> Result<String, Self::Error> {
        self.region()
    }
}

/// Where numbers are written to, as in [`Reads`].
pub(crate) trait Writes {
    type Error;

    fn byte(&mut self, number: u8);
    fn int(&mut self, number: i32);
    fn long(&mut self, number: i64);
    fn region(&mut self, id: &str) -> Result<(), Self::Error>;

    fn wide_int(&mut self, number: i32) {
        self.int(number);
    }

    fn wide_long(&mut self, number: i64) {
        self.long(number);
    }

    fn zone(&mut self, zone: &str) -> Result<(), Self::Error> {
        self.region(zone)
    }
}

/// The classes whose values are a [`Temporal`], with the numbers that they have in `java.time.Ser`.
pub(crate) const KINDS: [(u8, &str); 12] = [
    (1, "java.time.Duration"),
    (2, "java.time.Instant"),
    (3, "java.time.LocalDate"),
    (4, "java.time.LocalTime"),
    (5, "java.time.LocalDateTime"),
    (6, "java.time.ZonedDateTime"),
    (7, "java.time.ZoneRegion"),
    (8, "java.time.ZoneOffset"),
    (10, "java.time.OffsetDateTime"),
    (11, "java.time.Year"),
    (12, "java.time.YearMonth"),
    (14, "java.time.Period"),
];
/// `java.time.OffsetTime`, whose values are objects.
pub(crate) const OFFSET_TIME: u8 = 9;
/// `java.time.MonthDay`, whose values are objects.
pub(crate) const MONTH_DAY: u8 = 13;

/// Reads a value of this kind. `None` if there is no such kind.
pub(crate) fn read<R: Reads>(kind: u8, from: &mut R) -> Result<Option<JavaValue>, R::Error> {
    let time = match kind {
        1 => Temporal::Duration(from.wide_long()?, from.int()?),
        2 => Temporal::Instant(Instant {
            seconds: from.long()?,
            nanos: from.int()?,
        }),
        3 => Temporal::LocalDate(read_date(from)?),
        4 => Temporal::LocalTime(read_clock(from)?),
        5 => Temporal::LocalDateTime(read_both(from)?),
        6 => Temporal::ZonedDateTime(ZonedDateTime {
            local: read_both(from)?,
            zone: from.zone()?,
        }),
        7 => Temporal::ZoneRegion(from.region()?),
        8 => Temporal::ZoneOffset(read_offset(from)?),
        OFFSET_TIME => {
            let time = JavaValue::Time(Temporal::LocalTime(read_clock(from)?));
            let offset = JavaValue::Time(Temporal::ZoneOffset(read_offset(from)?));
            let fields = [("time", time), ("offset", offset)];
            return Ok(Some(JavaValue::object("java.time.OffsetTime", fields)));
        }
        10 => Temporal::OffsetDateTime(OffsetDateTime {
            local: read_both(from)?,
            offset: read_offset(from)?,
        }),
        11 => Temporal::Year(from.int()?),
        12 => Temporal::YearMonth(YearMonth {
            year: from.int()?,
            month: from.byte()?,
        }),
        MONTH_DAY => {
            let month = JavaValue::Integer(from.byte()?.into());
            let day = JavaValue::Integer(from.byte()?.into());
            let fields = [("month", month), ("day", day)];
            return Ok(Some(JavaValue::object("java.time.MonthDay", fields)));
        }
        14 => Temporal::Period(Period {
            years: from.int()?,
            months: from.int()?,
            days: from.int()?,
        }),
        _ => return Ok(None),
    };
    Ok(Some(JavaValue::Time(time)))
}

fn read_both<R: Reads>(from: &mut R) -> Result<LocalDateTime, R::Error> {
    Ok(LocalDateTime {
        date: read_date(from)?,
        time: read_clock(from)?,
    })
}

fn read_date<R: Reads>(from: &mut R) -> Result<LocalDate, R::Error> {
    Ok(LocalDate {
        year: from.int()?,
        month: from.byte()?,
        day: from.byte()?,
    })
}

/// The last part that is not zero is complemented, except nanoseconds, and zeros after it are left
/// out.
fn read_clock<R: Reads>(from: &mut R) -> Result<LocalTime, R::Error> {
    let mut parts = [0; 3];
    let mut is_cut = false;
    for part in &mut parts {
        let read = from.byte()?;
        is_cut = read >= 0x80;
        *part = if is_cut { !read } else { read };
        if is_cut {
            break;
        }
    }
    let [hour, minute, second] = parts;
    Ok(LocalTime {
        hour,
        minute,
        second,
        nano: if is_cut { 0 } else { from.int()? },
    })
}

/// In quarters of an hour, or else 127 and seconds.
pub(crate) fn read_offset<R: Reads>(from: &mut R) -> Result<i32, R::Error> {
    match from.byte()?.cast_signed() {
        127 => from.wide_int(),
        quarters => Ok(i32::from(quarters) * 900),
    }
}

/// Writes a value.
pub(crate) fn write<W: Writes>(time: &Temporal, to: &mut W) -> Result<(), W::Error> {
    match time {
        Temporal::Duration(seconds, nanos) => {
            to.wide_long(*seconds);
            to.int(*nanos);
        }
        Temporal::Instant(it) => {
            to.long(it.seconds);
            to.int(it.nanos);
        }
        Temporal::LocalDate(it) => write_date(to, *it),
        Temporal::LocalDateTime(it) => write_both(to, *it),
        Temporal::LocalTime(it) => write_clock(to, *it),
        Temporal::OffsetDateTime(it) => {
            write_both(to, it.local);
            write_offset(to, it.offset);
        }
        Temporal::Period(it) => {
            for part in [it.years, it.months, it.days] {
                to.int(part);
            }
        }
        Temporal::Year(year) => to.int(*year),
        Temporal::YearMonth(it) => {
            to.int(it.year);
            to.byte(it.month);
        }
        Temporal::ZoneOffset(seconds) => write_offset(to, *seconds),
        Temporal::ZoneRegion(id) => to.region(id)?,
        Temporal::ZonedDateTime(it) => {
            write_both(to, it.local);
            to.zone(&it.zone)?;
        }
    }
    Ok(())
}

fn write_both<W: Writes>(to: &mut W, it: LocalDateTime) {
    write_date(to, it.date);
    write_clock(to, it.time);
}

fn write_date<W: Writes>(to: &mut W, date: LocalDate) {
    to.int(date.year);
    to.byte(date.month);
    to.byte(date.day);
}

fn write_clock<W: Writes>(to: &mut W, time: LocalTime) {
    let parts = [time.hour, time.minute, time.second];
    let last = match (time.minute, time.second, time.nano) {
        (0, 0, 0) => 0,
        (_, 0, 0) => 1,
        (_, _, 0) => 2,
        _ => 3,
    };
    for part in &parts[..last] {
        to.byte(*part);
    }
    match parts.get(last) {
        Some(part) => to.byte(!part),
        None => to.int(time.nano),
    }
}

pub(crate) fn write_offset<W: Writes>(to: &mut W, seconds: i32) {
    match i8::try_from(seconds / 900) {
        Ok(quarters) if seconds % 900 == 0 && quarters != 127 => {
            to.byte(quarters.cast_unsigned());
        }
        _ => {
            to.byte(127);
            to.wide_int(seconds);
        }
    }
}
