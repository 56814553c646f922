use super::Writer;
use crate::java::{LocalDate, LocalDateTime, LocalTime, Mismatch, Temporal};
use crate::kryo5::Result;
use crate::kryo5::output::Output;

impl Writer<'_> {
    pub(super) fn time(&mut self, time: &Temporal) -> Result<()> {
        time.check().map_err(Mismatch::because)?;
        let output = &mut self.output;
        match time {
            Temporal::Duration(seconds, nanos) => {
                output.bytes(&seconds.to_le_bytes());
                output.int(*nanos);
            }
            Temporal::Instant(it) => {
                output.long(it.seconds);
                output.int(it.nanos);
            }
            Temporal::LocalDate(it) => date(output, *it),
            Temporal::LocalDateTime(it) => date_and_clock(output, *it),
            Temporal::LocalTime(it) => clock(output, *it),
            Temporal::OffsetDateTime(it) => {
                date_and_clock(output, it.local);
                offset_of_zone(output, it.offset);
            }
            Temporal::ZonedDateTime(it) => {
                date_and_clock(output, it.local);
                output.text(&it.zone)?;
            }
            Temporal::ZoneOffset(seconds) => offset_of_zone(output, *seconds),
            Temporal::ZoneRegion(zone) => output.text(zone)?,
            Temporal::Year(year) => output.int(*year),
            Temporal::YearMonth(it) => {
                output.int(it.year);
                output.byte(it.month);
            }
            Temporal::Period(it) => {
                for part in [it.years, it.months, it.days] {
                    output.int(part);
                }
            }
        }
        Ok(())
    }
}

fn date(output: &mut Output<'_>, date: LocalDate) {
    output.int(date.year);
    output.bytes(&[date.month, date.day]);
}

/// The last part that is not zero is complemented, except nanoseconds.
fn clock(output: &mut Output<'_>, time: LocalTime) {
    let LocalTime {
        hour,
        minute,
        second,
        nano,
    } = time;
    match (minute, second, nano) {
        (0, 0, 0) => output.byte(!hour),
        (_, 0, 0) => output.bytes(&[hour, !minute]),
        (_, _, 0) => output.bytes(&[hour, minute, !second]),
        _ => {
            output.bytes(&[hour, minute, second]);
            output.int(nano);
        }
    }
}

fn date_and_clock(output: &mut Output<'_>, it: LocalDateTime) {
    date(output, it.date);
    clock(output, it.time);
}

/// In quarters of an hour if the offset is a multiple of one.
fn offset_of_zone(output: &mut Output<'_>, seconds: i32) {
    match i8::try_from(seconds / 900) {
        Ok(quarters) if seconds % 900 == 0 => output.byte(quarters.cast_unsigned()),
        _ => {
            output.byte(127);
            output.bytes(&seconds.to_le_bytes());
        }
    }
}
