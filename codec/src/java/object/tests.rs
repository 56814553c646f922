use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::*;
use crate::java::{Array, Date, Instant, Temporal, Text};

fn survives<T: JavaObject + Debug + PartialEq>(value: T, declared: &str) {
    assert_eq!(T::java_type().to_string(), declared);
    assert_eq!(T::from_java(value.to_java()).unwrap(), value);
}

#[test]
fn rust_types_have_the_java_types_that_their_docs_say() {
    survives(true, "boolean");
    survives(7_u16, "char");
    survives(7_i64, "long");
    survives(Some(7_i64), "java.lang.Long");
    survives(None::<i64>, "java.lang.Long");
    survives("text".to_owned(), "java.lang.String");
    survives(vec![1_u8, 2], "byte[]");
    survives(vec![1_i32], "java.util.List<java.lang.Integer>");
    survives(vec![Some(vec![1_u8]), None], "java.util.List<byte[]>");
    survives(vec![1_i64].into_boxed_slice(), "long[]");
    survives(
        vec![vec![1_i64].into_boxed_slice()].into_boxed_slice(),
        "long[][]",
    );
    survives(
        BTreeSet::from(["a".to_owned()]),
        "java.util.Set<java.lang.String>",
    );
    survives(
        BTreeMap::from([("a".to_owned(), vec![1.5])]),
        "java.util.Map<java.lang.String, java.util.List<java.lang.Double>>",
    );
    survives(Box::new(5_i8), "byte");
    survives(Duration::new(5, 999_999_999), "java.time.Duration");
    survives(JavaValue::Null, "java.lang.Object");
}

#[test]
fn moments_before_1970_survive() {
    for nanos in [0, 1, 999_999_999, 1_000_000_000, 1_000_000_001] {
        survives(
            UNIX_EPOCH - Duration::from_nanos(nanos),
            "java.time.Instant",
        );
        survives(
            UNIX_EPOCH + Duration::from_nanos(nanos),
            "java.time.Instant",
        );
    }
    let before = UNIX_EPOCH - Duration::from_nanos(999_999_995);
    assert_eq!(
        before.to_java(),
        JavaValue::Time(Temporal::Instant(Instant {
            seconds: -1,
            nanos: 5
        }))
    );
}

#[test]
fn a_list_may_come_as_any_collection_or_array() {
    let items = [JavaValue::Integer(1), JavaValue::Integer(2)];
    for value in [
        JavaValue::collection("java.util.LinkedList", items.clone()),
        JavaValue::Array(Array {
            class: "[I".into(),
            items: items.to_vec(),
        }),
    ] {
        assert_eq!(Vec::<i32>::from_java(value).unwrap(), [1, 2]);
    }
}

/// Java declares in more than one way what is one thing in Rust.
#[test]
fn what_holds_the_same_is_read_too() {
    let uri = Text {
        class: "java.net.URI".into(),
        text: "http://x".to_owned(),
    };
    assert_eq!(String::from_java(JavaValue::Text(uri)).unwrap(), "http://x");

    let optional = |value: Option<JavaValue>| JavaValue::Optional(value.map(Box::new));
    for (value, read) in [
        (optional(Some(5.into())), Some(5)),
        (optional(None), None),
        (5.into(), Some(5)),
        (JavaValue::Null, None),
    ] {
        assert_eq!(Option::<i32>::from_java(value).unwrap(), read);
    }

    for (millis, seconds, nanos) in [(1_999, 1, 999_000_000), (-1, -1, 999_000_000)] {
        let date = Date {
            class: "java.sql.Timestamp".into(),
            millis,
        };
        survives(date.clone(), "java.util.Date");
        let instant = Instant { seconds, nanos };
        assert_eq!(Instant::from_java(date.to_java()).unwrap(), instant);
        assert_eq!(
            SystemTime::from_java(date.to_java()).unwrap(),
            SystemTime::from_java(instant.to_java()).unwrap()
        );
    }
}

#[test]
fn what_does_not_fit_says_where() {
    let value = JavaValue::list([JavaValue::Long(1), "x".into()]);
    assert_eq!(
        Vec::<i64>::from_java(value).unwrap_err().to_string(),
        "[1]: expected long, found java.lang.String"
    );
    let negative = JavaValue::Time(Temporal::Duration(-1, 5));
    assert!(Duration::from_java(negative).is_err());
    let beside = Instant {
        seconds: 0,
        nanos: 1_000_000_000,
    };
    assert_eq!(
        SystemTime::from_java(beside.to_java())
            .unwrap_err()
            .to_string(),
        "expected a moment that the clock can show, found java.time.Instant"
    );
    assert!(String::from_java(JavaValue::Null).is_err());
}
