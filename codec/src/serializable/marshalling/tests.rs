use bytes::Bytes;

use super::*;
use crate::Codec;
use crate::java::{Array, Class, Collection, JavaType, Text};

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

/// Java has a byte for them wherever a class stands, and describes other collections.
const WITH_A_BYTE: [(&str, u8); 14] = [
    ("java.util.ArrayList", 0x5a),
    ("java.util.LinkedList", 0x5b),
    ("java.util.Collections$SingletonList", 0x5c),
    ("java.util.Collections$EmptySet", 0x62),
    ("java.util.IdentityHashMap", 0x63),
    ("java.util.EnumSet", 0x6b),
    ("java.util.EnumMap", 0x6c),
    ("java.util.AbstractCollection", 0x6d),
    ("java.util.AbstractSequentialList", 0x71),
    ("java.util.concurrent.CopyOnWriteArrayList", 0x73),
    ("java.util.concurrent.CopyOnWriteArraySet", 0x74),
    ("java.util.Stack", 0x76),
    ("java.util.ArrayDeque", 0x78),
    ("java.util.Collections$UnmodifiableSortedMap", 0x81),
];

fn array_of(class: &str, items: Vec<JavaValue>) -> JavaValue {
    JavaValue::Array(Array {
        class: format!("[L{class};").into(),
        items,
    })
}

#[test]
fn arrays_of_classes_with_a_byte_survive() {
    for (class, byte) in WITH_A_BYTE {
        let payload = survives(&array_of(class, Vec::new()));
        assert_eq!(payload, [4, 0x41, byte][..], "{class}");
        let arrays = format!("[L{class};");
        let payload = survives(&JavaValue::Array(Array {
            class: format!("[{arrays}").into(),
            items: Vec::new(),
        }));
        assert_eq!(payload, [4, 0x41, 0x0d, byte][..], "{arrays}");
    }
    let lists = array_of("java.util.ArrayList", vec![JavaValue::list([])]);
    assert_eq!(survives(&lists), &b"\x04\x42\x01\x5a\x52\x5a"[..]);
    // Java has no byte for it.
    let maps = array_of("java.util.HashMap", Vec::new());
    assert!(survives(&maps).starts_with(b"\x04\x41\x38\x3e\x11java.util.HashMap"));
}

/// A class that stands alone shows no fields, and an object of the class needs them.
#[test]
fn classes_and_their_objects_stand_in_one_payload() {
    for class in [
        "java.util.ArrayDeque",
        "java.util.ArrayList",
        "java.util.Collections$SingletonList",
        "java.util.Collections$SingletonSet",
        "java.util.LinkedList",
        "java.util.Stack",
        "java.util.Vector",
        "java.util.concurrent.CopyOnWriteArrayList",
    ] {
        let object = || JavaValue::collection(class, ["a".into()]);
        let array = || array_of(class, vec![object()]);
        survives(&JavaValue::list([array(), object()]));
        survives(&JavaValue::list([object(), array()]));
        let class = || JavaValue::Text(Text::class_object(class.to_owned()));
        survives(&JavaValue::list([class(), object()]));
        survives(&JavaValue::list([object(), class()]));
    }
}

/// As `MarshallingCodec` of Redisson 3.52.0 wrote them.
#[test]
fn payloads_with_classes_that_have_a_byte_match_java() {
    let numbers = |number| JavaValue::list([JavaValue::Integer(number)]);
    let lists = JavaValue::list([
        array_of("java.util.ArrayList", vec![numbers(1)]),
        numbers(2),
    ]);
    let payload = b"\x04\x53\x02\x5a\x42\x01\x5a\x53\x01\x5a\x4b\0\0\0\x01\
        \x53\x01\x5a\x4b\0\0\0\x02";
    assert_eq!(survives(&lists), payload[..]);

    let set = |constant: &str| {
        let unit = JavaValue::constant("java.util.concurrent.TimeUnit", constant.to_owned());
        JavaValue::collection("java.util.RegularEnumSet", [unit])
    };
    let sets = JavaValue::list([
        array_of("java.util.EnumSet", vec![set("DAYS")]),
        set("HOURS"),
    ]);
    let payload = b"\x04\x53\x02\x5a\x42\x01\x6b\x53\x01\x6a\x0c\0\0\0\x1d\
        java.util.concurrent.TimeUnit\x04\x3b\xff\0\0\0\x04DAYS\
        \x53\x01\x6a\x3b\xff\x04\x3b\xff\0\0\0\x05HOURS";
    assert_eq!(survives(&sets), payload[..]);

    let payload = b"\x04\x04\x38\x3e\x28java.util.concurrent.LinkedTransferQueue\
        \xd3\x45\x33\x6e\x1f\x5c\x3e\x9a\0\0\0\0\x16\x3e\x01a\x3e\x01b\x01\x35";
    let queue = "java.util.concurrent.LinkedTransferQueue";
    assert_eq!(
        read(payload).unwrap(),
        JavaValue::collection(queue, ["a".into(), "b".into()])
    );
}

/// The byte alone is the class, unless it begins an object of it.
#[test]
fn classes_as_values_match_java() {
    let class = |name: &str| JavaValue::Text(Text::class_object(name.to_owned()));
    for (name, byte) in WITH_A_BYTE {
        let payload = survives(&class(name));
        match byte {
            0x5c..=0x62 | 0x77.. => assert_eq!(payload, [4, 4, 0x15, byte][..], "{name}"),
            _ => assert_eq!(payload, [4, byte][..], "{name}"),
        }
    }
    assert_eq!(survives(&class("java.lang.String")), &b"\x04\x14"[..]);
    // Java writes no byte for this class, and reads it.
    assert_eq!(read(b"\x04\x64").unwrap(), class("java.util.HashMap"));
}

/// An element stands in the payload once, however often it is in the list.
#[test]
fn copies_of_one_element_become_a_list() {
    let copies = |payload: &[u8]| {
        let codec = MarshallingCodec::<Vec<String>>::new();
        codec.decode(Bytes::copy_from_slice(payload))
    };
    assert_eq!(copies(b"\x04\x53\x03\x7b\x3e\x01a").unwrap(), ["a"; 3]);
    let many = copies(b"\x04\x55\x00\x01\x11\x70\x7b\x3e\x01a").unwrap();
    assert_eq!(many, vec!["a"; 70_000]);
    for payload in [
        &b"\x04\x55\x7f\xff\xff\xff\x7b\x3e\x01a"[..],
        // Copies of copies.
        b"\x04\x54\x00\x00\x7b\x54\x00\x00\x7b\x3e\x01a",
    ] {
        let error = copies(payload).unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains("objects are repeated too often"),
            "{message}"
        );
    }
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
        (
            b"\x04\x55\xff\xff\xff\xff\x5a",
            "a length is more than the bytes that are left at byte 2",
        ),
        (
            b"\x04\x55\x7f\xff\xff\xff\x5a\x01",
            "the bytes end too early at byte 8",
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

/// Four bytes name a class with one dimension more.
#[test]
fn arrays_of_too_many_dimensions_are_refused() {
    let count = 10_000_i32;
    let mut payload = b"\x04\x55".to_vec();
    payload.extend(count.to_be_bytes());
    payload.extend(b"\x5a\x41\x0d\x16");
    payload.extend(b"\x41\x0d\x3b\xff".repeat(10_000));
    let refusal = read(&payload).unwrap_err();
    assert!(refusal.contains("more than 255 dimensions"), "{refusal}");
}
