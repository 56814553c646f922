use bytes::Bytes;

use super::number;
use crate::{Codec, Error};

/// Whole numbers of 32 bits (`i32`): the payload is the number in decimal digits.
///
/// # Compatibility
///
/// `org.redisson.client.codec.IntegerCodec`, the same bytes in all versions from 3.17.7 to 4.7.0
/// (checked: `interop/vectors/payloads.jsonl`). Writes like `Integer.toString` and reads like
/// `Integer.valueOf`: an optional sign, leading zeros, and nothing else around the digits. The one
/// difference: Java also reads digits outside ASCII, which it never writes. This codec refuses
/// them.
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
        let mut digits = itoa::Buffer::new();
        Ok(Bytes::copy_from_slice(digits.format(*value).as_bytes()))
    }

    fn decode(&self, payload: Bytes) -> Result<i32, Error> {
        number::parse_whole(
            &payload,
            "payload is not a 32-bit integer in decimal digits",
        )
    }
}

/// Whole numbers of 64 bits (`i64`): the payload is the number in decimal digits.
///
/// # Compatibility
///
/// `org.redisson.client.codec.LongCodec`, the same bytes in all versions from 3.17.7 to 4.7.0
/// (checked: `interop/vectors/redisson.jsonl`). Writes like `Long.toString` and reads like
/// `Long.valueOf`, with the rules of [`IntegerCodec`].
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
        let mut digits = itoa::Buffer::new();
        Ok(Bytes::copy_from_slice(digits.format(*value).as_bytes()))
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
    use std::fmt::Debug;

    use proptest::prelude::*;

    use super::*;

    fn survives<N: Debug + PartialEq>(codec: impl Codec<N>, number: N) {
        let payload = codec.encode(&number).unwrap();
        assert_eq!(codec.decode(payload).unwrap(), number);
    }

    proptest! {
        #[test]
        fn every_number_survives(integer: i32, long: i64) {
            survives(IntegerCodec, integer);
            survives(LongCodec, long);
        }
    }

    /// `Integer.valueOf` and `Long.valueOf` of OpenJDK 17 gave these results.
    #[test]
    fn accepted_texts_match_java() {
        let both = [
            ("+5", 5),
            ("-0", 0),
            ("007", 7),
            ("-00000000000000000000000001", -1),
            ("+2147483647", i32::MAX),
            ("-2147483648", i32::MIN),
        ];
        for (text, number) in both {
            assert_eq!(IntegerCodec.decode(text.into()).unwrap(), number, "{text}");
            let long = LongCodec.decode(text.into()).unwrap();
            assert_eq!(long, i64::from(number), "{text}");
        }

        let limits = [
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808", i64::MIN),
        ];
        for (text, number) in limits {
            assert_eq!(LongCodec.decode(text.into()).unwrap(), number, "{text}");
        }
    }

    /// `Integer.valueOf` and `Long.valueOf` of OpenJDK 17 gave these results.
    #[test]
    fn refused_texts_match_java() {
        let by_both = [
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
        for text in by_both {
            assert!(IntegerCodec.decode(text.into()).is_err(), "{text}");
            assert!(LongCodec.decode(text.into()).is_err(), "{text}");
        }
        for text in ["2147483648", "-2147483649"] {
            assert!(IntegerCodec.decode(text.into()).is_err(), "{text}");
        }

        let not_utf8 = Bytes::from_static(b"1\xff");
        assert!(IntegerCodec.decode(not_utf8.clone()).is_err());
        assert!(LongCodec.decode(not_utf8).is_err());
    }
}
