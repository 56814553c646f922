use bytes::Bytes;

use super::number;
use crate::{Codec, Error, payload};

/// Floating-point numbers (`f64`): the payload is the number as Java prints it.
///
/// # Compatibility
///
/// `org.redisson.client.codec.DoubleCodec`, the same bytes in all versions from 3.17.7 to 4.7.0
/// (checked: `interop/vectors/payloads.jsonl`). Writes like `Double.toString` of JDK 19 and later.
/// Older JDKs write other digits for one random number in a thousand, though not for prices. Zero
/// and minus zero have different payloads, as in Java: `remove` of one misses the other.
///
/// Reads like `Double.valueOf`: spaces and control characters around the number, a sign, a point
/// without digits on one side, an exponent, a suffix `d` or `f`, `NaN`, `Infinity`. The one
/// difference: Java also reads hexadecimal numbers (`0x1p3`), which it never writes. This codec
/// refuses them.
///
/// # Examples
///
/// ```
/// use redisson_codec::{Codec, DoubleCodec};
///
/// assert_eq!(DoubleCodec.encode(&1e10)?, "1.0E10");
/// assert_eq!(DoubleCodec.decode("20".into())?, 20.0);
/// # Ok::<(), redisson_codec::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct DoubleCodec;

impl Codec<f64> for DoubleCodec {
    fn encode(&self, value: &f64) -> Result<Bytes, Error> {
        if value.is_nan() {
            return Ok(Bytes::from_static(b"NaN"));
        }
        if value.is_infinite() {
            let text = if *value > 0.0 {
                "Infinity"
            } else {
                "-Infinity"
            };
            return Ok(Bytes::from_static(text.as_bytes()));
        }

        payload::tried(|text| {
            number::push_float(text, *value);
            Ok(())
        })
    }

    fn decode(&self, payload: Bytes) -> Result<f64, Error> {
        let text = str::from_utf8(&payload).map_err(|error| Error::with_source(REASON, error))?;
        // `String.trim`: all control characters and the space, and no other white space.
        let text = text.trim_matches(|character| character <= ' ');
        match text.strip_prefix(['+', '-']).unwrap_or(text) {
            "NaN" => return Ok(f64::NAN),
            "Infinity" if text.starts_with('-') => return Ok(f64::NEG_INFINITY),
            "Infinity" => return Ok(f64::INFINITY),
            _ => {}
        }

        let text = text.strip_suffix(['d', 'D', 'f', 'F']).unwrap_or(text);
        if !number::may_be_decimal(text) {
            return Err(Error::new(REASON));
        }
        text.parse()
            .map_err(|error| Error::with_source(REASON, error))
    }
}

const REASON: &str = "payload is not a decimal floating-point number";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Every number comes back from its payload, bit for bit.
        #[test]
        fn every_number_survives(bits: u64) {
            let number = f64::from_bits(bits);
            let payload = DoubleCodec.encode(&number).unwrap();
            let back = DoubleCodec.decode(payload).unwrap();
            prop_assert!(back.to_bits() == bits || (back.is_nan() && number.is_nan()));
        }
    }

    /// `Double.toString` of OpenJDK 17 gave these results.
    #[test]
    fn numbers_without_digits_match_java() {
        let texts = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY]
            .map(|number| DoubleCodec.encode(&number).unwrap());
        assert_eq!(texts, ["NaN", "Infinity", "-Infinity"]);
    }

    /// `Double.valueOf` of OpenJDK 17 gave these results.
    #[test]
    fn accepted_texts_match_java() {
        let accepted = [
            ("1", 1.0),
            (" 1.5 ", 1.5),
            ("\t1.5\n", 1.5),
            ("\u{0}1\u{1}", 1.0),
            ("1d", 1.0),
            ("1D", 1.0),
            ("1f", 1.0),
            ("1.5e3F", 1500.0),
            ("+1", 1.0),
            ("-0", -0.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("00001.50", 1.5),
            ("1e+3", 1000.0),
            ("1E-3", 0.001),
            ("1e400", f64::INFINITY),
            ("-1e99999999999", f64::NEG_INFINITY),
            ("1e-99999999999", 0.0),
            ("2.4703282292062327E-324", 0.0),
            ("2.4703282292062328E-324", f64::from_bits(1)),
            ("1.7976931348623158E308", f64::MAX),
            ("1.7976931348623159E308", f64::INFINITY),
            ("+Infinity", f64::INFINITY),
            ("-Infinity", f64::NEG_INFINITY),
        ];
        for (text, number) in accepted {
            let read = DoubleCodec.decode(text.into()).unwrap();
            assert_eq!(read.to_bits(), number.to_bits(), "{text}");
        }
        for text in ["NaN", "+NaN", "-NaN", " NaN "] {
            assert!(DoubleCodec.decode(text.into()).unwrap().is_nan(), "{text}");
        }
    }

    /// `Double.valueOf` of OpenJDK 17 gave these results.
    #[test]
    fn refused_texts_match_java() {
        let refused = [
            "",
            " ",
            "\u{a0}1",
            "1dd",
            "1L",
            "--1",
            "+-1",
            "+ 1",
            "1 d",
            "nan",
            "NAN",
            "NaNd",
            "inf",
            "infinity",
            "Infinityd",
            ".",
            "-.",
            "d",
            ".d",
            "e3",
            "1e",
            "1e+",
            "1e3.0",
            "1_000",
            "1,5",
            "1.5.5",
            "0x1.8",
        ];
        for text in refused {
            assert!(DoubleCodec.decode(text.into()).is_err(), "{text}");
        }
    }

    /// Java reads 8.0 here. Nobody writes it, and it is no text of `Double.toString`.
    #[test]
    fn hexadecimal_numbers_are_refused() {
        let error = DoubleCodec.decode("0x1p3".into()).unwrap_err();
        assert_eq!(error.reason(), REASON);
    }
}
