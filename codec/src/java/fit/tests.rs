use super::*;
use crate::java::JavaObject;
use crate::java::{Array, Date, Instant, Text};

fn fitted(value: impl JavaObject, declared: &str) -> JavaValue {
    value.to_java().fit(&declared.parse().unwrap())
}

/// An empty set or map of constants tells its enum in no other way.
#[test]
fn empty_containers_of_constants_take_the_enum_of_the_field() {
    let class = JavaValue::Text(Text::class_object("x.Status"));
    match fitted(Vec::<i64>::new(), "java.util.EnumSet<x.Status>") {
        JavaValue::Collection(set) => {
            assert_eq!(set.class, "java.util.EnumSet");
            assert_eq!(*set.comparator, class);
        }
        other => panic!("{other:?}"),
    }
    let declared = "java.util.EnumMap<x.Status, java.lang.Long>";
    match fitted(Vec::<(i64, i64)>::new(), declared) {
        JavaValue::Map(map) => {
            assert_eq!(map.class, "java.util.EnumMap");
            assert_eq!(*map.comparator, class);
        }
        other => panic!("{other:?}"),
    }
    match fitted(vec![1_i64], "java.util.EnumSet<x.Status>") {
        JavaValue::Collection(set) => assert!(set.comparator.is_null()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn collections_take_a_class_that_the_field_can_hold() {
    for (declared, class) in [
        ("java.util.List<java.lang.Long>", "java.util.ArrayList"),
        ("java.util.Collection", "java.util.ArrayList"),
        ("java.lang.Object", "java.util.ArrayList"),
        ("java.util.Set<java.lang.Long>", "java.util.LinkedHashSet"),
        ("java.util.SortedSet", "java.util.TreeSet"),
        ("java.util.Queue", "java.util.LinkedList"),
        (
            "java.util.concurrent.BlockingQueue",
            "java.util.concurrent.LinkedBlockingQueue",
        ),
        ("java.util.HashSet", "java.util.HashSet"),
        ("com.example.orders.Tags", "com.example.orders.Tags"),
        ("long[]", "[J"),
        ("java.lang.Long[]", "[Ljava.lang.Long;"),
    ] {
        assert_eq!(fitted(vec![1_i64], declared).class_name(), class);
    }
    let set = fitted(
        std::collections::BTreeSet::from([1_i64]),
        "java.util.Collection",
    );
    assert_eq!(set.class_name(), "java.util.LinkedHashSet");
    let array = vec![1_i64].into_boxed_slice();
    assert_eq!(
        fitted(array.clone(), "java.util.Set").class_name(),
        "java.util.LinkedHashSet"
    );
    assert_eq!(fitted(array, "java.lang.Object").class_name(), "[J");
    let chosen = JavaValue::collection("java.util.Vector", []);
    assert_eq!(
        chosen.fit(&JavaType::new("java.util.List")).class_name(),
        "java.util.Vector"
    );
}

#[test]
fn elements_keys_and_values_fit_too() {
    let cube = fitted(vec![vec![vec![1_i32]]], "java.util.List<int[][]>");
    let rows = JavaValue::Array(Array {
        class: "[[I".into(),
        items: vec![JavaValue::Array(Array {
            class: "[I".into(),
            items: vec![JavaValue::Integer(1)],
        })],
    });
    assert_eq!(cube, JavaValue::list([rows]));

    let map = std::collections::BTreeMap::from([(1_i32, vec![Some("a".to_owned()), None])]);
    let JavaValue::Map(map) = fitted(
        map,
        "java.util.SortedMap<java.lang.Integer, \
         java.util.Set<java.util.Optional<java.net.URI>>>",
    ) else {
        panic!("no map");
    };
    assert_eq!(map.class, "java.util.TreeMap");
    let uri = JavaValue::Text(Text {
        class: "java.net.URI".into(),
        text: "a".to_owned(),
    });
    assert_eq!(
        map.entries[0].1,
        JavaValue::collection(
            "java.util.LinkedHashSet",
            [
                JavaValue::Optional(Some(Box::new(uri))),
                JavaValue::Optional(None)
            ]
        )
    );
}

#[test]
fn dates_are_rounded_down() {
    for (seconds, nanos, millis) in [
        (1, 999_999_999, 1_999),
        (-1, 1, -1_000),
        (-1, 5_000_000, -995),
    ] {
        let instant = Instant { seconds, nanos };
        let date = Date {
            class: "java.util.Date".into(),
            millis,
        };
        assert_eq!(fitted(instant, "java.util.Date"), JavaValue::Date(date));
    }
    let end = Instant {
        seconds: i64::MAX,
        nanos: 0,
    };
    assert!(matches!(
        fitted(end, "java.sql.Timestamp"),
        JavaValue::Date(Date {
            millis: i64::MAX,
            ..
        })
    ));
}
