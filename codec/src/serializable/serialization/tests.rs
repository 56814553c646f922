use super::*;
use crate::Codec;
use crate::java::{Class, JavaType, Schema, Temporal};

fn string() -> JavaType {
    JavaType::new("java.lang.String")
}

fn base() -> Class {
    Class::object("Base")
        .serial_version_uid(1)
        .field("name", string())
}

fn sub() -> Class {
    Class::object("Sub")
        .serial_version_uid(2)
        .extends(JavaType::new("Base"))
        .field("name", string())
        .field("count", JavaType::new("int"))
        .field("boxed", JavaType::new("java.lang.Long"))
}

fn codec(classes: impl IntoIterator<Item = Class>) -> SerializationCodec {
    SerializationCodec::with_schema(classes.into_iter().collect()).unwrap()
}

fn fields(names: [&'static str; 2]) -> Vec<(&'static str, JavaValue)> {
    vec![
        ("name", names[0].into()),
        ("name", names[1].into()),
        ("count", JavaValue::Integer(5)),
        ("boxed", JavaValue::Long(6)),
    ]
}

fn refusal(codec: &SerializationCodec, value: &JavaValue) -> String {
    let error = codec.encode(value).unwrap_err();
    match error.cause() {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}

#[test]
fn hidden_fields_come_back_to_their_classes() {
    let codec = codec([base(), sub()]);
    let value = JavaValue::object("Sub", fields(["of sub", "of base"]));
    let payload = codec.encode(&value).unwrap();
    let JavaValue::Object(read) = codec.decode(payload.clone()).unwrap() else {
        panic!("no object");
    };
    assert_eq!(read.get("name"), Some(&"of sub".into()));
    assert_eq!(codec.encode(&JavaValue::Object(read)).unwrap(), payload);
    // Super classes send their fields first.
    let place = |text: &[u8]| payload.windows(text.len()).position(|it| it == text);
    assert!(place(b"of base") < place(b"of sub"));
}

#[test]
fn equal_strings_are_one_object_or_each_its_own() {
    let twice = JavaValue::list(["text".into(), "text".into()]);
    let shared = codec([]).encode(&twice).unwrap();
    let distinct = codec([]).distinct_strings(true).encode(&twice).unwrap();
    assert!(shared.ends_with(b"t\0\x04textq\0~\0\x02x"));
    assert!(distinct.ends_with(b"t\0\x04textt\0\x04textx"));
    for payload in [shared, distinct] {
        assert_eq!(codec([]).decode(payload).unwrap(), twice);
    }
}

/// Java reads no reference there, and would lose the value.
#[test]
fn the_name_of_a_constant_is_spelled_out_after_an_equal_text() {
    let codec = codec([
        Class::enumeration("Status", ["PAID"]),
        Class::enumeration("Other", ["PAID"]),
    ]);
    let [status, other] = ["Status", "Other"].map(|it| JavaValue::constant(it, "PAID"));
    let values = JavaValue::list(["PAID".into(), status, other, "PAID".into()]);
    let payload = codec.encode(&values).unwrap();
    let name = b"t\0\x04PAID".as_slice();
    let names = payload.windows(name.len()).filter(|it| *it == name);
    assert_eq!(names.count(), 3);
    // The last text is the last of them.
    assert!(payload.ends_with(b"t\0\x04PAIDq\0~\0\x09x"), "{payload:?}");
    assert_eq!(codec.decode(payload).unwrap(), values);
}

/// As `Integer.valueOf` does: a number of Java's cache comes once, another at every place.
#[test]
fn small_numbers_are_one_object() {
    let pair = |number| JavaValue::list([JavaValue::Integer(number), JavaValue::Integer(number)]);
    let small = codec([]).encode(&pair(127)).unwrap();
    assert!(small.ends_with(b"\0\0\0\x7fq\0~\0\x04x"));
    let large = codec([]).encode(&pair(128)).unwrap();
    assert!(large.ends_with(b"\0\0\0\x80sq\0~\0\x02\0\0\0\x80x"));
}

#[test]
fn classes_that_are_not_known_well_enough_are_refused() {
    let undeclared = Class::object("Undeclared").field("a", string());
    let codec = codec([base(), sub(), undeclared]);
    let mut lacking = fields(["a", "b"]);
    lacking.remove(0);
    let mut more = fields(["a", "b"]);
    more.push(("more", JavaValue::Null));
    let mut long = fields(["a", "b"]);
    long[2] = ("count", JavaValue::Long(5));
    let mut number = fields(["a", "b"]);
    number[0] = ("name", JavaValue::Long(5));
    let optional = JavaValue::Optional(None);
    for (value, message) in [
        (
            JavaValue::object("Undeclared", [("a", "x".into())]),
            "Undeclared: the schema has no uid for it",
        ),
        (
            JavaValue::object("Other", [("a", "x".into())]),
            "Other: no class of this name can be written",
        ),
        (
            JavaValue::object("Sub", lacking),
            "Base.name: the value has no such field",
        ),
        (
            JavaValue::object("Sub", more),
            "Sub.more: the class has no such field",
        ),
        (
            JavaValue::object("Sub", long),
            "Sub.count: a value of another class is declared",
        ),
        (
            JavaValue::object("Sub", number),
            "Sub.name: a value of another class is declared",
        ),
        (
            optional,
            "java.util.Optional: the class is not serializable",
        ),
        (
            JavaValue::Time(Temporal::ZoneOffset(64_801)),
            "java.time.ZoneOffset: java has no such offset of a zone",
        ),
    ] {
        assert_eq!(refusal(&codec, &value), message);
    }
}

#[test]
fn what_follows_an_object_is_refused() {
    let mut payload = codec([]).encode(&"text".into()).unwrap().to_vec();
    assert_eq!(
        codec([]).decode(payload.clone().into()).unwrap(),
        "text".into()
    );
    payload.push(b'p');
    let error = codec([]).decode(payload.into()).unwrap_err();
    assert_eq!(error.reason(), "bytes follow the serialized object");
}

#[test]
fn abstract_classes_are_only_extended() {
    let mut base = base();
    base.is_abstract = true;
    let codec = codec([base, sub()]);
    let value = JavaValue::object("Sub", fields(["a", "b"]));
    let payload = codec.encode(&value).unwrap();
    assert_eq!(codec.decode(payload).unwrap().class_name(), "Sub");
    let base = JavaValue::object("Base", [("name", "a".into())]);
    let message = "Base: the schema says it is abstract";
    assert_eq!(refusal(&codec, &base), message);
}

/// Java wrote it by a `writeObject` that writes `t` before `s`, and does not begin with
/// `defaultWriteObject`.
#[test]
fn what_only_a_class_knows_is_refused() {
    let payload = b"\xac\xed\0\x05sr\0\x14com.example.atk.S$W4\x6a\x1a\xe7\xbc\x0c\x79\xd9\x82\x03\
        \0\x02L\0\x01st\0\x12Ljava/lang/String;L\0\x01tq\0~\0\x01xpt\0\x01tt\0\x01sx";
    let class = || {
        Class::object("com.example.atk.S$W4")
            .serial_version_uid(0x6a1a_e7bc_0c79_d982)
            .field("s", string())
            .field("t", string())
    };
    let own = class().serialized_its_own_way();
    let sub = Class::object("Sub")
        .serial_version_uid(1)
        .extends(JavaType::new("com.example.atk.S$W4"));
    let strict = codec([own, sub]);
    let error = strict.decode(payload.as_slice().into()).unwrap_err();
    assert_eq!(
        error.cause().unwrap().to_string(),
        "only code of com.example.atk.S$W4 can read it"
    );
    let fields = [("s", "s".into()), ("t", "t".into())];
    for class in ["com.example.atk.S$W4", "Sub"] {
        assert_eq!(
            refusal(&strict, &JavaValue::object(class, fields.clone())),
            "com.example.atk.S$W4: only its own code can write it"
        );
    }
    // The codec reads the fields and passes over the rest.
    let lenient = codec([class().serialized_with_more()]);
    let read = lenient.decode(payload.as_slice().into()).unwrap();
    assert_eq!(
        refusal(&lenient, &read),
        "com.example.atk.S$W4: it is only read: it has more than fields"
    );
    let schema = r#"{"A": {"serialized": "own"}, "B": {"serialized": "more"}}"#;
    let written = [
        Class::object("A").serialized_its_own_way(),
        Class::object("B").serialized_with_more(),
    ];
    assert_eq!(
        Schema::from_json(schema).unwrap(),
        written.into_iter().collect()
    );
}

/// Checked with Redisson 3.52.0: Java keeps one object of each of these, and refers to it.
#[test]
fn objects_that_java_keeps_are_referred_to() {
    use crate::java::{Instant, LocalTime, Period};

    let refers = |value: JavaValue| {
        let twice = JavaValue::list([value.clone(), value]);
        let payload = codec([]).encode(&twice).unwrap();
        payload.ends_with(b"q\0~\0\x03x")
    };
    let collection = |class: &'static str| JavaValue::collection(class, []);
    let time = |minute| {
        let (hour, second, nano) = (9, 0, 0);
        JavaValue::Time(Temporal::LocalTime(LocalTime {
            hour,
            minute,
            second,
            nano,
        }))
    };
    let instant = |seconds| JavaValue::Time(Temporal::Instant(Instant { seconds, nanos: 0 }));
    let period = |days| {
        let (years, months) = (0, 0);
        JavaValue::Time(Temporal::Period(Period {
            years,
            months,
            days,
        }))
    };
    let offset = |seconds| JavaValue::Time(Temporal::ZoneOffset(seconds));
    let duration = |seconds| JavaValue::Time(Temporal::Duration(seconds, 0));
    for kept in [
        collection("java.util.ImmutableCollections$ListN"),
        collection("java.util.ImmutableCollections$SetN"),
        time(0),
        instant(0),
        period(0),
        offset(3_600),
        duration(0),
    ] {
        assert!(refers(kept.clone()), "{kept:?}");
    }
    for made in [time(1), instant(1), period(1), offset(61), duration(1)] {
        assert!(!refers(made.clone()), "{made:?}");
    }
}
