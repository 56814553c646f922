use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{codec, decode, line, schema};
use crate::java::{Array, BigDecimal, Date, Instant, JavaObject, JavaValue, LocalDate, Temporal};
use crate::{Codec, JsonJackson3Codec, JsonJacksonCodec};

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
        (-999_999_999..=999_999_999, 1..=12u8, 1..=28u8).prop_map(|(year, month, day)| {
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
