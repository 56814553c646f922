//! Numbers, dates, times and enums.

use num_bigint::{BigInt, Sign};

use super::writer::{Key, Writer, Written};
use crate::java::{
    BigDecimal, Constant, Date, JavaValue, LocalDate, LocalTime, Name, Output, Temporal, Unwritable,
};

impl Writer<'_> {
    pub(super) fn scalar(&mut self, value: &JavaValue) -> Written {
        match value {
            JavaValue::Boolean(it) => self.boxed(b'Z', value, Some(i64::from(*it))),
            JavaValue::Byte(it) => self.boxed(b'B', value, Some(i64::from(*it))),
            JavaValue::Character(it) => self.boxed(b'C', value, kept(i64::from(*it))),
            JavaValue::Double(_) => self.boxed(b'D', value, None),
            JavaValue::Float(_) => self.boxed(b'F', value, None),
            JavaValue::Integer(it) => self.boxed(b'I', value, kept(i64::from(*it))),
            JavaValue::Long(it) => self.boxed(b'J', value, kept(*it)),
            JavaValue::Short(it) => self.boxed(b'S', value, kept(i64::from(*it))),
            JavaValue::BigInteger(it) => self.big_integer(it, None),
            JavaValue::BigDecimal(it) => self.big_decimal(it),
            JavaValue::Uuid(it) => {
                self.begin("java.util.UUID", None)?;
                let [least, most] = [*it as u64, (*it >> 64) as u64];
                self.out.i64(least.cast_signed());
                self.out.i64(most.cast_signed());
                Ok(())
            }
            JavaValue::Date(it) => self.date(it),
            JavaValue::Enum(it) => self.constant(it),
            JavaValue::Time(it) => self.time(it),
            other => Err(Unwritable {
                class: other.class_name(),
                reason: "the class is not serializable",
            }),
        }
    }

    fn boxed(&mut self, letter: u8, value: &JavaValue, kept: Option<i64>) -> Written {
        let class = value.class_name();
        let key = kept.map(|it| Key::Number(class.clone(), it));
        if key.as_ref().is_some_and(|key| self.refers(key)) {
            return Ok(());
        }
        self.begin(&class, key)?;
        self.primitive(letter, value)
    }

    /// Writes the bare number, which must be of the type of this letter.
    pub(super) fn primitive(&mut self, letter: u8, value: &JavaValue) -> Written {
        let written = self.out.primitive(letter, value);
        written.ok_or_else(|| Unwritable {
            class: value.class_name(),
            reason: "a primitive value of another type is declared",
        })
    }

    fn big_integer(&mut self, number: &BigInt, key: Option<Key>) -> Written {
        if key.as_ref().is_some_and(|key| self.refers(key)) {
            return Ok(());
        }
        self.begin("java.math.BigInteger", key)?;
        // What Java once kept in fields: bit count, bit length, first byte and lowest bit set.
        for unused in [-1, -1, -2, -2] {
            self.out.i32(unused);
        }
        let (sign, magnitude) = number.to_bytes_be();
        let (signum, magnitude) = match sign {
            Sign::Minus => (-1, &magnitude[..]),
            Sign::NoSign => (0, &[][..]),
            Sign::Plus => (1, &magnitude[..]),
        };
        self.out.i32(signum);
        self.byte_array(magnitude)?;
        self.end();
        Ok(())
    }

    fn big_decimal(&mut self, number: &BigDecimal) -> Written {
        self.begin("java.math.BigDecimal", None)?;
        self.out.i32(number.scale);
        // The digits of one that fits a long become a `BigInteger` only now, by `valueOf`.
        let small = i64::try_from(&number.unscaled).ok();
        let kept = small.filter(|it| (-16..=16).contains(it));
        let key = kept.map(|it| Key::Number("java.math.BigInteger".into(), it));
        self.big_integer(&number.unscaled, key)?;
        self.end();
        Ok(())
    }

    fn date(&mut self, date: &Date) -> Written {
        let is_timestamp = date.class == "java.sql.Timestamp";
        let below_a_second = date.millis.rem_euclid(1000);
        self.begin(&date.class, None)?;
        let written = match is_timestamp {
            true => date.millis.wrapping_sub(below_a_second),
            false => date.millis,
        };
        self.block(&written.to_be_bytes());
        self.end();
        if is_timestamp {
            let nanos = i32::try_from(below_a_second).unwrap_or(0) * 1_000_000;
            self.out.i32(nanos);
        }
        Ok(())
    }

    pub(super) fn constant(&mut self, constant: &Constant) -> Written {
        let key = Key::Constant(constant.class.clone(), constant.name.clone());
        if self.refers(&key) {
            return Ok(());
        }
        self.out.u8(ENUM);
        self.enum_class(&constant.class)?;
        self.number(Some(key));
        self.string(&constant.name);
        Ok(())
    }

    fn time(&mut self, time: &Temporal) -> Written {
        self.begin("java.time.Ser", None)?;
        let mut out = Output::default();
        match time {
            Temporal::Duration(seconds, nanos) => {
                out.u8(1);
                out.i64(*seconds);
                out.i32(*nanos);
            }
            Temporal::Instant(it) => {
                out.u8(2);
                out.i64(it.seconds);
                out.i32(it.nanos);
            }
            Temporal::LocalDate(it) => {
                out.u8(3);
                local_date(&mut out, it);
            }
            Temporal::LocalTime(it) => {
                out.u8(4);
                local_time(&mut out, it);
            }
            Temporal::LocalDateTime(it) => {
                out.u8(5);
                local_date(&mut out, &it.date);
                local_time(&mut out, &it.time);
            }
            Temporal::ZoneRegion(id) => {
                out.u8(7);
                let bytes = crate::java::modified_utf8(id.encode_utf16());
                // Longer ids would be split into several blocks, and name no place.
                let length = u8::try_from(bytes.len()).map_err(|_| Unwritable {
                    class: time.class_name(),
                    reason: "the id of the zone is too long",
                })?;
                out.u16(length.into());
                out.bytes(&bytes);
            }
            Temporal::ZoneOffset(seconds) => {
                out.u8(8);
                zone_offset(&mut out, *seconds);
            }
            Temporal::OffsetDateTime(it) => {
                out.u8(10);
                local_date(&mut out, &it.local.date);
                local_time(&mut out, &it.local.time);
                zone_offset(&mut out, it.offset);
            }
            Temporal::Year(year) => {
                out.u8(11);
                out.i32(*year);
            }
            Temporal::YearMonth(it) => {
                out.u8(12);
                out.i32(it.year);
                out.u8(it.month);
            }
            Temporal::Period(it) => {
                out.u8(14);
                out.i32(it.years);
                out.i32(it.months);
                out.i32(it.days);
            }
            Temporal::ZonedDateTime(_) => {
                return Err(Unwritable {
                    class: time.class_name(),
                    reason: "the offset of the zone at that time is not known here",
                });
            }
        }
        self.block(&out.into_bytes());
        self.end();
        Ok(())
    }
}

/// What `valueOf` of the class that boxes a number makes only one object of.
fn kept(number: i64) -> Option<i64> {
    (-128..128).contains(&number).then_some(number)
}

fn local_date(out: &mut Output, date: &LocalDate) {
    out.i32(date.year);
    out.u8(date.month);
    out.u8(date.day);
}

/// The last part that is not zero is complemented, and zeros after it are left out.
fn local_time(out: &mut Output, time: &LocalTime) {
    let LocalTime {
        hour,
        minute,
        second,
        nano,
    } = *time;
    match (minute, second, nano) {
        (0, 0, 0) => out.u8(!hour),
        (_, 0, 0) => out.bytes(&[hour, !minute]),
        (_, _, 0) => out.bytes(&[hour, minute, !second]),
        _ => {
            out.bytes(&[hour, minute, second]);
            out.i32(nano);
        }
    }
}

fn zone_offset(out: &mut Output, seconds: i32) {
    match i8::try_from(seconds / 900) {
        Ok(quarters) if seconds % 900 == 0 && quarters != 127 => {
            out.u8(quarters.cast_unsigned());
        }
        _ => {
            out.u8(127);
            out.i32(seconds);
        }
    }
}

/// The class that a list or an enum's map names for its elements or keys: that of the first.
pub(super) fn enum_of(values: &mut dyn Iterator<Item = &JavaValue>) -> Option<Name> {
    match values.next() {
        Some(JavaValue::Enum(constant)) => Some(constant.class.clone()),
        _ => None,
    }
}

const ENUM: u8 = 0x7e;
