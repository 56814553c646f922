//! Numbers, dates and times.

use num_bigint::{BigInt, Sign};

use super::{Key, Parts, Piece, Sent, unwritable};
use crate::java::graph::Texts;
use crate::java::{
    BigDecimal, JavaValue, LocalDate, LocalTime, Name, Output, Schema, Temporal, Unwritable, View,
    modified_utf8, zone,
};

pub(super) fn scalar<'v>(
    value: &View<'v>,
    schema: &Schema,
    texts: Texts,
) -> Result<Parts<'v>, Unwritable> {
    let class = value.class_name();
    let kept = match *value {
        View::BigInteger(number) => return big_integer(number, schema),
        View::BigDecimal(number) => return big_decimal(number, schema),
        View::Uuid(uuid) => {
            let [least, most] = [uuid as u64, (uuid >> 64) as u64].map(u64::cast_signed);
            let sent = Sent::new(class.clone())
                .field("leastSigBits", View::Long(least))
                .field("mostSigBits", View::Long(most));
            return Parts::known(&class, [sent], schema);
        }
        View::Date(class, millis) => return date(class, millis, schema),
        View::Time(time) => return self::time(time, schema, texts),
        View::Boolean(it) => Some(i64::from(it)),
        View::Byte(it) => Some(i64::from(it)),
        View::Character(it) => kept(i64::from(it)),
        View::Short(it) => kept(i64::from(it)),
        View::Integer(it) => kept(i64::from(it)),
        View::Long(it) => kept(it),
        View::Float(_) | View::Double(_) => None,
        _ => return Err(unwritable(&class, "the class is not serializable")),
    };
    let sent = Sent::new(class.clone()).field("value", *value);
    let parts = Parts::known(&class, [sent], schema)?;
    Ok(parts.with_key(kept.map(|it| Key::Number(class, it))))
}

/// The numbers for which `valueOf` always returns the same object.
fn kept(number: i64) -> Option<i64> {
    (-128..128).contains(&number).then_some(number)
}

fn big_integer<'v>(number: &BigInt, schema: &Schema) -> Result<Parts<'v>, Unwritable> {
    let (sign, magnitude) = number.to_bytes_be();
    let (signum, magnitude) = match sign {
        Sign::Minus => (-1, magnitude),
        Sign::NoSign => (0, Vec::new()),
        Sign::Plus => (1, magnitude),
    };
    // Java uses only the sign of these numbers. The others are from fields that it once had.
    let sent = Sent::new("java.math.BigInteger")
        .field("bitCount", -1)
        .field("bitLength", -1)
        .field("firstNonzeroByteNum", -2)
        .field("lowestSetBit", -2)
        .field("signum", signum)
        .field("magnitude", JavaValue::Bytes(magnitude.into()));
    let class = sent.class.clone();
    Parts::known(&class, [sent], schema)
}

fn big_decimal<'v>(number: &BigDecimal, schema: &Schema) -> Result<Parts<'v>, Unwritable> {
    let unscaled = JavaValue::BigInteger(number.unscaled.clone());
    // The digits of one that fits a long become a `BigInteger` only now, by `valueOf`.
    let small = i64::try_from(&number.unscaled).ok();
    let unscaled = match small.filter(|it| (-16..=16).contains(it)) {
        Some(small) => {
            let key = Key::Number(unscaled.class_name(), small);
            Piece::Shared(Box::new((key, unscaled)))
        }
        None => unscaled.into(),
    };
    let sent = Sent::new("java.math.BigDecimal")
        .field("scale", number.scale)
        .field("intVal", unscaled);
    let class = sent.class.clone();
    Parts::known(&class, [sent], schema)
}

fn date<'v>(class: &Name, millis: i64, schema: &Schema) -> Result<Parts<'v>, Unwritable> {
    let below_a_second = match class.as_str() {
        "java.sql.Timestamp" => millis.rem_euclid(1000),
        _ => 0,
    };
    let nanos = i32::try_from(below_a_second).unwrap_or(0) * 1_000_000;
    let whole = millis.wrapping_sub(below_a_second);
    let sent = [
        Sent::new("java.util.Date").block(whole.to_be_bytes()),
        Sent::new("java.sql.Timestamp").field("nanos", nanos),
    ];
    Parts::known(class, sent, schema)
}

fn time<'v>(time: &Temporal, schema: &Schema, texts: Texts) -> Result<Parts<'v>, Unwritable> {
    let refused = |reason| unwritable(&time.class_name(), reason);
    time.check().map_err(refused)?;
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
            let bytes = modified_utf8(id.encode_utf16());
            // Longer ids would be split into several blocks, and name no place.
            let length =
                u8::try_from(bytes.len()).map_err(|_| refused("the id of the zone is too long"))?;
            match texts {
                Texts::Bytes => out.u16(length.into()),
                #[cfg(feature = "marshalling")]
                Texts::Units => {
                    out.i32(i32::try_from(id.encode_utf16().count()).unwrap_or(i32::MAX));
                }
            }
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
        Temporal::ZonedDateTime(it) => {
            // That of a region would need the rules of all regions.
            let reason = "the offset of the zone at that time is not known here";
            let offset = zone::parse(&it.zone);
            let offset = offset.ok_or_else(|| refused(reason))?;
            out.u8(6);
            local_date(&mut out, &it.local.date);
            local_time(&mut out, &it.local.time);
            zone_offset(&mut out, offset);
            out.u8(8);
            zone_offset(&mut out, offset);
        }
    }
    let class = Name::new("java.time.Ser");
    let sent = Sent::new(class.clone()).block(out.into_bytes());
    Parts::known(&class, [sent], schema)
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

/// In quarters of an hour, or else 127 and seconds.
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
