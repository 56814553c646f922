use std::collections::BTreeMap;
use std::error::Error as _;

use bytes::Bytes;

use super::tree::DEEPEST;
use super::{JsonJackson3Codec, JsonJacksonCodec};
use crate::codec::{Codec, Error};
use crate::java::{BigDecimal, Instant, JavaObject, JavaValue, Schema, Temporal};

mod random;
mod reading;

fn schema() -> Schema {
    Schema::from_json(
        r#"{
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

fn report(error: Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

fn line() -> JavaValue {
    JavaValue::object("x.Line", [("article", "a".into()), ("count", 2.into())])
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

/// Java could not read the whole element, and the consumer would lose it.
#[test]
fn values_that_a_field_cannot_hold_are_not_written() {
    let field = |name: &'static str, value: JavaValue| {
        let error = codec()
            .encode(&order(name, value))
            .map_err(report)
            .unwrap_err();
        error.replace("value cannot be written by jackson: ", "")
    };
    for (name, value, message) in [
        (
            "coupon",
            5.into(),
            "coupon: expected java.lang.Long, found java.lang.Integer",
        ),
        ("id", 5.into(), "id: expected long, found java.lang.Integer"),
        (
            "name",
            5.into(),
            "name: expected java.lang.String, found java.lang.Integer",
        ),
        (
            "line",
            "x".into(),
            "line: expected x.Line, found java.lang.String",
        ),
        (
            "codes",
            JavaValue::list([]),
            "codes: expected java.lang.String[], found java.util.ArrayList",
        ),
        (
            "ids",
            JavaValue::collection("java.util.HashSet", [1i64.into(), 2.into()]),
            "ids[1]: expected java.lang.Long, found java.lang.Integer",
        ),
        (
            "byId",
            JavaValue::map([(1i64.into(), JavaValue::map([]))]),
            "byId.1: expected x.Line, found java.util.LinkedHashMap",
        ),
        (
            "any",
            JavaValue::map([(line(), 1.into())]),
            "any: expected a map key with a text of its own, found x.Line",
        ),
        (
            "any",
            BigDecimal::new(1, 10_000).into(),
            "any: expected a scale of 9999 at most, found one of 10000",
        ),
        (
            "any",
            JavaValue::collection("java.util.RegularEnumSet", []),
            "any: expected constants of an enum, found an empty java.util.RegularEnumSet",
        ),
        (
            "any",
            JavaValue::Optional(None),
            "any: expected a value that jackson can write, found java.util.Optional",
        ),
        (
            "any",
            JavaValue::object("java.util.BitSet", [("words", JavaValue::list([]))]),
            "any: class java.util.BitSet is not in the schema",
        ),
    ] {
        assert_eq!(field(name, value), message);
    }
    let instant = JavaValue::Time(Temporal::Instant(Instant {
        seconds: 1,
        nanos: 0,
    }));
    let error = JsonJacksonCodec::new()
        .encode(&instant)
        .map_err(report)
        .unwrap_err();
    assert_eq!(
        error,
        "value cannot be written by jackson: expected a value that jackson can write without \
         JavaTimeModule, found java.time.Instant: if Java has registered JavaTimeModule, call \
         .java_time(true)"
    );
    let error = codec()
        .encode(&JavaValue::Null)
        .map_err(report)
        .unwrap_err();
    assert_eq!(error, "null is not an element");
}

/// Likewise what is not final: the tag names a class that Java does not accept there.
#[test]
fn values_of_unrelated_classes_are_not_written() {
    let instant = JavaValue::Time(Temporal::Instant(Instant {
        seconds: 1,
        nanos: 0,
    }));
    let by_name = |key: &str, value: JavaValue| JavaValue::map([(key.into(), value)]);
    for (name, value, message) in [
        (
            "address",
            JavaValue::object("x.Other", [("a", JavaValue::Null)]),
            "address: expected x.Address, found x.Other",
        ),
        (
            "address",
            JavaValue::object("y.Gone", [("a", JavaValue::Null)]),
            "address: class y.Gone is not in the schema",
        ),
        (
            "labels",
            JavaValue::list([]),
            "labels: expected java.util.Map<java.lang.String, java.util.List<java.lang.String>>, \
             found java.util.ArrayList",
        ),
        (
            "labels",
            by_name("a", "b".into()),
            "labels.a: expected java.util.List<java.lang.String>, found java.lang.String",
        ),
        (
            "labels",
            by_name("a", JavaValue::list([1.into()])),
            "labels.a[0]: expected java.lang.String, found java.lang.Integer",
        ),
        (
            "labels",
            JavaValue::map([(1.into(), JavaValue::list([]))]),
            "labels: expected java.lang.String, found java.lang.Integer",
        ),
        (
            "byId",
            by_name("one", line()),
            "byId: expected java.lang.Long, found java.lang.String",
        ),
        (
            "perStatus",
            by_name("NOPE", 1.into()),
            "perStatus: x.Status has no constant NOPE; it has NEW, PAID",
        ),
        (
            "tags",
            JavaValue::collection("java.util.TreeSet", []),
            "tags: expected java.util.List<java.lang.String>, found java.util.TreeSet",
        ),
        (
            "tags",
            JavaValue::collection("y.UnknownSet", ["a".into(), 1.into()]),
            "tags[1]: expected java.lang.String, found java.lang.Integer",
        ),
        (
            "status",
            "NEW".into(),
            "status: expected x.Status, found java.lang.String",
        ),
        (
            "priority",
            "LOW".into(),
            "priority: expected x.Priority, found java.lang.String",
        ),
        (
            "priority",
            JavaValue::constant("x.Priority", "NOPE"),
            "priority: x.Priority has no constant NOPE; it has LOW, HIGH",
        ),
        (
            "any",
            JavaValue::constant("x.Status", "NOPE"),
            "any: x.Status has no constant NOPE; it has NEW, PAID",
        ),
        (
            "at",
            instant,
            "at: expected java.util.Date, found java.time.Instant",
        ),
        (
            "amount",
            1.5.into(),
            "amount: expected java.math.BigDecimal, found java.lang.Double",
        ),
        (
            "address",
            JavaValue::collection("x.Address", []),
            "address: a x.Address cannot be written as this kind of value",
        ),
        (
            "any",
            JavaValue::constant("x.Address", "A"),
            "any: a x.Address cannot be written as this kind of value",
        ),
        (
            "any",
            JavaValue::collection("java.util.TreeMap", []),
            "any: a java.util.TreeMap cannot be written as this kind of value",
        ),
        ("id", JavaValue::Null, "id: expected long, found null"),
        (
            "gone",
            JavaValue::Null,
            "gone: class x.Order has no such field",
        ),
    ] {
        let value = order(name, value);
        let error = codec().encode(&value).map_err(report).unwrap_err();
        let reason = error.replace("value cannot be written by jackson: ", "");
        assert_eq!(reason, message);
        let codec = JsonJackson3Codec::with_schema(schema()).unwrap();
        assert_eq!(codec.encode(&value).map_err(report).unwrap_err(), error);
    }
    let numbers = JavaValue::Array(crate::java::Array {
        class: "[I".into(),
        items: vec![1.into(), JavaValue::Null],
    });
    let error = codec().encode(&numbers).map_err(report).unwrap_err();
    assert!(error.ends_with("[1]: expected int, found null"), "{error}");
}

/// A sub class, or what nothing is known of, can stand in for the declared class.
#[test]
fn values_that_a_field_can_hold_are_written() {
    for (name, value) in [
        (
            "address",
            JavaValue::object("x.Home", [("city", "P".into())]),
        ),
        ("address", JavaValue::Null),
        (
            "shape",
            JavaValue::object("x.Other", [("a", JavaValue::Null)]),
        ),
        ("shape", "text".into()),
        ("shape", JavaValue::constant("y.Unknown", "A")),
        ("tags", JavaValue::collection("java.util.LinkedList", [])),
        ("tags", JavaValue::collection("y.UnknownList", ["a".into()])),
        ("labels", JavaValue::map([("a".into(), JavaValue::Null)])),
        ("byId", JavaValue::map([("7".into(), line())])),
        ("perStatus", JavaValue::map([("PAID".into(), 1.into())])),
        (
            "at",
            JavaValue::Date(crate::java::Date {
                class: "java.sql.Timestamp".into(),
                millis: 5,
            }),
        ),
    ] {
        codec().encode(&order(name, value)).unwrap();
    }
}

/// A Java object of this class cannot lack a number.
#[test]
fn only_fields_of_primitive_types_must_be_there() {
    let mut json = None;
    for fields in [
        vec![],
        vec![("name", JavaValue::Null), ("next", JavaValue::Null)],
    ] {
        let mut object = order("id", 1i64.into());
        if let JavaValue::Object(object) = &mut object {
            let fields = fields.into_iter().map(|(name, value)| (name.into(), value));
            object.fields.extend(fields);
        }
        let written = codec().encode(&object).unwrap();
        assert_eq!(json.get_or_insert(written.clone()), &written);
    }
    assert_eq!(
        json.unwrap(),
        r#"{"@class":"x.Order","count":0,"id":1,"mark":"\u0000","paid":false,"price":0.0}"#
    );
    let order = JavaValue::object("x.Order", [("name", JavaValue::Null)]);
    assert_eq!(
        codec().encode(&order).map_err(report).unwrap_err(),
        "value cannot be written by jackson: count: field of class x.Order is missing"
    );
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
