//! Written by `Kryo5Codec` of Redisson 4.7.0 on OpenJDK 17.

use super::*;

const BAGS: &str = r#"{
    "com.x.Probe$Address": {"fields": {"street": "java.lang.String"}},
    "com.x.Probe$Bag": {"parameters": ["T"], "fields": {
        "items": "java.util.List<T>", "one": "T", "next": "com.x.Probe$Bag<?>",
        "raw": "com.x.Probe$Bag", "obj": "java.lang.Object",
        "map": "java.util.Map<java.lang.String, T>", "arr": "T[]",
        "bags": "java.util.List<com.x.Probe$Bag<T>>"}},
    "com.x.Probe$BagHolder": {"fields": {
        "strings": "com.x.Probe$Bag<java.lang.String>",
        "addresses": "com.x.Probe$Bag<com.x.Probe$Address>",
        "listed": "java.util.List<com.x.Probe$Bag<java.lang.Integer>>"}},
    "com.x.Probe$StrBag": {"extends": "com.x.Probe$Bag<java.lang.String>"},
    "com.x.Probe$Two": {
        "parameters": ["A", "B"], "extends": "com.x.Probe$Bag<B>", "fields": {"a": "A"}},
    "com.x.Probe$TwoHolder": {"fields": {
        "two": "com.x.Probe$Two<java.lang.String, java.lang.Integer>",
        "asBag": "com.x.Probe$Bag<java.lang.Integer>"}},
    "com.x.Probe$Arr": {"fields": {
        "grid": "com.x.Probe$Address[][]", "lists": "java.util.List<java.lang.String>[]",
        "objs": "java.lang.Object[][]"}}
}"#;

/// A type argument that is final goes without class tags, also in the collections of the object.
#[test]
fn arguments_of_a_field_reach_all_that_names_the_parameter() {
    let value = read(
        &codec(BAGS),
        b"\x01\x00com.x.Probe$BagHolde\xf2\x01\x01com.x.Probe$Ba\xe7\x00\x00\x01\x02java.util.\
          ArrayLis\xf4\x82\x01\x03com.x.Probe$Addres\xf3\x00\x82s\x00\x00\x00\x01\x03\x82s\x00\x01\
          \x02\x82\x01\x01\x00\x00\x00\x01\x02\x02\x0a\x00\x00\x00\x01\x0a\x00\x01\x01\x00\x00\x01\
          \x02\x03\x82a\x82b\x01\x04java.util.LinkedHashMa\xf0\x02\x82k\x82v\x00\x00\x82a\x00",
    );
    let JavaValue::Object(holder) = value else {
        panic!("no object");
    };
    let Some(JavaValue::Object(strings)) = holder.get("strings") else {
        panic!("no bag");
    };
    let items = JavaValue::list(["a".into(), "b".into()]);
    assert_eq!(strings.get("items"), Some(&items));
}

/// Kryo takes a raw bag within a bag of strings for a bag of strings, wherever it stands.
#[test]
fn arguments_leak_into_raw_objects_within() {
    read(
        &codec(BAGS),
        b"\x01\x00com.x.Probe$BagHolde\xf2\x00\x00\x01\x01com.x.Probe$Ba\xe7\x00\x00\x01\x02java.\
          util.ArrayLis\xf4\x02\x82a\x00\x01\x01\x00\x00\x01\x02\x82\x03\x00\x82n\x00\x00\x00\x03\
          \x82n\x00\x01\x01\x00\x00\x01\x02\x02\x82o\x00\x00\x00\x82o\x00\x82a\x01\x01\x00\x00\x01\
          \x02\x02\x82r\x00\x00\x00\x82r\x00",
    );
}

#[test]
fn arguments_reach_nested_objects_and_arrays() {
    let codec = codec(BAGS);
    read(
        &codec,
        b"\x01\x00com.x.Probe$BagHolde\xf2\x00\x00\x01\x01com.x.Probe$Ba\xe7\x00\x01\x02java.util.\
          ArrayLis\xf4\x82\x01\x01\x00\x00\x00\x01\x02\x02\x82x\x00\x00\x00\x82x\x00\x01\x02\x02\
          \x82a\x00\x00\x00\x82a\x00",
    );
    read(
        &codec,
        b"\x01\x00com.x.Probe$BagHolde\xf2\x00\x00\x01\x01com.x.Probe$Ba\xe7\x02\x82q\x00\x01\x02\
          java.util.ArrayLis\xf4\x02\x82a\x00\x00\x00\x82a\x00",
    );
}

/// A class that binds the parameter needs no arguments; one with more parameters than arguments
/// gets none.
#[test]
fn sub_classes_bind_parameters() {
    let codec = codec(BAGS);
    read(
        &codec,
        b"\x01\x00com.x.Probe$BagHolde\xf2\x00\x00\x01\x01com.x.Probe$StrBa\xe7\x02\x82q\x00\x01\
          \x02java.util.ArrayLis\xf4\x02\x82z\x00\x00\x00\x821\x00",
    );
    read(
        &codec,
        b"\x01\x00com.x.Probe$TwoHolde\xf2\x01\x01com.x.Probe$Tw\xef\x03\x82A\x00\x00\x01\x02java.\
          util.ArrayLis\xf4\x82\x02\x00\x0e\x00\x00\x00\x02\x0e\x00\x01\x01\x82A\x00\x00\x01\x02\
          \x02\x0e\x00\x00\x00\x01\x0e\x00",
    );
}

const SWAPPED: &str = r#"{
    "com.acme.Swapped$Identified": {"parameters": ["T"], "fields": {"id": "T"}},
    "com.acme.Swapped$Inverse": {
        "parameters": ["K", "V"], "extends": "com.acme.Swapped$Pair<V, K>", "fields": {"key": "K"}},
    "com.acme.Swapped$Job": {"fields": {
        "message": "com.acme.Swapped$Message<java.lang.Long, java.lang.String>",
        "flags": "com.acme.Swapped$Message<java.lang.Boolean, java.lang.Integer>",
        "loud": "com.acme.Swapped$Inverse<java.util.UUID, java.lang.String>"}},
    "com.acme.Swapped$Message": {
        "parameters": ["K", "T"], "extends": "com.acme.Swapped$Identified<K>",
        "fields": {"body": "T"}},
    "com.acme.Swapped$Pair": {"parameters": ["K", "V"], "fields": {"left": "K", "right": "V"}},
    "Gen$L1": {"parameters": ["Y"], "extends": "com.acme.Swapped$Identified<Y>",
        "fields": {"y": "Y"}},
    "Gen$L2": {"parameters": ["X"], "extends": "Gen$L1<X>", "fields": {"x": "X"}},
    "Gen$L2Holder": {"fields": {"l": "Gen$L2<java.util.UUID>", "k": "Gen$L1<java.util.UUID>"}}
}"#;

/// A parameter of a class may have the name of one of its parent's that is bound otherwise.
#[test]
fn parameters_of_one_name_are_those_of_their_classes() {
    let codec = codec(SWAPPED);
    let field = |value: &JavaValue, field: &str| {
        let JavaValue::Object(object) = value else {
            panic!("no object");
        };
        object.get(field).unwrap().clone()
    };
    let job = read(
        &codec,
        b"\x01\0com.acme.Swapped$Jo\xe2\0\x01\x01com.acme.Swapped$Invers\xe5\x01\x01\0\0\0\0\0\0\
          \0\x02\0\0\0\0\0\0\0tex\xf4\x01\x03\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\0",
    );
    let loud = field(&job, "loud");
    assert_eq!(field(&loud, "key"), JavaValue::Uuid(1 << 64 | 2));
    assert_eq!(field(&loud, "left"), "text".into());
    assert_eq!(field(&loud, "right"), JavaValue::Uuid(3 << 64 | 4));

    let job = read(
        &codec,
        b"\x01\0com.acme.Swapped$Jo\xe2\0\0\x01\x01com.acme.Swapped$Messag\xe5tex\xf4\x01\x22",
    );
    let message = field(&job, "message");
    assert_eq!(field(&message, "body"), "text".into());
    assert_eq!(field(&message, "id"), JavaValue::Long(17));

    read(
        &codec,
        b"\x01\0Gen$L2Holde\xf2\x01\x01Gen$L\xb2\x01\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x01\x01\0\0\0\0\
          \0\0\0\x02\0\0\0\0\0\0\0\x01\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\0",
    );
}

/// Written by Redisson 4.7.0. Kryo takes a parameter for that of the parent with the same name. If that
/// is bound to an enum, values have no class.
#[test]
fn an_enum_is_bound_to_a_parameter_of_the_same_name() {
    let codec = codec(
        r#"{
        "com.example.random.Random3688206878$Z1": {
            "parameters": ["E", "T"], "fields": {"$d": "short[]", "Zed": "E"}},
        "com.example.random.Random3688206878$Order5": {
            "parameters": ["K", "E", "T"],
            "extends": "com.example.random.Random3688206878$Z1<java.math.RoundingMode, java.lang.Integer>",
            "fields": {"$d": "E", "Zed": "K"}}
    }"#,
    );
    let order = read(
        &codec,
        b"\x01\0com.example.random.Random3688206878$Order\xb5\x08\x02\xee\x01\x01\x01java.util.UUI\xc4EM1\
          \xb9\xbe\xe2\xd2;_q\xe9\x1d\0\0\0\0\x07",
    );
    let JavaValue::Object(order) = order else {
        panic!("no object");
    };
    let unnecessary = JavaValue::constant("java.math.RoundingMode", "UNNECESSARY");
    assert_eq!(order.get("$d"), Some(&unnecessary));
}

/// An argument that is not bound itself leaves its place to the next: Kryo takes the `K` of `Gen$M`
/// for a text, and its `T` for unbound.
#[test]
fn an_unbound_argument_shifts_those_behind_it() {
    let codec = codec(
        r#"{
        "Gen$I": {"parameters": ["T"], "fields": {"id": "T"}},
        "Gen$Message": {"parameters": ["K", "T"], "extends": "Gen$I<K>",
            "fields": {"body": "T", "key": "K"}},
        "Gen$Root": {"parameters": ["X"], "fields": {
            "m": "Gen$Message<X, java.lang.String>", "n": "Gen$Message<java.lang.String, X>",
            "o": "Gen$Message<X, X>"}},
        "Gen$Three": {"parameters": ["A", "B", "C"], "fields": {"a": "A", "b": "B", "c": "C"}},
        "Gen$Root3": {"parameters": ["X"], "fields": {
            "m": "Gen$Three<java.lang.String, X, java.lang.Long>"}}
    }"#,
    );
    for payload in [
        &b"\x01\0Gen$Roo\xf4\x01\x01Gen$Messag\xe5\x03\x82b\x03\x82i\x82k\0\0"[..],
        b"\x01\0Gen$Roo\xf4\x01\x01Gen$Messag\xe5\x03\x82b\x09\x0a\x80\0\0",
        b"\x01\0Gen$Roo\xf4\0\x01\x01Gen$Messag\xe5\x09\x0a\x82i\x82k\0",
        b"\x01\0Gen$Roo\xf4\0\0\x01\x01Gen$Messag\xe5\x09\x0a\x02\x04\x02\x02",
    ] {
        read(&codec, payload);
    }
}

/// A field of the type `T[]` holds an `Object[]` at run time, whatever `T` is bound to.
#[test]
fn fields_hold_what_their_erased_types_hold() {
    let codec = codec(
        r#"{
        "com.acme.Erased$Base": {"parameters": ["T"], "fields": {"items": "T[]"}},
        "com.acme.Erased$Item": {"fields": {"sku": "java.lang.String"}},
        "com.acme.Erased$Lines": {"extends": "com.acme.Erased$Base<com.acme.Erased$Item>"},
        "com.acme.Erased$Own": {"fields": {"items": "com.acme.Erased$Item[]"}}
    }"#,
    );
    let items = b"\x01\x01[Ljava.lang.Object\xbb\x02\x01\x02com.acme.Erased$Ite\xed\x82s";
    let lines = [&named("com.acme.Erased$Lines")[..], items].concat();
    let value = codec.decode(lines.clone().into()).unwrap();
    assert_eq!(codec.encode(&value).unwrap(), lines);
    let own = [&named("com.acme.Erased$Own")[..], items].concat();
    assert_eq!(
        refusal(&codec, own),
        "items: expected [Lcom.acme.Erased$Item;, found [Ljava.lang.Object;, at byte 21"
    );
}

/// `Parcel<T extends Item>`, where `Item` is final: Kryo writes no class for `T`, whatever it knows of
/// `T` otherwise. In a list of `T` it does.
#[test]
fn a_final_bound_is_the_class_of_what_is_declared_with_the_parameter() {
    let codec = codec(
        r#"{
        "x.Parce0": {"parameters": ["K extends T", "T extends x.Item"],
            "fields": {"a": "K", "all": "java.util.List<T>", "b": "T[]"}},
        "x.Parce1": {"fields": {"a": "x.Item", "all": "java.util.List<?>", "b": "x.Item[]"}},
        "x.Item": {"final": true, "fields": {"sku": "java.lang.String"}}
    }"#,
    );
    let item = JavaValue::object("x.Item", [("sku", "s".into())]);
    let all = JavaValue::collection("java.util.ArrayList", [item.clone()]);
    let items = JavaValue::Array(crate::java::Array {
        class: "[Lx.Item;".into(),
        items: vec![item.clone()],
    });
    let payload = |class: &str| {
        let fields = [
            ("a", item.clone()),
            ("all", all.clone()),
            ("b", items.clone()),
        ];
        let value = JavaValue::object(class.to_owned(), fields);
        let payload = codec.encode(&value).unwrap();
        assert_eq!(codec.decode(payload.clone()).unwrap(), value);
        payload[named(class).len()..].to_vec()
    };
    assert_eq!(payload("x.Parce0"), payload("x.Parce1"));
}

/// To Kryo an array class is final, so arrays in arrays have no class tags; type arguments end at
/// an array.
#[test]
fn arrays_of_arrays_match_redisson() {
    let codec = codec(BAGS);
    read(
        &codec,
        b"\x01\x00com.x.Probe$Ar\xf2\x01\x01[[Lcom.x.Probe$Address\xbb\x03\x03\x01\x02com.x.Probe$\
          Addres\xf3\x82s\x00\x00\x01\x03[Ljava.util.List\xbb\x02\x01\x04java.util.ArrayLis\xf4\
          \x82\x03\x00\x82l\x01\x05[[Ljava.lang.Object\xbb\x03\x03\x03\x82o\x02\x02\x01",
    );
    read(
        &codec,
        b"\x01\x00java.util.ArrayLis\xf4\x83\x01\x01[[Lcom.x.Probe$Address\xbb\x01\x02\x02\x01\x02\
          com.x.Probe$Addres\xf3\x82s\x00",
    );
}

/// Some serializers write null themselves, others do not.
#[test]
fn nulls_among_elements_of_one_class_match_redisson() {
    let codec = codec("{}");
    for payload in [
        &b"\x01\x00java.util.ArrayLis\xf4\x84\x01\x01java.util.Collections$EmptyLis\xf4\x01\x01\x01\
           \x00"[..],
        b"\x01\x00java.util.ArrayLis\xf4\x83\x01\x01java.util.TreeSe\xf4\x01\x01\x00\x00",
        b"\x01\x00java.util.LinkedHashSe\xf4\x83\x03\x01\x82a\x80",
        b"\x01\x00java.util.ArrayLis\xf4\x84\x01\x01java.lang.Clas\xf3\x01\x02\x01\x00\x03",
        b"\x01\x00java.util.ArrayLis\xf4\x82\x00",
    ] {
        read(&codec, payload);
    }
}

#[test]
fn rarer_classes_of_the_jdk_match_redisson() {
    let codec = codec("{}");
    for payload in [
        &b"\x01\x00java.util.concurrent.ConcurrentSkipListMa\xf0\x02\x00\x03\x82a\x02\x02"[..],
        b"\x01\x00java.util.concurrent.PriorityBlockingQueu\xe5\x82\x03\x00\x82a",
        b"\x01\x00java.util.Propertie\xf3\x01",
        b"\x01\x00java.util.concurrent.atomic.AtomicReferenc\xe5\x03\x82x",
        b"\x01\x00java.util.SimpleTimeZon\xe5\x82X",
        b"\x01\x00java.lang.Clas\xf3\x02\x01",
        b"\x01\x00java.lang.Clas\xf3\x02\x00",
        b"\x01\x00java.lang.Clas\xf3\x01\x01java.util.Lis\xf4",
        b"\x01\x00java.lang.Clas\xf3\x01\x01[[\xc9",
        b"\x01\x00java.time.Yea\xf2\xfb\xff\xff\xff\x0f",
        b"\x01\x00java.util.TreeSe\xf4\x01\x01\x01java.util.Collections$ReverseComparato\xf2",
        b"\x01\x00java.util.TreeMa\xf0\x01\x01\x01java.lang.String$CaseInsensitiveComparato\xf2",
        b"\x01\x00java.util.TreeMa\xf0\x01\x01\x01java.util.Comparators$NaturalOrderComparato\xf2\
          \x01",
        b"\x01\x00java.util.concurrent.ConcurrentHashMap$KeySetVie\xf7\x01\x01java.util.concurrent.\
          ConcurrentHashMa\xf0\x01\x05\x01",
        b"\x01\x00java.util.Optiona\xec\x01\x01java.util.ArrayLis\xf4\x82\x01\x00\x00\x03\x82a",
    ] {
        read(&codec, payload);
    }
}

/// An abstract class has no objects. All classes below it are known only if a class of the schema
/// extends it.
#[test]
fn abstract_classes_hold_others() {
    let codec = codec(
        r#"{
        "Holder": {"fields": {"base": "Base", "face": "Face", "faces": "Face[]"}},
        "Base": {"abstract": true, "fields": {"id": "int"}},
        "Face": {"abstract": true},
        "Sub": {"extends": "Base"},
        "Other": {}
    }"#,
    );
    let sub = || JavaValue::object("Sub", [("id", JavaValue::from(1))]);
    let none = |class: &'static str| JavaValue::object::<&'static str>(class, []);
    let holder = |base: JavaValue, face: JavaValue| {
        let faces = JavaValue::Array(crate::java::Array {
            class: "[LFace;".into(),
            items: vec![face.clone()],
        });
        JavaValue::object("Holder", [("base", base), ("face", face), ("faces", faces)])
    };
    for face in [sub(), none("Other")] {
        let value = holder(sub(), face);
        let payload = codec.encode(&value).unwrap();
        assert_eq!(codec.decode(payload).unwrap(), value);
    }
    let base = JavaValue::object("Base", [("id", JavaValue::from(1))]);
    for (value, message) in [
        (
            holder(none("Other"), sub()),
            "base: expected Base, found Other",
        ),
        (
            holder(base.clone(), sub()),
            "base: java cannot make objects of Base: the schema says it is abstract",
        ),
        (
            none("Face"),
            "java cannot make objects of Face: the schema says it is abstract",
        ),
    ] {
        assert_eq!(objection(&codec, &value), message);
    }
    assert_eq!(
        refusal(&codec, [&named("Base")[..], &[1, 2]].concat()),
        "java cannot make objects of Base: the schema says it is abstract, at byte 0"
    );
}

/// Written by Redisson 4.7.0. The class of `V` is final, but further up a `V` stands for another one.
#[test]
fn a_parameter_of_the_same_name_further_up_counts_for_more_than_a_final_bound() {
    let schema = r#"{
        "x.Item": {"parameters": ["K", "V"]}, "x.Box": {"fields": {}},
        "x.Order": {"final": true, "fields": {"name": "int"}},
        "x.Event": {
            "parameters": ["V extends x.Order"],
            "extends": "x.Item<x.Box, x.Box>", "fields": {"order": "V"}
        }
    }"#;
    let order = JavaValue::object("x.Order", [("name", JavaValue::Integer(-3))]);
    let event = JavaValue::object("x.Event", [("order", order)]);
    assert_eq!(
        read(&codec(schema), b"\x01\0x.Even\xf4\x01\x01x.Orde\xf2\x05"),
        event
    );
}
