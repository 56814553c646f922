use std::fmt;

use num_bigint::BigInt;
use rmp::encode;

use crate::jackson::number::{double_of, integer_of};
use crate::jackson::sink::{Sink, Written, no_half};
use crate::jackson::tape::{CLASS, Token};
use crate::java::{BigDecimal, Mismatch};

/// Writes values as Jackson does: each number in the fewest bytes.
pub(in crate::jackson) struct Printer<'a>(pub(in crate::jackson) &'a mut Vec<u8>);

impl Sink for Printer<'_> {
    const COUNTS: bool = true;

    fn leaf(&mut self, leaf: &Token<'_>) -> Written {
        let out = &mut *self.0;
        match leaf {
            Token::Boolean(it) => done(encode::write_bool(out, *it)),
            Token::Integer(it) => done(encode::write_sint(out, *it)),
            Token::BigInteger(it) => push_integer(out, it),
            Token::Float(it) => done(encode::write_f32(out, *it)),
            Token::Double(it) => done(encode::write_f64(out, *it)),
            Token::Decimal(it) => push_decimal(out, it),
            Token::Number(it) => done(encode::write_str(out, it)),
            Token::String(it) => done(encode::write_str(out, it)),
            Token::Utf16(it) => no_half(it),
            Token::Bytes(it) => done(encode::write_bin(out, it)),
            _ => done(encode::write_nil(out)),
        }
    }

    fn string(&mut self, text: &str) -> Written {
        done(encode::write_str(self.0, text))
    }

    fn begin_array(&mut self, count: usize, tag: Option<&str>) -> Written {
        if let Some(class) = tag {
            self.begin_tag(class)?;
        }
        done(encode::write_array_len(self.0, self::count(count)?))
    }

    fn end_array(&mut self, _: bool) -> Written {
        Ok(())
    }

    fn begin_object(&mut self, count: usize, tag: Option<&str>) -> Written {
        let length = self::count(count + usize::from(tag.is_some()))?;
        done(encode::write_map_len(self.0, length))?;
        if let Some(class) = tag {
            self.string(CLASS)?;
            self.string(class)?;
        }
        Ok(())
    }

    fn end_object(&mut self) -> Written {
        Ok(())
    }

    fn begin_tag(&mut self, class: &str) -> Written {
        done(encode::write_array_len(self.0, 2))?;
        self.string(class)
    }

    fn end_tag(&mut self) -> Written {
        Ok(())
    }
}

fn push_integer(out: &mut Vec<u8>, number: &BigInt) -> Result<(), Mismatch> {
    if let Ok(number) = i64::try_from(number) {
        return done(encode::write_sint(out, number));
    }
    match u64::try_from(number) {
        Ok(number) => done(encode::write_uint(out, number)),
        Err(_) => Err(Mismatch::unknown("64 bits of a number", number.to_string())),
    }
}

/// An integer of 64 bits if it is one, or else the `double` that prints the same digits.
fn push_decimal(out: &mut Vec<u8>, number: &BigDecimal) -> Result<(), Mismatch> {
    let refused = || Mismatch::unknown("a number that a double has", number.to_string());
    let token = Token::Decimal(Box::new(number.clone()));
    let integer = integer_of(&token).ok_or_else(refused)?;
    let has_64_bits = i64::try_from(&integer).is_ok() || u64::try_from(&integer).is_ok();
    if has_64_bits && same(number, &BigDecimal::new(integer.clone(), 0)) {
        return push_integer(out, &integer);
    }
    let double = double_of(&token).filter(|it| it.is_finite());
    let double = double.ok_or_else(refused)?;
    let printed = crate::jackson::number::decimal_of(&Token::Double(double));
    if !printed.is_some_and(|printed| same(number, &printed)) {
        return Err(refused());
    }
    done(encode::write_f64(out, double))
}

/// True if they are equal but for zeros at their end.
fn same(a: &BigDecimal, b: &BigDecimal) -> bool {
    let scaled = |number: &BigDecimal, more: u32| &number.unscaled * BigInt::from(10).pow(more);
    match u32::try_from(i64::from(a.scale) - i64::from(b.scale)) {
        Ok(more) => a.unscaled == scaled(b, more),
        Err(_) => b.unscaled == scaled(a, b.scale.abs_diff(a.scale)),
    }
}

fn count(length: usize) -> Result<u32, Mismatch> {
    u32::try_from(length)
        .map_err(|_| Mismatch::unknown("at most 2^32 elements", length.to_string()))
}

/// A buffer takes all that is written to it, so there is no error to tell of.
fn done<T, E: fmt::Debug>(written: Result<T, E>) -> Result<(), Mismatch> {
    match written {
        Ok(_) => Ok(()),
        Err(error) => Err(Mismatch::unknown("room in memory", format!("{error:?}"))),
    }
}
