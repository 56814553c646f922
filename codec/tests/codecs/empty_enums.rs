//! Empty sets and maps of constants, which tell their enum by nothing that they hold.
//!
//! The payloads are those of Redisson 4.7.0, and of 3.20.1 for `MarshallingCodec`. Jackson writes
//! such values only where Java opens `java.util` to it, as before Java 16; it reads them anywhere.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use redisson_codec::java::{JavaObject, JavaValue};
use redisson_codec::{Codec, JsonJackson3Codec, JsonJacksonCodec, Kryo5Codec, verify};

use crate::vectors::schema;

const SET: &str = r#"["java.util.EnumSet<com.example.orders.Status>",[]]"#;
const MAP: &str = r#"{"@class":"java.util.EnumMap<com.example.orders.Status,java.lang.Object>"}"#;

/// What is read must not lose the enum, or nothing can write it again.
#[test]
fn empty_sets_and_maps_of_constants_are_written_as_java_writes_them() {
    for payload in [SET, MAP] {
        let json = JsonJacksonCodec::<JavaValue>::with_schema(schema()).unwrap();
        verify(&json, payload.into()).unwrap();
        let json = JsonJackson3Codec::<JavaValue>::with_schema(schema()).unwrap();
        verify(&json, payload.into()).unwrap();
    }
}

/// The same value in CBOR.
#[cfg(feature = "cbor")]
#[test]
fn empty_sets_and_maps_of_constants_are_written_in_cbor_as_java_writes_them() {
    use redisson_codec::CborJacksonCodec;

    let codec = CborJacksonCodec::<JavaValue>::with_schema(schema()).unwrap();
    let class = "java.util.EnumSet<com.example.orders.Status>";
    let set = [b"\x9f\x78\x2c", class.as_bytes(), b"\x9f\xff\xff"].concat();
    verify(&codec, set.into()).unwrap();
    let class = "java.util.EnumMap<com.example.orders.Status,java.lang.Object>";
    let map = [b"\xbf\x66@class\x78\x3d", class.as_bytes(), b"\xff"].concat();
    verify(&codec, map.into()).unwrap();
}

/// The set is among the vectors.
#[cfg(feature = "serialization")]
#[test]
fn an_empty_map_of_constants_is_serialized_as_by_java() {
    use redisson_codec::SerializationCodec;

    let codec = SerializationCodec::<JavaValue>::with_schema(schema()).unwrap();
    let map = [
        &b"\xac\xed\0\x05sr\0\x11java.util.EnumMap\x06\x5d\x7d\xf7\xbe\x90\x7c\xa1\x03\0\x01L\0\x07keyTypet\0\x11"[..],
        b"Ljava/lang/Class;xpvr\0\x19com.example.orders.Status\0\0\0\0\0\0\0\0\x12\0\0xr\0\x0e",
        b"java.lang.Enum\0\0\0\0\0\0\0\0\x12\0\0xpw\x04\0\0\0\0x",
    ];
    verify(&codec, map.concat().into()).unwrap();
}

/// The set is among the vectors.
#[cfg(feature = "marshalling")]
#[test]
fn an_empty_map_of_constants_is_marshalled_as_by_java() {
    use redisson_codec::MarshallingCodec;

    let codec = MarshallingCodec::<JavaValue>::with_schema(schema()).unwrap();
    let map = b"\x04Rl\x0c\0\0\0\x19com.example.orders.Status";
    verify(&codec, Bytes::from_static(map)).unwrap();
}

#[derive(Clone, Copy, Debug, Eq, JavaObject, Ord, PartialEq, PartialOrd)]
#[java(class = "com.example.orders.Status")]
enum Status {
    New,
    Paid,
}

#[derive(Debug, Default, JavaObject, PartialEq)]
#[java(class = "com.example.Filter")]
struct Filter {
    #[java(holds = "java.util.EnumMap")]
    counts: BTreeMap<Status, i64>,
    #[java(holds = "java.util.RegularEnumSet")]
    shown: BTreeSet<Status>,
    #[java(
        type = "java.util.EnumSet<com.example.orders.Status>",
        holds = "java.util.RegularEnumSet"
    )]
    wanted: Option<Vec<Status>>,
}

/// A set that becomes empty must not become an error.
#[test]
fn empty_collections_of_a_struct_are_written_with_the_enum_of_their_field() {
    let filter = Filter {
        wanted: Some(Vec::new()),
        ..Filter::default()
    };
    let json = JsonJacksonCodec::<Filter>::new();
    let payload = json.encode(&filter).unwrap();
    let fields = format!(r#""counts":{MAP},"shown":{SET},"wanted":{SET}"#);
    assert_eq!(
        payload,
        format!(r#"{{"@class":"com.example.Filter",{fields}}}"#)
    );
    assert_eq!(json.decode(payload).unwrap(), filter);
}

/// Kryo writes the class of the constants, too.
#[test]
fn an_empty_set_of_a_struct_is_written_by_kryo() {
    #[derive(Debug, JavaObject, PartialEq)]
    #[java(class = "com.example.Shown")]
    struct Shown {
        #[java(holds = "java.util.RegularEnumSet")]
        shown: BTreeSet<Status>,
    }

    let kryo = Kryo5Codec::<Shown>::new();
    for shown in [[].into(), [Status::Paid].into()] {
        let value = Shown { shown };
        let payload = kryo.encode(&value).unwrap();
        assert_eq!(kryo.decode(payload).unwrap(), value);
    }
}
