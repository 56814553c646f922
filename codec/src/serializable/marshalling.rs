use super::codec::serializable_codec;
use crate::Error;
use crate::java::JavaValue;

mod class;
mod container;
mod describe;
mod known;
mod reader;
mod tag;
mod writer;

serializable_codec! {
    /// Any value that Java can serialize, in version 4 of the River protocol of JBoss Marshalling.
    ///
    /// Behind the feature `marshalling`. Reads and writes the same values as
    /// [`SerializationCodec`](crate::SerializationCodec), except records: no version of Redisson can
    /// read a marshalled record, so this codec refuses to write one. Classes of a
    /// [`Schema`](crate::java::Schema) need a
    /// [`serial_version_uid`](crate::java::Class::serial_version_uid) here too.
    ///
    /// # Compatibility
    ///
    /// `org.redisson.codec.MarshallingCodec`, the default codec from 3.13.0 to 3.18.1. Redisson
    /// 4.0.0 is the last version that has it. The same bytes in all versions from 3.17.7 to 4.0.0
    /// (checked: `interop/vectors/payloads.jsonl`).
    ///
    /// `remove` and `contains` compare bytes, which differ for some equal values:
    /// [`SerializationCodec`](crate::SerializationCodec) lists them. Here, each number is an object
    /// of its own.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::{Codec, MarshallingCodec};
    ///
    /// let codec = MarshallingCodec::<String>::new();
    /// assert_eq!(codec.encode(&"order-1".to_owned())?, &b"\x04\x3e\x07order-1"[..]);
    /// # Ok::<(), redisson_codec::Error>(())
    /// ```
    MarshallingCodec: "value cannot be marshalled",
    writer::write,
    read
}

fn read(payload: &[u8]) -> Result<JavaValue, Error> {
    reader::read(payload)
        .map_err(|error| Error::with_source("payload is not a marshalled object", error))
}

#[cfg(test)]
mod tests;
