use proptest::prelude::*;

use super::*;
use crate::jackson::tape::DEEPEST;
use crate::jackson::tests::tree::Tree;
use crate::java::BigDecimal;
use crate::java::Mismatch;

fn print(tree: &Tree) -> Result<Vec<u8>, Mismatch> {
    let mut out = Vec::new();
    tree.print(&mut Printer(&mut out))?;
    Ok(out)
}

/// `MsgPackJacksonCodec` of Redisson 4.7.0 gave these results.
#[test]
fn numbers_match_jackson() {
    let decimal = |unscaled: i64, scale| Tree::Decimal(BigDecimal::new(unscaled, scale));
    for (tree, bytes) in [
        (Tree::Integer(128), &b"\xcc\x80"[..]),
        (Tree::Integer(-300), b"\xd1\xfe\xd4"),
        (Tree::Integer(i64::MIN), b"\xd3\x80\0\0\0\0\0\0\0"),
        (Tree::BigInteger((-1).into()), b"\xff"),
        (
            Tree::BigInteger(u64::MAX.into()),
            b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
        ),
        (decimal(1, -3), b"\xcd\x03\xe8"),
        (decimal(0, 2), b"\x00"),
        (
            decimal(i64::MAX, 0),
            b"\xcf\x7f\xff\xff\xff\xff\xff\xff\xff",
        ),
        (
            decimal(1_234_500, 4),
            b"\xcb\x40\x5e\xdc\xcc\xcc\xcc\xcc\xcd",
        ),
        (Tree::Float(1.5), b"\xca\x3f\xc0\0\0"),
    ] {
        assert_eq!(print(&tree).unwrap(), bytes, "{tree:?}");
    }
}

/// Java refuses the first two, and writes `?` for the third.
#[test]
fn what_it_has_no_word_for_is_refused() {
    let digits = BigDecimal::new(123_456_789_012_345_678_901_234_567_890_i128, 9);
    for (tree, message) in [
        (
            Tree::BigInteger((1i128 << 70).into()),
            "expected 64 bits of a number, found 1180591620717411303424",
        ),
        (
            Tree::Decimal(digits),
            "expected a number that a double has, found 123456789012345678901.234567890",
        ),
        (
            Tree::Utf16(vec![0xd800]),
            "expected no half of a surrogate pair, found java.lang.String",
        ),
    ] {
        assert_eq!(print(&tree).unwrap_err().to_string(), message);
    }
}

#[test]
fn what_is_no_message_pack_is_refused_where_it_goes_wrong() {
    for (bytes, message) in [
        (&b""[..], "the end instead of a value at byte 0"),
        (b"\x01\x02", "more than one value at byte 1"),
        (b"\x92\x01", "the end instead of a value at byte 2"),
        (
            b"\xdd\xff\xff\xff\xff",
            "the end instead of a value at byte 5",
        ),
        (
            b"\xdf\xff\xff\xff\xff",
            "the end instead of a value at byte 5",
        ),
        (
            b"\xdb\xff\xff\xff\xff",
            "the end instead of a value at byte 5",
        ),
        (
            b"\xc6\xff\xff\xff\xff",
            "the end instead of a value at byte 5",
        ),
        (b"\xcd\x01", "the end instead of a value at byte 0"),
        (b"\xa2a\xff", "no UTF-8 at byte 2"),
        (b"\x81\xc3\x01", "no name of a property at byte 1"),
        (b"\xd6\xff\0\0\0\0", "an extension at byte 0"),
        (b"\xc1", "an extension at byte 0"),
    ] {
        assert_eq!(parse(bytes).unwrap_err().to_string(), message, "{bytes:x?}");
    }
    parse(&[&[0x91; DEEPEST][..], &[1]].concat()).unwrap();
    let deep = parse(&[0x91; DEEPEST + 1]).unwrap_err();
    assert_eq!(deep.to_string(), "too many levels at byte 256");
}

proptest! {
    #[test]
    fn any_scalar_comes_back(text: String, bytes: Vec<u8>, integer: i64, float: f32) {
        let tree = Tree::Array(vec![
            Tree::String(text.clone()),
            Tree::Bytes(bytes.into()),
            Tree::Integer(integer),
            Tree::Float(if float.is_nan() { 0.0 } else { float }),
            Tree::Object(vec![(text.into(), Tree::Null)]),
        ]);
        prop_assert_eq!(Tree::from(parse(&print(&tree).unwrap()).unwrap().root()), tree);
    }
}
