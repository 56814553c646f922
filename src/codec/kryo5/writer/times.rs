use super::Writer;
use crate::codec::kryo5::fault::{Fault, Result};
use crate::java::{LocalDate, LocalDateTime, LocalTime, Temporal};

/// A consumer in Java gets an exception for a time that there is not, and the element is lost: so
/// such a one is not written.
impl Writer<'_> {
    pub(super) fn time(&mut self, time: &Temporal) -> Result<()> {
        match time {
            Temporal::Duration(seconds, nanos) => {
                self.output.bytes(&seconds.to_le_bytes());
                self.nanos(*nanos)
            }
            Temporal::Instant(it) => {
                // From Instant.MIN to Instant.MAX.
                let range = -31_557_014_167_219_200..=31_556_889_864_403_199;
                check(range.contains(&it.seconds), "instant")?;
                self.output.long(it.seconds);
                self.nanos(it.nanos)
            }
            Temporal::LocalDate(it) => self.date(*it),
            Temporal::LocalDateTime(it) => self.date_and_clock(*it),
            Temporal::LocalTime(it) => self.clock(*it),
            Temporal::OffsetDateTime(it) => {
                self.date_and_clock(it.local)?;
                self.offset_of_zone(it.offset)
            }
            Temporal::ZonedDateTime(it) => {
                self.date_and_clock(it.local)?;
                self.output.text(&it.zone)
            }
            Temporal::ZoneOffset(seconds) => self.offset_of_zone(*seconds),
            Temporal::ZoneRegion(zone) => self.output.text(zone),
            Temporal::Year(year) => self.year(*year),
            Temporal::YearMonth(it) => {
                check((1..=12).contains(&it.month), "month")?;
                self.year(it.year)?;
                self.output.byte(it.month);
                Ok(())
            }
            Temporal::Period(it) => {
                for part in [it.years, it.months, it.days] {
                    self.output.int(part);
                }
                Ok(())
            }
        }
    }

    fn nanos(&mut self, nanos: i32) -> Result<()> {
        check((0..1_000_000_000).contains(&nanos), "nanosecond")?;
        self.output.int(nanos);
        Ok(())
    }

    fn year(&mut self, year: i32) -> Result<()> {
        check(year.unsigned_abs() <= 999_999_999, "year")?;
        self.output.int(year);
        Ok(())
    }

    fn date(&mut self, date: LocalDate) -> Result<()> {
        let is_leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
        let days = match date.month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => 0,
        };
        check((1..=days).contains(&date.day), "day")?;
        self.year(date.year)?;
        self.output.bytes(&[date.month, date.day]);
        Ok(())
    }

    /// The last part that is not zero is complemented, but for nanoseconds.
    fn clock(&mut self, time: LocalTime) -> Result<()> {
        let LocalTime {
            hour,
            minute,
            second,
            nano,
        } = time;
        check(hour < 24 && minute < 60 && second < 60, "time of day")?;
        match (minute, second, nano) {
            (0, 0, 0) => self.output.byte(!hour),
            (_, 0, 0) => self.output.bytes(&[hour, !minute]),
            (_, _, 0) => self.output.bytes(&[hour, minute, !second]),
            _ => {
                self.output.bytes(&[hour, minute, second]);
                self.nanos(nano)?;
            }
        }
        Ok(())
    }

    fn date_and_clock(&mut self, it: LocalDateTime) -> Result<()> {
        self.date(it.date)?;
        self.clock(it.time)
    }

    /// In quarters of an hour if that is enough.
    fn offset_of_zone(&mut self, seconds: i32) -> Result<()> {
        check(seconds.abs() <= 18 * 3600, "offset of a zone")?;
        match i8::try_from(seconds / 900) {
            Ok(quarters) if seconds % 900 == 0 => self.output.byte(quarters.cast_unsigned()),
            _ => {
                self.output.byte(127);
                self.output.bytes(&seconds.to_le_bytes());
            }
        }
        Ok(())
    }
}

fn check(is_right: bool, what: &str) -> Result<()> {
    match is_right {
        true => Ok(()),
        false => Err(Fault::new(format!("java has no such {what}"))),
    }
}
