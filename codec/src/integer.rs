use bytes::Bytes;

use super::{Codec, Error, number};

/// Whole numbers of 32 bits: the payload is the number in decimal digits.
///
/// # Compatibility
///
/// `org.redisson.client.codec.IntegerCodec`, the same bytes in all versions from 3.17.7 to 4.7.0
/// (checked: `interop/vectors/payloads.jsonl`). Writes as `Integer.toString` and reads as
/// `Integer.valueOf` does: one sign or none, leading zeros, nothing else around the digits. Only
/// digits outside ASCII, which Java would read and never writes, are refused.
///
/// # Examples
///
/// ```
/// use redisson_codec::{Codec, IntegerCodec};
///
/// assert_eq!(IntegerCodec.encode(&-42)?, "-42");
/// assert_eq!(IntegerCodec.decode("+007".into())?, 7);
/// # Ok::<(), redisson_codec::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct IntegerCodec;

impl Codec<i32> for IntegerCodec {
    fn encode(&self, value: &i32) -> Result<Bytes, Error> {
        Ok(value.to_string().into())
    }

    fn decode(&self, payload: Bytes) -> Result<i32, Error> {
        number::parse_whole(
            &payload,
            "payload is not a 32-bit integer in decimal digits",
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
        fn every_number_survives(number: i32) {
            let payload = IntegerCodec.encode(&number).unwrap();
            prop_assert_eq!(IntegerCodec.decode(payload).unwrap(), number);
        }
    }

    /// Run through `Integer.valueOf` of OpenJDK 17 to get these results.
    #[test]
    fn accepted_texts_match_java() {
        let accepted = [
            ("+5", 5),
            ("-0", 0),
            ("007", 7),
            ("-00000000000000000000000001", -1),
            ("+2147483647", i32::MAX),
            ("-2147483648", i32::MIN),
        ];
        for (text, number) in accepted {
            assert_eq!(IntegerCodec.decode(text.into()).unwrap(), number, "{text}");
        }
    }

    /// Run through `Integer.valueOf` of OpenJDK 17 to get these results.
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
            "2147483648",
            "-2147483649",
        ];
        for text in refused {
            assert!(IntegerCodec.decode(text.into()).is_err(), "{text}");
        }
        assert!(IntegerCodec.decode(Bytes::from_static(b"1\xff")).is_err());
    }
}
