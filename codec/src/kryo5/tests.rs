use bytes::Bytes;

use super::Kryo5Codec;
use crate::Codec;
use crate::java::{JavaValue, Schema};

mod bounds;
mod generics;
mod refusals;
mod texts;

fn codec(schema: &str) -> Kryo5Codec<JavaValue> {
    Kryo5Codec::with_schema(Schema::from_json(schema).unwrap()).unwrap()
}

/// Reads a payload that must be what the codec itself writes for the value.
fn read(codec: &Kryo5Codec<JavaValue>, payload: &'static [u8]) -> JavaValue {
    let value = codec.decode(Bytes::from_static(payload)).unwrap();
    assert_eq!(codec.encode(&value).unwrap(), payload, "{value:?}");
    value
}

/// Why a payload is refused.
fn refusal(codec: &Kryo5Codec<JavaValue>, payload: impl Into<Bytes>) -> String {
    let error = codec.decode(payload.into()).unwrap_err();
    let reason = "payload does not fit the classes, or is not Kryo's";
    assert_eq!(error.reason(), reason);
    error.cause().unwrap().to_string()
}

/// Why a value is refused.
fn objection(codec: &Kryo5Codec<JavaValue>, value: &JavaValue) -> String {
    let error = codec.encode(value).unwrap_err();
    assert_eq!(error.reason(), "value cannot be written by Kryo");
    error.cause().unwrap().to_string()
}

/// A class tag with a name, as it stands at the beginning of a payload.
fn named(class: &str) -> Vec<u8> {
    let mut bytes = vec![1, 0];
    bytes.extend_from_slice(class.as_bytes());
    *bytes.last_mut().unwrap() |= 0x80;
    bytes
}

/// Written by Redisson 4.7.0. Above a class that extends another without type arguments, Kryo does
/// not know what a type parameter stands for, nor does it know the arguments of what it stands for;
/// and it takes a wildcard for its lower bound if there is no upper one.
#[test]
fn type_parameters_of_super_classes_match_java() {
    let schema = Schema::from_json(
        r#"{
            "a.Box": {"parameters": ["T"], "fields": {"v": "T"}},
            "a.One": {"extends": "a.Box<java.lang.String>"},
            "a.Two": {"extends": "a.One"},
            "a.Deep": {"extends": "a.Box<java.util.List<java.lang.String>>"},
            "a.Holder": {"fields": {"b": "a.Box<java.lang.String>"}},
            "a.Sup": {"fields": {"l": "java.util.List<? super java.lang.Integer>"}},
            "a.Ext": {"fields": {"l": "java.util.List<? extends java.util.List<java.lang.String>>"}}
        }"#,
    )
    .unwrap();
    let codec = Kryo5Codec::<JavaValue>::with_schema(schema).unwrap();
    let of = |class: &'static str, value: JavaValue| JavaValue::object(class, [("v", value)]);
    let list = |items: Vec<JavaValue>| JavaValue::list(items);
    for (value, payload) in [
        (of("a.One", "s".into()), &b"\x01\0a.On\xe5\x82s"[..]),
        (of("a.Two", "s".into()), b"\x01\0a.Tw\xef\x03\x82s"),
        (
            of("a.Deep", list(vec!["s".into()])),
            b"\x01\0a.Dee\xf0\x01\x01java.util.ArrayLis\xf4\x82\x03\0\x82s",
        ),
        (
            JavaValue::object("a.Holder", [("b", of("a.Two", "s".into()))]),
            b"\x01\0a.Holde\xf2\x01\x01a.Tw\xef\x82s",
        ),
        (
            JavaValue::object("a.Sup", [("l", list(vec![JavaValue::Integer(1)]))]),
            b"\x01\0a.Su\xf0\x01\x01java.util.ArrayLis\xf4\x02\x02",
        ),
        (
            JavaValue::object("a.Ext", [("l", list(vec![list(vec!["s".into()])]))]),
            b"\x01\0a.Ex\xf4\x01\x01java.util.ArrayLis\xf4\x82\x01\x01\0\x82\x03\0\x82s",
        ),
    ] {
        let written = codec.encode(&value).unwrap();
        assert_eq!(written, payload, "{value:?}");
        assert_eq!(codec.decode(written).unwrap(), value);
    }
}

/// Written by Redisson 4.7.0 for an enum of Kotlin, whose constants `MAIL` and `CALL` have bodies. A
/// schema may say so in two ways.
#[test]
fn constants_of_kotlin_with_bodies_match_java() {
    for schema in [
        r#"{
            "com.acme.jobs.Job": {"final": true, "fields": {
                "kind": "com.acme.jobs.Kind", "prio": "java.lang.Integer"}},
            "com.acme.jobs.Kind": {"enum": ["MAIL", "CALL"], "bodies": ["MAIL", "CALL"]},
            "com.acme.jobs.Kind$CALL": {"final": true, "extends": "com.acme.jobs.Kind"},
            "com.acme.jobs.Kind$MAIL": {"final": true, "extends": "com.acme.jobs.Kind"}
        }"#,
        r#"{
            "com.acme.jobs.Job": {"final": true, "fields": {
                "kind": "com.acme.jobs.Kind", "prio": "java.lang.Integer"}},
            "com.acme.jobs.Kind": {"enum": ["MAIL", "CALL"], "bodies": {
                "MAIL": "com.acme.jobs.Kind$MAIL", "CALL": "com.acme.jobs.Kind$CALL"}}
        }"#,
    ] {
        let codec = codec(schema);
        for (constant, payload) in [
            (
                "MAIL",
                &b"\x01\0com.acme.jobs.Jo\xe2\x01\x01com.acme.jobs.Kind$MAI\xcc\x01\0"[..],
            ),
            (
                "CALL",
                b"\x01\0com.acme.jobs.Jo\xe2\x01\x01com.acme.jobs.Kind$CAL\xcc\x02\0",
            ),
        ] {
            let kind = JavaValue::constant("com.acme.jobs.Kind", constant);
            let job = [("kind", kind), ("prio", JavaValue::Null)];
            assert_eq!(
                read(&codec, payload),
                JavaValue::object("com.acme.jobs.Job", job)
            );
        }
    }
    // As if the compiler of Java had named the classes.
    let codec = codec(r#"{"com.acme.jobs.Kind": {"enum": ["MAIL"], "bodies": ["MAIL"]}}"#);
    assert_eq!(
        refusal(
            &codec,
            [&named("com.acme.jobs.Kind$MAIL")[..], b"\x01"].concat()
        ),
        "class com.acme.jobs.Kind$MAIL is neither in the schema nor one of the JDK's that are \
         known, at byte 0"
    );
}

/// Written by Redisson 4.7.0 for enums that Kotlin declares inside of a class. Kotlin marks these final in
/// the class around them, which is where Java looks, although their constants have classes of their own.
#[test]
fn constants_of_a_final_enum_with_bodies_match_java() {
    let codec = codec(
        r#"{
            "K1$Kinds": {"final": true, "fields": {
                "any": "java.lang.Object", "arr": "K1$Kind[]", "gen": "K1$Mixed", "impl": "K1$Mixed",
                "kinds": "java.util.List<? extends K1$Kind>",
                "map": "java.util.Map<K1$Kind, ? extends K1$Mixed>",
                "set": "java.util.Set<? extends K1$Mixed>"}},
            "K1$Kind": {"enum": ["MAIL", "CALL"], "final": true,
                "bodies": {"MAIL": "K1$Kind$MAIL", "CALL": "K1$Kind$CALL"}},
            "K1$Mixed": {"enum": ["A", "B", "C"], "final": true, "bodies": {"B": "K1$Mixed$B"}}
        }"#,
    );
    let payload =
        b"\x01\0K1$Kind\xf3\x01\x01K1$Kind$CAL\xcc\x02\x02\x02\x02\x02\x01\x02java.util.Arrays$ArrayLis\
          \xf4\x03\x02\x01\x01\x03java.util.LinkedHashMa\xf0\x02\x01\x02\x01\x04java.util.\
          LinkedHashSe\xf4\x03\x02\x01";
    let JavaValue::Object(kinds) = read(&codec, payload) else {
        panic!("it is an object");
    };
    let [mail, call] = ["MAIL", "CALL"].map(|it| JavaValue::constant("K1$Kind", it));
    let [a, b] = ["A", "B"].map(|it| JavaValue::constant("K1$Mixed", it));
    assert_eq!(kinds.get("any"), Some(&call));
    assert_eq!(kinds.get("gen"), Some(&b));
    let list = JavaValue::collection("java.util.Arrays$ArrayList", [call, mail.clone()]);
    assert_eq!(kinds.get("kinds"), Some(&list));
    let map = JavaValue::map([(mail, b.clone())]);
    assert_eq!(kinds.get("map"), Some(&map));
    let set = JavaValue::collection("java.util.LinkedHashSet", [b, a]);
    assert_eq!(kinds.get("set"), Some(&set));
}

/// Written by Redisson 4.7.0. The class is final, so it has no tag in a field.
#[test]
fn address_in_a_field_of_its_own_class_matches_java() {
    let codec =
        codec(r#"{"x.Peer": {"fields": {"f": "java.net.Inet4Address", "g": "java.lang.String"}}}"#);
    let payload =
        b"\x01\0x.Pee\xf2\x01\xac\xed\0\x05sr\0\x14java.net.InetAddress-\x9bW\xaf\x9f\xe3\xeb\xdb\x03\0\
          \x03I\0\x07addressI\0\x06familyL\0\x08hostNamet\0\x12Ljava/lang/String;xp\n\x01\x02\x03\0\0\
          \0\x02pxend6\xb5";
    let JavaValue::Object(peer) = read(&codec, payload) else {
        panic!("it is an object");
    };
    assert_eq!(peer.get("g"), Some(&"end65".into()));
    assert_eq!(peer.get("f").unwrap().class_name(), "java.net.Inet4Address");
}

/// Written by Redisson 4.7.0 for `final Object lock = new Object();`.
#[test]
fn object_without_a_class_of_its_own_matches_java() {
    let codec =
        codec(r#"{"x.Lock": {"fields": {"f": "java.lang.Object", "g": "java.lang.String"}}}"#);
    let lock = JavaValue::object("java.lang.Object", [("", JavaValue::Null); 0]);
    assert_eq!(
        read(
            &codec,
            b"\x01\0x.Loc\xeb\x01\x01java.lang.Objec\xf4end8\xb3"
        ),
        JavaValue::object("x.Lock", [("f", lock), ("g", "end83".into())])
    );
}

/// Written by Redisson 4.7.0 for `Collections.checkedQueue` around "a", `emptySortedSet` and
/// `emptySortedMap`.
#[test]
fn wrappers_that_extend_others_match_java() {
    for (declared, name, count, payload) in [
        (
            "java.util.Queue<java.lang.String>",
            "java.util.Collections$CheckedQueue",
            1,
            &b"\x01\0x.\xc8\x01\x01java.util.Collections$CheckedQueu\xe5\xac\xed\0\x05sr\0\"jav\
          a.util.Collections$CheckedQueue\x13\xe3\x94$\xe4X\xcb\xb7\x02\0\x01L\0\x05queuet\
          \0\x11Ljava/util/Queue;xr\0'java.util.Collections$CheckedCollection\x15\xe9m\xfd\
          \x18\xe6\xcco\x02\0\x03L\0\x01ct\0\x16Ljava/util/Collection;L\0\x04typet\0\x11Lj\
          ava/lang/Class;[\0\x16zeroLengthElementArrayt\0\x13[Ljava/lang/Object;xpsr\0\x14\
          java.util.ArrayDeque\x20|\xda.$\x0d\xa0\x8b\x03\0\0xpw\x04\0\0\0\x01t\0\x01axvr\
          \0\x10java.lang.String\xa0\xf0\xa48z;\xb3B\x02\0\0xppq\0~\0\x08end8\xb8"[..],
        ),
        (
            "java.util.SortedSet<java.lang.Integer>",
            "java.util.Collections$UnmodifiableNavigableSet$EmptyNavigableSet",
            0,
            b"\x01\0x.\xc8\x01\x01java.util.Collections$UnmodifiableNavigableSet$EmptyNavigabl\
          eSe\xf4\xac\xed\0\x05sr\0@java.util.Collections$UnmodifiableNavigableSet$EmptyNa\
          vigableSet\xa8\xb0\xfa\xd0\xde\x1d\xe9B\x02\0\0xr\0.java.util.Collections$Unmodi\
          fiableNavigableSet\xacZ3\xcb\x96t\x82\x87\x02\0\x01L\0\x02nst\0\x18Ljava/util/Na\
          vigableSet;xr\0+java.util.Collections$UnmodifiableSortedSet\xbb\x98$\x8f\xeb\xec\
          \xef\x03\x02\0\x01L\0\x02sst\0\x15Ljava/util/SortedSet;xr\0%java.util.Collection\
          s$UnmodifiableSet\x80\x1d\x92\xd1\x8f\x9b\x80U\x02\0\0xr\0,java.util.Collections\
          $UnmodifiableCollection\x19B\0\x80\xcb^\xf7\x1e\x02\0\x01L\0\x01ct\0\x16Ljava/ut\
          il/Collection;xpsr\0\x11java.util.TreeSet\xdd\x98P\x93\x95\xed\x87[\x03\0\0xppw\
          \x04\0\0\0\0xq\0~\0\x0aq\0~\0\x0aend11\xb7",
        ),
        (
            "java.util.SortedMap<java.lang.Integer, java.lang.Integer>",
            "java.util.Collections$UnmodifiableNavigableMap$EmptyNavigableMap",
            0,
            b"\x01\0x.\xc8\x01\x01java.util.Collections$UnmodifiableNavigableMap$EmptyNavigabl\
          eMa\xf0\xac\xed\0\x05sr\0@java.util.Collections$UnmodifiableNavigableMap$EmptyNa\
          vigableMap\xe0\xecT\xfe}\x1c\x0dl\x02\0\0xr\0.java.util.Collections$Unmodifiable\
          NavigableMap\xbc\x949%\x81\x9dj\x1b\x02\0\x01L\0\x02nmt\0\x18Ljava/util/Navigabl\
          eMap;xr\0+java.util.Collections$UnmodifiableSortedMap\x85\xc8)(\xd3\xa5\xd7\x0a\
          \x02\0\x01L\0\x02smt\0\x15Ljava/util/SortedMap;xr\0%java.util.Collections$Unmodi\
          fiableMap\xf1\xa5\xa8\xfet\xf5\x07B\x02\0\x01L\0\x01mt\0\x0fLjava/util/Map;xpsr\
          \0\x11java.util.TreeMap\x0c\xc1\xf6>-%j\xe6\x03\0\x01L\0\x0acomparatort\0\x16Lja\
          va/util/Comparator;xppw\x04\0\0\0\0xq\0~\0\x0aq\0~\0\x0aend11\xb9",
        ),
    ] {
        let codec = codec(&format!(
            r#"{{"x.H": {{"fields": {{"f": "{declared}", "g": "java.lang.String"}}}}}}"#
        ));
        let JavaValue::Object(holder) = read(&codec, payload) else {
            panic!("it is an object");
        };
        let Some(JavaValue::Serialized(held)) = holder.get("f") else {
            panic!("{holder:?}");
        };
        let items = match held.value() {
            JavaValue::Collection(it) => it.items.len(),
            JavaValue::Map(it) => it.entries.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!(held.value().class_name(), name);
        assert_eq!(items, count, "{name}");
    }
}

/// Written by Redisson 4.7.0 for classes of Kotlin. Nothing in the name of the exception says that it
/// is one.
#[test]
fn exceptions_of_any_name_match_java() {
    let payload =
        b"\x01\x00com.acme.jobs.Resul\xf4\x01\x01com.acme.jobs.NotFoun\xe4\xac\xed\x00\x05sr\
      \x00\x16com.acme.jobs.NotFound\xf9\xf4\x10\x9aX\x9eI\x86\x02\x00\x01I\x00\x04codexr\
      \x00\x1ajava.lang.RuntimeException\x9e_\x06G\x0a4\x83\xe5\x02\x00\x00xr\x00\x13java.\
      lang.Exception\xd0\xfd\x1f>\x1a;\x1c\xc4\x02\x00\x00xr\x00\x13java.lang.Throwable\
      \xd5\xc65'9w\xb8\xcb\x03\x00\x04L\x00\x05causet\x00\x15Ljava/lang/Throwable;L\x00\
      \x0ddetailMessaget\x00\x12Ljava/lang/String;[\x00\x0astackTracet\x00\x1e[Ljava/lang/\
      StackTraceElement;L\x00\x14suppressedExceptionst\x00\x10Ljava/util/List;xpq\x00~\x00\
      \x08t\x00\x0dno\x20such\x20orderur\x00\x1e[Ljava.lang.StackTraceElement;\x02F*<<\xfd\
      \"9\x02\x00\x00xp\x00\x00\x00\x02sr\x00\x1bjava.lang.StackTraceElementa\x09\xc5\x9a&\
      6\xdd\x85\x02\x00\x08B\x00\x06formatI\x00\x0alineNumberL\x00\x0fclassLoaderNameq\x00\
      ~\x00\x05L\x00\x0edeclaringClassq\x00~\x00\x05L\x00\x08fileNameq\x00~\x00\x05L\x00\
      \x0amethodNameq\x00~\x00\x05L\x00\x0amoduleNameq\x00~\x00\x05L\x00\x0dmoduleVersionq\
      \x00~\x00\x05xp\x01\x00\x00\x00\x0ct\x00\x03appt\x00\x14com.acme.jobs.JobsKtt\x00\
      \x07Jobs.ktt\x00\x04mainppsq\x00~\x00\x0c\x01\xff\xff\xff\xffq\x00~\x00\x0eq\x00~\
      \x00\x0fq\x00~\x00\x10q\x00~\x00\x11ppsr\x00\x1fjava.util.Collections$EmptyListz\xb8\
      \x17\xb4<\xa7\x9e\xde\x02\x00\x00xpx\x00\x00\x01\x94r-\xb1";
    let result = r#""com.acme.jobs.Result": {"final": true, "fields": {
        "id": "java.lang.String", "error": "java.lang.Throwable"}}"#;
    for schema in [
        format!("{{{result}}}"),
        format!(r#"{{{result}, "com.acme.jobs.NotFound": {{"abstract": true}}}}"#),
        format!(r#"{{{result}, "com.acme.jobs.NotFound": {{"throwable": true}}}}"#),
    ] {
        let JavaValue::Object(result) = read(&codec(&schema), payload) else {
            panic!("no object");
        };
        let Some(JavaValue::Serialized(error)) = result.get("error") else {
            panic!("no exception");
        };
        assert_eq!(error.class(), "com.acme.jobs.NotFound");
        let JavaValue::Object(error) = error.value() else {
            panic!("no fields");
        };
        assert_eq!(error.get("detailMessage"), Some(&"no such order".into()));
    }
}

/// Written by Redisson 4.7.0.
#[test]
fn collections_of_kotlin_match_java() {
    let codec = codec(
        r#"{
        "Kt$H": {"fields": {
            "l": "java.util.List<java.lang.String>", "s": "java.util.Set<java.lang.Long>",
            "m": "java.util.Map<java.lang.String, java.lang.Integer>", "o": "java.lang.Object",
            "c": "java.util.Collection<java.lang.Object>"}},
        "com.acme.jobs.Mail": {"final": true, "fields": {
            "to": "java.util.List<java.lang.String>",
            "vars": "java.util.Map<java.lang.String, java.lang.String>", "n": "int"}}
    }"#,
    );
    for payload in [
        &b"\x01\0com.acme.jobs.Mai\xec\0\x01\x01kotlin.collections.EmptyLis\xf4\x01\x01\x02kotlin.\
           collections.EmptyMa\xf0\x01"[..],
        b"\x01\0Kt$\xc8\0\x01\x01kotlin.collections.EmptyLis\xf4\x01\x01\x02kotlin.collections.EmptyMa\
          \xf0\x01\0\x01\x03kotlin.collections.EmptySe\xf4\x01",
        b"\x01\0Kt$\xc8\0\x01\x01kotlin.collections.builders.ListBuilde\xf2\x03\x82a\x82b\0\x01\x01\
          \x83\x03\0\x82a\x82b\0",
        b"\x01\0Kt$\xc8\0\0\0\0\x01\x01kotlin.collections.builders.SetBuilde\xf2\x03\x0a\x0c",
        b"\x01\0Kt$\xc8\0\0\x01\x01kotlin.collections.builders.MapBuilde\xf2\x03\x82a\x01\x0a\x82b\
          \x01\x0c\0\0",
        b"\x01\0kotlin.collections.ArrayDequ\xe5\x83\x03\0\x82a\x82b",
        b"\x01\0java.util.ArrayLis\xf4\x84\x01\x01kotlin.collections.EmptyLis\xf4\x01\x01\0\x01",
    ] {
        read(&codec, payload);
    }
    let payload = [
        &named("kotlin.collections.EmptyList")[..],
        b"\x82\x03\0\x82a",
    ]
    .concat();
    assert_eq!(
        refusal(&codec, payload),
        "a kotlin.collections.EmptyList holds nothing, at byte 31"
    );
}

#[test]
fn charsets_match_java() {
    let codec = codec(r#"{"x.Text": {"fields": {"charset": "java.nio.charset.Charset"}}}"#);
    for (payload, name) in [
        (
            &b"\x01\0x.Tex\xf4\x01\x01sun.nio.cs.UTF_\xb8UTF-\xb8"[..],
            "UTF-8",
        ),
        (
            b"\x01\0x.Tex\xf4\x01\x01sun.nio.cs.MS125\xb2windows-125\xb2",
            "windows-1252",
        ),
    ] {
        let read = read(&codec, payload).into_object("x.Text").unwrap();
        let Some(JavaValue::Text(charset)) = read.get("charset") else {
            panic!("{read:?}");
        };
        assert_eq!(charset.text, name);
    }
}

/// Written by Redisson 4.7.0, which reads it: in a field of its class, and in one of any class.
#[test]
fn days_and_optional_numbers_match_java() {
    for (class, values) in [
        ("java.time.MonthDay", &[&b"\x02\x1d"[..]][..]),
        (
            "java.time.OffsetTime",
            &[b"\x01\x02\x03\x04\x08", b"\x01\xfd\x08"],
        ),
        ("java.util.OptionalInt", &[b"\x01\x05\0\0\0", b"\0"]),
        (
            "java.util.OptionalLong",
            &[b"\x01\x05\0\0\0\0\0\0\0", b"\0"],
        ),
        (
            "java.util.OptionalDouble",
            &[b"\x01\0\0\0\0\0\0\x16@", b"\0"],
        ),
    ] {
        let codec = codec(&format!(
            r#"{{"V1$H": {{"fields": {{"a": "java.lang.String", "f": "{class}",
            "o": "java.lang.Object", "z": "java.lang.String"}}}}}}"#
        ));
        for value in values {
            let tag = [&b"\x01\x01"[..], &named(class)[2..]].concat();
            let payload = [
                b"\x01\0V1$\xc8\x61\xe1\x01".as_slice(),
                value,
                &tag,
                value,
                b"\x7a\xfa",
            ];
            let payload = Bytes::from(payload.concat());
            let read = codec.decode(payload.clone()).unwrap();
            assert_eq!(codec.encode(&read).unwrap(), payload, "{class}");
        }
    }
}

/// Kotlin's `ArrayDeque` is final. A schema that was made from the jar of Kotlin's library describes it
/// too, and the empty containers.
#[test]
fn what_is_known_of_kotlin_counts_more_than_a_schema() {
    for described in [
        "",
        r#", "kotlin.collections.ArrayDeque": {"abstract": true},
           "kotlin.collections.EmptyList": {"final": true}"#,
    ] {
        let codec = codec(&format!(
            r#"{{"com.example.atk.Ent2": {{"fields": {{
            "q": "kotlin.collections.ArrayDeque<java.lang.Integer>", "z": "java.lang.String"}}}},
            "Kt$H": {{"fields": {{"l": "java.util.List<java.lang.String>"}}}}{described}}}"#
        ));
        read(&codec, b"\x01\0com.example.atk.Ent\xb2\x03\x02\x04\x7a\xfa");
        read(
            &codec,
            b"\x01\0Kt$\xc8\x01\x01kotlin.collections.EmptyLis\xf4\x01",
        );
    }
}

/// Written by Redisson 3.17.7 to 4.7.0, which read it too: the set names the class of its first
/// constant.
#[test]
fn sets_of_constants_with_bodies_match_java() {
    let codec = codec(r#"{"acme.M$Body": {"enum": ["X", "Y"], "bodies": ["X"]}}"#);
    // An empty one has the class of the first of all constants.
    let empty = b"\x01\0java.util.RegularEnumSe\xf4\x01\x01acme.M$Body$\xb1\0";
    read(&codec, empty);
    let payload = b"\x01\0java.util.RegularEnumSe\xf4\x01\x01acme.M$Body$\xb1\x01\x01";
    let set = JavaValue::constant("acme.M$Body", "X");
    let set = JavaValue::collection("java.util.RegularEnumSet", [set]);
    assert_eq!(read(&codec, payload), set);
    let allowed = codec.allowed_classes(["java.util.RegularEnumSet", "acme.M$Body"]);
    let payload = b"\x0c\x0b\x01\x01";
    assert_eq!(read(&allowed, payload), set);
}

/// Written by Redisson 4.7.0: `class C0s { ChronoUnit f; String g = "hello"; }`. Java writes no class
/// tag for such a field.
#[test]
fn fields_of_an_enum_of_the_jdk_match_java() {
    let schema = r#"{"com.example.atk.W$C0s": {
        "fields": {"f": "java.time.temporal.ChronoUnit", "g": "java.lang.String"}
    }}"#;
    let micros = JavaValue::constant("java.time.temporal.ChronoUnit", "MICROS");
    let fields = [("f", micros), ("g", "hello".into())];
    let read = read(
        &codec(schema),
        b"\x01\0com.example.atk.W$C0\xf3\x02hell\xef",
    );
    assert_eq!(read, JavaValue::object("com.example.atk.W$C0s", fields));
}

/// The same payload, but nothing is known of the field's class. What would be its class tag stands for
/// an `Integer`, which is no such value.
#[test]
fn a_number_is_taken_for_no_value_of_a_class_that_is_not_known() {
    for class in ["com.x.Color", "java.util.zip.Unknown"] {
        let schema = format!(
            r#"{{"com.example.atk.W$C0s": {{"fields": {{"f": "{class}", "g": "java.lang.String"}}}},
                "com.x.Color": {{"abstract": true}}}}"#
        );
        let payload = &b"\x01\0com.example.atk.W$C0\xf3\x02hell\xef"[..];
        assert_eq!(
            refusal(&codec(&schema), payload),
            format!("f: expected {class}, found java.lang.Integer, at byte 23")
        );
    }
}

/// The stream does not say it, and the schema does.
#[cfg(feature = "serialization")]
#[test]
fn class_of_an_enum_set_in_a_stream_depends_on_the_size_of_its_enum() {
    for (size, class) in [
        (64, "java.util.RegularEnumSet"),
        (65, "java.util.JumboEnumSet"),
    ] {
        let names: Vec<String> = (0..size).map(|it| format!("C{it}")).collect();
        let schema = Schema::from_iter([crate::java::Class::enumeration("x.Large", names)]);
        let constant = JavaValue::Enum(crate::java::Constant {
            class: "x.Large".into(),
            name: "C9".into(),
        });
        let list = JavaValue::list([JavaValue::collection(class, [constant])]);
        let stream = crate::SerializationCodec::with_schema(schema.clone()).unwrap();
        let stream = stream.encode(&list).unwrap();
        let class = b"\x01\x00java.util.Collections$SynchronizedRandomAccessLis\xf4";
        let codec = Kryo5Codec::<JavaValue>::with_schema(schema).unwrap();
        match codec.decode([class, &stream[..]].concat().into()).unwrap() {
            JavaValue::Serialized(read) => assert_eq!(read.value(), &list),
            other => panic!("{other:?}"),
        }
    }
}
