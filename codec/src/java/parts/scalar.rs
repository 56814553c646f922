//! Numbers, dates and times.

use num_bigint::{BigInt, Sign};

use super::{Key, Parts, Piece, Sent, unwritable};
use crate::java::graph::Texts;
use crate::java::time::numbers::{self, KINDS, Writes};
use crate::java::{
    BigDecimal, JavaValue, Name, Output, Schema, Temporal, Unwritable, View, modified_utf8, zone,
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
    let kind = KINDS.iter().find(|it| time.class_name() == it.1);
    let mut ser = Ser {
        out: Output::default(),
        texts,
    };
    ser.byte(kind.map_or(0, |it| it.0));
    numbers::write(time, &mut ser).map_err(refused)?;
    let class = Name::new("java.time.Ser");
    let sent = Sent::new(class.clone()).block(ser.out.into_bytes());
    let key = kept_time(time).map(|it| Key::Number(time.class_name(), it));
    Ok(Parts::known(&class, [sent], schema)?.with_key(key))
}

/// A number for each time of its class of which there is one object, because Java keeps it.
fn kept_time(time: &Temporal) -> Option<i64> {
    match time {
        Temporal::Duration(0, 0) => Some(0),
        Temporal::Instant(it) if (it.seconds, it.nanos) == (0, 0) => Some(0),
        Temporal::LocalTime(it) if (it.minute, it.second, it.nano) == (0, 0, 0) => {
            Some(it.hour.into())
        }
        Temporal::Period(it) if (it.years, it.months, it.days) == (0, 0, 0) => Some(0),
        Temporal::ZoneOffset(seconds) if seconds % 900 == 0 => Some((*seconds).into()),
        _ => None,
    }
}

struct Ser {
    out: Output,
    texts: Texts,
}

impl Writes for Ser {
    type Error = &'static str;

    fn byte(&mut self, number: u8) {
        self.out.u8(number);
    }

    fn int(&mut self, number: i32) {
        self.out.i32(number);
    }

    fn long(&mut self, number: i64) {
        self.out.i64(number);
    }

    fn region(&mut self, id: &str) -> Result<(), &'static str> {
        let bytes = modified_utf8(id.encode_utf16());
        // Longer ids would be split into several blocks, and name no place.
        let length = u8::try_from(bytes.len()).map_err(|_| "the id of the zone is too long")?;
        match self.texts {
            Texts::Bytes => self.out.u16(length.into()),
            #[cfg(feature = "marshalling")]
            Texts::Units => {
                let units = id.encode_utf16().count();
                self.out.i32(i32::try_from(units).unwrap_or(i32::MAX));
            }
        }
        self.out.bytes(&bytes);
        Ok(())
    }

    fn zone(&mut self, zone: &str) -> Result<(), &'static str> {
        // That of a region would need the rules of all regions.
        let reason = "the offset of the zone at that time is not known here";
        let offset = zone::parse(zone).ok_or(reason)?;
        numbers::write_offset(self, offset);
        self.byte(8);
        numbers::write_offset(self, offset);
        Ok(())
    }
}
