use super::*;

/// As if the Java class had another field, of another type.
#[test]
fn other_versions_of_a_class_are_reported_with_place_and_field() {
    let old = r#"{
        "A": {"fields": {"list": "java.util.List<B>", "z": "int"}},
        "B": {"fields": {"name": "java.lang.String", "number": "java.lang.Long"}}
    }"#;
    let value = JavaValue::object(
        "A",
        [
            (
                "list",
                JavaValue::list([JavaValue::object(
                    "B",
                    [("name", "ab".into()), ("number", JavaValue::Long(7))],
                )]),
            ),
            ("z", JavaValue::Integer(1)),
        ],
    );
    let payload = codec(old).encode(&value).unwrap();
    for (class_b, message) in [
        (
            r#"{"name": "java.lang.String", "number": "boolean"}"#,
            "value ends before the payload: its class may have more fields than known, at byte 35",
        ),
        (
            r#"{"name": "java.lang.String"}"#,
            "value ends before the payload: its class may have more fields than known, at byte 34",
        ),
        (
            r#"{"name": "java.lang.Integer", "number": "java.lang.Long"}"#,
            "list[0].name: expected 0 or 1, found 0x61, at byte 31",
        ),
        (
            r#"{"name": "java.util.List", "number": "java.lang.Long"}"#,
            "list[0].name: no class has the tag 97, at byte 31",
        ),
    ] {
        let new = format!(
            r#"{{"A": {{"fields": {{"list": "java.util.List<B>", "z": "int"}}}},
                 "B": {{"fields": {class_b}}}}}"#
        );
        assert_eq!(refusal(&codec(&new), payload.clone()), message);
    }
}

#[test]
fn lists_of_nothing_are_bounded() {
    let codec = codec(r#"{"Em": {}}"#);
    let nulls = |count: [u8; 2]| {
        let list = named("java.util.ArrayList");
        [&list[..], &[0xc0 | count[0], count[1]], &[0]].concat()
    };
    // 1,024 and four a byte; 63 + 15 * 64 is the count plus one.
    let JavaValue::Collection(list) = codec.decode(nulls([63, 15]).into()).unwrap() else {
        panic!("no list");
    };
    assert_eq!(list.items.len(), 1022);
    let message = "too many elements that take no bytes, at byte 24";
    assert_eq!(refusal(&codec, nulls([63, 127])), message);

    // A list of 101 lists, each of 299 objects without fields.
    let mut objects = named("java.util.ArrayList");
    objects.extend([0xc0 | 38, 1, 1, 0, 0]);
    objects.extend([0xc0 | 44, 4, 1, 1, b'E', b'm' | 0x80, 0]);
    objects.extend([0xc0 | 44, 4, 1, 1, 0].repeat(100));
    let message = refusal(&codec, objects);
    assert!(
        message.contains("too many elements that take no bytes"),
        "{message}"
    );
}

#[test]
fn nesting_is_bounded() {
    let codec = codec("{}");
    let nested = |depth: usize| {
        let inner = vec![JavaValue::list([])];
        let list = |inner, _| vec![JavaValue::list(inner)];
        (1..depth).fold(inner, list).remove(0)
    };
    let deep = nested(256);
    let payload = codec.encode(&deep).unwrap();
    assert_eq!(codec.decode(payload).unwrap(), deep);
    assert!(objection(&codec, &nested(257)).ends_with("nested more than 256 deep"));

    // Objects take more of the stack than lists.
    let nodes = self::codec(r#"{"Node": {"fields": {"next": "Node"}}}"#);
    let end = JavaValue::object("Node", [("next", JavaValue::Null)]);
    let chain = (1..256).fold(end, |next, _| JavaValue::object("Node", [("next", next)]));
    let payload = nodes.encode(&chain).unwrap();
    assert_eq!(nodes.decode(payload).unwrap(), chain);

    let mut payload = named("java.util.ArrayList");
    payload.extend([0x82, 1, 0, 0].repeat(100_000));
    assert!(refusal(&codec, payload).contains("nested more than 256 deep"));
}

/// Each list holds the one before it twice: 40 of them would be a million million lists.
#[test]
fn shared_objects_are_bounded() {
    let codec = codec("{}").references(true);
    let mut payload = named("java.util.ArrayList");
    payload.push(1);
    for _ in 0..40 {
        payload.extend([3, 1, 0, 1]);
    }
    payload.push(1);
    for number in (1..=40).rev() {
        payload.extend([1, 0, number + 2]);
    }
    let message = refusal(&codec, payload);
    assert!(
        message.contains("shared objects make the value too large"),
        "{message}"
    );
}

/// Less than 100 bytes of a stream are a list of 250,000 nulls, and each byte behind them is that list
/// again.
#[test]
fn shared_objects_of_java_streams_are_bounded() {
    let mut payload = named("java.util.ArrayList");
    payload.extend(b"\x01\xc4\x0c\x01\x01java.util.Collections$UnmodifiableLis\xf4\x00\x01");
    payload.extend(b"\xac\xed\x00\x05sr\x00\x20java.util.Collections$CopiesList");
    payload.extend(b"\x26\xae\x98\x54\x8a\x95\x0f\x57\x02\x00\x02I\x00\x01nL\x00\x07element");
    payload.extend(b"t\x00\x12Ljava/lang/Object;xp\x00\x03\xd0\x90p");
    payload.extend([3; 770]);
    let message = refusal(&codec("{}").references(true), payload);
    assert!(
        message.contains("shared objects make the value too large"),
        "{message}"
    );
}

#[test]
fn shared_objects_are_read_twice() {
    let codec = codec("{}").references(true);
    // List.of(list, list) with list = ["ab"], as Kryo writes it.
    let mut payload = named("java.util.ArrayList");
    payload.extend(b"\x01\x83\x01\x00\x00\x01\x82\x03\x00\x01a\xe2\x03");
    let inner = JavaValue::list(["ab".into()]);
    let value = codec.decode(payload.into()).unwrap();
    assert_eq!(value, JavaValue::list([inner.clone(), inner]));

    let mut endless = named("java.util.ArrayList");
    endless.extend(b"\x01\x82\x01\x00\x00\x02");
    assert_eq!(
        refusal(&codec, endless),
        "[0]: object 0 holds itself, at byte 26"
    );
    let mut ahead = named("java.util.ArrayList");
    ahead.extend(b"\x01\x82\x01\x00\x00\x03");
    assert_eq!(
        refusal(&codec, ahead),
        "[0]: no object has the number 1, at byte 26"
    );
}

/// The reader parses the name of an array class for each of its values.
#[test]
fn names_of_classes_are_bounded() {
    let payload = [&named(&"[".repeat(1_025))[..], &[1]].concat();
    let message = "name of a class has more than 1024 bytes, at byte 2";
    assert_eq!(refusal(&Kryo5Codec::new(), payload), message);
}

#[test]
fn values_stay_small() {
    assert!(size_of::<JavaValue>() <= 64);
}

/// As if the Java class had another type of number: the upper bits of a long are not dropped.
#[test]
fn longs_are_no_ints() {
    let holder = |number: &str| {
        codec(&format!(
            r#"{{"A": {{"fields": {{"list": "java.util.List<{number}>", "z": "int"}}}}}}"#
        ))
    };
    let object = |number: JavaValue| {
        let list = JavaValue::list([JavaValue::clone(&number)]);
        JavaValue::object("A", [("list", list), ("z", 1.into())])
    };
    for long in [
        1 << 31,
        1 << 32,
        1 << 34,
        -(1 << 31) - 1,
        i64::MAX,
        i64::MIN,
    ] {
        let payload = holder("java.lang.Long").encode(&object(long.into()));
        assert_eq!(
            refusal(&holder("java.lang.Integer"), payload.unwrap()),
            "list[0]: a number of more than 32 bits where an int is declared, at byte 26",
            "{long}"
        );
    }
    for int in [i32::MAX, i32::MIN, 1 << 27, -1] {
        let payload = holder("java.lang.Long").encode(&object(i64::from(int).into()));
        let read = holder("java.lang.Integer").decode(payload.unwrap());
        assert_eq!(read.unwrap(), object(int.into()));
    }
}

#[test]
fn counts_and_tags_have_32_bits() {
    let message = "a number of more than 32 bits where an int is declared, at byte 0";
    for tag in [
        [0x83, 0x80, 0x80, 0x80, 0x10],
        [0x83, 0x80, 0x80, 0x80, 0x80],
    ] {
        assert_eq!(refusal(&codec("{}"), tag.to_vec()), message);
    }
    // The count of a text: six bits, three times seven, and five.
    let text = [3, 0xc3, 0x80, 0x80, 0x80];
    for (last, message) in [
        (
            0x1f,
            "string of 4160749570 characters is longer than the payload, at byte 1",
        ),
        (
            0x20,
            "a number of more than 32 bits where an int is declared, at byte 1",
        ),
    ] {
        let payload = [&text[..], &[last]].concat();
        assert_eq!(refusal(&codec("{}"), payload), message);
    }
}
