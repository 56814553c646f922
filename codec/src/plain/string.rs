use bytes::Bytes;

use crate::{Codec, Error};

/// Text (`String`): the payload is the text in UTF-8.
///
/// # Compatibility
///
/// `org.redisson.client.codec.StringCodec` with its default charset, the same bytes in all versions
/// from 3.17.7 to 4.7.0 (checked: `interop/vectors/redisson.jsonl`). Two differences:
///
/// - Java replaces bytes that are not UTF-8 by U+FFFD, without an error. This codec refuses them.
/// - Java writes half a surrogate pair as `?`. A Rust string cannot hold one.
///
/// # Examples
///
/// ```
/// use redisson_codec::{Codec, StringCodec};
///
/// let payload = StringCodec.encode(&"wake up".to_owned())?;
/// assert_eq!(payload, "wake up");
/// # Ok::<(), redisson_codec::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct StringCodec;

impl Codec<String> for StringCodec {
    fn encode(&self, value: &String) -> Result<Bytes, Error> {
        Ok(Bytes::copy_from_slice(value.as_bytes()))
    }

    fn decode(&self, payload: Bytes) -> Result<String, Error> {
        String::from_utf8(payload.into())
            .map_err(|error| Error::with_source("payload is not UTF-8", error.utf8_error()))
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    /// The empty string is a value too.
    #[test]
    fn text_survives() {
        for text in ["", "wake up", "h\u{e9}llo \u{4e16}\u{1f680}\0"] {
            let payload = StringCodec.encode(&text.to_owned()).unwrap();
            assert_eq!(StringCodec.decode(payload).unwrap(), text);
        }
    }

    /// Java would deliver a damaged string here, without an error.
    #[test]
    fn invalid_utf8_is_refused_with_its_offset() {
        let error = StringCodec
            .decode(Bytes::from_static(b"abc\xff"))
            .unwrap_err();

        assert_eq!(error.reason(), "payload is not UTF-8");
        assert!(error.cause().unwrap().to_string().ends_with("index 3"));
    }
}
