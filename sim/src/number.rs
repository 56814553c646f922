//! How Redis reads and writes numbers.

use crate::fault::{ErrorReply, NOT_FLOAT, NOT_INTEGER};

/// Reads a whole number as strictly as Redis: no plus, no leading zero, no space.
pub(crate) fn integer(text: &[u8]) -> Result<i64, ErrorReply> {
    let number = str::from_utf8(text).ok().and_then(|it| it.parse().ok());
    let is_plain = |number: &i64| number.to_string().as_bytes() == text;
    number.filter(is_plain).ok_or(NOT_INTEGER.into())
}

/// Reads a score.
pub(crate) fn float(text: &[u8]) -> Result<f64, ErrorReply> {
    strtod(text).ok_or(NOT_FLOAT.into())
}

/// What C's `strtod` makes of the whole text, if that is a number.
fn strtod(text: &[u8]) -> Option<f64> {
    let number: f64 = str::from_utf8(text).ok()?.parse().ok()?;
    let says_infinite = text.iter().any(|it| it.eq_ignore_ascii_case(&b'n'));
    let is_out_of_range = number.is_infinite() && !says_infinite;
    (!number.is_nan() && !is_out_of_range).then_some(number)
}

/// An end of a range of scores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) score: f64,
    pub(crate) is_exclusive: bool,
}

impl Limit {
    /// Reads `5` or `(5`. Nothing at all is 0, because Redis does not look whether there was a number.
    pub(crate) fn read(text: &[u8]) -> Result<Self, ErrorReply> {
        let (number, is_exclusive) = match text.strip_prefix(b"(") {
            Some(number) => (number, true),
            None => (text, false),
        };
        let number = number.trim_ascii_start();
        let score = if number.is_empty() {
            Some(0.0)
        } else {
            strtod(number)
        };
        let score = score.ok_or("ERR min or max is not a float")?;
        Ok(Self {
            score,
            is_exclusive,
        })
    }

    pub(crate) fn admits_from_below(&self, score: f64) -> bool {
        score > self.score || !self.is_exclusive && score == self.score
    }

    pub(crate) fn admits_from_above(&self, score: f64) -> bool {
        score < self.score || !self.is_exclusive && score == self.score
    }
}

/// Writes a score, as C's `%.17g`.
pub(crate) fn spell(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let scientific = format!("{number:.16e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-4..17).contains(&exponent) {
        let decimals = usize::try_from(16 - exponent).unwrap_or_default();
        return shorten(&format!("{number:.decimals$}")).to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", shorten(mantissa), exponent.abs())
}

/// Leaves out zeros behind a decimal point.
fn shorten(number: &str) -> &str {
    if !number.contains('.') {
        return number;
    }
    number.trim_end_matches('0').trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_written_as_c_writes_them() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.5, "1.5"),
            (0.1, "0.10000000000000001"),
            (100_000.0, "100000"),
            (1_788_000_000_000.0, "1788000000000"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            (1e17, "1e+17"),
            (1e300, "1.0000000000000001e+300"),
            (0.000_012_5, "1.2500000000000001e-05"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(spell(number), text);
        }
    }

    #[test]
    fn only_plain_numbers_are_integers() {
        assert_eq!(integer(b"-12"), Ok(-12));
        for text in [
            "",
            "+1",
            "01",
            "-0",
            " 1",
            "1 ",
            "9223372036854775808",
            "1.0",
        ] {
            assert!(integer(text.as_bytes()).is_err(), "{text:?}");
        }
    }
}
