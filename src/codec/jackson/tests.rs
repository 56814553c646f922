use std::collections::BTreeMap;
use std::error::Error as _;

use bytes::Bytes;
use proptest::prelude::*;

use super::tree::DEEPEST;
use super::{JsonJackson3Codec, JsonJacksonCodec};
use crate::codec::{Codec, Error};
use crate::java::{
    Array, BigDecimal, Date, Instant, JavaObject, JavaValue, LocalDate, Map, Schema, Temporal,
};

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
            "perStatus": "java.util.Map<x.Status, java.lang.Integer>", "next": "x.Order"}},
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

/// The field of an order that is read from one property.
fn field(name: &str, json: &str) -> Result<JavaValue, String> {
    let order = format!(r#"{{"@class":"x.Order","{name}":{json}}}"#);
    match decode(&codec(), &order)? {
        JavaValue::Object(mut order) => Ok(order.take(name)),
        other => panic!("{other:?}"),
    }
}

fn line() -> JavaValue {
    JavaValue::object("x.Line", [("article", "a".into()), ("count", 2.into())])
}

/// Run through `JsonJacksonCodec` of Redisson 4.7.0, with classes that have such fields, to get
/// these results.
#[test]
fn fields_are_read_as_leniently_as_java_does() {
    let status = JavaValue::constant("x.Status", "PAID");
    for (name, json, value) in [
        ("count", "3.0", 3.into()),
        ("count", "3.7", 3.into()),
        ("count", "\"3\"", 3.into()),
        ("count", "null", 0.into()),
        ("id", "5", 5i64.into()),
        ("coupon", "[\"java.lang.Long\",5]", 5i64.into()),
        ("coupon", "null", JavaValue::Null),
        ("paid", "1", true.into()),
        ("price", "\"NaN\"", JavaValue::Double(f64::NAN)),
        ("price", "7", 7.0.into()),
        ("mark", "\"x\"", JavaValue::Character(0x78)),
        ("status", "\"PAID\"", status.clone()),
        ("status", "1", status),
        (
            "priority",
            "[\"x.Priority\",\"HIGH\"]",
            JavaValue::constant("x.Priority", "HIGH"),
        ),
        (
            "line",
            "{\"count\":2,\"more\":[{}],\"article\":\"a\"}",
            line(),
        ),
        (
            "money",
            "{}",
            JavaValue::object("x.Money", [("cents", 0i64.into())]),
        ),
        ("any", "[\"java.lang.Integer\",5]", 5.into()),
        ("any", "[\"java.lang.String\",\"x\"]", "x".into()),
        ("any", "2147483648", 2_147_483_648i64.into()),
        (
            "any",
            "[\"[B\",\"AQI=\"]",
            JavaValue::Bytes(Bytes::from_static(&[1, 2])),
        ),
        (
            "any",
            "{\"article\":\"a\",\"@class\":\"x.Line\",\"count\":2}",
            line(),
        ),
        (
            "tags",
            "[\"java.util.List\",[\"x.y\",\"z\"]]",
            JavaValue::list(["x.y".into(), "z".into()]),
        ),
        (
            "ids",
            "[\"java.util.Set\",[[\"java.lang.Long\",1]]]",
            JavaValue::collection("java.util.HashSet", [1i64.into()]),
        ),
    ] {
        let found = field(name, json).unwrap();
        // NaN equals nothing.
        assert_eq!(format!("{found:?}"), format!("{value:?}"), "{name} {json}");
    }
}

/// What Java refuses is read here where it can mean one thing only.
#[test]
fn missing_tags_are_made_up_for_by_the_declared_type() {
    let codes = Array {
        class: "[Ljava.lang.String;".into(),
        items: vec!["x.y".into(), "z".into()],
    };
    let no_class = Array {
        class: "[Ljava.lang.String;".into(),
        items: vec!["[I".into(), "z".into()],
    };
    let by_id = Map {
        class: "java.util.LinkedHashMap".into(),
        comparator: Box::default(),
        entries: vec![(5i64.into(), line())],
    };
    for (name, json, value) in [
        ("coupon", "5", 5i64.into()),
        (
            "priority",
            "\"HIGH\"",
            JavaValue::constant("x.Priority", "HIGH"),
        ),
        (
            "status",
            "[\"x.Status\",\"NEW\"]",
            JavaValue::constant("x.Status", "NEW"),
        ),
        (
            "uuid",
            "\"00000000-0000-0000-0000-00000000000a\"",
            JavaValue::Uuid(10),
        ),
        (
            "uuid",
            "[\"java.util.UUID\",\"00000000-0000-0000-0000-00000000000a\"]",
            JavaValue::Uuid(10),
        ),
        (
            "tags",
            "[\"a\",\"b\",\"c\"]",
            JavaValue::list(["a".into(), "b".into(), "c".into()]),
        ),
        (
            "tags",
            "[\"a\",\"b\"]",
            JavaValue::list(["a".into(), "b".into()]),
        ),
        (
            "ids",
            "[1]",
            JavaValue::collection("java.util.HashSet", [1i64.into()]),
        ),
        ("codes", "[\"[I\",\"z\"]", JavaValue::Array(no_class)),
        ("codes", "[\"x.y\",\"z\"]", JavaValue::Array(codes.clone())),
        (
            "codes",
            "[\"[Ljava.lang.String;\",[\"x.y\",\"z\"]]",
            JavaValue::Array(codes),
        ),
        (
            "byId",
            "{\"5\":{\"article\":\"a\",\"count\":2}}",
            JavaValue::Map(by_id),
        ),
        ("amount", "1.50", BigDecimal::new(150, 2).into()),
        (
            "any",
            "[1,2,3]",
            JavaValue::list([1.into(), 2.into(), 3.into()]),
        ),
        ("any", "{\"a\":1}", JavaValue::map([("a".into(), 1.into())])),
    ] {
        assert_eq!(field(name, json).unwrap(), value, "{name} {json}");
    }
}

#[test]
fn what_a_field_cannot_hold_is_refused_by_its_name() {
    for (name, json, message) in [
        (
            "count",
            "2147483648",
            "count: expected int, found an integer",
        ),
        ("count", "\"three\"", "count: expected int, found a string"),
        ("count", "[]", "count: expected int, found an array"),
        (
            "count",
            "1e999999999",
            "count: expected int, found a number",
        ),
        ("paid", "\"yes\"", "paid: expected boolean, found a string"),
        ("mark", "\"xy\"", "mark: expected char, found a string"),
        (
            "status",
            "\"GONE\"",
            "status: expected x.Status, found GONE",
        ),
        ("status", "7", "status: expected x.Status, found an integer"),
        ("blob", "\"?\"", "blob: expected base64, found another text"),
        (
            "uuid",
            "\"0\"",
            "uuid: expected java.util.UUID, found a string",
        ),
        (
            "line",
            "{\"count\":\"x\"}",
            "line.count: expected int, found a string",
        ),
        (
            "ids",
            "[1,{}]",
            "ids[1]: expected java.lang.Long, found an object",
        ),
        (
            "byId",
            "{\"x\":{}}",
            "byId: expected java.lang.Long, found another key",
        ),
        (
            "perStatus",
            "{\"GONE\":1}",
            "perStatus: expected x.Status, found GONE",
        ),
        (
            "amount",
            "\"1,5\"",
            "amount: expected java.math.BigDecimal, found a string",
        ),
        (
            "any",
            "[\"x.Line\",5]",
            "any: expected x.Line, found an integer",
        ),
        (
            "any",
            "[\"java.util.Date\",\"soon\"]",
            "any: expected java.util.Date, found a string",
        ),
    ] {
        let error = field(name, json).unwrap_err();
        let expected = format!("payload is not of the expected type: {message}");
        assert_eq!(error, expected, "{name} {json}");
    }
    let error = decode(&codec(), "{").unwrap_err();
    assert_eq!(
        error,
        "payload is not JSON: no name of a property at byte 1"
    );
}

/// An enum, a collection and an object of classes that only their names are known of.
#[test]
fn unknown_classes_are_read_by_their_form() {
    let json = r#"{"@class":"y.Event","status":["y.Status","NEW"],"all":["y.Events",[1]],"id":5}"#;
    let fields = [
        ("status", JavaValue::constant("y.Status", "NEW")),
        ("all", JavaValue::collection("y.Events", [1.into()])),
        ("id", 5.into()),
    ];
    let event = decode(&codec(), json).unwrap();
    assert_eq!(event, JavaValue::object("y.Event", fields));
    // Whether `id` is an int or a Long, only the class says.
    let error = report(codec().encode(&event).unwrap_err());
    assert_eq!(
        error,
        "value cannot be written by jackson: expected a class of the schema, found y.Event"
    );
}

#[test]
fn the_last_of_equal_names_counts() {
    let json = r#"{"@class":"java.util.HashMap","a":1,"b":2,"a":3}"#;
    let JavaValue::Map(map) = decode(&codec(), json).unwrap() else {
        panic!("no map");
    };
    assert_eq!(
        map.entries,
        [("a".into(), 3.into()), ("b".into(), 2.into())]
    );
    let json = r#"{"@class":"x.Line","count":1,"article":"b","article":"a","count":2}"#;
    assert_eq!(decode(&codec(), json).unwrap(), line());
}

/// Java could not read the whole element, and the consumer would lose it.
#[test]
fn values_that_a_field_cannot_hold_are_not_written() {
    let field = |name: &'static str, value: JavaValue| {
        let order = JavaValue::object("x.Order", [(name, value)]);
        let error = codec().encode(&order).map_err(report).unwrap_err();
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
            JavaValue::list([1i64.into(), 2.into()]),
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
            "any: expected a class of the schema, found java.util.BitSet",
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
         JavaTimeModule, found java.time.Instant"
    );
    let error = codec()
        .encode(&JavaValue::Null)
        .map_err(report)
        .unwrap_err();
    assert_eq!(error, "null is not an element");
}

/// A Java object of this class cannot lack a number, so its payload never does.
#[test]
fn fields_without_a_value_are_zero_or_left_out() {
    let order = JavaValue::object("x.Order", [("name", JavaValue::Null)]);
    assert_eq!(
        codec().encode(&order).unwrap(),
        r#"{"@class":"x.Order","count":0,"id":0,"mark":"\u0000","paid":false,"price":0.0}"#
    );
}

#[test]
fn uuids_in_fields_are_tagged_unless_peers_are_older() {
    let order = JavaValue::object("x.Order", [("uuid", JavaValue::Uuid(1))]);
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
    let longs = JavaValue::object("x.Order", [("coupon", 5i64.into()), ("any", 5i64.into())]);
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

fn scalar() -> impl Strategy<Value = JavaValue> {
    prop_oneof![
        any::<bool>().prop_map(JavaValue::Boolean),
        any::<i8>().prop_map(JavaValue::Byte),
        any::<i16>().prop_map(JavaValue::Short),
        any::<i32>().prop_map(JavaValue::Integer),
        any::<i64>().prop_map(JavaValue::Long),
        any::<u16>().prop_map(JavaValue::Character),
        proptest::num::f32::NORMAL.prop_map(JavaValue::Float),
        any::<f64>()
            .prop_filter("equals itself", |it| !it.is_nan())
            .prop_map(JavaValue::Double),
        any::<String>().prop_map(JavaValue::String),
        any::<Vec<u16>>().prop_map(JavaValue::from_utf16),
        "[a-z.\\[]{1,6}".prop_map(JavaValue::String),
        any::<i128>().prop_map(|it| JavaValue::BigInteger(it.into())),
        (any::<i128>(), 0..40).prop_map(|(it, scale)| BigDecimal::new(it, scale).into()),
        any::<u128>().prop_map(JavaValue::Uuid),
        any::<Vec<u8>>().prop_map(|it| JavaValue::Bytes(it.into())),
        any::<i64>().prop_map(|millis| JavaValue::Date(Date {
            class: "java.util.Date".into(),
            millis
        })),
        (any::<i32>(), 1..=12u8, 1..=28u8).prop_map(|(year, month, day)| {
            Temporal::LocalDate(LocalDate { year, month, day }).into()
        }),
        (
            -31_557_014_167_219_200_i64..=31_556_889_864_403_199,
            0..1_000_000_000
        )
            .prop_map(|(seconds, nanos)| Temporal::Instant(Instant { seconds, nanos }).into()),
        Just(JavaValue::constant("x.Status", "PAID")),
        Just(JavaValue::constant("x.Priority", "HIGH")),
        "[a-z]{1,4}".prop_map(|name| JavaValue::constant("y.Unknown", name)),
    ]
}

fn value() -> impl Strategy<Value = JavaValue> {
    scalar().prop_recursive(4, 32, 4, |inner| {
        let nullable = prop_oneof![4 => inner.clone(), 1 => Just(JavaValue::Null)];
        let strings = any::<Vec<String>>().prop_map(|it| {
            let items = it.into_iter().map(JavaValue::String).collect();
            JavaValue::Array(Array {
                class: "[Ljava.lang.String;".into(),
                items,
            })
        });
        let items = prop::collection::vec(nullable, 0..4);
        prop_oneof![
            items.clone().prop_map(JavaValue::list),
            items
                .clone()
                .prop_map(|it| JavaValue::collection("java.util.HashSet", it)),
            items.prop_map(|items| JavaValue::Array(Array {
                class: "[Ljava.lang.Object;".into(),
                items
            })),
            strings,
            prop::collection::btree_map("[@a-z]{0,6}|@class", inner.clone(), 0..4).prop_map(|it| {
                JavaValue::map(it.into_iter().map(|(key, value)| (key.into(), value)))
            }),
            (any::<i64>(), inner.clone(), any::<Option<i64>>()).prop_map(|(cents, any, coupon)| {
                let money = JavaValue::object("x.Money", [("cents", cents.into())]);
                let JavaValue::Object(mut order) =
                    decode(&codec(), r#"{"@class":"x.Order"}"#).unwrap()
                else {
                    panic!("no order");
                };
                for (name, value) in &mut order.fields {
                    match name.as_str() {
                        "any" => *value = any.clone(),
                        "money" => *value = money.clone(),
                        "coupon" => *value = coupon.to_java(),
                        "line" => *value = line(),
                        _ => {}
                    }
                }
                JavaValue::Object(order)
            }),
        ]
    })
}

proptest! {
    #[test]
    fn values_come_back(value in value()) {
        let codec = codec();
        let json = codec.encode(&value).unwrap();
        let again = codec.decode(json.clone()).unwrap();
        prop_assert_eq!(&again, &value, "{:?}", json);

        let codec = JsonJackson3Codec::with_schema(schema()).unwrap();
        let json = codec.encode(&value).unwrap();
        prop_assert_eq!(codec.decode(json.clone()).unwrap(), value, "{:?}", json);
    }

    /// Any tree of the syntax, with tags that fit or not.
    #[test]
    fn any_json_is_read_or_refused(text in any_json()) {
        let _ = decode(&codec(), &text);
        let _ = decode(&JsonJacksonCodec::<Vec<BTreeMap<i32, Vec<u8>>>>::new(), &text);
        let order = format!("{{\"@class\":\"x.Order\",\"any\":{text},\"byId\":{text},\"uuid\":{text}}}");
        let _ = decode(&codec(), &order);
    }
}

fn any_json() -> impl Strategy<Value = String> {
    let class = prop_oneof![
        Just("x.Order"),
        Just("x.Status"),
        Just("[I"),
        Just("[B"),
        Just("[[["),
        Just("["),
        Just("java.util.EnumMap<x.Status,java.lang.Object>"),
        Just("java.util.EnumSet<"),
        Just("java.util.ArrayList"),
        Just("java.util.TreeMap"),
        Just("java.util.Optional"),
        Just("java.time.Instant"),
        Just("java.time.LocalDateTime"),
        Just("java.math.BigDecimal"),
        Just("java.util.Locale"),
        Just("java.util.concurrent.atomic.AtomicLong"),
    ];
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("1e99999".to_owned()),
        Just("-1E-2147483648".to_owned()),
        any::<i64>().prop_map(|it| it.to_string()),
        any::<f64>()
            .prop_filter("json", |it| it.is_finite())
            .prop_map(|it| format!("{it:e}")),
        "[-a-z0-9:.TZ]{0,8}".prop_map(|it| format!("\"{it}\"")),
        class.clone().prop_map(|it| format!("\"{it}\"")),
    ];
    leaf.prop_recursive(4, 24, 3, move |inner| {
        let items = prop::collection::vec(inner.clone(), 0..4);
        let properties = prop::collection::vec(("[a-z]{0,2}", inner.clone()), 0..3);
        prop_oneof![
            items.prop_map(|it| format!("[{}]", it.join(","))),
            (class.clone(), inner).prop_map(|(class, it)| format!("[\"{class}\",{it}]")),
            (class.clone(), properties).prop_map(|(class, properties)| {
                let rest = properties
                    .iter()
                    .map(|(name, it)| format!(",\"{name}\":{it}"));
                format!("{{\"@class\":\"{class}\"{}}}", rest.collect::<String>())
            }),
        ]
    })
}
