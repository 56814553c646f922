//! What Jackson 3 writes in another way.

use super::{decode, report, same};
use crate::java::{JavaValue, Schema};
use crate::{Codec, JsonJackson3Codec, JsonJacksonCodec};

/// Written by Redisson 4.7.0, whose Jackson 3 counts months from 1 and shows constants.
#[test]
fn constants_of_the_jdk_match_jackson_3() {
    let schema = r#"{"x.Holder": {"fields": {
        "month": "java.time.Month", "any": "java.lang.Object", "unit": "java.time.temporal.ChronoUnit"
    }}}"#;
    let schema = || Schema::from_json(schema).unwrap();
    let codec = JsonJackson3Codec::<JavaValue>::with_schema(schema()).unwrap();
    let month = |name| JavaValue::constant("java.time.Month", name);
    let days = JavaValue::constant("java.time.temporal.ChronoUnit", "HALF_DAYS");
    for (json, field) in [
        (
            r#"{"@class":"x.Holder","month":5}"#,
            ("month", month("MAY")),
        ),
        (
            r#"{"@class":"x.Holder","month":12}"#,
            ("month", month("DECEMBER")),
        ),
        (
            r#"{"@class":"x.Holder","any":["java.time.Month",1]}"#,
            ("any", month("JANUARY")),
        ),
        (
            r#"{"@class":"x.Holder","unit":"HalfDays"}"#,
            ("unit", days.clone()),
        ),
    ] {
        let read = same(&codec, json);
        let mut object = read.into_object("x.Holder").unwrap();
        assert_eq!(object.take(field.0), field.1, "{json}");
    }
    // Jackson 2 counts constants from 0.
    let codec: JsonJacksonCodec = JsonJacksonCodec::with_schema(schema()).unwrap();
    let read = decode(&codec, r#"{"@class":"x.Holder","month":5}"#).unwrap();
    assert_eq!(
        read.into_object("x.Holder").unwrap().take("month"),
        month("JUNE")
    );
    assert!(
        same(&codec, r#"{"@class":"x.Holder","unit":"HALF_DAYS"}"#)
            .into_object("x.Holder")
            .unwrap()
            .take("unit")
            == days
    );
}

/// Written by the codecs of Redisson 4.7.0, and read back by them.
#[test]
fn locales_match_jackson() {
    for (text, tag, parts) in [
        ("_CH", "und-CH", ["", "CH", ""]),
        ("de__POSIX", "de-POSIX", ["de", "", "POSIX"]),
        ("de_CH", "de-CH", ["de", "CH", ""]),
        ("zh_TW_#Hant", "zh-Hant-TW", ["zh", "TW", ""]),
        ("", "", ["", "", ""]),
    ] {
        let [language, country, variant] = parts.map(JavaValue::from);
        let mut fields = vec![
            ("language", language),
            ("country", country),
            ("variant", variant),
        ];
        if text.contains('#') {
            fields.push(("script", "Hant".into()));
        }
        let locale = JavaValue::object("java.util.Locale", fields);
        let json = format!(r#"["java.util.Locale","{text}"]"#);
        let codec = JsonJacksonCodec::<JavaValue>::new();
        assert_eq!(codec.encode(&locale).unwrap(), json);
        assert_eq!(decode(&codec, &json).unwrap(), locale);
        let json = format!(r#"["java.util.Locale","{tag}"]"#);
        let codec = JsonJackson3Codec::<JavaValue>::new();
        assert_eq!(codec.encode(&locale).unwrap(), json);
        assert_eq!(decode(&codec, &json).unwrap(), locale);
    }
}

/// As Redisson 4.7.0 writes and reads them. Jackson 2 writes none.
#[test]
fn optional_numbers_match_jackson_3() {
    let schema = r#"{"x.H": {"fields": {"n": "java.util.OptionalInt", "o": "java.lang.Object"}}}"#;
    let schema = || Schema::from_json(schema).unwrap();
    let codec = JsonJackson3Codec::<JavaValue>::with_schema(schema()).unwrap();
    for (json, number) in [
        (
            r#"{"@class":"x.H","n":5,"o":["java.util.OptionalInt",5]}"#,
            5.into(),
        ),
        (
            r#"{"@class":"x.H","n":null,"o":["java.util.OptionalInt",null]}"#,
            JavaValue::Null,
        ),
    ] {
        let read = same(&codec, json).into_object("x.H").unwrap();
        let optional = JavaValue::object("java.util.OptionalInt", [("value", number)]);
        assert_eq!(
            [read.get("n"), read.get("o")],
            [Some(&optional); 2],
            "{json}"
        );
    }
    let read = same(&codec, r#"{"@class":"x.H","n":5}"#);
    let before = JsonJacksonCodec::<JavaValue>::with_schema(schema()).unwrap();
    assert!(before.encode(&read).is_err());
}

/// Redisson 4.7.0 wrote it for a list of `Optional.of(Optional.of(5L))` and null, and reads the null so.
#[test]
fn null_is_as_many_optionals_as_are_declared() {
    let schema = r#"{"x.H": {"fields": {
        "all": "java.util.List<java.util.Optional<java.util.Optional<java.lang.Long>>>"}}}"#;
    let schema = Schema::from_json(schema).unwrap();
    let codec = JsonJackson3Codec::<JavaValue>::with_schema(schema).unwrap();
    let read = same(
        &codec,
        r#"{"@class":"x.H","all":["java.util.ArrayList",[5,null]]}"#,
    );
    let optional = |it| JavaValue::Optional(Some(Box::new(JavaValue::Optional(it))));
    let five = JavaValue::from(5_i64);
    let all = JavaValue::list([optional(Some(Box::new(five))), optional(None)]);
    assert_eq!(read.into_object("x.H").unwrap().get("all"), Some(&all));
}

/// Redisson 4.7.0 wrote it for `enum Low { RED, GREEN }` whose `toString()` returns the names in lower
/// case. `JsonJacksonCodec` writes the names.
#[test]
fn constants_that_show_another_text_match_jackson_3() {
    let schema = |shown: &str| {
        let schema = format!(
            r#"{{"x.Low": {{"enum": ["RED", "GREEN"], "shown": {shown}}},
            "x.H": {{"fields": {{"l": "x.Low", "m": "java.util.Map<x.Low, x.Low>",
                "o": "java.lang.Object"}}}}}}"#
        );
        Schema::from_json(&schema)
    };
    let json = r#"{"@class":"x.H","l":"red","m":{"@class":"java.util.HashMap","red":"green"},"o":["x.Low","red"]}"#;
    let named = r#"{"@class":"x.H","l":"RED","m":{"@class":"java.util.HashMap","RED":"GREEN"},"o":["x.Low","RED"]}"#;
    let known = schema(r#"["red", "green"]"#).unwrap();
    let codec = JsonJackson3Codec::<JavaValue>::with_schema(known.clone()).unwrap();
    let value = decode(&codec, json).unwrap();
    assert_eq!(codec.encode(&value).unwrap(), json);
    let before = JsonJacksonCodec::<JavaValue>::with_schema(known).unwrap();
    assert_eq!(decode(&before, named).unwrap(), value);
    assert_eq!(before.encode(&value).unwrap(), named);

    let unknown = schema(r#""unknown""#).unwrap();
    let codec = JsonJackson3Codec::<JavaValue>::with_schema(unknown.clone()).unwrap();
    let refusal = "x.Low overrides toString(), which jackson 3 writes: say in the schema what is \
                   shown";
    for json in [json, named] {
        let error = decode(&codec, json).unwrap_err();
        assert!(error.ends_with(refusal), "{error}");
    }
    let error = codec.encode(&value).map_err(report).unwrap_err();
    assert!(error.ends_with(refusal), "{error}");
    let before = JsonJacksonCodec::<JavaValue>::with_schema(unknown).unwrap();
    assert_eq!(decode(&before, named).unwrap(), value);

    assert_eq!(
        schema(r#"["red"]"#).unwrap_err().to_string(),
        "class x.Low: it shows another number of texts than it has constants"
    );
}

/// Redisson 4.7.0 wrote it for `boolean isActive` with `isActive()`, and `Boolean isBig` with `isBig()`.
#[test]
fn properties_of_getters_are_read_as_jackson_3_writes_them() {
    let schema = Schema::from_json(
        r#"{"x.Act": {"fields": {"isActive": "boolean", "isBig": "java.lang.Boolean",
            "isGet": "java.lang.Boolean", "isURL": "boolean", "issued": "boolean",
            "isOk": "boolean", "ok": "boolean", "isText": "java.lang.String"}}}"#,
    );
    let codec = JsonJackson3Codec::<JavaValue>::with_schema(schema.unwrap()).unwrap();
    let json = r#"{"@class":"x.Act","active":true,"big":true,"isGet":true,"URL":true,"sued":true,
        "ok":true,"text":"t"}"#;
    let JavaValue::Object(read) = decode(&codec, json).unwrap() else {
        panic!("no object");
    };
    for (field, value) in [
        ("isActive", true.into()),
        ("isBig", true.into()),
        ("isGet", true.into()),
        ("isURL", true.into()),
        ("issued", false.into()),
        ("isOk", false.into()),
        ("ok", true.into()),
        ("isText", JavaValue::Null),
    ] {
        assert_eq!(read.get(field), Some(&value), "{field}");
    }
}

/// Written by Redisson 4.7.0. Jackson 3 looks at what is in the references of an array.
#[test]
fn arrays_of_optionals_have_a_class_if_what_they_hold_has_one() {
    let schema = Schema::from_json(
        r#"{"x.Bids": {"fields": {"prices": "java.util.Optional<java.math.BigDecimal>[]"}},
            "x.Names": {"fields": {"names": "java.util.Optional<java.lang.String>[]"}}}"#,
    );
    let codec = JsonJackson3Codec::<JavaValue>::with_schema(schema.unwrap()).unwrap();
    for json in [
        r#"{"@class":"x.Bids","prices":["[Ljava.util.Optional;",[null,null]]}"#,
        r#"{"@class":"x.Names","names":["a",null]}"#,
    ] {
        assert_eq!(codec.encode(&decode(&codec, json).unwrap()).unwrap(), json);
    }
}

/// Jackson 3 takes `?` for what the parameter extends, Jackson 2 for `Object`.
#[test]
fn wildcards_without_bounds_have_the_bound_of_the_parameter() {
    let schema = r#"{
        "x.Order": {"final": true, "fields": {"id": "int"}},
        "x.Item": {"parameters": ["T extends x.Order"], "fields": {"value": "T"}},
        "x.Holder": {"fields": {"all": "x.Item<?>[]", "item": "x.Item<?>"}}
    }"#;
    let schema = || Schema::from_json(schema).unwrap();
    let codec = JsonJackson3Codec::<JavaValue>::with_schema(schema()).unwrap();
    let item = r#"{"@class":"x.Item","value":{"id":1}}"#;
    let json = format!(r#"{{"@class":"x.Holder","all":["[Lx.Item;",[{item}]],"item":{item}}}"#);
    let mut holder = same(&codec, &json).into_object("x.Holder").unwrap();
    let mut item = holder.take("item").into_object("x.Item").unwrap();
    assert_eq!(
        item.take("value"),
        JavaValue::object("x.Order", [("id", JavaValue::Integer(1))])
    );

    let codec: JsonJacksonCodec = JsonJacksonCodec::with_schema(schema()).unwrap();
    let item = r#"{"@class":"x.Item","value":{"@class":"x.Order","id":1}}"#;
    same(
        &codec,
        &format!(r#"{{"@class":"x.Holder","all":["[Lx.Item;",[{item}]],"item":{item}}}"#),
    );
}

/// In this form `JsonJackson3Codec` of Redisson 4.7.0 writes fields that hold nodes.
#[test]
fn nodes_have_a_tag_only_where_the_place_does_not_tell() {
    let schema = r#"{
        "x.Job": {"fields": {"any": "java.lang.Object", "tree": "tools.jackson.databind.JsonNode"}},
        "tools.jackson.databind.JsonNode": {"abstract": true}
    }"#;
    let schema = Schema::from_json(schema).unwrap();
    let codec = JsonJackson3Codec::<JavaValue>::with_schema(schema).unwrap();
    let hosts = || JavaValue::list(["a.example.com".into(), "b.example.com".into()]);
    for (any, tree, class, field) in [
        (
            r#"{"@class":"tools.jackson.databind.node.ObjectNode","hosts":["a.example.com","b.example.com"]}"#,
            r#"{"hosts":["a.example.com","b.example.com"]}"#,
            "tools.jackson.databind.node.ObjectNode",
            "hosts",
        ),
        (
            r#"["tools.jackson.databind.node.ArrayNode",["a.example.com","b.example.com"]]"#,
            r#"["a.example.com","b.example.com"]"#,
            "tools.jackson.databind.node.ArrayNode",
            "value",
        ),
    ] {
        let json = format!(r#"{{"@class":"x.Job","any":{any},"tree":{tree}}}"#);
        let node = |class: &str| JavaValue::object(class.to_owned(), [(field, hosts())]);
        let fields = [
            ("any", node(class)),
            ("tree", node("tools.jackson.databind.JsonNode")),
        ];
        let value = codec.decode(json.into()).unwrap();
        assert_eq!(value, JavaValue::object("x.Job", fields));
    }
}
