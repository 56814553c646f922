use bytes::Bytes;

use super::{Codec, Error, number};

/// Whole numbers: the payload is the number in decimal digits.
///
/// # Compatibility
///
/// `org.redisson.client.codec.LongCodec`, the same bytes in all versions from 3.17.7 to 4.7.0
/// (checked: `interop/vectors/redisson.jsonl`). Writes as `Long.toString` and reads as
/// `Long.valueOf` does: one sign or none, leading zeros, nothing else around the digits. Only
/// digits outside ASCII, which Java would read and never writes, are refused.
///
/// # Examples
///
/// ```
/// use redisson_codec::{Codec, LongCodec};
///
/// assert_eq!(LongCodec.encode(&-42)?, "-42");
/// assert_eq!(LongCodec.decode("+007".into())?, 7);
/// # Ok::<(), redisson_codec::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LongCodec;

impl Codec<i64> for LongCodec {
    fn encode(&self, value: &i64) -> Result<Bytes, Error> {
        Ok(value.to_string().into())
    }

    fn decode(&self, payload: Bytes) -> Result<i64, Error> {
        number::parse_whole(
            &payload,
            "payload is not a 64-bit integer in decimal digits",
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Every number has one payload and comes back from it.
        #[test]
        fn every_number_survives(number: i64) {
            let payload = LongCodec.encode(&number).unwrap();
            prop_assert_eq!(LongCodec.decode(payload).unwrap(), number);
        }
    }

    /// Run through `Long.valueOf` of OpenJDK 17 to get these results.
    #[test]
    fn accepted_texts_match_java() {
        let accepted = [
            ("+5", 5),
            ("-0", 0),
            ("007", 7),
            ("-00000000000000000000000001", -1),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ];
        for (text, number) in accepted {
            assert_eq!(LongCodec.decode(text.into()).unwrap(), number, "{text}");
        }
    }

    /// Run through `Long.valueOf` of OpenJDK 17 to get these results.
    #[test]
    fn refused_texts_match_java() {
        let refused = [
            "",
            "+",
            "-",
            "+-1",
            " 1",
            "1 ",
            "1L",
            "1.0",
            "1e3",
            "0x1",
            "1_000",
            "9223372036854775808",
            "-9223372036854775809",
        ];
        for text in refused {
            assert!(LongCodec.decode(text.into()).is_err(), "{text}");
        }
        assert!(LongCodec.decode(Bytes::from_static(b"1\xff")).is_err());
    }
}
