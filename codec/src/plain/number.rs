//! Numbers as Java spells them.

use std::fmt::LowerExp;
use std::num::ParseIntError;
use std::str::FromStr;

use crate::Error;

/// True if all characters of a text occur in decimal numbers of Java: digits, signs, points and
/// exponents. Rust would also parse `inf`, `infinity` and `nan`.
pub(crate) fn may_be_decimal(text: &str) -> bool {
    let of_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    text.bytes().all(of_number)
}

/// Reads a number like `Integer.valueOf` and `Long.valueOf`, but refuses digits outside ASCII.
pub(super) fn parse_whole<N>(payload: &[u8], reason: &'static str) -> Result<N, Error>
where
    N: FromStr<Err = ParseIntError>,
{
    let digits = str::from_utf8(payload).map_err(|error| Error::with_source(reason, error))?;
    digits
        .parse()
        .map_err(|error| Error::with_source(reason, error))
}

/// A `f32` or a `f64`.
pub(crate) trait Float:
    Copy + FromStr + Into<f64> + LowerExp + PartialEq + zmij::Float
{
    /// Among decimals with so many digits, no two are equally near to a number.
    const CLEAR_DIGITS: usize;
}

impl Float for f32 {
    const CLEAR_DIGITS: usize = 6;
}

impl Float for f64 {
    const CLEAR_DIGITS: usize = 15;
}

/// Appends a finite `f64` like `Double.toString` of JDK 19 and later, or a finite `f32` like
/// `Float.toString`.
pub(crate) fn push_float<N: Float>(out: &mut Vec<u8>, number: N) {
    let size = number.into().abs();
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(number);
        if text.len() <= N::CLEAR_DIGITS {
            out.extend_from_slice(text.as_bytes());
            return;
        }
    }
    let shortest = format!("{number:e}");
    let nearest = format!("{number:.*e}", fraction_digits(&shortest));
    let exact = nearest.parse().is_ok_and(|it: N| it == number);
    push_java(out, if exact { &nearest } else { &shortest });
}

/// How many digits Java writes behind the point, given the `shortest` text that identifies the
/// number.
///
/// Among the decimals with that many digits, Java takes the nearest. Between two that are equally
/// near it takes the even one, and Rust the larger one. Java writes at least one digit: `4.9E-324`,
/// although `5e-324` would suffice.
fn fraction_digits(shortest: &str) -> usize {
    let mantissa = shortest.split('e').next().unwrap_or(shortest);
    let digits = mantissa.split('.').nth(1).map_or(0, str::len);
    digits.max(1)
}

/// Appends a whole number.
pub(crate) fn push_whole(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends a number that Rust has written as `-1.25e-7`.
fn push_java(out: &mut Vec<u8>, scientific: &str) {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(mantissa) => ("-", mantissa),
        None => ("", mantissa),
    };
    let digits = mantissa.replace('.', "");
    let digits = match digits.trim_end_matches('0') {
        "" => "0",
        significant => significant,
    };

    out.extend(sign.as_bytes());
    match usize::try_from(exponent) {
        Ok(exponent @ 0..7) => {
            let digits = format!("{digits:0<width$}", width = exponent + 2);
            let (whole, fraction) = digits.split_at(exponent + 1);
            out.extend(format!("{whole}.{fraction}").as_bytes());
        }
        Err(_) if exponent >= -3 => {
            let zeros = exponent.unsigned_abs() as usize - 1;
            out.extend(format!("0.{:0<zeros$}{digits}", "").as_bytes());
        }
        _ => {
            let (whole, fraction) = digits.split_at(1);
            let fraction = if fraction.is_empty() { "0" } else { fraction };
            out.extend(format!("{whole}.{fraction}E{exponent}").as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(number: f64) -> String {
        let mut out = Vec::new();
        push_float(&mut out, number);
        String::from_utf8(out).unwrap()
    }

    fn float(number: f32) -> String {
        let mut out = Vec::new();
        push_float(&mut out, number);
        String::from_utf8(out).unwrap()
    }

    /// `Double.toString` of OpenJDK 17 gave these results.
    #[test]
    fn doubles_match_java() {
        let doubles = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (100.0, "100.0"),
            (-12.5, "-12.5"),
            (19.99, "19.99"),
            (0.001, "0.001"),
            (0.001234, "0.001234"),
            (0.05, "0.05"),
            (9.99e-4, "9.99E-4"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (123_456_789.125, "1.23456789125E8"),
            (1e300, "1.0E300"),
            (9_007_199_254_740_992.0, "9.007199254740992E15"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
            (f64::from_bits(1), "4.9E-324"),
            (f64::from_bits(4), "2.0E-323"),
        ];
        for (number, text) in doubles {
            assert_eq!(double(number), text);
        }
    }

    /// `DoubleToDecimal` of jackson-core 2.15.2, which has the algorithm of JDK 19, gave these
    /// results. OpenJDK 17 writes 9.999999999999999E22 and 1.0E-323 for the first two. The last is
    /// a tie between two digits.
    #[test]
    fn hard_doubles_match_the_algorithm_of_jdk_19() {
        assert_eq!(double(1e23), "1.0E23");
        assert_eq!(double(f64::from_bits(2)), "9.9E-324");
        assert_eq!(
            double(-7_428_408_893_059_893.0 / 4.0),
            "-1.8571022232649732E15"
        );
    }

    /// `Float.toString` of OpenJDK 17 gave these results.
    #[test]
    fn floats_match_java() {
        assert_eq!(float(0.1), "0.1");
        assert_eq!(float(1.5), "1.5");
        assert_eq!(float(16_777_216.0), "1.6777216E7");
        assert_eq!(float(-398_077.0 / 16.0), "-24879.812");
        assert_eq!(float(f32::from_bits(1)), "1.4E-45");
    }
}
