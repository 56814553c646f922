use bytes::Bytes;

use super::{codec, decode, line, report, same};
use crate::java::{Array, BigDecimal, Class, JavaValue, Map, Schema};
use crate::{Codec, JsonJackson3Codec, JsonJacksonCodec};

/// The field of an order that is read from one property.
fn field(name: &str, json: &str) -> Result<JavaValue, String> {
    let order = format!(r#"{{"@class":"x.Order","{name}":{json}}}"#);
    match decode(&codec(), &order)? {
        JavaValue::Object(mut order) => Ok(order.take(name)),
        other => panic!("{other:?}"),
    }
}

/// `JsonJacksonCodec` of Redisson 4.7.0 gave these results, with classes that have such fields.
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
            "status: x.Status has no constant GONE; it has NEW, PAID",
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
            "perStatus: x.Status has no constant GONE; it has NEW, PAID",
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
        "value cannot be written by jackson: class y.Event is not in the schema"
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

/// An incomplete schema calls a class abstract that it cannot describe, such as an exception. All
/// its fields are read. An object without a class is of no class that a place allows.
#[test]
fn objects_of_classes_without_a_description_keep_their_fields() {
    let schema = Schema::from_json(
        r#"{
        "com.acme.JsonCases$Failure": {
            "fields": {"id": "java.lang.String", "error": "java.lang.Exception"}},
        "com.acme.JsonCases$Fault": {"abstract": true},
        "x.Holder": {"fields": {"fault": "com.acme.JsonCases$Fault"}},
        "x.Event": {"abstract": true, "fields": {"id": "int"}}
    }"#,
    )
    .unwrap();
    let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema).unwrap();
    let failure = r#"{"@class":"com.acme.JsonCases$Failure","error":{"@class":"com.acme.JsonCases$Fault","@id":1,"code":404,"localizedMessage":"no such order","message":"no such order","stackTrace":[],"suppressed":["[Ljava.lang.Throwable;",[]]},"id":"t-1"}"#;
    let JavaValue::Object(failure) = decode(&codec, failure).unwrap() else {
        panic!("no object");
    };
    let Some(JavaValue::Object(fault)) = failure.get("error") else {
        panic!("no fault");
    };
    assert_eq!(fault.class, "com.acme.JsonCases$Fault");
    assert_eq!(fault.get("code"), Some(&404.into()));
    assert_eq!(fault.get("message"), Some(&"no such order".into()));
    for (json, message) in [
        (
            r#"{"@class":"x.Holder","fault":{"code":404}}"#,
            "payload is not of the expected type: fault: expected com.acme.JsonCases$Fault, \
             found an object without a class",
        ),
        (
            r#"{"@class":"x.Event","id":1}"#,
            "payload is not of the expected type: java cannot make objects of x.Event: the schema \
             says it is abstract",
        ),
    ] {
        assert_eq!(decode(&codec, json).unwrap_err(), message);
    }
}

/// `Parcel<T extends Item>`, where `Item` is final: Jackson writes no class for `T` of a raw `Parcel`.
#[test]
fn what_a_parameter_extends_is_what_a_raw_class_holds() {
    let schema = r#"{
        "x.Parcel": {"parameters": ["T extends x.Item"], "fields": {"value": "T"}},
        "x.Child": {"extends": "x.Parcel"},
        "x.Item": {"final": true, "fields": {"sku": "java.lang.String"}}}"#;
    let schema = Schema::from_json(schema).unwrap();
    let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema).unwrap();
    let item = JavaValue::object("x.Item", [("sku", "s".into())]);
    for class in ["x.Parcel", "x.Child"] {
        let json = format!(r#"{{"@class":"{class}","value":{{"sku":"s"}}}}"#);
        let value = decode(&codec, &json).unwrap();
        assert_eq!(value, JavaValue::object(class, [("value", item.clone())]));
        assert_eq!(codec.encode(&value).map_err(report).unwrap(), json);
    }
    for (parameters, message) in [
        (r#"["T extends "]"#, "class x.Parcel"),
        (
            r#"["T extends Item"]"#,
            "class x.Parcel: Item is no type: write the full name, with its package",
        ),
    ] {
        let schema = format!(r#"{{"x.Parcel": {{"parameters": {parameters}}}}}"#);
        let error = Schema::from_json(&schema).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

/// Written by `JsonJacksonCodec` of Redisson 4.7.0 with `JavaTimeModule`, and read back by it.
#[test]
fn keys_that_are_times_match_jackson() {
    for (class, key) in [
        ("java.time.Duration", "PT1M30S"),
        ("java.time.Instant", "1970-01-01T00:00:05.007Z"),
        ("java.time.LocalDate", "2024-01-02"),
        ("java.time.LocalDateTime", "2024-01-02T03:04"),
        ("java.time.LocalTime", "03:04"),
        ("java.time.LocalTime", "03:04:05.000060"),
        ("java.time.OffsetDateTime", "2024-01-02T03:04:05+02:00"),
        ("java.time.Period", "P3D"),
        ("java.time.Year", "2024"),
        ("java.time.YearMonth", "2024-01"),
        ("java.time.ZoneId", "Europe/Paris"),
        ("java.time.ZoneOffset", "+02:00"),
        ("java.time.ZonedDateTime", "2024-01-02T03:04:05+01:00"),
        ("java.util.Locale", "fr_FR"),
    ] {
        let schema = format!(
            r#"{{"Jd$Keys": {{"fields": {{"seats": "java.util.Map<{class}, java.lang.Integer>"}}}}}}"#
        );
        let schema = Schema::from_json(&schema).unwrap();
        let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema).unwrap();
        let codec = codec.java_time(true);
        let json =
            format!(r#"{{"@class":"Jd$Keys","seats":{{"@class":"java.util.HashMap","{key}":5}}}}"#);
        let value = decode(&codec, &json).unwrap();
        assert_eq!(
            codec.encode(&value).map_err(report).unwrap(),
            json,
            "{class}"
        );
    }
}

/// Written by `JsonJacksonCodec` of Redisson 4.7.0, and read back by it, but for the last.
#[test]
fn texts_of_classes_of_the_jdk_match_jackson() {
    let schema = r#"{"com.acme.JsonCases$Export": {
        "fields": {"id": "java.lang.String", "file": "java.io.File"}}}"#;
    let schema = Schema::from_json(schema).unwrap();
    let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema).unwrap();
    for json in [
        r#"{"@class":"com.acme.JsonCases$Export","file":["java.io.File","/data/out.csv"],"id":"e-1"}"#,
        r#"["java.net.InetSocketAddress","127.0.0.1:80"]"#,
        r#"["java.net.InetAddress","0:0:0:0:0:0:0:1"]"#,
        r#"["java.nio.file.Path","file:///x/y"]"#,
        r#"["javax.xml.namespace.QName","{u}l"]"#,
    ] {
        let value = decode(&codec, json).unwrap();
        assert_eq!(codec.encode(&value).map_err(report).unwrap(), json);
    }
    assert_eq!(
        decode(&codec, r#"["sun.nio.cs.UTF_8","UTF-8"]"#).unwrap_err(),
        "payload is not of the expected type: expected a class that java reads, found \
         sun.nio.cs.UTF_8"
    );
}

/// In this form `JsonJacksonCodec` of Redisson 4.7.0 writes fields that hold nodes. What is in them looks
/// like a tag, and is none.
#[test]
fn nodes_of_jackson_hold_plain_values() {
    let schema = r#"{
        "x.Job": {"fields": {"all": "com.fasterxml.jackson.databind.node.ArrayNode",
            "any": "com.fasterxml.jackson.databind.JsonNode"}},
        "com.fasterxml.jackson.databind.JsonNode": {"abstract": true},
        "com.fasterxml.jackson.databind.node.ArrayNode": {"abstract": true}
    }"#;
    let schema = Schema::from_json(schema).unwrap();
    let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema).unwrap();
    let json = r#"{"@class":"x.Job","all":["com.fasterxml.jackson.databind.node.ArrayNode",["x.Y","z"]],
        "any":{"@class":"com.fasterxml.jackson.databind.node.ObjectNode","n":1,"in":{"@class":"x.Y"}}}"#;
    let array = "com.fasterxml.jackson.databind.node.ArrayNode";
    let object = "com.fasterxml.jackson.databind.node.ObjectNode";
    let items = ("value", JavaValue::list(["x.Y".into(), "z".into()]));
    let inner = ("in", JavaValue::map([("@class".into(), "x.Y".into())]));
    let fields = [
        ("all", JavaValue::object(array, [items])),
        ("any", JavaValue::object(object, [("n", 1.into()), inner])),
    ];
    let value = decode(&codec, json).unwrap();
    assert_eq!(value, JavaValue::object("x.Job", fields));
    codec.encode(&value).unwrap_err();
}

/// Java writes no tag where a final class is declared. What looks like one is an element.
#[test]
fn what_a_final_collection_or_map_holds_is_no_tag() {
    let schema = r#"{
        "x.Words": {"final": true, "extends": "java.util.ArrayList<java.lang.String>"},
        "x.Names": {"final": true,
            "extends": "java.util.LinkedHashMap<java.lang.String, java.lang.String>"},
        "x.Pojo": {"fields": {"n": "java.lang.String"}},
        "x.Holder": {"fields": {"words": "x.Words", "names": "x.Names"}}
    }"#;
    let codec: JsonJacksonCodec =
        JsonJacksonCodec::with_schema(Schema::from_json(schema).unwrap()).unwrap();
    for (json, read) in [
        (
            r#"{"@class":"x.Holder","words":["java.lang.Long","5"]}"#,
            (
                "words",
                JavaValue::collection("x.Words", ["java.lang.Long".into(), "5".into()]),
            ),
        ),
        (
            r#"{"@class":"x.Holder","names":{"@class":"nope"}}"#,
            ("names", names([("@class", "nope")])),
        ),
        (
            r#"{"@class":"x.Holder","names":{"a":"b","@class":"x.Pojo"}}"#,
            ("names", names([("a", "b"), ("@class", "x.Pojo")])),
        ),
    ] {
        let mut object = same(&codec, json).into_object("x.Holder").unwrap();
        assert_eq!(object.take(read.0), read.1, "{json}");
    }
}

fn names<const N: usize>(entries: [(&str, &str); N]) -> JavaValue {
    JavaValue::Map(Map {
        class: "x.Names".into(),
        comparator: Box::default(),
        entries: entries
            .map(|(key, value)| (key.into(), value.into()))
            .into(),
    })
}

/// Jackson writes what is in it, with a tag of its own.
#[test]
fn references_match_java() {
    let schema = r#"{"x.Holder": {"fields": {
        "nested": "java.util.concurrent.atomic.AtomicReference<java.util.concurrent.atomic.AtomicReference<?>>",
        "number": "java.util.concurrent.atomic.AtomicReference<java.lang.Long>",
        "text": "java.util.concurrent.atomic.AtomicReference<java.lang.String>"
    }}}"#;
    let codec: JsonJacksonCodec =
        JsonJacksonCodec::with_schema(Schema::from_json(schema).unwrap()).unwrap();
    let reference = |value: JavaValue| {
        JavaValue::object(
            "java.util.concurrent.atomic.AtomicReference",
            [("value", value)],
        )
    };
    for (json, field) in [
        (
            r#"{"@class":"x.Holder","number":["java.lang.Long",5]}"#,
            ("number", 5_i64.into()),
        ),
        (
            r#"{"@class":"x.Holder","text":"ref"}"#,
            ("text", "ref".into()),
        ),
        (
            r#"{"@class":"x.Holder","text":null}"#,
            ("text", JavaValue::Null),
        ),
        (
            r#"{"@class":"x.Holder","nested":null}"#,
            ("nested", reference(JavaValue::Null)),
        ),
    ] {
        let mut object = same(&codec, json).into_object("x.Holder").unwrap();
        assert_eq!(object.take(field.0), reference(field.1), "{json}");
    }
}

/// Written by `JsonJackson3Codec` of Redisson 4.7.0.
#[test]
fn reference_of_an_optional_keeps_its_value() {
    let schema = r#"{"x.Holder": {"fields": {
        "text": "java.util.concurrent.atomic.AtomicReference<java.util.Optional<java.lang.String>>"
    }}}"#;
    let codec: JsonJackson3Codec =
        JsonJackson3Codec::with_schema(Schema::from_json(schema).unwrap()).unwrap();
    for json in [
        r#"{"@class":"x.Holder","text":"UZ%"}"#,
        r#"{"@class":"x.Holder","text":null}"#,
    ] {
        let value: JavaValue = codec.decode(json.into()).unwrap();
        assert_eq!(codec.encode(&value).unwrap(), json);
    }
}

/// As in Java. The payload does not say it.
#[test]
fn class_of_an_enum_set_depends_on_the_size_of_its_enum() {
    for (size, class) in [
        (64, "java.util.RegularEnumSet"),
        (65, "java.util.JumboEnumSet"),
    ] {
        let names: Vec<String> = (0..size).map(|it| format!("C{it}")).collect();
        let schema = Schema::from_iter([Class::enumeration("x.Large", names)]);
        let codec: JsonJacksonCodec = JsonJacksonCodec::with_schema(schema).unwrap();
        for json in [
            r#"["java.util.EnumSet<x.Large>",["C9","C5"]]"#,
            r#"["java.util.EnumSet<x.Large>",[]]"#,
        ] {
            assert_eq!(same(&codec, json).class_name(), class);
        }
    }
}

/// Written by Redisson 4.7.0. Where the place binds another parameter of the class, Jackson forgets
/// that `E` is final, and tags the array.
#[test]
fn a_parameter_that_the_place_does_not_bind_has_no_bound() {
    let schema = r#"{
        "x.Order": {"final": true, "fields": {"count": "int"}},
        "x.Event": {"abstract": true, "parameters": ["K"]},
        "x.Orders": {
            "parameters": ["E extends x.Order", "K"], "extends": "x.Event<K>",
            "fields": {"all": "E[]"}
        },
        "x.Holder": {"fields": {"event": "x.Event<?>"}}
    }"#;
    let codec: JsonJacksonCodec =
        JsonJacksonCodec::with_schema(Schema::from_json(schema).unwrap()).unwrap();
    same(&codec, r#"{"@class":"x.Orders","all":[{"count":1}]}"#);
    let tagged = r#"{"@class":"x.Orders","all":["[Lx.Order;",[{"count":1}]]}"#;
    same(
        &codec,
        &format!(r#"{{"@class":"x.Holder","event":{tagged}}}"#),
    );
}

/// Redisson 4.7.0 writes keys of the type `byte[]` so.
#[test]
fn bytes_as_keys_are_base64() {
    let schema = r#"{"x.A": {"fields": {"f": "java.util.Map<byte[], java.lang.String>"}}}"#;
    let schema = Schema::from_json(schema).unwrap();
    let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema).unwrap();
    let json = r#"{"@class":"x.A","f":{"@class":"java.util.HashMap","AQL/":"x"}}"#;
    let JavaValue::Object(mut read) = same(&codec, json) else {
        panic!("not an object");
    };
    let key = JavaValue::Bytes(Bytes::from_static(&[1, 2, 255]));
    let JavaValue::Map(map) = read.take("f") else {
        panic!("not a map");
    };
    assert_eq!(map.entries, [(key, "x".into())]);
    let json = json.replace("AQL/", "*");
    assert!(decode(&codec, &json).is_err());
}
