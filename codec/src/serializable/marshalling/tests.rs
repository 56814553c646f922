use bytes::Bytes;

use super::*;
use crate::Codec;
use crate::java::{Array, Class, Collection, JavaType};

fn codec() -> MarshallingCodec {
    let string = || JavaType::new("java.lang.String");
    let base = Class::object("Base")
        .serial_version_uid(1)
        .field("value", string());
    let sub = Class::object("Sub")
        .serial_version_uid(2)
        .extends(JavaType::new("Base"))
        .field("value", string())
        .field("any", JavaType::object());
    let others = [Class::object("Undeclared"), Class::record("Record")];
    let classes = others.into_iter().chain([base, sub]);
    MarshallingCodec::with_schema(classes.collect()).unwrap()
}

fn sub(value: &str) -> JavaValue {
    JavaValue::object(
        "Sub",
        [
            ("any", JavaValue::Integer(5)),
            ("value", value.into()),
            ("value", "of base".into()),
        ],
    )
}

fn read(payload: &[u8]) -> Result<JavaValue, String> {
    let decoded = codec().decode(Bytes::copy_from_slice(payload));
    decoded.map_err(|error| match error.cause() {
        Some(source) => source.to_string(),
        None => error.to_string(),
    })
}

fn survives(value: &JavaValue) -> Bytes {
    let payload = codec().encode(value).unwrap();
    assert_eq!(read(&payload).as_ref(), Ok(value));
    payload
}

/// The names of fields are strings like others, and one with the text of another is not repeated.
#[test]
fn names_and_texts_are_shared() {
    let payload = survives(&sub("value"));
    assert!(payload.starts_with(b"\x04\x04\x09\x3e\x03Sub\0\0\0\0\0\0\0\x02\0\0\0\x02\x3e\x03any"));
    // The places of "value": the second before in `Base`, the fourth before as the value.
    assert!(payload.ends_with(b"\x39\xfe\x16\0\x16\x3e\x07of base\x4b\0\0\0\x05\x39\xfc"));

    let distinct = codec().distinct_strings(true);
    let payload = distinct.encode(&sub("value")).unwrap();
    assert!(payload.ends_with(b"\x39\xfe\x16\0\x16\x3e\x07of base\x4b\0\0\0\x05\x3e\x05value"));
    assert_eq!(read(&payload).unwrap(), sub("value"));
}

#[test]
fn references_reach_as_far_as_needed() {
    for (between, reference) in [
        (255, &b"\x39\x00"[..]),
        (256, b"\x3a\xfe\xff"),
        (65_535, b"\x3a\x00\x00"),
        // The first string is the second object: the list is the first.
        (65_536, b"\x02\x00\x00\x00\x01"),
    ] {
        let mut items = vec![JavaValue::from("first")];
        items.extend((0..between).map(|it| JavaValue::String(format!("text {it}"))));
        items.push("first".into());
        items.push("".into());
        let payload = survives(&JavaValue::list(items));
        assert!(
            payload.ends_with(&[reference, b"\x3d"].concat()),
            "{between}"
        );
    }
}

/// The largest size that fits is written as zero.
#[test]
fn sizes_take_the_bytes_they_need() {
    for (size, written) in [
        (0, &b"\x3d"[..]),
        (1, b"\x3e\x01"),
        (255, b"\x3e\xff"),
        (256, b"\x3e\x00"),
        (257, b"\x3f\x01\x01"),
        (65_536, b"\x3f\x00\x00"),
        (65_537, b"\x40\x00\x01\x00\x01"),
    ] {
        let payload = survives(&JavaValue::String("é".repeat(size)));
        assert!(payload[1..].starts_with(written), "{size}");
        survives(&JavaValue::Bytes(vec![7; size].into()));
        survives(&JavaValue::list(vec![JavaValue::Byte(1); size]));
        let items = (0..size).map(|it| JavaValue::Boolean(it % 3 == 0));
        survives(&JavaValue::Array(Array {
            class: "[Z".into(),
            items: items.collect(),
        }));
    }
}

#[test]
fn collections_with_a_byte_of_their_own_survive() {
    for class in [
        "java.util.ArrayDeque",
        "java.util.LinkedList",
        "java.util.Stack",
        "java.util.Vector",
        "java.util.Collections$SingletonList",
        "java.util.Collections$SingletonSet",
        "java.util.concurrent.CopyOnWriteArrayList",
    ] {
        survives(&JavaValue::collection(class, ["a".into()]));
    }
    let none: [(&str, JavaValue); 0] = [];
    survives(&JavaValue::Collection(Collection {
        class: "java.util.TreeSet".into(),
        comparator: Box::new(JavaValue::object(
            "java.util.Collections$ReverseComparator",
            none,
        )),
        items: vec!["b".into(), "a".into()],
    }));
}

#[test]
fn what_is_no_payload_is_refused() {
    for (payload, message) in [
        (&b""[..], "the bytes end too early at byte 0"),
        (b"\x03\x01", "not version 4 of the river protocol at byte 0"),
        (b"\x04", "the bytes end too early at byte 1"),
        (b"\x04\x01\x01", "bytes follow the object at byte 2"),
        (
            b"\x04\x39\xff",
            "refers to an object that has not come yet at byte 1",
        ),
        (
            b"\x04\x02\xff\xff\xff\xff",
            "refers to an object that has not come yet at byte 1",
        ),
        (
            b"\x04\x04\x3b\xff",
            "refers to a class that has not come yet at byte 3",
        ),
        (
            b"\x04\x04\x16",
            "an object is of a class that has none at byte 1",
        ),
        (
            b"\x04\x04\x08",
            "not a class of the river protocol at byte 2",
        ),
        (b"\x04\xff", "not an object of the river protocol at byte 1"),
        (
            b"\x04\x40\x7f\xff\xff\xff",
            "a length is more than the bytes that are left at byte 2",
        ),
        (
            b"\x04\x3e\x01\xff",
            "a text is not in Java's UTF-8 at byte 3",
        ),
        (
            b"\x04\x44\x7f\xff\xff\xff\x20",
            "a length is more than the bytes that are left at byte 2",
        ),
        // A list that holds itself.
        (
            b"\x04\x53\x01\x5a\x39\xff",
            "an object contains itself at byte 1",
        ),
    ] {
        assert_eq!(read(payload).unwrap_err(), message, "{payload:?}");
    }
    let endless = [b"\x04", &b"\x53\x01\x5a".repeat(100_000)[..]].concat();
    assert!(
        read(&endless)
            .unwrap_err()
            .starts_with("objects are nested too deep")
    );
    let endless = [b"\x04\x41", &b"\x0d".repeat(100_000)[..]].concat();
    assert!(
        read(&endless)
            .unwrap_err()
            .starts_with("objects are nested too deep")
    );
}

/// Lists that each hold the next one twice: few bytes, and more values than fit any memory.
#[test]
fn references_cannot_blow_a_value_up() {
    let mut payload = b"\x04".to_vec();
    payload.extend(b"\x53\x02\x5a".repeat(60));
    payload.extend(b"\x01\x01");
    for level in 1..60_u8 {
        // From the innermost list out, each holds the one within it again.
        payload.extend([0x39, 0_u8.wrapping_sub(level)]);
    }
    let message = read(&payload).unwrap_err();
    assert!(
        message.starts_with("objects are repeated too often"),
        "{message}"
    );
}

#[test]
fn values_that_cannot_be_written_are_refused() {
    let none: [(&str, JavaValue); 0] = [];
    for value in [
        JavaValue::object("Undeclared", none.clone()),
        JavaValue::object("Record", none),
        JavaValue::Optional(None),
        JavaValue::collection("java.util.Collections$SingletonList", []),
        JavaValue::collection("java.util.RegularEnumSet", []),
        JavaValue::Array(Array {
            class: "[I".into(),
            items: vec!["a".into()],
        }),
    ] {
        assert!(codec().encode(&value).is_err(), "{value:?}");
    }
}
