use std::collections::BTreeMap;

use bytes::Bytes;

use super::tape::DEEPEST;
use super::{JsonJackson3Codec, JsonJacksonCodec};
use crate::java::{JavaObject, JavaValue, Schema, Temporal, YearMonth};
use crate::{Codec, Error};

mod annotations;
mod generics;
mod jackson3;
mod random;
mod reading;
mod refusals;
pub(super) mod tree;

fn schema() -> Schema {
    Schema::from_json(
        r#"{
        "x.Shape": {"abstract": true},
        "x.Order": {"fields": {
            "id": "long", "coupon": "java.lang.Long", "count": "int", "paid": "boolean",
            "price": "double", "mark": "char", "name": "java.lang.String", "any": "java.lang.Object",
            "status": "x.Status", "priority": "x.Priority", "line": "x.Line", "money": "x.Money",
            "tags": "java.util.List<java.lang.String>", "ids": "java.util.Set<java.lang.Long>",
            "byId": "java.util.Map<java.lang.Long, x.Line>", "codes": "java.lang.String[]",
            "uuid": "java.util.UUID", "amount": "java.math.BigDecimal", "blob": "byte[]",
            "perStatus": "java.util.Map<x.Status, java.lang.Integer>", "next": "x.Order",
            "address": "x.Address", "shape": "x.Shape", "at": "java.util.Date",
            "labels": "java.util.Map<java.lang.String, java.util.List<java.lang.String>>"}},
        "x.Address": {"fields": {"city": "java.lang.String"}},
        "x.Home": {"extends": "x.Address"},
        "x.Other": {"fields": {"a": "java.lang.Object"}},
        "x.Status": {"enum": ["NEW", "PAID"]},
        "x.Priority": {"enum": ["LOW", "HIGH"], "bodies": ["HIGH"]},
        "x.Line": {"record": {"article": "java.lang.String", "count": "int"}},
        "x.Money": {"final": true, "fields": {"cents": "long"}}
    }"#,
    )
    .unwrap()
}

fn codec() -> JsonJacksonCodec {
    JsonJacksonCodec::with_schema(schema())
        .unwrap()
        .java_time(true)
}

fn decode<T: 'static>(codec: &impl Codec<T>, json: &str) -> Result<T, String> {
    codec.decode(Bytes::from(json.to_owned())).map_err(report)
}

/// Reads JSON that must be what the codec itself writes for the value.
fn same<C: Codec<JavaValue>>(codec: &C, json: &str) -> JavaValue {
    let value = codec
        .decode(Bytes::copy_from_slice(json.as_bytes()))
        .unwrap();
    assert_eq!(codec.encode(&value).unwrap(), json, "{value:?}");
    value
}

fn report(error: Error) -> String {
    error.to_string()
}

fn line() -> JavaValue {
    JavaValue::object("x.Line", [("article", "a".into()), ("count", 2.into())])
}

/// Neither as numbers nor as text.
#[test]
fn times_that_java_does_not_have_are_not_written() {
    let month = YearMonth {
        year: 2024,
        month: 13,
    };
    let value = JavaValue::Time(Temporal::YearMonth(month));
    let expected = "value cannot be written by jackson: expected a time that java has, \
                    found YearMonth(YearMonth { year: 2024, month: 13 })";
    assert_eq!(
        codec().encode(&value).map_err(report).unwrap_err(),
        expected
    );
    let error = JsonJackson3Codec::new().encode(&value).map_err(report);
    assert_eq!(error.unwrap_err(), expected);
}

/// An order with zeros, and one field other than null.
fn order(name: &'static str, value: JavaValue) -> JavaValue {
    let mut fields = vec![
        ("count", 0.into()),
        ("id", 0i64.into()),
        ("mark", JavaValue::Character(0)),
        ("paid", false.into()),
        ("price", 0.0.into()),
    ];
    match fields.iter_mut().find(|it| it.0 == name) {
        Some(field) => field.1 = value,
        None => fields.push((name, value)),
    }
    JavaValue::object("x.Order", fields)
}

#[test]
fn uuids_in_fields_are_tagged_unless_peers_are_older() {
    let order = order("uuid", JavaValue::Uuid(1));
    let text = "\"00000000-0000-0000-0000-000000000001\"";
    let with = |uuid: String| {
        format!(
            r#"{{"@class":"x.Order","count":0,"id":0,"mark":"\u0000","paid":false,"price":0.0,"uuid":{uuid}}}"#
        )
    };
    let tagged = format!("[\"java.util.UUID\",{text}]");
    assert_eq!(codec().encode(&order).unwrap(), with(tagged.clone()));
    let older = codec().tagged_uuids(false);
    assert_eq!(older.encode(&order).unwrap(), with(text.to_owned()));
    // Where anything may stand, both versions have it.
    let root = JavaValue::Uuid(1);
    assert_eq!(older.encode(&root).unwrap(), tagged);
    assert_eq!(older.bare_roots(true).encode(&root).unwrap(), text);
}

/// The root counts as an `Object`, whatever Rust expects there.
#[test]
fn rust_types_are_written_as_their_java_classes() {
    fn check<T: JavaObject + PartialEq + std::fmt::Debug + 'static>(
        value: T,
        json: &str,
        more: &[&str],
    ) {
        let codec = JsonJacksonCodec::<T>::new();
        assert_eq!(codec.encode(&value).unwrap(), json);
        assert_eq!(decode(&codec, json).unwrap(), value);
        for json in more {
            assert_eq!(decode(&codec, json).unwrap(), value, "{json}");
        }
    }

    check(5i64, r#"["java.lang.Long",5]"#, &["5", "5.0", "\"5\""]);
    check(5i32, "5", &[r#"["java.lang.Integer",5]"#]);
    check(1.5f32, r#"["java.lang.Float",1.5]"#, &["1.5"]);
    check("x".to_owned(), "\"x\"", &[]);
    check(
        vec![1u8, 2],
        r#"["[B","AQI="]"#,
        &["\"AQI=\"", r#"["[B",[1,2]]"#],
    );
    check(
        vec!["a.b".to_owned(), "c".to_owned()],
        r#"["java.util.ArrayList",["a.b","c"]]"#,
        &[r#"["java.util.ImmutableCollections$List12",["a.b","c"]]"#],
    );
    check(
        vec![Some(1i64), None],
        r#"["java.util.ArrayList",[["java.lang.Long",1],null]]"#,
        &["[1,null]"],
    );
    check(
        BTreeMap::from([("a".to_owned(), 1i64)]),
        r#"{"@class":"java.util.LinkedHashMap","a":["java.lang.Long",1]}"#,
        &[r#"{"a":1}"#, r#"{"a":1,"@class":"java.util.Map"}"#],
    );
    check(
        BTreeMap::from([(7i64, vec![true])]),
        r#"{"@class":"java.util.LinkedHashMap","7":["java.util.ArrayList",[true]]}"#,
        &[],
    );
}

/// A large number needs no tag to come back as a `Long`, so Jackson 3 leaves it out.
#[test]
fn jackson_3_tags_longs_only_where_it_must() {
    let codec = JsonJackson3Codec::<i64>::new();
    for (number, json) in [
        (5, r#"["java.lang.Long",5]"#),
        (1 << 40, "1099511627776"),
        (-2_147_483_648, r#"["java.lang.Long",-2147483648]"#),
    ] {
        assert_eq!(codec.encode(&number).unwrap(), json);
        assert_eq!(decode(&codec, json).unwrap(), number);
    }
    assert_eq!(codec.bare_roots(true).encode(&5).unwrap(), "5");
    let mut longs = order("coupon", 5i64.into());
    if let JavaValue::Object(longs) = &mut longs {
        longs.fields.push(("any".into(), 5i64.into()));
    }
    let codec = JsonJackson3Codec::with_schema(schema())
        .unwrap()
        .creator("x.Order", ["coupon", "any"]);
    assert_eq!(
        codec.encode(&longs).unwrap(),
        r#"{"@class":"x.Order","coupon":5,"any":["java.lang.Long",5],"count":0,"id":0,"mark":"\u0000","paid":false,"price":0.0}"#
    );
}

/// What is too deep to be read is not written either, and neither exhausts the stack.
#[test]
fn nesting_is_limited() {
    let nested =
        |levels| (0..levels).fold(JavaValue::Integer(1), |inner, _| JavaValue::list([inner]));
    let deepest = nested(DEEPEST / 2);
    let json = codec().encode(&deepest).unwrap();
    assert_eq!(codec().decode(json).unwrap(), deepest);
    let error = codec()
        .encode(&nested(DEEPEST / 2 + 1))
        .map_err(report)
        .unwrap_err();
    assert!(
        error.ends_with("expected at most 256 levels, found more"),
        "{error}"
    );
}

/// As Redisson writes it, and as nothing else can be read: the constants of a set have no class, not
/// even those of an enum with bodies.
#[test]
fn sets_of_constants_with_bodies_match_java() {
    let schema = Schema::from_json(r#"{"a.Body": {"enum": ["X", "Y"], "bodies": ["X"]}}"#).unwrap();
    let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema).unwrap();
    let constant = |name: &'static str| JavaValue::constant("a.Body", name);
    let set = JavaValue::collection("java.util.RegularEnumSet", [constant("X"), constant("Y")]);
    let payload = codec.encode(&set).unwrap();
    assert_eq!(payload, r#"["java.util.EnumSet<a.Body>",["X","Y"]]"#);
    assert_eq!(codec.decode(payload).unwrap(), set);
    let odd = JavaValue::collection("java.util.RegularEnumSet", [constant("X"), JavaValue::Null]);
    codec.encode(&odd).unwrap_err();
    let own = JavaValue::collection("a.OwnEnumSet", [constant("X")]);
    assert_eq!(
        codec.encode(&own).unwrap(),
        r#"["a.OwnEnumSet",[["a.Body","X"]]]"#
    );
}

/// Jackson binds the parameters of a class so that its super class is what the field declares.
#[test]
fn parameters_of_a_sub_class_are_solved_from_the_declared_super_class() {
    let schema = r#"{
        "x.Pair": {"parameters": ["K", "V"], "fields": {"left": "K", "right": "V"}},
        "x.Inverse": {"parameters": ["K", "V"], "extends": "x.Pair<V, K>", "fields": {"key": "K"}},
        "x.Wide": {"parameters": ["A", "B", "C"], "extends": "x.Inverse<C, A>", "fields": {"c": "C"}},
        "x.Listed": {"parameters": ["T"], "extends": "x.Pair<java.util.List<T>, T>", "fields": {"t": "T"}},
        "x.Holder": {"fields": {
            "pair": "x.Pair<java.lang.Short, java.lang.Character>",
            "lists": "x.Pair<java.util.List<java.lang.Byte>, java.lang.Byte>"}}
    }"#;
    let codec = JsonJacksonCodec::with_schema(Schema::from_json(schema).unwrap()).unwrap();
    let (short, letter) = (JavaValue::Short(5), JavaValue::Character(0x63));
    let pair = |class, own: &'static str| {
        let fields = [(own, &letter), ("left", &short), ("right", &letter)];
        JavaValue::object(class, fields.map(|(name, value)| (name, value.clone())))
    };
    let byte = || JavaValue::Byte(1);
    let listed = [
        ("left", JavaValue::list([byte()])),
        ("right", byte()),
        ("t", byte()),
    ];
    for (field, value) in [
        ("pair", pair("x.Inverse", "key")),
        ("pair", pair("x.Wide", "c")),
        ("lists", JavaValue::object("x.Listed", listed)),
    ] {
        let holder = JavaValue::object("x.Holder", [(field, value.clone())]);
        let payload = codec.encode(&holder).unwrap();
        assert!(!payload.windows(5).any(|it| it == b"Short"), "{payload:?}");
        let JavaValue::Object(mut read) = codec.decode(payload).unwrap() else {
            panic!("no object");
        };
        let (JavaValue::Object(read), JavaValue::Object(value)) = (read.take(field), value) else {
            panic!("no object in {field}");
        };
        for (name, value) in &value.fields {
            assert_eq!(read.get(name), Some(value), "{name}");
        }
    }
}

/// Jackson writes 32 to 63 bits of a decimal number in eight bytes.
#[cfg(feature = "cbor")]
#[test]
fn decimal_numbers_have_the_bytes_of_java_in_cbor() {
    for (unscaled, expected) in [
        (2_147_483_647_i64, "1a7fffffff"),
        (2_147_483_648, "1b0000000080000000"),
        (4_294_967_296, "1b0000000100000000"),
        (-2_147_483_648, "3a7fffffff"),
        (-2_147_483_649, "3b0000000080000000"),
    ] {
        let number = JavaValue::BigDecimal(crate::java::BigDecimal::new(unscaled, 2));
        let payload = crate::CborJacksonCodec::new().encode(&number).unwrap();
        let hex: String = payload.iter().map(|it| format!("{it:02x}")).collect();
        assert!(hex.ends_with(&format!("c48221{expected}ff")), "{hex}");
    }
}

#[cfg(feature = "msgpack")]
#[test]
fn decimal_numbers_beyond_64_bits_are_doubles_in_msgpack() {
    let number = JavaValue::BigDecimal(crate::java::BigDecimal::new(1, -20));
    let payload = crate::MsgPackJacksonCodec::new().encode(&number).unwrap();
    let double = [&[0xcb][..], &1e20_f64.to_be_bytes()].concat();
    assert!(payload.ends_with(&double), "{payload:?}");
}
