use std::error::Error as _;

use bytes::Bytes;

use super::Kryo5Codec;
use crate::Codec;
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

/// Written by Redisson 4.7.0. Above a class that extends another without type arguments, Kryo does
/// not know what a type parameter stands for, nor does it know the arguments of what it stands for;
/// and it takes a wildcard for its lower bound if there is no upper one.
#[test]
fn type_parameters_of_super_classes_match_java() {
    let schema = Schema::from_json(
        r#"{
            "a.Box": {"parameters": ["T"], "fields": {"v": "T"}},
            "a.One": {"extends": "a.Box<java.lang.String>"},
            "a.Two": {"extends": "a.One"},
            "a.Deep": {"extends": "a.Box<java.util.List<java.lang.String>>"},
            "a.Holder": {"fields": {"b": "a.Box<java.lang.String>"}},
            "a.Sup": {"fields": {"l": "java.util.List<? super java.lang.Integer>"}},
            "a.Ext": {"fields": {"l": "java.util.List<? extends java.util.List<java.lang.String>>"}}
        }"#,
    )
    .unwrap();
    let codec = Kryo5Codec::<JavaValue>::with_schema(schema).unwrap();
    let of = |class: &'static str, value: JavaValue| JavaValue::object(class, [("v", value)]);
    let list = |items: Vec<JavaValue>| JavaValue::list(items);
    for (value, payload) in [
        (of("a.One", "s".into()), &b"\x01\0a.On\xe5\x82s"[..]),
        (of("a.Two", "s".into()), b"\x01\0a.Tw\xef\x03\x82s"),
        (
            of("a.Deep", list(vec!["s".into()])),
            b"\x01\0a.Dee\xf0\x01\x01java.util.ArrayLis\xf4\x82\x03\0\x82s",
        ),
        (
            JavaValue::object("a.Holder", [("b", of("a.Two", "s".into()))]),
            b"\x01\0a.Holde\xf2\x01\x01a.Tw\xef\x82s",
        ),
        (
            JavaValue::object("a.Sup", [("l", list(vec![JavaValue::Integer(1)]))]),
            b"\x01\0a.Su\xf0\x01\x01java.util.ArrayLis\xf4\x02\x02",
        ),
        (
            JavaValue::object("a.Ext", [("l", list(vec![list(vec!["s".into()])]))]),
            b"\x01\0a.Ex\xf4\x01\x01java.util.ArrayLis\xf4\x82\x01\x01\0\x82\x03\0\x82s",
        ),
    ] {
        let written = codec.encode(&value).unwrap();
        assert_eq!(written, payload, "{value:?}");
        assert_eq!(codec.decode(written).unwrap(), value);
    }
}

/// Written by Redisson 4.7.0 for an enum of Kotlin, whose constants `MAIL` and `CALL` have bodies. A
/// schema may say so in two ways.
#[test]
fn constants_of_kotlin_with_bodies_match_java() {
    for schema in [
        r#"{
            "com.acme.jobs.Job": {"final": true, "fields": {
                "kind": "com.acme.jobs.Kind", "prio": "java.lang.Integer"}},
            "com.acme.jobs.Kind": {"enum": ["MAIL", "CALL"], "bodies": ["MAIL", "CALL"]},
            "com.acme.jobs.Kind$CALL": {"final": true, "extends": "com.acme.jobs.Kind"},
            "com.acme.jobs.Kind$MAIL": {"final": true, "extends": "com.acme.jobs.Kind"}
        }"#,
        r#"{
            "com.acme.jobs.Job": {"final": true, "fields": {
                "kind": "com.acme.jobs.Kind", "prio": "java.lang.Integer"}},
            "com.acme.jobs.Kind": {"enum": ["MAIL", "CALL"], "bodies": {
                "MAIL": "com.acme.jobs.Kind$MAIL", "CALL": "com.acme.jobs.Kind$CALL"}}
        }"#,
    ] {
        let codec = codec(schema);
        for (constant, payload) in [
            (
                "MAIL",
                &b"\x01\0com.acme.jobs.Jo\xe2\x01\x01com.acme.jobs.Kind$MAI\xcc\x01\0"[..],
            ),
            (
                "CALL",
                b"\x01\0com.acme.jobs.Jo\xe2\x01\x01com.acme.jobs.Kind$CAL\xcc\x02\0",
            ),
        ] {
            let kind = JavaValue::constant("com.acme.jobs.Kind", constant);
            let job = [("kind", kind), ("prio", JavaValue::Null)];
            assert_eq!(
                read(&codec, payload),
                JavaValue::object("com.acme.jobs.Job", job)
            );
        }
    }
    // As if the compiler of Java had named the classes.
    let codec = codec(r#"{"com.acme.jobs.Kind": {"enum": ["MAIL"], "bodies": ["MAIL"]}}"#);
    assert_eq!(
        refusal(
            &codec,
            [&named("com.acme.jobs.Kind$MAIL")[..], b"\x01"].concat()
        ),
        "class com.acme.jobs.Kind$MAIL is neither in the schema nor one of the JDK's that are \
         known, at byte 0"
    );
}

/// Written by Redisson 3.17.7 to 4.7.0, which read it too: the set names the class of its first
/// constant.
#[test]
fn sets_of_constants_with_bodies_match_java() {
    let codec = codec(r#"{"acme.M$Body": {"enum": ["X", "Y"], "bodies": ["X"]}}"#);
    let payload = b"\x01\0java.util.RegularEnumSe\xf4\x01\x01acme.M$Body$\xb1\x01\x01";
    let set = JavaValue::constant("acme.M$Body", "X");
    let set = JavaValue::collection("java.util.RegularEnumSet", [set]);
    assert_eq!(read(&codec, payload), set);
    let allowed = codec.allowed_classes(["java.util.RegularEnumSet", "acme.M$Body"]);
    let payload = b"\x0c\x0b\x01\x01";
    assert_eq!(read(&allowed, payload), set);
}
