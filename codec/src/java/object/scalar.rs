use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use num_bigint::BigInt;

use crate::java::{
    BigDecimal, Date, Instant, JavaObject, JavaType, JavaValue, LocalDate, LocalDateTime,
    LocalTime, Mismatch, OffsetDateTime, Period, Source, Temporal, Text, View, YearMonth,
    ZonedDateTime,
};

/// Implements [`JavaObject`] for a type that one variant of [`JavaValue`] holds.
macro_rules! scalar {
    ($($type:ty = $java:literal: $variant:ident |$it:ident| $seen:expr),* $(,)?) => {
        $(impl JavaObject for $type {
            fn java_type() -> JavaType {
                JavaType::new($java)
            }

            fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
                let $it = self;
                to(&View::$variant($seen));
            }

            #[inline]
            fn from_source(source: Source<'_>) -> Result<Self, Mismatch> {
                match source {
                    Source::Value(JavaValue::$variant(value)) => Ok(value),
                    other => Err(other.mismatch($java)),
                }
            }
        })*
    };
}

scalar! {
    bool = "boolean": Boolean |it| *it,
    i8 = "byte": Byte |it| *it,
    i16 = "short": Short |it| *it,
    u16 = "char": Character |it| *it,
    i32 = "int": Integer |it| *it,
    i64 = "long": Long |it| *it,
    f32 = "float": Float |it| *it,
    f64 = "double": Double |it| *it,
    BigInt = "java.math.BigInteger": BigInteger |it| it,
    BigDecimal = "java.math.BigDecimal": BigDecimal |it| it,
    Bytes = "[B": Bytes |it| it,
}

/// Implements [`JavaObject`] for a type that one variant of [`Temporal`] holds.
macro_rules! temporal {
    ($($type:ident),* $(,)?) => {
        $(impl JavaObject for $type {
            fn java_type() -> JavaType {
                JavaType::new(concat!("java.time.", stringify!($type)))
            }

            fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
                to(&View::Time(&Temporal::$type(self.clone())));
            }

            #[inline]
            fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
                match value {
                    JavaValue::Time(Temporal::$type(value)) => Ok(value),
                    other => Err(Mismatch::new(
                        concat!("java.time.", stringify!($type)),
                        &other,
                    )),
                }
            }
        })*
    };
}

temporal! {
    LocalDate,
    LocalDateTime,
    LocalTime,
    OffsetDateTime,
    Period,
    YearMonth,
    ZonedDateTime,
}

/// `java.lang.String`; what holds nothing but a text, such as a `java.net.URI`, is read too.
impl JavaObject for String {
    fn java_type() -> JavaType {
        JavaType::new("java.lang.String")
    }

    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        to(&View::String(self));
    }

    #[inline]
    fn from_source(source: Source<'_>) -> Result<Self, Mismatch> {
        match source {
            Source::Value(JavaValue::String(text) | JavaValue::Text(Text { text, .. })) => Ok(text),
            other => Err(other.mismatch("java.lang.String")),
        }
    }
}

/// `java.time.Instant`; a `java.util.Date` is read too.
impl JavaObject for Instant {
    fn java_type() -> JavaType {
        JavaType::new("java.time.Instant")
    }

    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        to(&View::Time(&Temporal::Instant(*self)));
    }

    fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
        match value {
            JavaValue::Time(Temporal::Instant(instant)) => Ok(instant),
            JavaValue::Date(Date { millis, .. }) => Ok(Self {
                seconds: millis.div_euclid(1_000),
                nanos: millis.rem_euclid(1_000) as i32 * 1_000_000,
            }),
            other => Err(Mismatch::new("java.time.Instant", &other)),
        }
    }
}

/// `java.util.Date`; those of `java.sql` are read too.
impl JavaObject for Date {
    fn java_type() -> JavaType {
        JavaType::new("java.util.Date")
    }

    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        to(&View::Date(&self.class, self.millis));
    }

    fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
        match value {
            JavaValue::Date(date) => Ok(date),
            other => Err(Mismatch::new("java.util.Date", &other)),
        }
    }
}

/// `byte[]`
impl JavaObject for Vec<u8> {
    fn java_type() -> JavaType {
        Bytes::java_type()
    }

    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        to(&View::Bytes(self));
    }

    fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
        Bytes::from_java(value).map(Into::into)
    }
}

/// `java.time.Duration`; one that is negative has no Rust counterpart.
impl JavaObject for Duration {
    fn java_type() -> JavaType {
        JavaType::new("java.time.Duration")
    }

    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        let seconds = i64::try_from(self.as_secs()).unwrap_or(i64::MAX);
        to(&View::Time(&Temporal::Duration(seconds, nanos(self))));
    }

    fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
        let parts = match &value {
            JavaValue::Time(Temporal::Duration(seconds, nanos)) => {
                duration(u64::try_from(*seconds).ok(), *nanos)
            }
            _ => None,
        };
        parts.ok_or_else(|| Mismatch::new("java.time.Duration that is not negative", &value))
    }
}

/// `java.time.Instant`; a `java.util.Date` is read too.
impl JavaObject for SystemTime {
    fn java_type() -> JavaType {
        JavaType::new("java.time.Instant")
    }

    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        let since = match self.duration_since(UNIX_EPOCH) {
            Ok(after) => Instant {
                seconds: i64::try_from(after.as_secs()).unwrap_or(i64::MAX),
                nanos: nanos(&after),
            },
            Err(error) => {
                let before = error.duration();
                let seconds = i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
                match nanos(&before) {
                    0 => Instant {
                        seconds: -seconds,
                        nanos: 0,
                    },
                    nanos => Instant {
                        seconds: (-seconds).saturating_sub(1),
                        nanos: 1_000_000_000 - nanos,
                    },
                }
            }
        };
        since.view(to);
    }

    fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
        let class = value.class_name();
        let Instant { seconds, nanos } = Instant::from_java(value)?;
        let whole = Duration::from_secs(seconds.unsigned_abs());
        let second = if seconds < 0 {
            UNIX_EPOCH.checked_sub(whole)
        } else {
            UNIX_EPOCH.checked_add(whole)
        };
        second
            .zip(duration(Some(0), nanos))
            .and_then(|(second, nanos)| second.checked_add(nanos))
            .ok_or_else(|| Mismatch::unknown("a moment that the clock can show", &*class))
    }
}

fn nanos(duration: &Duration) -> i32 {
    i32::try_from(duration.subsec_nanos()).unwrap_or(0)
}

fn duration(seconds: Option<u64>, nanos: i32) -> Option<Duration> {
    let nanos = u32::try_from(nanos).ok().filter(|it| *it < 1_000_000_000)?;
    Some(Duration::new(seconds?, nanos))
}
