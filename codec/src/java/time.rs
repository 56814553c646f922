//! The values of `java.time`. The Rust types can hold more than the Java classes, such as a month
//! 13. Codecs refuse to write those.
#![expect(
    clippy::exhaustive_structs,
    reason = "java.time will not change its fields"
)]

use super::Name;

pub(crate) mod numbers;

/// A value of `java.time`.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Temporal {
    /// `java.time.Duration`: seconds, plus 0 to 999,999,999 nanoseconds.
    Duration(i64, i32),
    /// `java.time.Instant`
    Instant(Instant),
    /// `java.time.LocalDate`
    LocalDate(LocalDate),
    /// `java.time.LocalDateTime`
    LocalDateTime(LocalDateTime),
    /// `java.time.LocalTime`
    LocalTime(LocalTime),
    /// `java.time.OffsetDateTime`
    OffsetDateTime(OffsetDateTime),
    /// `java.time.Period`
    Period(Period),
    /// `java.time.Year`
    Year(i32),
    /// `java.time.YearMonth`
    YearMonth(YearMonth),
    /// `java.time.ZoneOffset`: seconds east of Greenwich.
    ZoneOffset(i32),
    /// `java.time.ZoneRegion`, the class behind `ZoneId.of("Europe/Paris")`.
    ZoneRegion(String),
    /// `java.time.ZonedDateTime`
    ZonedDateTime(ZonedDateTime),
}

impl Temporal {
    /// The name of the class.
    #[must_use]
    pub fn class_name(&self) -> Name {
        Name::new(match self {
            Self::Duration(..) => "java.time.Duration",
            Self::Instant(_) => "java.time.Instant",
            Self::LocalDate(_) => "java.time.LocalDate",
            Self::LocalDateTime(_) => "java.time.LocalDateTime",
            Self::LocalTime(_) => "java.time.LocalTime",
            Self::OffsetDateTime(_) => "java.time.OffsetDateTime",
            Self::Period(_) => "java.time.Period",
            Self::Year(_) => "java.time.Year",
            Self::YearMonth(_) => "java.time.YearMonth",
            Self::ZoneOffset(_) => "java.time.ZoneOffset",
            Self::ZoneRegion(_) => "java.time.ZoneRegion",
            Self::ZonedDateTime(_) => "java.time.ZonedDateTime",
        })
    }
}

impl Temporal {
    /// Refuses a time that does not exist. A Java consumer would get an exception and lose the
    /// value.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        match self {
            Self::Duration(_, nanos) => nanos_are_right(*nanos),
            Self::Instant(it) => {
                // From Instant.MIN to Instant.MAX.
                let range = -31_557_014_167_219_200..=31_556_889_864_403_199;
                is_right(range.contains(&it.seconds), "java has no such instant")?;
                nanos_are_right(it.nanos)
            }
            Self::LocalDate(it) => it.check(),
            Self::LocalDateTime(it) => it.check(),
            Self::LocalTime(it) => it.check(),
            Self::OffsetDateTime(it) => {
                it.local.check()?;
                offset_is_right(it.offset)
            }
            Self::Period(_) | Self::ZoneRegion(_) => Ok(()),
            Self::Year(year) => year_is_right(*year),
            Self::YearMonth(it) => {
                is_right((1..=12).contains(&it.month), "java has no such month")?;
                year_is_right(it.year)
            }
            Self::ZoneOffset(seconds) => offset_is_right(*seconds),
            Self::ZonedDateTime(it) => it.local.check(),
        }
    }
}

impl LocalDateTime {
    fn check(&self) -> Result<(), &'static str> {
        self.date.check()?;
        self.time.check()
    }
}

impl LocalDate {
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let is_leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0);
        let days = match self.month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => 0,
        };
        is_right((1..=days).contains(&self.day), "java has no such day")?;
        year_is_right(self.year)
    }
}

impl LocalTime {
    fn check(&self) -> Result<(), &'static str> {
        let is_time = self.hour < 24 && self.minute < 60 && self.second < 60;
        is_right(is_time, "java has no such time of day")?;
        nanos_are_right(self.nano)
    }
}

fn year_is_right(year: i32) -> Result<(), &'static str> {
    let is_year = year.unsigned_abs() <= 999_999_999;
    is_right(is_year, "java has no such year")
}

fn nanos_are_right(nanos: i32) -> Result<(), &'static str> {
    let is_part = (0..1_000_000_000).contains(&nanos);
    is_right(is_part, "java has no such nanosecond")
}

fn offset_is_right(seconds: i32) -> Result<(), &'static str> {
    let is_offset = seconds.unsigned_abs() <= 18 * 3600;
    is_right(is_offset, "java has no such offset of a zone")
}

fn is_right(is_right: bool, otherwise: &'static str) -> Result<(), &'static str> {
    if is_right { Ok(()) } else { Err(otherwise) }
}

/// A `java.time.Instant`: `seconds` since 1970, negative before 1970, plus `nanos`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Instant {
    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    pub seconds: i64,
    /// Nanoseconds of that second.
    pub nanos: i32,
}

/// A `java.time.LocalDate`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct LocalDate {
    /// The year; 0 is the year before the year 1.
    pub year: i32,
    /// 1 to 12
    pub month: u8,
    /// 1 to 31
    pub day: u8,
}

/// A `java.time.LocalTime`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct LocalTime {
    /// 0 to 23
    pub hour: u8,
    /// 0 to 59
    pub minute: u8,
    /// 0 to 59
    pub second: u8,
    /// 0 to 999,999,999
    pub nano: i32,
}

/// A `java.time.LocalDateTime`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct LocalDateTime {
    /// The day.
    pub date: LocalDate,
    /// The time of the day.
    pub time: LocalTime,
}

/// A `java.time.OffsetDateTime`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct OffsetDateTime {
    /// What a clock on the wall shows there.
    pub local: LocalDateTime,
    /// Seconds east of Greenwich.
    pub offset: i32,
}

/// A `java.time.ZonedDateTime`.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct ZonedDateTime {
    /// What a clock on the wall shows there.
    pub local: LocalDateTime,
    /// The zone: `Europe/Paris`, `+02:00`, `Z`.
    pub zone: String,
}

/// A `java.time.Period`.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Period {
    /// Years.
    pub years: i32,
    /// Months.
    pub months: i32,
    /// Days.
    pub days: i32,
}

/// A `java.time.YearMonth`.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct YearMonth {
    /// The year; 0 is the year before the year 1.
    pub year: i32,
    /// 1 to 12
    pub month: u8,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(year: i32, month: u8, day: u8) -> Temporal {
        Temporal::LocalDate(LocalDate { year, month, day })
    }

    #[test]
    fn only_times_that_java_has_are_right() {
        let instant = |seconds| Temporal::Instant(Instant { seconds, nanos: 0 });
        for right in [
            date(2024, 2, 29),
            date(-999_999_999, 1, 1),
            date(2000, 2, 29),
            instant(31_556_889_864_403_199),
            Temporal::Duration(i64::MIN, 999_999_999),
            Temporal::ZoneOffset(-64_800),
        ] {
            assert_eq!(right.check(), Ok(()), "{right:?}");
        }
        for wrong in [
            date(2023, 2, 29),
            date(1900, 2, 29),
            date(2024, 0, 1),
            date(2024, 13, 1),
            date(2024, 4, 31),
            date(1_000_000_000, 1, 1),
            instant(31_556_889_864_403_200),
            Temporal::Duration(0, -1),
            Temporal::Year(i32::MIN),
            Temporal::ZoneOffset(i32::MIN),
        ] {
            assert!(wrong.check().is_err(), "{wrong:?}");
        }
    }
}
