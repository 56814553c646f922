use proptest::prelude::*;

use super::*;
use crate::jackson::tape::{DEEPEST, Node, Token};
use crate::jackson::tests::tree::Tree;
use crate::java::{BigDecimal, BigInt, Mismatch};

fn try_print(tree: &Tree, spelling: Spelling) -> Result<Vec<u8>, Mismatch> {
    let mut out = Vec::new();
    let mut printer = Printer {
        out: &mut out,
        spelling,
    };
    tree.print(&mut printer)?;
    Ok(out)
}

fn print(tree: &Tree, spelling: Spelling) -> Vec<u8> {
    try_print(tree, spelling).unwrap()
}

fn printed(tree: &Tree, spelling: Spelling) -> String {
    String::from_utf8(print(tree, spelling)).unwrap()
}

fn refused(text: &str) -> String {
    parse(text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn values_are_read_with_all_that_their_text_says() {
    let text =
        r#" { "a" : [ 1 , -2.50e1 , true , null ] , "" : "\"\\\/\b\f\n\r\tA\uD83D\uDE80é" } "#;
    let items = [
        Tree::Integer(1),
        Tree::Number("-2.50e1".to_owned()),
        Tree::Boolean(true),
        Tree::Null,
    ];
    let string = "\"\\/\u{8}\u{c}\n\r\tA🚀é".to_owned();
    assert_eq!(
        Tree::from(parse(text.as_bytes()).unwrap().root()),
        Tree::Object(vec![
            ("a".to_owned().into(), Tree::Array(items.into())),
            (String::new().into(), Tree::String(string)),
        ])
    );
    assert_eq!(
        Tree::from(parse(br#""\ude80\ud83d""#).unwrap().root()),
        Tree::Utf16(vec![0xde80, 0xd83d])
    );
    assert_eq!(
        Tree::from(parse(b"9223372036854775808").unwrap().root()),
        Tree::BigInteger(9_223_372_036_854_775_808_u64.into())
    );
}

#[test]
fn what_is_no_json_is_refused_where_it_goes_wrong() {
    for (text, message) in [
        ("", "the end instead of a value at byte 0"),
        ("  ", "the end instead of a value at byte 2"),
        ("[1,]", "no value at byte 3"),
        (
            "[1 2]",
            "neither a comma nor the end of the array at byte 3",
        ),
        ("[1", "neither a comma nor the end of the array at byte 2"),
        (r#"{"a":1,}"#, "no name of a property at byte 7"),
        (r#"{"a" 1}"#, "no colon at byte 5"),
        (
            r#"{"a":1"#,
            "neither a comma nor the end of the object at byte 6",
        ),
        (
            r#"{"\ud800":1}"#,
            "half a surrogate pair in a name at byte 1",
        ),
        (r#""abc"#, "the end instead of a quote at byte 4"),
        (r#""abc\"#, "the end instead of a quote at byte 5"),
        ("\"a\nb\"", "a raw control character at byte 2"),
        (r#""a\x""#, "no escape that json has at byte 2"),
        (r#""\u12""#, "no escape that json has at byte 1"),
        (r#""\u+123""#, "no escape that json has at byte 1"),
        (r#""\uééé""#, "no escape that json has at byte 1"),
        ("01", "no number at byte 2"),
        ("-", "no number at byte 1"),
        ("1.", "no digit behind the point at byte 2"),
        ("1e+", "no digit of the exponent at byte 3"),
        ("nul", "no value at byte 0"),
        ("NaN", "no value at byte 0"),
        ("1 x", "more than one value at byte 2"),
    ] {
        assert_eq!(refused(text), message, "{text}");
    }
    let not_utf8 = parse(b"\"a\xff\"").unwrap_err();
    assert_eq!(not_utf8.to_string(), "no UTF-8 at byte 2");
}

/// Each would take time or stack beyond what a payload of its size should.
#[test]
fn depth_and_digits_are_limited() {
    let nested = |levels| "[".repeat(levels) + &"]".repeat(levels);
    parse(nested(DEEPEST).as_bytes()).unwrap();
    assert_eq!(refused(&nested(DEEPEST + 1)), "too many levels at byte 256");
    assert_eq!(
        refused(&"{\"a\":".repeat(300)),
        "too many levels at byte 1280"
    );
    let digits = "9".repeat(1000);
    parse(digits.as_bytes()).unwrap();
    parse(format!("-{digits}").as_bytes()).unwrap();
    parse(format!("-{}.0e+9", "9".repeat(998)).as_bytes()).unwrap();
    assert_eq!(
        refused(&format!("[{digits}9]")),
        "a number of more than 1000 digits at byte 1"
    );
}

/// From the payloads of Redisson 4.7.0, which has both.
#[test]
fn spellings_match_jackson_2_and_3() {
    let decimal = |unscaled: i64, scale| Tree::Decimal(BigDecimal::new(unscaled, scale));
    for (tree, two, three) in [
        (decimal(1, -3), "1000", "1E+3"),
        (decimal(0, -3), "0", "0E+3"),
        (decimal(-125, 1), "-12.5", "-12.5"),
        (decimal(-5, 3), "-0.005", "-0.005"),
        (decimal(1, 20), "0.00000000000000000001", "1E-20"),
        (Tree::String("🚀".to_owned()), r#""\uD83D\uDE80""#, "\"🚀\""),
        (
            Tree::Utf16(vec![0xd83d, 0xde80, 0xd800]),
            r#""\uD83D\uDE80\uD800""#,
            "\"🚀\\uD800\"",
        ),
        (
            Tree::Float(f32::NEG_INFINITY),
            "\"-Infinity\"",
            "\"-Infinity\"",
        ),
    ] {
        assert_eq!(printed(&tree, Spelling::Jackson2), two);
        assert_eq!(printed(&tree, Spelling::Jackson3), three);
    }
}

/// Jackson counts the digits of the text: those of a zero before the point, and of the exponent too. The codecs of
/// Redisson 4.7.0 read back what is true here. They write the rest all the same, and do not read it.
#[test]
fn decimal_that_jackson_does_not_read_is_refused() {
    for (digits, scale, two, three) in [
        (1000, 0, true, true),
        (1000, 1, true, true),
        (1000, 999, true, true),
        (1000, 1000, false, false),
        (999, 999, true, true),
        (999, 1005, false, true),
        (1000, 1005, false, false),
        (1000, 1010, false, false),
        (1, 999, true, true),
        (1, 1000, false, true),
        (1, -999, true, true),
        (1, -1000, false, true),
        (999, -1, true, false),
        (1000, -1, false, false),
        (1, 9999, false, true),
    ] {
        for sign in ["", "-"] {
            let unscaled: BigInt = format!("{sign}{}", "9".repeat(digits)).parse().unwrap();
            let tree = Tree::Decimal(BigDecimal::new(unscaled, scale));
            for (spelling, is_read) in [(Spelling::Jackson2, two), (Spelling::Jackson3, three)] {
                let written = try_print(&tree, spelling);
                let what = format!("{sign}{digits} digits, scale {scale}, {spelling:?}");
                assert_eq!(written.is_ok(), is_read, "{what}");
                if let Ok(written) = written {
                    parse(&written).expect(&what);
                }
            }
        }
    }
    let error = try_print(&Tree::Decimal(BigDecimal::new(1, 1000)), Spelling::Jackson2);
    assert_eq!(
        error.unwrap_err().to_string(),
        "expected a number of 1000 digits at most, found one of 1001"
    );
}

proptest! {
    /// Closer to JSON than any bytes are.
    #[test]
    fn any_marks_are_read_or_refused(text in r#"[\[\]{}",:\\ue0-9dé@.+-]{0,40}"#) {
        let _ = parse(text.as_bytes());
    }

    #[test]
    fn any_string_survives(units: Vec<u16>) {
        let tree = Tree::from(Node::leaf(&Token::from_utf16(units)));
        for spelling in [Spelling::Jackson2, Spelling::Jackson3] {
            prop_assert_eq!(&Tree::from(parse(&print(&tree, spelling)).unwrap().root()), &tree);
        }
    }
}
