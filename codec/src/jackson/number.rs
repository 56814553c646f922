//! Reads numbers from any form that they can have in a tree.

use num_bigint::BigInt;

use super::tree::Tree;
use crate::java::BigDecimal;
use crate::plain::number::may_be_decimal;

/// Reads `-12.50e3`.
pub(super) fn decimal(text: &str) -> Option<BigDecimal> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let bare = digits.strip_prefix(['-', '+']).unwrap_or(&digits);
    if bare.is_empty() || bare.len() > LONGEST || !bare.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let scale = i64::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    Some(BigDecimal::new(
        digits.parse::<BigInt>().ok()?,
        scale.try_into().ok()?,
    ))
}

/// The number in a tree, or in its text.
pub(super) fn decimal_of(tree: &Tree) -> Option<BigDecimal> {
    Some(match tree {
        Tree::Integer(it) => BigDecimal::new(*it, 0),
        Tree::BigInteger(it) => BigDecimal::new(it.clone(), 0),
        Tree::Decimal(it) => it.clone(),
        // The shortest digits, as in `BigDecimal.valueOf`.
        Tree::Float(it) => decimal(&format!("{it:?}"))?,
        Tree::Double(it) => decimal(&format!("{it:?}"))?,
        Tree::Number(text) | Tree::String(text) => decimal(text)?,
        _ => return None,
    })
}

/// The whole number in a tree. Cuts off digits behind the point, as Java does.
pub(super) fn integer_of(tree: &Tree) -> Option<BigInt> {
    match tree {
        Tree::Integer(it) => Some((*it).into()),
        Tree::BigInteger(it) => Some(it.clone()),
        _ => {
            let number = decimal_of(tree)?;
            let scale = number.scale;
            // No class with whole numbers can hold a larger one.
            if scale.unsigned_abs() > LONGEST as u32 {
                return None;
            }
            let power = BigInt::from(10).pow(scale.unsigned_abs());
            Some(match scale {
                ..0 => number.unscaled * power,
                0.. => number.unscaled / power,
            })
        }
    }
}

/// The number in a tree, or in its text, as the nearest `double`.
pub(super) fn double_of(tree: &Tree) -> Option<f64> {
    match tree {
        Tree::Integer(it) => Some(*it as f64),
        Tree::BigInteger(it) => it.to_string().parse().ok(),
        Tree::Decimal(it) => it.to_string().parse().ok(),
        Tree::Float(it) => Some((*it).into()),
        Tree::Double(it) => Some(*it),
        Tree::Number(text) => text.parse().ok(),
        Tree::String(text) => from_text(text),
        _ => None,
    }
}

/// The number as the nearest `float`. Going by way of the nearest `double` could miss it.
pub(super) fn float_of(tree: &Tree) -> Option<f32> {
    match tree {
        Tree::Float(it) => Some(*it),
        Tree::Number(text) => text.parse().ok(),
        _ => double_of(tree).map(|it| it as f32),
    }
}

fn from_text(text: &str) -> Option<f64> {
    match text {
        "NaN" => Some(f64::NAN),
        "Infinity" | "+Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ if may_be_decimal(text) => text.parse().ok(),
        _ => None,
    }
}

/// The most digits of a number, as in Jackson. The time to read a number grows with the square of
/// its digits.
pub(super) const LONGEST: usize = 1000;
