use bytes::Bytes;

use super::{Codec, Error};

/// Checks that `codec` reads `payload`, and writes the same bytes again.
///
/// Do this in a test, with bytes that your Java service wrote, before Rust writes anything. Let
/// Java set **all** fields of the object: almost any schema fits an object full of nulls. Reading
/// alone proves little. A codec may read a field whose type differs in Java, and then write it so
/// that Java loses the value. Redisson's `remove` and `contains` also compare bytes.
///
/// `verify` cannot check names that are not in the payload. Kryo writes the values of the fields in
/// the alphabetical order of their names, without the names. So two fields of one type can be mixed
/// up. Give every field another value in Java, and compare the result of
/// [`decode`](Codec::decode) too.
///
/// To get such a payload, in Java:
///
/// ```java
/// ByteBuf payload = new Kryo5Codec().getValueEncoder().encode(order);
/// System.out.println(ByteBufUtil.hexDump(payload));
/// ```
///
/// # Errors
///
/// - [`Error`] if the payload cannot be read, or what was read cannot be written.
/// - [`Error`] if the bytes differ. Its text says where they begin to differ.
///
/// # Examples
///
/// ```
/// use redisson_codec::{Kryo5Codec, verify};
/// use redisson_codec::java::JavaObject;
///
/// // Java declares an Integer here, not an int.
/// #[derive(JavaObject)]
/// #[java(class = "A")]
/// struct Wrong {
///     count: i32,
/// }
///
/// let of_java = b"\x01\x00\x82A\x01\x0a".as_slice();
/// assert!(verify(&Kryo5Codec::<Wrong>::new(), of_java.into()).is_err());
///
/// #[derive(JavaObject)]
/// #[java(class = "A")]
/// struct Right {
///     count: Option<i32>,
/// }
///
/// verify(&Kryo5Codec::<Right>::new(), of_java.into())?;
///
/// // Java's field has another name, which Kryo does not write.
/// #[derive(JavaObject)]
/// #[java(class = "A")]
/// struct Renamed {
///     discount: Option<i32>,
/// }
///
/// verify(&Kryo5Codec::<Renamed>::new(), of_java.into())?;
/// # Ok::<(), redisson_codec::Error>(())
/// ```
pub fn verify<T>(codec: &impl Codec<T>, payload: Bytes) -> Result<(), Error> {
    let written = codec.encode(&codec.decode(payload.clone())?)?;
    if written == payload {
        return Ok(());
    }
    let same = written.iter().zip(&payload).take_while(|(a, b)| a == b);
    let difference = Difference {
        offset: same.count(),
        written: written.len(),
        payload: payload.len(),
    };
    Err(Error::with_source(
        "payload is written with other bytes",
        difference,
    ))
}

#[derive(Debug, thiserror::Error)]
#[error("{written} bytes instead of {payload}, which differ from byte {offset} on")]
struct Difference {
    offset: usize,
    written: usize,
    payload: usize,
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::{LongCodec, StringCodec};

    #[test]
    fn other_bytes_are_reported_with_their_place() {
        verify(&StringCodec, "+07".into()).unwrap();
        verify(&LongCodec, "107".into()).unwrap();
        let error = verify(&LongCodec, "+07".into()).unwrap_err();
        assert_eq!(error.reason(), "payload is written with other bytes");
        assert_eq!(
            error.cause().unwrap().to_string(),
            "1 bytes instead of 3, which differ from byte 0 on"
        );
        assert!(verify(&LongCodec, "x".into()).is_err());
    }
}
