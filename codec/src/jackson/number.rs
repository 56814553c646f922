//! Reads numbers from any form that they can have.

use num_bigint::BigInt;

use super::tape::Token;
use crate::java::{BigDecimal, Mismatch};
use crate::plain::number::{Float, may_be_decimal, push_float};

/// Reads `-12.50e3`.
pub(super) fn decimal(text: &str) -> Option<BigDecimal> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let bare = digits.strip_prefix(['-', '+']).unwrap_or(&digits);
    let is_number = bare.bytes().all(|it| it.is_ascii_digit());
    if bare.is_empty() || bare.len() > LONGEST || !is_number || fraction.starts_with(['-', '+']) {
        return None;
    }
    let scale = i64::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    Some(BigDecimal::new(
        digits.parse::<BigInt>().ok()?,
        scale.try_into().ok()?,
    ))
}

/// The number of a token, or in its text.
pub(super) fn decimal_of(token: &Token<'_>) -> Option<BigDecimal> {
    Some(match token {
        Token::Integer(it) => BigDecimal::new(*it, 0),
        Token::BigInteger(it) => BigDecimal::new(BigInt::clone(it), 0),
        Token::Decimal(it) => BigDecimal::clone(it),
        // The digits that Java prints, as in `BigDecimal.valueOf`.
        Token::Float(it) if it.is_finite() => decimal(&printed(*it))?,
        Token::Double(it) if it.is_finite() => decimal(&printed(*it))?,
        Token::Number(text) => decimal(text)?,
        Token::String(text) => decimal(text)?,
        _ => return None,
    })
}

/// The number as Java prints it.
pub(super) fn printed(number: impl Float) -> String {
    let mut text = Vec::new();
    push_float(&mut text, number);
    String::from_utf8_lossy(&text).into_owned()
}

/// The whole number of a token. Cuts off digits behind the point, as Java does.
pub(super) fn integer_of(token: &Token<'_>) -> Option<BigInt> {
    match token {
        Token::Integer(it) => Some((*it).into()),
        Token::BigInteger(it) => Some(BigInt::clone(it)),
        _ => {
            let number = decimal_of(token)?;
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

/// The number of a token, or in its text, as the nearest `double`.
pub(super) fn double_of(token: &Token<'_>) -> Option<f64> {
    match token {
        Token::Integer(it) => Some(*it as f64),
        Token::BigInteger(it) => it.to_string().parse().ok(),
        Token::Decimal(it) => it.to_string().parse().ok(),
        Token::Float(it) => Some((*it).into()),
        Token::Double(it) => Some(*it),
        Token::Number(text) => text.parse().ok(),
        Token::String(text) => from_text(text),
        _ => None,
    }
}

/// The number as the nearest `float`. Going by way of the nearest `double` could miss it.
pub(super) fn float_of(token: &Token<'_>) -> Option<f32> {
    match token {
        Token::Float(it) => Some(*it),
        Token::Number(text) => text.parse().ok(),
        _ => double_of(token).map(|it| it as f32),
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

/// Refuses a number of so many digits that nobody could read it: see [`LONGEST`].
pub(super) fn check_length(digits: usize) -> Result<(), Mismatch> {
    match digits > LONGEST {
        true => {
            let found = format!("one of {digits}");
            Err(Mismatch::unknown("a number of 1000 digits at most", found))
        }
        false => Ok(()),
    }
}

/// The most digits of a number, as in Jackson. The time to read a number grows with the square of
/// its digits.
pub(super) const LONGEST: usize = 1000;

#[cfg(test)]
mod tests {
    use super::*;

    /// `BigDecimal.valueOf` of OpenJDK 17 gave these results.
    #[test]
    fn a_floating_number_has_the_digits_of_java_as_a_decimal() {
        for (number, unscaled, scale) in [
            (1e-16, 10, 17),
            (-1.25e-7, -125, 9),
            (1e-5, 10, 6),
            (0.001, 1, 3),
            (0.5, 5, 1),
            (100.0, 1000, 1),
            (1e7, 10, -6),
            (12_345_678.5, 123_456_785, 1),
            (1e22, 10, -21),
        ] {
            let decimal = decimal_of(&Token::Double(number));
            assert_eq!(decimal, Some(BigDecimal::new(unscaled, scale)), "{number}");
        }
        assert_eq!(decimal_of(&Token::Double(f64::NAN)), None);
        assert_eq!(decimal_of(&Token::Double(f64::INFINITY)), None);
    }
}
