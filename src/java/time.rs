//! What `java.time` holds. The fields have the ranges of the Java classes. A Rust type can hold more,
//! such as a month 13: that is for the codecs to refuse, as [`Kryo5Codec`](crate::codec::Kryo5Codec)
//! does, or for Java.
#![expect(
    clippy::exhaustive_structs,
    reason = "java.time will not change its fields"
)]

use super::Name;

/// A value of `java.time`.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum Temporal {
    /// `java.time.Duration`: seconds, and nanoseconds of 0 to 999,999,999 to be added.
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

/// A `java.time.Instant`: `seconds` since 1970, negative before, and `nanos` to be added.
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
