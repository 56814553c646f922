use super::*;

/// As real Redisson wrote them: the forms change with the length, and beyond ASCII.
#[test]
fn texts_match_redisson() {
    let codec = Kryo5Codec::<String>::new();
    let x33 = [&[0xa2][..], &[0x78; 33]].concat();
    let x63 = [&[0xc0, 0x01][..], &[0x78; 63]].concat();
    for (text, bytes) in [
        ("", &b"\x81"[..]),
        ("a", b"\x82a"),
        ("ab", b"a\xe2"),
        ("hello world", b"hello worl\xe4"),
        ("é", b"\x82\xc3\xa9"),
        ("\0", b"\x82\0"),
        ("a\0b", b"a\0\xe2"),
        ("世", b"\x82\xe4\xb8\x96"),
        ("\u{ffff}\u{feff}", b"\x83\xef\xbf\xbf\xef\xbb\xbf"),
        ("🚀", b"\x83\xed\xa0\xbd\xed\xba\x80"),
        (&"x".repeat(33), &x33),
        (&"x".repeat(63), &x63),
    ] {
        let payload: Bytes = [&[3], bytes].concat().into();
        assert_eq!(codec.encode(&text.to_owned()).unwrap(), payload, "{text}");
        assert_eq!(codec.decode(payload).unwrap(), text);
    }
}

/// Java strings that no Rust string can hold survive.
#[test]
fn half_a_surrogate_pair_survives() {
    let value = read(&Kryo5Codec::new(), b"\x03\x84x\xed\xa0\x80y");
    assert_eq!(value, JavaValue::Utf16(vec![0x78, 0xd800, 0x79]));
    let whole = JavaValue::Utf16("🚀".encode_utf16().collect());
    let codec = Kryo5Codec::new();
    assert_eq!(
        codec.encode(&whole).unwrap(),
        codec.encode(&"🚀".into()).unwrap()
    );
}

/// Kryo reads forms that it does not write, and so do others who write Kryo.
#[test]
fn other_forms_of_texts_are_read() {
    let long = [&[3][..], &[0x78; 39], &[0xf8]].concat();
    for (payload, text) in [
        (b"\x03\x83ab".to_vec(), "ab".to_owned()),
        (b"\x03\x82\xc0\x80".to_vec(), "\0".to_owned()),
        (long, "x".repeat(40)),
    ] {
        let codec = Kryo5Codec::<String>::new();
        assert_eq!(codec.decode(payload.into()).unwrap(), text);
    }
}

/// Java misreads four bytes of UTF-8, with whatever its buffer holds.
#[test]
fn broken_texts_are_refused() {
    let codec = Kryo5Codec::new();
    for (payload, message) in [
        (
            &b"\x03\x83\xf0\x9f\x9a\x80"[..],
            "byte 0xf0 begins no character, at byte 2",
        ),
        (b"\x03\x82\x80", "byte 0x80 begins no character, at byte 2"),
        (b"\x03abc", "string has no end, at byte 1"),
        (
            b"\x03",
            "payload ends too early: 1 needed, 0 left, at byte 1",
        ),
        (
            b"\x03\xff\xff\xff\xff\x0f",
            "string of 2147483646 characters is longer than the payload, at byte 1",
        ),
        (
            b"\x03\x83\xe4\xb8",
            "payload ends too early: 1 needed, 0 left, at byte 4",
        ),
    ] {
        assert_eq!(refusal(&codec, payload), message);
    }
}

/// As real Redisson wrote them: nine bytes hold any long.
#[test]
fn numbers_match_redisson() {
    let codec = Kryo5Codec::new();
    for (payload, value) in [
        (&b"\x02\x00"[..], JavaValue::Integer(0)),
        (b"\x02\xfe\x01", JavaValue::Integer(127)),
        (b"\x02\x80\x02", JavaValue::Integer(128)),
        (b"\x02\x01", JavaValue::Integer(-1)),
        (b"\x02\xff\xff\xff\xff\x0f", JavaValue::Integer(i32::MIN)),
        (b"\x09\xfe\x01", JavaValue::Long(127)),
        (
            b"\x09\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            JavaValue::Long(i64::MIN),
        ),
        (
            b"\x09\x80\x80\x80\x80\x80\x80\x80\x80\x02",
            JavaValue::Long(1 << 56),
        ),
        (b"\x0a\0\0\0\0\0\0\xf8\x3f", JavaValue::Double(1.5)),
        (b"\x08\xd4\xfe", JavaValue::Short(-300)),
        (b"\x07\x16\x4e", JavaValue::Character(0x4e16)),
        (b"\x05\x01", JavaValue::Boolean(true)),
    ] {
        assert_eq!(read(&codec, payload), value);
    }
}
