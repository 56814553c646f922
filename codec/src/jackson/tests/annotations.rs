use super::report;
use crate::java::{Class, JavaType, JavaValue, Schema};
use crate::{Codec, JsonJackson3Codec, JsonJacksonCodec};

fn schema() -> Schema {
    Schema::from_json(
        r#"{
            "x.Order": {
                "fields": {"orderId": "java.lang.String", "total": "java.lang.Long", "cache": "java.lang.String",
                    "hits": "int", "status": "x.Status", "counts": "java.util.Map<x.Status, java.lang.Long>"},
                "jackson": {"orderId": "order_id", "cache": null, "hits": null}
            },
            "x.Large": {"extends": "x.Order", "fields": {"orderCount": "int", "a": "java.lang.String"},
                "jackson": {"orderCount": "Count"}},
            "x.Swapped": {"fields": {"a": "java.lang.String", "b": "java.lang.String"},
                "jackson": {"a": "b", "b": "a"}},
            "x.Line": {"record": {"firstName": "java.lang.String", "age": "int"},
                "jackson": {"firstName": "zz", "age": "first_name"}},
            "x.Status": {"enum": ["NEW", "IN_PROGRESS", "DONE"],
                "jackson": {"NEW": "new", "IN_PROGRESS": "in-progress"}},
            "x.Code": {"enum": ["RED"], "jackson": "unknown"},
            "x.Shape": {"fields": {"id": "java.lang.String"}, "jackson": "unknown"},
            "x.Circle": {"extends": "x.Shape", "fields": {"r": "int"}},
            "x.Holder": {"fields": {"shape": "x.Shape", "code": "x.Code", "line": "x.Line"}}
        }"#,
    )
    .unwrap()
}

fn codec() -> JsonJacksonCodec {
    JsonJacksonCodec::with_schema(schema()).unwrap()
}

fn read(json: &str) -> Result<JavaValue, String> {
    codec().decode(json.to_owned().into()).map_err(report)
}

fn large(cache: JavaValue, hits: i32) -> JavaValue {
    let status = |name: &'static str| JavaValue::constant("x.Status", name);
    let counts = JavaValue::map([(status("NEW"), 5i64.into()), (status("DONE"), 6i64.into())]);
    JavaValue::object(
        "x.Large",
        [
            ("orderId", "x".into()),
            ("total", 5i64.into()),
            ("cache", cache),
            ("hits", hits.into()),
            ("status", status("IN_PROGRESS")),
            ("counts", counts),
            ("orderCount", 3.into()),
            ("a", "y".into()),
        ],
    )
}

/// Redisson 4.7.0 writes and reads this text of classes with `@JsonProperty` and `@JsonIgnore`.
#[test]
fn renamed_and_ignored_fields_are_read_and_written_as_java_does() {
    let json = concat!(
        r#"{"@class":"x.Large","Count":3,"a":"y","#,
        r#""counts":{"@class":"java.util.LinkedHashMap","new":["java.lang.Long",5],"DONE":["java.lang.Long",6]},"#,
        r#""order_id":"x","status":"in-progress","total":["java.lang.Long",5]}"#
    );
    let value = large(JavaValue::Null, 0);
    assert_eq!(codec().encode(&value).unwrap(), json);
    let back = read(json).unwrap();
    assert_eq!(codec().encode(&back).unwrap(), json);
    let JavaValue::Object(mut back) = back else {
        panic!("{back:?}");
    };
    assert_eq!(back.take("orderId"), "x".into());
    assert_eq!(back.take("orderCount"), 3.into());
    assert_eq!(back.take("cache"), JavaValue::Null);
    assert_eq!(back.take("hits"), 0.into());
    assert_eq!(
        back.take("status"),
        JavaValue::constant("x.Status", "IN_PROGRESS")
    );

    let swapped = JavaValue::object("x.Swapped", [("a", "A".into()), ("b", "B".into())]);
    let json = r#"{"@class":"x.Swapped","a":"B","b":"A"}"#;
    assert_eq!(codec().encode(&swapped).unwrap(), json);
    assert_eq!(read(json).unwrap(), swapped);
}

/// Jackson does not read what it does not write.
#[test]
fn ignored_fields_are_not_written() {
    for value in [large("c".into(), 0), large(JavaValue::Null, 3)] {
        let error = codec().encode(&value).map_err(report).unwrap_err();
        assert!(
            error.ends_with("jackson does not write it: leave it null or zero"),
            "{error}"
        );
    }
    // Java ignores the properties, too.
    let JavaValue::Object(mut read) =
        read(r#"{"@class":"x.Order","cache":"c","orderId":"y","hits":5,"order_id":"x"}"#).unwrap()
    else {
        panic!("not an order");
    };
    assert_eq!(read.take("cache"), JavaValue::Null);
    assert_eq!(read.take("hits"), 0.into());
    assert_eq!(read.take("orderId"), "x".into());
}

/// Java names no record, and orders its properties by their names in JSON.
#[test]
fn components_of_records_have_other_names() {
    let line = JavaValue::object("x.Line", [("firstName", "b".into()), ("age", 3.into())]);
    let holder = JavaValue::object("x.Holder", [("line", line)]);
    let json = r#"{"@class":"x.Holder","line":{"first_name":3,"zz":"b"}}"#;
    assert_eq!(codec().encode(&holder).unwrap(), json);
    assert_eq!(codec().encode(&read(json).unwrap()).unwrap(), json);
}

/// A class with `@JsonTypeInfo` is `{"type":"circle","r":3}`, and an enum with `@JsonValue` may be
/// anything.
#[test]
fn what_annotations_decide_is_refused() {
    for (json, class) in [
        (
            r#"{"@class":"x.Holder","shape":{"type":"circle","id":"i","r":3}}"#,
            "x.Shape",
        ),
        (
            r#"{"@class":"x.Holder","shape":{"circle":{"r":3}}}"#,
            "x.Shape",
        ),
        (r#"{"@class":"x.Circle","r":3}"#, "x.Circle"),
        (r#"["x.Circle",["i",3]]"#, "x.Circle"),
        (r#"{"@class":"x.Holder","code":"RED"}"#, "x.Code"),
        (r#"{"@class":"x.Holder","code":0}"#, "x.Code"),
    ] {
        let error = read(json).unwrap_err();
        let reason = format!("annotations of jackson decide how {class} is written");
        assert!(error.contains(&reason), "{json}: {error}");
    }
    assert!(read(r#"{"@class":"x.Holder","shape":null,"code":null}"#).is_ok());
    for (name, value) in [
        ("shape", JavaValue::object("x.Circle", [("r", 3.into())])),
        ("code", JavaValue::constant("x.Code", "RED")),
    ] {
        let holder = JavaValue::object("x.Holder", [(name, value)]);
        let error = codec().encode(&holder).map_err(report).unwrap_err();
        assert!(error.contains("annotations of jackson decide"), "{error}");
    }
}

/// Jackson 3 ignores the `@JsonNaming` of Jackson 2.
#[test]
fn jackson_3_reads_both_names() {
    let codec = JsonJackson3Codec::<JavaValue>::with_schema(schema()).unwrap();
    for name in ["order_id", "orderId"] {
        let json = format!(r#"{{"@class":"x.Order","{name}":"x"}}"#);
        let JavaValue::Object(mut order) = codec.decode(json.into()).unwrap() else {
            panic!("not an order");
        };
        assert_eq!(order.take("orderId"), "x".into());
    }
}

/// A field of a sub class has its own name, whatever the one that it hides is called.
#[test]
fn names_are_those_of_the_nearest_field() {
    let text = || JavaType::new("java.lang.String");
    let schema: Schema = [
        Class::object("x.Base")
            .field("a", text())
            .jackson_name("a", "b"),
        Class::object("x.Sub")
            .extends(JavaType::new("x.Base"))
            .field("a", text()),
    ]
    .into_iter()
    .collect();
    let codec = JsonJacksonCodec::<JavaValue>::with_schema(schema).unwrap();
    let value = JavaValue::object("x.Sub", [("a", "1".into())]);
    let json = r#"{"@class":"x.Sub","a":"1"}"#;
    assert_eq!(codec.encode(&value).unwrap(), json);
}

#[cfg(feature = "derive")]
mod derived {
    use crate::java::JavaObject;
    use crate::{Codec, JsonJacksonCodec};

    #[derive(Debug, JavaObject, PartialEq)]
    #[java(class = "x.Account", crate = "crate")]
    struct Account {
        #[java(jackson = "account_id")]
        account_id: String,
        #[java(jackson_ignores)]
        cache: Option<String>,
        tier: Option<Tier>,
    }

    #[derive(Clone, Copy, Debug, JavaObject, PartialEq)]
    #[java(class = "x.Tier", crate = "crate")]
    enum Tier {
        #[java(jackson = "f")]
        Free,
        Paid,
    }

    #[derive(Debug, JavaObject)]
    #[java(class = "x.Animal", jackson = "unknown", crate = "crate")]
    struct Animal {
        name: Option<String>,
    }

    #[test]
    fn rust_types_say_what_annotations_say() {
        let account = Account {
            account_id: "a".to_owned(),
            cache: None,
            tier: Some(Tier::Free),
        };
        let codec = JsonJacksonCodec::<Account>::new();
        let json = r#"{"@class":"x.Account","account_id":"a","tier":"f"}"#;
        assert_eq!(codec.encode(&account).unwrap(), json);
        assert_eq!(codec.decode(json.into()).unwrap(), account);
        let cached = Account {
            cache: Some("c".to_owned()),
            ..account
        };
        assert!(codec.encode(&cached).is_err());

        let codec = JsonJacksonCodec::<Animal>::new();
        assert!(codec.encode(&Animal { name: None }).is_err());
        assert!(codec.decode(r#"{"@class":"x.Animal"}"#.into()).is_err());
    }
}
