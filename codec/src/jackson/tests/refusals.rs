use num_bigint::BigInt;

use super::{codec, line, order, report, schema};
use crate::java::{Array, BigDecimal, Date, Instant, JavaValue, Temporal};
use crate::{Codec, JsonJackson3Codec, JsonJacksonCodec};

/// Java could not read the whole value, and the consumer would lose it.
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
            BigInt::from(10).pow(1_000).into(),
            "any: expected a number of 1000 digits at most, found one of 1001",
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
    assert_eq!(error, "null has no payload");
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
    let numbers = JavaValue::Array(Array {
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
        ("shape", JavaValue::constant("y.Unknown", "A")),
        ("tags", JavaValue::collection("java.util.LinkedList", [])),
        ("tags", JavaValue::collection("y.UnknownList", ["a".into()])),
        ("labels", JavaValue::map([("a".into(), JavaValue::Null)])),
        ("byId", JavaValue::map([("7".into(), line())])),
        ("perStatus", JavaValue::map([("PAID".into(), 1.into())])),
        (
            "at",
            JavaValue::Date(Date {
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
fn objects_of_abstract_classes_are_not_written() {
    let shape = JavaValue::object::<&'static str>("x.Shape", []);
    let error = codec().encode(&shape).unwrap_err();
    assert_eq!(
        error.cause().unwrap().to_string(),
        "java cannot make objects of x.Shape: the schema says it is abstract"
    );
}

/// Redisson 4.7.0 reads texts and names of these lengths, and none of one more.
#[test]
fn texts_and_names_that_java_does_not_read_are_not_written() {
    let text = "k".repeat(20_000_001);
    let shorter = &text[1..];
    let refused = "expected a text of 20000000 UTF-16 units at most, found one of 20000001";
    let codecs: &[&dyn Codec<String>] = &[
        &JsonJacksonCodec::<String>::new(),
        #[cfg(feature = "cbor")]
        &crate::CborJacksonCodec::<String>::new(),
        #[cfg(feature = "smile")]
        &crate::SmileJacksonCodec::<String>::new(),
    ];
    for codec in codecs {
        codec.encode(&shorter.to_owned()).unwrap();
        let message = report(codec.encode(&text).unwrap_err());
        assert!(message.ends_with(refused), "{message}");
    }
    // Its limit is 100,000,000.
    JsonJackson3Codec::<String>::new().encode(&text).unwrap();
    // It has none.
    #[cfg(feature = "msgpack")]
    crate::MsgPackJacksonCodec::<String>::new()
        .encode(&text)
        .unwrap();

    let keyed = |key: &str| JavaValue::map([(key.into(), 1.into())]);
    let refused = "expected a name of 50000 bytes at most, found one of 50001";
    let codecs: [&dyn Codec<JavaValue>; 2] = [
        &JsonJacksonCodec::<JavaValue>::new(),
        &JsonJackson3Codec::<JavaValue>::new(),
    ];
    for codec in codecs {
        codec.encode(&keyed(&text[..50_000])).unwrap();
        let message = report(codec.encode(&keyed(&text[..50_001])).unwrap_err());
        assert!(message.ends_with(refused), "{message}");
    }
    #[cfg(feature = "cbor")]
    crate::CborJacksonCodec::<JavaValue>::new()
        .encode(&keyed(&text[..50_001]))
        .unwrap();
}

/// A name of a class must neither overflow the stack nor take long. Java refuses all of these.
#[test]
fn names_of_arrays_with_too_many_dimensions_do_no_harm() {
    let many = 100_000;
    let payloads = [
        format!(r#"["[{}I",[[]]]"#, "[".repeat(many)),
        format!(r#"["[{}I",1]"#, "[".repeat(many)),
        format!(r#"{{"@class":"[{}I"}}"#, "[".repeat(many)),
        format!(r#"["a.b<c>{}",1]"#, "[]".repeat(many)),
    ];
    for payload in payloads {
        let read = move || {
            _ = JsonJacksonCodec::<JavaValue>::new().decode(payload.clone().into());
            let read = JsonJacksonCodec::<Vec<i64>>::new().decode(payload.clone().into());
            read.unwrap_err();
            let read = JsonJacksonCodec::<String>::new().decode(payload.into());
            read.unwrap_err();
        };
        let thread = std::thread::Builder::new().stack_size(256 * 1024);
        thread.spawn(read).unwrap().join().unwrap();
    }
}

#[test]
fn values_that_java_does_not_read_are_refused() {
    for payload in [
        r#"["java.time.Instant","2024-02-30T00:00:00Z"]"#,
        r#"["java.math.BigDecimal",".-5"]"#,
        r#"["java.time.Month",-9223372036854775808]"#,
    ] {
        let read = JsonJacksonCodec::<JavaValue>::new().decode(payload.into());
        assert!(read.is_err(), "{payload}: {read:?}");
        let read = JsonJackson3Codec::<JavaValue>::new().decode(payload.into());
        assert!(read.is_err(), "{payload}: {read:?}");
    }
}
