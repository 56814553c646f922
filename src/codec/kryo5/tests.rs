use std::error::Error as _;

use bytes::Bytes;

use super::Kryo5Codec;
use crate::codec::Codec;
use crate::java::{JavaValue, Schema};

mod bounds;
mod generics;
mod refusals;
mod texts;

fn codec(schema: &str) -> Kryo5Codec<JavaValue> {
    Kryo5Codec::with_schema(Schema::from_json(schema).unwrap()).unwrap()
}

/// Reads a payload that must be what the codec itself writes for the value.
fn read(codec: &Kryo5Codec<JavaValue>, payload: &'static [u8]) -> JavaValue {
    let value = codec.decode(Bytes::from_static(payload)).unwrap();
    assert_eq!(codec.encode(&value).unwrap(), payload, "{value:?}");
    value
}

/// Why a payload is refused.
fn refusal(codec: &Kryo5Codec<JavaValue>, payload: impl Into<Bytes>) -> String {
    let error = codec.decode(payload.into()).unwrap_err();
    let reason = "payload does not fit the classes, or is not Kryo's";
    assert_eq!(error.reason(), reason);
    error.source().unwrap().to_string()
}

/// Why a value is refused.
fn objection(codec: &Kryo5Codec<JavaValue>, value: &JavaValue) -> String {
    let error = codec.encode(value).unwrap_err();
    assert_eq!(error.reason(), "value cannot be written by Kryo");
    error.source().unwrap().to_string()
}

/// A class tag with a name, as it stands at the beginning of a payload.
fn named(class: &str) -> Vec<u8> {
    let mut bytes = vec![1, 0];
    bytes.extend_from_slice(class.as_bytes());
    *bytes.last_mut().unwrap() |= 0x80;
    bytes
}
