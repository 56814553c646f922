use bytes::Bytes;

use crate::{Codec, Error};

/// Bytes ([`Bytes`] or `Vec<u8>`): the payload is the value itself.
///
/// [`Bytes`] are shared and not copied. This codec reads every payload, so use it to look at the
/// payloads of other codecs.
///
/// # Compatibility
///
/// `org.redisson.client.codec.ByteArrayCodec`, the same bytes in all versions from 3.17.7 to 4.7.0
/// (checked: `interop/vectors/redisson.jsonl`).
///
/// # Examples
///
/// ```
/// use redisson_codec::{ByteArrayCodec, Codec};
///
/// let payload = ByteArrayCodec.encode(&vec![0, 255])?;
/// assert_eq!(payload, [0, 255].as_slice());
/// # Ok::<(), redisson_codec::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ByteArrayCodec;

impl Codec<Bytes> for ByteArrayCodec {
    fn encode(&self, value: &Bytes) -> Result<Bytes, Error> {
        Ok(value.clone())
    }

    fn decode(&self, payload: Bytes) -> Result<Bytes, Error> {
        Ok(payload)
    }
}

impl Codec<Vec<u8>> for ByteArrayCodec {
    fn encode(&self, value: &Vec<u8>) -> Result<Bytes, Error> {
        Ok(Bytes::copy_from_slice(value))
    }

    fn decode(&self, payload: Bytes) -> Result<Vec<u8>, Error> {
        Ok(payload.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise a program could not remove as one type what it wrote as the other.
    #[test]
    fn bytes_and_vectors_write_the_same_payload() {
        let bytes = Bytes::from_static(b"\0\x01\xff");
        let payload = ByteArrayCodec.encode(&bytes).unwrap();

        assert_eq!(payload, ByteArrayCodec.encode(&bytes.to_vec()).unwrap());
        assert_eq!(
            bytes,
            Codec::<Bytes>::decode(&ByteArrayCodec, payload).unwrap()
        );
    }
}
