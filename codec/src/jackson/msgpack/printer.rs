use std::fmt;

use num_bigint::BigInt;
use rmp::encode::{self, ByteBuf};

use crate::jackson::number::{double_of, integer_of};
use crate::jackson::tree::{Label, Tree};
use crate::java::{BigDecimal, JavaValue, Mismatch};

/// Writes a tree as Jackson does: each number in the fewest bytes.
pub(in crate::jackson) fn print(tree: &Tree) -> Result<Vec<u8>, Mismatch> {
    let mut out = ByteBuf::new();
    push(&mut out, tree)?;
    Ok(out.into_vec())
}

fn push(out: &mut ByteBuf, tree: &Tree) -> Result<(), Mismatch> {
    match tree {
        Tree::Null => done(encode::write_nil(out)),
        Tree::Boolean(it) => done(encode::write_bool(out, *it)),
        Tree::Integer(it) => done(encode::write_sint(out, *it)),
        Tree::BigInteger(it) => push_integer(out, it),
        Tree::Float(it) => done(encode::write_f32(out, *it)),
        Tree::Double(it) => done(encode::write_f64(out, *it)),
        Tree::Decimal(it) => push_decimal(out, it),
        Tree::Number(it) | Tree::String(it) => done(encode::write_str(out, it)),
        Tree::Utf16(it) => Err(Mismatch::new(
            "no half of a surrogate pair",
            &JavaValue::Utf16(it.clone()),
        )),
        Tree::Bytes(it) => done(encode::write_bin(out, it)),
        Tree::Array(items) => {
            done(encode::write_array_len(out, count(items.len())?))?;
            items.iter().try_for_each(|item| push(out, item))
        }
        Tree::Object(properties) => push_object(out, None, properties),
        Tree::Tagged(class, inner) => match &**inner {
            Tree::Object(properties) => push_object(out, Some(class), properties),
            inner => {
                done(encode::write_array_len(out, 2))?;
                done(encode::write_str(out, class))?;
                push(out, inner)
            }
        },
    }
}

fn push_object(
    out: &mut ByteBuf,
    class: Option<&str>,
    properties: &[(Label, Tree)],
) -> Result<(), Mismatch> {
    let length = properties.len() + usize::from(class.is_some());
    done(encode::write_map_len(out, count(length)?))?;
    if let Some(class) = class {
        done(encode::write_str(out, Tree::CLASS))?;
        done(encode::write_str(out, class))?;
    }
    properties.iter().try_for_each(|(name, value)| {
        match name {
            Label::Text(name) => done(encode::write_str(out, name))?,
            Label::Number(_) => done(encode::write_str(out, &name.to_string()))?,
        }
        push(out, value)
    })
}

fn push_integer(out: &mut ByteBuf, number: &BigInt) -> Result<(), Mismatch> {
    if let Ok(number) = i64::try_from(number) {
        return done(encode::write_sint(out, number));
    }
    match u64::try_from(number) {
        Ok(number) => done(encode::write_uint(out, number)),
        Err(_) => Err(Mismatch::unknown("64 bits of a number", number.to_string())),
    }
}

/// An integer if it is one, or else the `double` that prints the same digits.
fn push_decimal(out: &mut ByteBuf, number: &BigDecimal) -> Result<(), Mismatch> {
    let refused = || Mismatch::unknown("a number that a double has", number.to_string());
    let tree = Tree::Decimal(number.clone());
    let integer = integer_of(&tree).ok_or_else(refused)?;
    if same(number, &BigDecimal::new(integer.clone(), 0)) {
        return push_integer(out, &integer);
    }
    let double = double_of(&tree).filter(|it| it.is_finite());
    let double = double.ok_or_else(refused)?;
    let printed = crate::jackson::number::decimal_of(&Tree::Double(double));
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
