use std::fmt;

use num_bigint::BigInt;

/// A `java.math.BigDecimal`: `unscaled * 10^-scale`.
///
/// `1.50` and `1.5` are different values, as in `BigDecimal.equals`, because their scales differ.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "these two are the number")]
pub struct BigDecimal {
    /// The digits.
    pub unscaled: BigInt,
    /// How many of the digits are behind the point. A negative scale adds zeros before it.
    pub scale: i32,
}

impl BigDecimal {
    /// Makes the number `unscaled * 10^-scale`.
    #[must_use]
    pub fn new(unscaled: impl Into<BigInt>, scale: i32) -> Self {
        Self {
            unscaled: unscaled.into(),
            scale,
        }
    }
}

/// Like `BigDecimal.toString`, with an exponent where Java writes one.
impl fmt::Display for BigDecimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.unscaled.magnitude().to_string();
        if self.unscaled.sign() == num_bigint::Sign::Minus {
            f.write_str("-")?;
        }
        let exponent = digits.len() as i64 - 1 - i64::from(self.scale);
        if self.scale >= 0 && exponent >= -6 {
            let scale = self.scale as usize;
            if scale == 0 {
                return f.write_str(&digits);
            }
            let padded = format!("{digits:0>width$}", width = scale + 1);
            let (whole, fraction) = padded.split_at(padded.len() - scale);
            return write!(f, "{whole}.{fraction}");
        }
        let (first, rest) = digits.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        write!(f, "{first}{point}{rest}")?;
        if exponent != 0 {
            write!(f, "E{exponent:+}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `new BigDecimal(unscaled, scale).toString()` of OpenJDK 17 gave these results.
    #[test]
    fn text_matches_java() {
        for (unscaled, scale, text) in [
            (1_234_500, 4, "123.4500"),
            (0, 0, "0"),
            (0, 2, "0.00"),
            (1, -3, "1E+3"),
            (12, -3, "1.2E+4"),
            (-125, 1, "-12.5"),
            (1, 6, "0.000001"),
            (1, 7, "1E-7"),
            (-12, 9, "-1.2E-8"),
            (0, 7, "0E-7"),
            (5, 1, "0.5"),
        ] {
            assert_eq!(BigDecimal::new(unscaled, scale).to_string(), text);
        }
    }
}
