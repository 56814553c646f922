use super::*;
use crate::java::{Collection, LocalDate, LocalTime, Map, Temporal};

const ORDERS: &str = r#"{
    "Order": {"fields": {
        "id": "java.lang.String", "count": "int", "user": "java.lang.Long",
        "home": "Address", "tags": "java.util.List<java.lang.String>",
        "labels": "java.util.Map<java.lang.String, java.util.List<java.lang.String>>",
        "homes": "java.util.List<Address>", "amount": "java.lang.Number"}},
    "Address": {"fields": {"city": "java.lang.String"}},
    "Company": {"extends": "Address"},
    "Status": {"enum": ["NEW", "PAID"]},
    "Priority": {"enum": ["LOW", "HIGH"], "bodies": ["LOW", "HIGH"]}
}"#;

/// An order with one field other than it should be.
fn order(field: &'static str, value: JavaValue) -> JavaValue {
    let mut fields = vec![
        ("id", "A".into()),
        ("count", JavaValue::Integer(1)),
        ("user", JavaValue::Null),
        ("home", JavaValue::Null),
        ("tags", JavaValue::list([])),
        ("labels", JavaValue::Null),
        ("homes", JavaValue::Null),
        ("amount", JavaValue::Null),
    ];
    match fields.iter_mut().find(|it| it.0 == field) {
        Some(place) => place.1 = value,
        None => fields.push((field, value)),
    }
    JavaValue::object("Order", fields)
}

/// A value that Java would misread must not reach Redis.
#[test]
fn fields_of_other_types_are_refused() {
    let codec = codec(ORDERS);
    let city = JavaValue::object("Address", [("city", "P".into())]);
    let company = JavaValue::object("Company", [("city", "P".into())]);
    let tags = JavaValue::list(["a".into(), JavaValue::Integer(1)]);
    for (field, value, message) in [
        (
            "count",
            JavaValue::Long(1),
            "count: expected int, found java.lang.Long",
        ),
        ("count", JavaValue::Null, "count: expected int, found null"),
        (
            "user",
            JavaValue::Integer(1),
            "user: expected java.lang.Long, found java.lang.Integer",
        ),
        (
            "id",
            JavaValue::Long(1),
            "id: expected java.lang.String, found java.lang.Long",
        ),
        (
            "home",
            "P".into(),
            "home: expected Address, found java.lang.String",
        ),
        (
            "tags",
            tags,
            "tags[1]: expected java.lang.String, found java.lang.Integer",
        ),
        (
            "tags",
            JavaValue::collection("java.util.HashSet", []),
            "tags: expected java.util.List, found java.util.HashSet",
        ),
        (
            "labels",
            JavaValue::map([("a".into(), "b".into())]),
            "labels[0]: expected java.util.List, found java.lang.String",
        ),
        (
            "homes",
            JavaValue::list([JavaValue::Null, "P".into()]),
            "homes[1]: expected Address, found java.lang.String",
        ),
        (
            "homes",
            JavaValue::list([company.clone(), "P".into()]),
            "homes[1]: expected Address, found java.lang.String",
        ),
        (
            "amount",
            "1".into(),
            "amount: expected java.lang.Number, found java.lang.String",
        ),
        (
            "gone",
            JavaValue::Null,
            "gone: class Order has no such field",
        ),
    ] {
        assert_eq!(objection(&codec, &order(field, value)), message);
    }
    for value in [
        order("homes", JavaValue::list([city.clone(), company.clone()])),
        order("home", city),
        order("home", company),
        order("amount", JavaValue::Short(1)),
        order("tags", JavaValue::Null),
    ] {
        codec.encode(&value).unwrap();
    }
    let empty = JavaValue::object("Address", Vec::<(String, JavaValue)>::new());
    assert_eq!(
        objection(&codec, &empty),
        "city: field of class Address is missing"
    );
}

/// On these names a Redisson connection hangs, or a message is lost.
#[test]
fn classes_that_java_cannot_make_are_refused() {
    let codec = codec(ORDERS);
    let list = |class: &'static str| JavaValue::collection(class, ["a".into()]);
    let map = |class: &'static str| {
        JavaValue::Map(Map {
            class: class.into(),
            comparator: Box::default(),
            entries: Vec::new(),
        })
    };
    for (value, message) in [
        (
            list("java.util.List"),
            "java cannot make objects of java.util.List: name a class such as java.util.ArrayList",
        ),
        (
            map("java.util.Map"),
            "java cannot make objects of java.util.Map: name a class such as \
             java.util.LinkedHashMap",
        ),
        (
            list("java.util.AbstractList"),
            "java cannot make objects of java.util.AbstractList: name a class such as \
             java.util.ArrayList",
        ),
        (
            list("java.util.Collections$UnmodifiableList"),
            "a java.util.Collections$UnmodifiableList cannot be written: make it a \
             java.util.ArrayList",
        ),
        (
            list("java.util.ArrayList$SubList"),
            "a java.util.ArrayList$SubList cannot be written: make it a java.util.ArrayList",
        ),
        (
            map("java.util.EnumMap"),
            "a java.util.EnumMap cannot be written: make it a java.util.LinkedHashMap",
        ),
        (
            JavaValue::object("com.x.Gone", [("a", JavaValue::Null)]),
            "class com.x.Gone is neither in the schema nor one of the JDK's that are known",
        ),
        (
            JavaValue::object("java.util.ArrayList", [("a", JavaValue::Null)]),
            "a java.util.ArrayList cannot be written as this kind of value",
        ),
        (JavaValue::Null, "null has no payload"),
    ] {
        assert_eq!(objection(&codec, &value), message);
    }
}

#[test]
fn values_that_java_does_not_have_are_refused() {
    let codec = codec(ORDERS);
    let date = |month, day| LocalDate {
        year: 2023,
        month,
        day,
    };
    let constant = JavaValue::constant;
    let empty_set = JavaValue::collection("java.util.RegularEnumSet", []);
    for (value, message) in [
        (
            constant("Status", "GONE"),
            "Status has no constant GONE; it has NEW, PAID",
        ),
        (
            JavaValue::Time(Temporal::LocalDate(date(2, 29))),
            "java has no such day",
        ),
        (
            JavaValue::Time(Temporal::LocalDate(date(13, 1))),
            "java has no such day",
        ),
        (
            JavaValue::Time(Temporal::LocalTime(LocalTime {
                hour: 24,
                minute: 0,
                second: 0,
                nano: 0,
            })),
            "java has no such time of day",
        ),
        (
            JavaValue::Time(Temporal::Duration(0, -1)),
            "java has no such nanosecond",
        ),
        (
            JavaValue::collection("java.util.ImmutableCollections$ListN", [JavaValue::Null]),
            "a java.util.ImmutableCollections$ListN holds no null",
        ),
        (
            JavaValue::collection("java.util.ArrayDeque", [JavaValue::Null]),
            "a java.util.ArrayDeque holds no null",
        ),
        (
            JavaValue::collection("java.util.TreeSet", [JavaValue::Null]),
            "a java.util.TreeSet holds no null",
        ),
        (
            JavaValue::Map(Map {
                class: "java.util.concurrent.ConcurrentHashMap".into(),
                comparator: Box::default(),
                entries: vec![("a".into(), JavaValue::Null)],
            }),
            "[0]: a java.util.concurrent.ConcurrentHashMap holds no null",
        ),
        (
            JavaValue::collection("java.util.Collections$EmptyList", ["a".into()]),
            "a java.util.Collections$EmptyList never has 1 elements",
        ),
        (
            empty_set,
            "the comparator of an empty EnumSet must be the class of its enum",
        ),
        (
            JavaValue::Optional(Some(Box::default())),
            "an Optional of null is empty in java",
        ),
        (
            JavaValue::Collection(Collection {
                class: "java.util.ArrayList".into(),
                comparator: Box::new("c".into()),
                items: Vec::new(),
            }),
            "a java.util.ArrayList has no comparator",
        ),
    ] {
        assert_eq!(objection(&codec, &value), message);
    }
}

/// Kryo writes nothing but numbers for these, so the other side must know them too.
#[test]
fn classes_that_are_not_allowed_are_refused() {
    let codec = codec(ORDERS).allowed_classes(["java.util.ArrayList", "java.lang.String"]);
    let list = JavaValue::list(["a".into()]);
    assert_eq!(codec.encode(&list).unwrap(), &b"\x0b\x82\x03\0\x82a"[..]);
    let set = JavaValue::collection("java.util.HashSet", []);
    let message = "class java.util.HashSet is not one of those allowed";
    assert_eq!(objection(&codec, &set), message);
    let payload = [&named("java.util.HashSet")[..], &[1]].concat();
    assert_eq!(refusal(&codec, payload), format!("{message}, at byte 0"));
    assert_eq!(
        refusal(&codec, &b"\x0c\x01"[..]),
        "no class has the tag 12, at byte 0"
    );

    // Kryo has this class in any case, and no other.
    let codec = Kryo5Codec::new().allowed_classes(["java.lang.String"]);
    let message = "class java.util.ArrayList is not one of those allowed";
    assert_eq!(objection(&codec, &list), message);
    assert_eq!(read(&codec, b"\x03\x82a"), "a".into());
}

/// The bytes of a later object refer to those of an earlier one.
#[test]
fn java_streams_are_written_back_only_as_they_were_read() {
    let codec = codec("{}");
    let pair = read(
        &codec,
        b"\x01\x00java.util.ArrayLis\xf4\x84\x01\x01java.util.Collections$UnmodifiableRandomAccess\
          Lis\xf4\x01\x01\xac\xed\x00\x05sr\x00&java.util.Collections$UnmodifiableList\xfc\x0f%1\
          \xb5\xec\x8e\x10\x02\x00\x01L\x00\x04listt\x00\x10Ljava/util/List;xr\x00,java.util.\
          Collections$UnmodifiableCollection\x19B\x00\x80\xcb^\xf7\x1e\x02\x00\x01L\x00\x01ct\x00\
          \x16Ljava/util/Collection;xpsr\x00\x13java.util.ArrayListx\x81\xd2\x1d\x99\xc7a\x9d\x03\
          \x00\x01I\x00\x04sizexp\x00\x00\x00\x01w\x04\x00\x00\x00\x01t\x00\x01axq\x00~\x00\x06\
          \x00\x01sq\x00~\x00\x00sq\x00~\x00\x05\x00\x00\x00\x01w\x04\x00\x00\x00\x01q\x00~\x00\
          \x07xq\x00~\x00\x09",
    );
    let JavaValue::Collection(Collection { mut items, .. }) = pair.clone() else {
        panic!("no list");
    };
    let second = items.swap_remove(2);
    let plain = JavaValue::collection(second.class_name(), ["a".into()]);
    assert_eq!(second.clone().into_plain(), plain);
    assert_eq!(
        objection(&codec, &second),
        "a java.util.Collections$UnmodifiableRandomAccessList can only be written back in the \
         payload that it was read from"
    );
    codec.encode(&items[0]).unwrap();

    let mut lists = Vec::<Option<Vec<String>>>::new();
    let typed = Kryo5Codec::<Vec<Option<Vec<String>>>>::new();
    lists.extend([Some(vec!["a".to_owned()]), None, Some(vec!["a".to_owned()])]);
    assert_eq!(typed.decode(codec.encode(&pair).unwrap()).unwrap(), lists);
}

/// Java throws when it reads them.
#[test]
fn nulls_are_refused_where_the_super_class_or_the_comparator_takes_none() {
    let codec = codec(
        r#"{
        "x.Queue": {"extends": "java.util.ArrayDeque<java.lang.String>"},
        "x.Map": {"extends": "java.util.concurrent.ConcurrentHashMap<java.lang.String, java.lang.String>"}
    }"#,
    );
    let queue = JavaValue::collection("x.Queue", [JavaValue::Null]);
    assert_eq!(objection(&codec, &queue), "a x.Queue holds no null");
    let JavaValue::Map(mut map) = JavaValue::map([("a".into(), JavaValue::Null)]) else {
        panic!("no map");
    };
    map.class = "x.Map".into();
    let message = objection(&codec, &JavaValue::Map(map));
    assert!(message.contains("a x.Map holds no null"), "{message}");
    let JavaValue::Collection(mut set) =
        JavaValue::collection("java.util.TreeSet", [JavaValue::Null])
    else {
        panic!("no collection");
    };
    let reverse = "java.util.Collections$ReverseComparator";
    set.comparator = Box::new(JavaValue::object(reverse, [] as [(&str, JavaValue); 0]));
    let message = objection(&codec, &JavaValue::Collection(set));
    assert_eq!(message, "a java.util.TreeSet holds no null");
}
