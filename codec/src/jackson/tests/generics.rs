//! Type parameters of classes in places that are declared with an interface.

use super::{decode, report};
use crate::java::{JavaValue, Map, Schema};
use crate::{Codec, JsonJacksonCodec};

/// The classes of the tests, without the interfaces that they implement.
const CLASSES: &str = r#"
    "x.Pair": {"abstract": true}, "x.Held": {"abstract": true},
    "x.Swapped": {"parameters": ["B", "A"], "fields": {"a": "A", "b": "B"} INTERFACES},
    "x.Fixed": {"parameters": ["C"], "fields": {"conf": "C"} HELD},
    "x.Unit": {"parameters": ["T"], "implements": ["java.lang.Comparable<x.Unit<T>>"],
        "fields": {"t": "T"}},
    "x.SwapMap": {"parameters": ["V", "K"], "extends": "java.util.HashMap<K, V>"},
    "x.TextMap": {"parameters": ["V"], "extends": "java.util.LinkedHashMap<java.lang.String, V>"},
    "x.Lists": {"parameters": ["A"],
        "extends": "java.util.HashMap<java.lang.String, java.util.List<A>>"},
    "x.Holder": {"fields": {
        "pairs": "java.util.Map<java.lang.String, x.Pair<java.lang.Short, java.lang.Float>>",
        "held": "x.Held<java.lang.String>",
        "unit": "java.lang.Comparable<x.Unit<java.lang.Short>>",
        "swap": "java.util.Map<java.lang.Short, java.lang.Long>",
        "text": "java.util.AbstractMap<java.lang.String, java.lang.Short>",
        "lists": "java.util.Map<java.lang.String, java.util.List<java.lang.Short>>"}}"#;

fn codec(pair: &str, held: &str) -> JsonJacksonCodec {
    let classes = CLASSES.replace("INTERFACES", pair).replace("HELD", held);
    let schema = Schema::from_json(&format!("{{{classes}}}")).unwrap();
    JsonJacksonCodec::with_schema(schema).unwrap()
}

fn holder(field: &'static str, value: JavaValue) -> JavaValue {
    JavaValue::object("x.Holder", [(field, value)])
}

fn map(class: &'static str, key: impl Into<JavaValue>, value: impl Into<JavaValue>) -> JavaValue {
    JavaValue::Map(Map {
        class: class.into(),
        entries: vec![(key.into(), value.into())],
        comparator: Box::new(JavaValue::Null),
    })
}

/// `JsonJacksonCodec` of Redisson 4.7.0 wrote such payloads of such classes, and read these values.
#[test]
fn arguments_of_an_interface_reach_the_parameters_of_a_class() {
    let codec = codec(
        r#", "implements": ["x.Pair<A, B>"]"#,
        r#", "implements": ["x.Held<java.lang.String>"]"#,
    );
    let swapped = JavaValue::object(
        "x.Swapped",
        [("a", JavaValue::Short(1)), ("b", JavaValue::Float(2.5))],
    );
    let list = JavaValue::list([JavaValue::Short(5)]);
    for (field, json, value) in [
        (
            "pairs",
            r#"{"@class":"java.util.HashMap","k":{"@class":"x.Swapped","a":1,"b":2.5}}"#,
            map("java.util.HashMap", "k", swapped),
        ),
        (
            "held",
            r#"{"@class":"x.Fixed","conf":5}"#,
            JavaValue::object("x.Fixed", [("conf", 5.into())]),
        ),
        // Jackson does not look for the parameter in the class itself.
        (
            "unit",
            r#"{"@class":"x.Unit","t":5}"#,
            JavaValue::object("x.Unit", [("t", 5.into())]),
        ),
        (
            "swap",
            r#"{"@class":"x.SwapMap","3":["java.lang.Long",6]}"#,
            map("x.SwapMap", JavaValue::Short(3), 6i64),
        ),
        (
            "text",
            r#"{"@class":"x.TextMap","x":6}"#,
            map("x.TextMap", "x", JavaValue::Short(6)),
        ),
        (
            "lists",
            r#"{"@class":"x.Lists","q":["java.util.ArrayList",[5]]}"#,
            map("x.Lists", "q", list),
        ),
    ] {
        let json = format!(r#"{{"@class":"x.Holder","{field}":{json}}}"#);
        let read = decode(&codec, &json).unwrap();
        let JavaValue::Object(object) = &read else {
            panic!("{read:?}");
        };
        assert_eq!(object.get(field), Some(&value));
        assert_eq!(codec.encode(&holder(field, value)).unwrap(), json);
    }
}

/// Java's result depends on what the schema does not say.
#[test]
fn values_are_not_read_as_a_type_that_nothing_tells() {
    let codec = codec("", "");
    let untold = "its type is not known: say in the schema which interfaces with type arguments \
                  the class around it implements";
    for (field, json, place) in [
        (
            "pairs",
            r#"{"@class":"java.util.HashMap","k":{"@class":"x.Swapped","a":1}}"#,
            "pairs.k.a",
        ),
        ("held", r#"{"@class":"x.Fixed","conf":"RED"}"#, "held.conf"),
        (
            "held",
            r#"{"@class":"x.Fixed","conf":["java.util.ArrayList",[5]]}"#,
            "held.conf[0]",
        ),
        (
            "held",
            r#"{"@class":"x.Fixed","conf":{"@class":"x.Unit","t":5}}"#,
            "held.conf.t",
        ),
    ] {
        let json = format!(r#"{{"@class":"x.Holder","{field}":{json}}}"#);
        let error = decode(&codec, &json).unwrap_err();
        assert!(error.ends_with(&format!("{place}: {untold}")), "{error}");
    }
    let fixed = |conf| holder("held", JavaValue::object("x.Fixed", [("conf", conf)]));
    let error = codec.encode(&fixed(JavaValue::Short(5))).map_err(report);
    let error = error.unwrap_err();
    assert!(error.ends_with(&format!("held.conf: {untold}")), "{error}");
    // Whatever the type is, these have one form.
    for (conf, json) in [
        (5.into(), "5"),
        (true.into(), "true"),
        (
            JavaValue::list([JavaValue::Null]),
            r#"["java.util.ArrayList",[null]]"#,
        ),
    ] {
        let json =
            format!(r#"{{"@class":"x.Holder","held":{{"@class":"x.Fixed","conf":{json}}}}}"#);
        assert_eq!(codec.encode(&fixed(conf)).unwrap(), json);
    }
}

/// The derive and older schemas do not say more.
#[test]
fn parameters_of_the_same_names_are_taken_for_the_same() {
    let schema = r#"{
        "x.Held": {"abstract": true, "parameters": ["T"]},
        "x.Box": {"parameters": ["T"], "fields": {"t": "T"}},
        "x.Holder": {"fields": {"held": "x.Held<java.lang.Short>"}}}"#;
    let schema = Schema::from_json(schema).unwrap();
    let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema).unwrap();
    let json = r#"{"@class":"x.Holder","held":{"@class":"x.Box","t":5}}"#;
    let value = holder(
        "held",
        JavaValue::object("x.Box", [("t", JavaValue::Short(5))]),
    );
    assert_eq!(decode(&codec, json).unwrap(), value);
}

/// `class Sub<X> extends Base<X>`, `abstract class Base<A> implements Both<A>`, and
/// `interface Both<B> extends Pair<String, B>`.
#[test]
fn interfaces_of_super_classes_and_of_interfaces_count() {
    let schema = r#"{
        "x.Pair": {"abstract": true},
        "x.Both": {"abstract": true, "parameters": ["B"],
            "implements": ["x.Pair<java.lang.String, B>"]},
        "x.Base": {"abstract": true, "parameters": ["A"], "implements": ["x.Both<A>"],
            "fields": {"a": "A"}},
        "x.Sub": {"parameters": ["X"], "extends": "x.Base<X>"},
        "x.Holder": {"fields": {"held": "x.Pair<java.lang.String, java.lang.Short>"}}}"#;
    let schema = Schema::from_json(schema).unwrap();
    let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema).unwrap();
    let json = r#"{"@class":"x.Holder","held":{"@class":"x.Sub","a":5}}"#;
    let value = holder(
        "held",
        JavaValue::object("x.Sub", [("a", JavaValue::Short(5))]),
    );
    assert_eq!(decode(&codec, json).unwrap(), value);
}
