use proptest::prelude::*;

use super::*;
use crate::jackson::tape::DEEPEST;
use crate::jackson::tests::tree::{Label, Tree};
use crate::java::Mismatch;
use crate::java::{BigDecimal, JavaValue, Map, Schema};
use crate::{CborJacksonCodec, Codec};

fn print(tree: &Tree) -> Result<Vec<u8>, Mismatch> {
    let mut out = Vec::new();
    tree.print(&mut Printer(&mut out))?;
    Ok(out)
}

fn back(tree: &Tree) -> Tree {
    parse(&print(tree).unwrap()).unwrap().root().into()
}

/// `CborJacksonCodec` of Redisson 4.7.0 gave these results.
#[test]
fn numbers_match_jackson() {
    let big = |number: i128| Tree::BigInteger(number.into());
    let decimal = |unscaled: i128, scale| Tree::Decimal(BigDecimal::new(unscaled, scale));
    for (tree, bytes) in [
        (big(0), &b"\xc2\x41\x00"[..]),
        (big(128), b"\xc2\x42\x00\x80"),
        (big(-1), b"\xc3\x41\x01"),
        (big(1 << 70), b"\xc2\x49\x40\0\0\0\0\0\0\0\0"),
        (decimal(1_234_500, 4), b"\xc4\x82\x23\x1a\x00\x12\xd6\x44"),
        (decimal(1, -3), b"\xc4\x82\x03\x01"),
        (decimal(-150, 2), b"\xc4\x82\x21\x38\x95"),
        (
            decimal(1 << 70, 2),
            b"\xc4\x82\x21\xc2\x49\x40\0\0\0\0\0\0\0\0",
        ),
        (
            Tree::Object(vec![(Label::Number(-12), Tree::Null)]),
            b"\xbf\x2b\xf6\xff",
        ),
        (Tree::Float(1.5), b"\xfa\x3f\xc0\0\0"),
        (
            Tree::Integer(i64::MIN),
            b"\x3b\x7f\xff\xff\xff\xff\xff\xff\xff",
        ),
    ] {
        assert_eq!(print(&tree).unwrap(), bytes, "{tree:?}");
        assert_eq!(back(&tree), tree);
    }
}

/// `CborJacksonCodec` of Redisson 4.7.0 gave these results.
#[test]
fn long_strings_go_in_parts_as_in_jackson() {
    let whole = print(&Tree::String("a".repeat(3996))).unwrap();
    assert_eq!(whole[..3], *b"\x79\x0f\x9c");
    let parts = print(&Tree::String("a".repeat(4000))).unwrap();
    assert_eq!(parts[..4], *b"\x7f\x79\x0f\x9c");
    assert_eq!(parts[4000..], *b"\x64aaaa\xff");
    let chinese = print(&Tree::String("世".repeat(4500))).unwrap();
    assert_eq!(chinese[..4], *b"\x7f\x79\x2e\xd4");
    // No part ends between the two halves of a surrogate pair.
    let text = Tree::String("a".repeat(3995) + "🚀🚀");
    assert_eq!(print(&text).unwrap()[..4], *b"\x7f\x79\x0f\x9b");
    let name = Tree::Object(vec![("a".repeat(4000).into(), Tree::Null)]);
    assert_eq!(print(&name).unwrap()[..5], *b"\xbf\x7f\x79\x0f\x9c");
    assert_eq!(back(&text), text);
}

#[test]
fn what_is_no_cbor_is_refused_where_it_goes_wrong() {
    for (bytes, message) in [
        (&b""[..], "no value of cbor at byte 0"),
        (b"\x01\x02", "more than one value at byte 1"),
        (b"\x82\x01", "no value of cbor at byte 2"),
        (b"\x9f\x01", "the end instead of a value at byte 2"),
        (
            b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
            "no value of cbor at byte 9",
        ),
        (
            b"\x7b\xff\xff\xff\xff\xff\xff\xff\xff",
            "no string at byte 0",
        ),
        (
            b"\x5b\xff\xff\xff\xff\xff\xff\xff\xff",
            "no bytes at byte 0",
        ),
        (b"\x62\xff\xff", "no string at byte 0"),
        (b"\xa1\xf5\x01", "no name of a property at byte 1"),
        (b"\xc4\x82\x01\x61a", "no decimal number at byte 1"),
        (b"\xc2\x01", "no bytes at byte 0"),
        (b"\xff", "no value of cbor at byte 0"),
    ] {
        assert_eq!(parse(bytes).unwrap_err().to_string(), message, "{bytes:x?}");
    }
    let half = print(&Tree::Utf16(vec![0xd800])).unwrap_err();
    assert!(
        half.to_string()
            .starts_with("expected no half of a surrogate pair")
    );
}

#[test]
fn depth_and_digits_are_limited() {
    parse(&[&[0x81; DEEPEST][..], &[1]].concat()).unwrap();
    let deep = parse(&[0x81; DEEPEST + 1]).unwrap_err();
    assert_eq!(deep.to_string(), "too many levels at byte 256");
    // Tags of no meaning here, and of decimal numbers.
    for tag in [0xd7, 0xc4] {
        let tagged = parse(&[tag; 100_000]).unwrap_err();
        assert_eq!(tagged.to_string(), "too many levels at byte 257");
    }
    let long = [&b"\xc2\x59\x01\xf5"[..], &[1; 501]].concat();
    let long = parse(&long).unwrap_err();
    assert_eq!(
        long.to_string(),
        "a number of more than 500 bytes at byte 0"
    );
}

proptest! {
    #[test]
    fn any_scalar_comes_back(text: String, bytes: Vec<u8>, integer: i64, big: i128, scale: i32) {
        let tree = Tree::Array(vec![
            Tree::String(text.clone()),
            Tree::Bytes(bytes.into()),
            Tree::Integer(integer),
            Tree::BigInteger(big.into()),
            Tree::Decimal(BigDecimal::new(integer, scale.max(-i32::MAX))),
            Tree::Object(vec![(text.into(), Tree::Null)]),
        ]);
        prop_assert_eq!(back(&tree), tree);
    }
}

/// Written by `CborJacksonCodec` of Redisson 4.7.0: a key is a number only where its own class or
/// any class is declared.
#[test]
fn keys_that_are_integers_match_jackson() {
    for (declared, key) in [
        ("java.lang.Integer", &b"\x01"[..]),
        ("java.lang.Object", b"\x01"),
        ("? extends java.lang.Number", b"\x61\x31"),
    ] {
        let schema = format!(
            r#"{{"Jd$Ints": {{"fields": {{"a": "java.util.Map<{declared}, java.lang.String>"}}}}}}"#
        );
        let codec = CborJacksonCodec::with_schema(Schema::from_json(&schema).unwrap()).unwrap();
        let map = JavaValue::Map(Map {
            class: "java.util.HashMap".into(),
            comparator: Box::default(),
            entries: vec![(1.into(), "x".into())],
        });
        let payload = [
            &b"\xbf\x66@class\x67Jd$Ints\x61a\xbf\x66@class\x71java.util.HashMap"[..],
            key,
            b"\x61x\xff\xff",
        ];
        let value = JavaValue::object("Jd$Ints", [("a", map)]);
        assert_eq!(
            codec.encode(&value).unwrap(),
            payload.concat(),
            "{declared}"
        );
    }
}
