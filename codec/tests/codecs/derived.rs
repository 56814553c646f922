//! What the derive makes of the forms that the classes of the vectors do not need.

use std::collections::BTreeMap;
use std::hash::Hash;

use redisson_codec::java::{JavaObject, JavaValue, Schema};
use redisson_codec::{Codec, JsonJackson3Codec, JsonJacksonCodec, Kryo5Codec, SerializationCodec};

/// As a crate has this one that only passes it on.
mod facade {
    pub(crate) use redisson_codec as codec;
}

#[derive(Clone, Copy, Debug, Eq, Hash, JavaObject, Ord, PartialEq, PartialOrd)]
#[java(transparent)]
struct OrderId(i64);

#[derive(Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Ping", crate = "crate::derived::facade::codec")]
struct Ping;

#[derive(Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Job")]
struct Job {
    order_id: OrderId,
    #[java(default)]
    tags: Vec<String>,
    #[java(holds = "java.util.LinkedList")]
    steps: Option<Vec<String>>,
    #[java(name = "type")]
    kind: Kind,
    #[java(skip)]
    attempts: u32,
}

#[derive(Clone, Copy, Debug, Eq, JavaObject, Ord, PartialEq, PartialOrd)]
#[java(class = "com.example.Kind")]
enum Kind {
    NotYetPaid,
    #[java(name = "legacyName")]
    Legacy,
    #[java(body)]
    V2,
}

/// Of Kotlin, where a constant's class has the name of the constant.
#[derive(Clone, Copy, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Channel")]
enum Channel {
    #[java(body = "com.example.Channel$MAIL")]
    Mail,
    Call,
}

/// Of Kotlin, inside of another class, where every enum is final.
#[derive(Clone, Copy, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Mailer$Channel", final)]
enum Inner {
    #[java(body = "com.example.Mailer$Channel$MAIL")]
    Mail,
}

#[derive(Debug, JavaObject, PartialEq)]
#[java(super_class = "java.lang.Object")]
enum Message {
    Ping(Ping),
    Count(i64),
    Text(String),
    #[java(other)]
    Other(JavaValue),
}

/// Java's `Index<K, V>`: the type parameters nest, and the map asks more of one than the derive.
#[derive(Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Index")]
struct Index<Key: Clone + Hash, V = String>
where
    Key: Ord,
{
    first: V,
    all: BTreeMap<Key, Vec<Option<V>>>,
    #[java(type = "java.util.Set<V>")]
    set: Vec<V>,
    next: Option<Box<Self>>,
    other: Option<Box<Index<Key, i64>>>,
}

/// `class Swapped<B, A> implements Pair<A, B>`
#[derive(Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Swapped", implements = "com.example.Pair<A, B>")]
struct Swapped<B, A> {
    a: A,
    b: B,
}

#[derive(Debug, JavaObject, PartialEq)]
#[java(super_class = "com.example.Pair<java.lang.Short, java.lang.Float>")]
enum Pair {
    Swapped(Swapped<f32, i16>),
}

#[derive(Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Holder")]
struct Holder {
    pair: Pair,
}

#[test]
fn a_struct_names_the_interface_of_its_place() {
    let pair = Pair::Swapped(Swapped { a: 1, b: 2.5 });
    let json =
        r#"{"@class":"com.example.Holder","pair":{"@class":"com.example.Swapped","a":1,"b":2.5}}"#;
    let codec = JsonJacksonCodec::new();
    assert_eq!(codec.encode(&Holder { pair }).unwrap(), json);
    let read = codec.decode(json.into()).unwrap();
    let Pair::Swapped(swapped) = read.pair;
    assert_eq!((swapped.a, swapped.b), (1, 2.5));
}

/// Its `toString()` returns texts of its own.
#[derive(Clone, Copy, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Speed")]
enum Speed {
    #[java(shown = "as fast as can be")]
    Fast,
    Slow,
}

#[derive(Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Mood", shown = "unknown")]
enum Mood {
    Good,
}

#[test]
fn an_enum_says_what_jackson_3_writes() {
    let codec = JsonJackson3Codec::new();
    let json = codec.encode(&[Speed::Fast, Speed::Slow].to_vec()).unwrap();
    let text = String::from_utf8_lossy(&json);
    assert!(
        text.contains("as fast as can be") && text.contains("SLOW"),
        "{text}"
    );
    assert_eq!(codec.decode(json).unwrap(), [Speed::Fast, Speed::Slow]);
    let refused = JsonJackson3Codec::new().encode(&Mood::Good);
    assert!(refused.is_err(), "{refused:?}");
}

/// Only its own code knows what it writes, and it stands for two interfaces.
#[derive(Debug, JavaObject, PartialEq)]
#[java(
    class = "com.example.Sealed",
    implements = "com.example.Pair<A, java.lang.String>, com.example.Holds<A>",
    serial_version_uid = 1,
    serialized = "own"
)]
struct Sealed<A> {
    a: A,
}

#[test]
fn an_object_that_its_own_code_writes_is_refused() {
    let refused = SerializationCodec::new().encode(&Sealed { a: 1 });
    assert!(refused.is_err(), "{refused:?}");
    let mut described = Schema::new();
    Sealed::<i32>::describe(&mut described);
    let schema = r#"{"com.example.Sealed": {
        "uid": 1, "parameters": ["A"], "serialized": "own", "fields": {"a": "A"},
        "implements": ["com.example.Pair<A, java.lang.String>", "com.example.Holds<A>"]
    }}"#;
    assert_eq!(described, Schema::from_json(schema).unwrap());
}

/// Names that the derived code uses itself must not confuse it.
#[derive(Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Words")]
struct Words<Schema> {
    schema: i32,
    object: Schema,
    r#type: i32,
    base: i32,
}

/// An abstract class that only the enum names, and an interface.
#[derive(Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Log")]
struct Log {
    last: Option<Entry>,
    all: Vec<Shown>,
}

#[derive(Debug, JavaObject, PartialEq)]
#[java(super_class = "com.example.Entry")]
enum Entry {
    Ping(Ping),
    Note(Note),
}

#[derive(Debug, JavaObject, PartialEq)]
#[java(super_class = "com.example.Shown")]
enum Shown {
    Note(Note),
}

#[derive(Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Note")]
struct Note {
    #[java(extends)]
    base: NoteBase,
    text: String,
}

#[derive(Debug, JavaObject, PartialEq)]
#[java(class = "com.example.NoteBase", abstract)]
struct NoteBase {
    id: i64,
}

#[derive(Debug, JavaObject, PartialEq)]
#[java(class = "com.example.Counts")]
struct Counts {
    counts: Vec<(String, i64)>,
    #[java(type = "java.util.HashMap<java.lang.String, long[]>")]
    stops: Option<Vec<(String, Vec<i64>)>>,
    #[java(type = "java.util.Optional<java.util.List<java.lang.String>>")]
    tags: Option<Option<Vec<String>>>,
}

fn survives<T: JavaObject + std::fmt::Debug + PartialEq>(value: T) {
    assert_eq!(T::from_java(value.to_java()).unwrap(), value);
}

fn described<T: JavaObject>() -> Schema {
    let mut schema = Schema::new();
    T::describe(&mut schema);
    schema
}

#[test]
fn every_form_survives() {
    survives(OrderId(5));
    survives(Ping);
    survives(Kind::Legacy);
    survives(Message::Ping(Ping));
    survives(Message::Count(5));
    survives(Message::Text("hello".to_owned()));
    survives(Message::Other(JavaValue::list([])));
    let index = |next| Index {
        first: "a".to_owned(),
        all: BTreeMap::from([(OrderId(1), vec![Some("b".to_owned()), None])]),
        set: vec!["c".to_owned()],
        next,
        other: None,
    };
    survives(index(Some(Box::new(index(None)))));
    survives(Words {
        schema: 1,
        object: 2_i64,
        r#type: 3,
        base: 4,
    });
}

#[test]
fn classes_are_described_with_their_type_parameters() {
    let index = r#"{"com.example.Index": {"parameters": ["Key", "V"], "fields": {
        "first": "V",
        "all": "java.util.Map<Key, java.util.List<V>>",
        "set": "java.util.Set<V>",
        "next": "com.example.Index<Key, V>",
        "other": "com.example.Index<Key, java.lang.Long>"
    }}}"#;
    assert_eq!(
        described::<Index<OrderId>>(),
        Schema::from_json(index).unwrap()
    );
    assert_eq!(
        Index::<OrderId>::java_type().to_string(),
        "com.example.Index<java.lang.Long, java.lang.String>"
    );

    // What a parameter stands for is described though no field of the class is declared with it.
    assert!(described::<Words<Kind>>().contains("com.example.Kind"));
}

#[test]
fn constants_name_the_classes_of_their_bodies() {
    let channel = r#"{"com.example.Channel": {
        "enum": ["MAIL", "CALL"], "bodies": {"MAIL": "com.example.Channel$MAIL"}}}"#;
    assert_eq!(described::<Channel>(), Schema::from_json(channel).unwrap());
    let codec = Kryo5Codec::<Channel>::new();
    let payload = codec.encode(&Channel::Mail).unwrap();
    assert_eq!(payload, &b"\x01\0com.example.Channel$MAI\xcc\x01"[..]);
    assert_eq!(codec.decode(payload).unwrap(), Channel::Mail);
    let inner = r#"{"com.example.Mailer$Channel": {"enum": ["MAIL"], "final": true,
        "bodies": {"MAIL": "com.example.Mailer$Channel$MAIL"}}}"#;
    assert_eq!(described::<Inner>(), Schema::from_json(inner).unwrap());
}

#[test]
fn defaults_follow_the_attributes() {
    let job = r#"{
        "com.example.Job": {"fields": {
            "orderId": "long",
            "tags": "java.util.List<java.lang.String>",
            "steps": "java.util.List<java.lang.String>",
            "type": "com.example.Kind"
        }},
        "com.example.Kind": {"enum": ["NOT_YET_PAID", "legacyName", "V2"], "bodies": ["V2"]}
    }"#;
    assert_eq!(described::<Job>(), Schema::from_json(job).unwrap());
    assert_eq!(described::<Message>(), described::<Ping>());
    assert_eq!(Message::java_type().to_string(), "java.lang.Object");

    let job = Job {
        order_id: OrderId(5),
        tags: Vec::new(),
        steps: Some(vec!["pack".to_owned()]),
        kind: Kind::V2,
        attempts: 3,
    };
    let JavaValue::Object(mut java) = job.to_java() else {
        panic!("no object");
    };
    assert_eq!(java.fields.len(), 4);
    assert_eq!(
        java.get("steps").unwrap().class_name(),
        "java.util.LinkedList"
    );
    // Java may hold null where Rust has no option.
    drop(java.take("tags"));
    let read = Job::from_java(JavaValue::Object(java)).unwrap();
    assert_eq!(read, Job { attempts: 0, ..job });
}

#[test]
fn super_classes_of_enums_are_described_as_abstract() {
    let log = r#"{
        "com.example.Log": {"fields": {
            "last": "com.example.Entry",
            "all": "java.util.List<com.example.Shown>"
        }},
        "com.example.Entry": {"abstract": true},
        "com.example.Shown": {"abstract": true},
        "com.example.Ping": {},
        "com.example.Note": {"extends": "com.example.NoteBase", "fields": {
            "text": "java.lang.String"
        }},
        "com.example.NoteBase": {"abstract": true, "fields": {"id": "long"}}
    }"#;
    assert_eq!(described::<Log>(), Schema::from_json(log).unwrap());

    let note = || Note {
        base: NoteBase { id: 5 },
        text: "a".to_owned(),
    };
    let log = Log {
        last: Some(Entry::Note(note())),
        all: vec![Shown::Note(note())],
    };
    let codec = Kryo5Codec::new();
    let payload = codec.encode(&log).unwrap();
    assert_eq!(codec.decode(payload).unwrap(), log);
    let base = Kryo5Codec::new().encode(&NoteBase { id: 5 });
    assert!(base.is_err());
}

/// Maps keep the order that they have in Java, and so the same bytes.
#[test]
fn pairs_are_maps_in_order() {
    let order = |names: [&str; 3]| Counts {
        counts: names.map(|it| (it.to_owned(), 1)).to_vec(),
        stops: Some(names.map(|it| (it.to_owned(), vec![2])).to_vec()),
        tags: None,
    };
    for names in [["b", "c", "a"], ["c", "a", "b"]] {
        let JavaValue::Object(mut java) = order(names).to_java() else {
            panic!("no object");
        };
        let JavaValue::Map(counts) = java.take("counts") else {
            panic!("no map");
        };
        assert_eq!(counts.class, "java.util.LinkedHashMap");
        let stops = java.take("stops");
        assert_eq!(stops.class_name(), "java.util.HashMap");
        let JavaValue::Map(stops) = stops else {
            panic!("no map");
        };
        assert_eq!(stops.entries[0].1.class_name(), "[J");

        let codec = Kryo5Codec::new();
        let payload = codec.encode(&order(names)).unwrap();
        let read = codec.decode(payload.clone()).unwrap();
        assert_eq!(read, order(names));
        assert_eq!(codec.encode(&read).unwrap(), payload);
    }
    let map = "java.util.Map<java.lang.String, java.lang.Long>";
    assert_eq!(Vec::<(String, i64)>::java_type().to_string(), map);
}

#[test]
fn optionals_can_be_null_empty_or_full() {
    let full = Some(Some(vec!["a".to_owned()]));
    for (tags, expected) in [
        (None, JavaValue::Null),
        (Some(None), JavaValue::Optional(None)),
        (
            full,
            JavaValue::Optional(Some(Box::new(JavaValue::list(["a".into()])))),
        ),
    ] {
        let counts = Counts {
            counts: Vec::new(),
            stops: None,
            tags,
        };
        let JavaValue::Object(java) = counts.to_java() else {
            panic!("no object");
        };
        assert_eq!(java.get("tags"), Some(&expected));
        survives(counts);
    }
}
