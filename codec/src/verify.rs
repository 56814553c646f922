use bytes::Bytes;

use super::{Codec, Error};

/// Whether `codec` writes what it reads from `payload` with the same bytes.
///
/// Do this once with what Java wrote, before the first write: an object with **all** of its fields
/// set, for almost any schema fits one full of nulls. That a payload can be read proves little. A
/// field that is declared otherwise in Java may be read leniently, and be written so that Java
/// loses the value; and Redisson's `remove` and `contains` find a value by its bytes.
///
/// `Ok` says nothing about names that the payload does not hold. Kryo writes the values of an object
/// in the alphabetical order of its fields and leaves out their names, so two fields of one type may
/// be taken for each other. Give every field another value in Java, and compare what
/// [`decode`](Codec::decode) reads as well.
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
/// - [`Error`] if the bytes differ; its source says from which on.
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
    use std::error::Error as _;

    use super::*;
    use crate::{LongCodec, StringCodec};

    #[test]
    fn what_is_written_otherwise_is_told_with_the_place() {
        verify(&StringCodec, "+07".into()).unwrap();
        verify(&LongCodec, "107".into()).unwrap();
        let error = verify(&LongCodec, "+07".into()).unwrap_err();
        assert_eq!(error.to_string(), "payload is written with other bytes");
        assert_eq!(
            error.source().unwrap().to_string(),
            "1 bytes instead of 3, which differ from byte 0 on"
        );
        assert!(verify(&LongCodec, "x".into()).is_err());
    }
}
