//! Trees as Smile.

use num_bigint::BigInt;
use serde::ser::{Error as _, SerializeMap};
use serde::{Serialize, Serializer, de};
use serde_smile::value::{BigDecimal as SmileDecimal, BigInteger, Value};

use super::number::LONGEST;
use super::tree::{Label, Tree};
use crate::java::{BigDecimal, JavaValue, Mismatch};

/// Writes a tree as Jackson does: shares repeated names of properties, but no other strings.
pub(super) fn print(tree: &Tree) -> Result<Vec<u8>, Mismatch> {
    let refused = |error: serde_smile::Error| {
        Mismatch::unknown("what smile has a word for", error.to_string())
    };
    let mut serializer = serde_smile::Serializer::builder()
        .shared_properties(true)
        .shared_strings(false)
        .raw_binary(false)
        .build(Vec::new());
    serializer.write_header().map_err(refused)?;
    Node(tree).serialize(&mut serializer).map_err(refused)?;
    Ok(serializer.into_inner())
}

/// Reads Smile, whether or not it shares strings.
pub(super) fn parse(bytes: &[u8]) -> Result<Tree, serde_smile::Error> {
    serde_smile::from_slice(bytes).and_then(tree)
}

/// Numbers of the format itself, of which serde knows nothing, are special cases of the serializer.
struct Node<'a>(&'a Tree);

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Tree::Null => serializer.serialize_unit(),
            Tree::Boolean(it) => serializer.serialize_bool(*it),
            Tree::Integer(it) => match i32::try_from(*it) {
                Ok(it) => serializer.serialize_i32(it),
                Err(_) => serializer.serialize_i64(*it),
            },
            Tree::BigInteger(it) => big_integer(it).serialize(serializer),
            Tree::Float(it) => serializer.serialize_f32(*it),
            Tree::Double(it) => serializer.serialize_f64(*it),
            Tree::Decimal(it) => {
                SmileDecimal::new(big_integer(&it.unscaled), it.scale).serialize(serializer)
            }
            Tree::Number(it) | Tree::String(it) => serializer.serialize_str(it),
            Tree::Utf16(it) => Err(S::Error::custom(Mismatch::new(
                "no half of a surrogate pair",
                &JavaValue::Utf16(it.clone()),
            ))),
            Tree::Bytes(it) => serializer.serialize_bytes(it),
            Tree::Array(items) => serializer.collect_seq(items.iter().map(Node)),
            Tree::Object(properties) => object(serializer, None, properties),
            Tree::Tagged(class, inner) => match &**inner {
                Tree::Object(properties) => object(serializer, Some(class), properties),
                inner => (class.as_str(), Node(inner)).serialize(serializer),
            },
        }
    }
}

fn object<S: Serializer>(
    serializer: S,
    class: Option<&str>,
    properties: &[(Label, Tree)],
) -> Result<S::Ok, S::Error> {
    let length = properties.len() + usize::from(class.is_some());
    let mut object = serializer.serialize_map(Some(length))?;
    if let Some(class) = class {
        object.serialize_entry(Tree::CLASS, class)?;
    }
    for (name, value) in properties {
        match name {
            Label::Text(name) => object.serialize_entry(name, &Node(value))?,
            Label::Number(_) => object.serialize_entry(&name.to_string(), &Node(value))?,
        }
    }
    object.end()
}

fn big_integer(number: &BigInt) -> BigInteger {
    BigInteger::from_be_bytes(number.to_signed_bytes_be())
}

/// Of properties with one name the format's own reader keeps the last.
fn tree(value: Value) -> Result<Tree, serde_smile::Error> {
    Ok(match value {
        Value::Null => Tree::Null,
        Value::Boolean(it) => Tree::Boolean(it),
        Value::Integer(it) => Tree::Integer(it.into()),
        Value::Long(it) => Tree::Integer(it),
        Value::BigInteger(it) => Tree::BigInteger(number(&it)?),
        Value::Float(it) => Tree::Float(it),
        Value::Double(it) => Tree::Double(it),
        Value::BigDecimal(it) => {
            Tree::Decimal(BigDecimal::new(number(it.unscaled_value())?, it.scale()))
        }
        Value::String(it) => Tree::String(it),
        Value::Binary(it) => Tree::Bytes(it.into()),
        Value::Array(items) => {
            let items = items.into_iter().map(tree);
            Tree::Array(items.collect::<Result<_, _>>()?)
        }
        Value::Object(properties) => {
            let properties = properties.into_iter();
            let properties = properties.map(|(name, it)| Ok((name.into(), tree(it)?)));
            Tree::Object(properties.collect::<Result<_, serde_smile::Error>>()?)
        }
    })
}

/// A byte makes no more than three digits.
fn number(number: &BigInteger) -> Result<BigInt, serde_smile::Error> {
    let bytes = number.as_be_bytes();
    if bytes.len() > LONGEST / 2 {
        return Err(de::Error::custom("a number of more than 500 bytes"));
    }
    Ok(BigInt::from_signed_bytes_be(bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `SmileJacksonCodec` of Redisson 4.7.0 gave these results.
    #[test]
    fn values_match_jackson() {
        for (tree, bytes) in [
            (Tree::Float(1.5), &b"\x28\x03\x7e\0\0\0"[..]),
            (Tree::Integer(-1), b"\xc1"),
            (
                Tree::Bytes(b"\0\x01\x02\x7f\x80\xff"[..].into()),
                b"\xe8\x86\0\0\x20\x27\x7c\x03\x3f",
            ),
            (Tree::BigInteger((-1).into()), b"\x26\x81\x7f\x01"),
            (
                Tree::Decimal(BigDecimal::new(150, 2)),
                b"\x2a\x84\x82\0\x25\x02",
            ),
        ] {
            let printed = print(&tree).unwrap();
            assert_eq!(printed, [b":)\n\x01", bytes].concat(), "{tree:?}");
            assert_eq!(parse(&printed).unwrap(), tree);
        }
        print(&Tree::Utf16(vec![0xd800])).unwrap_err();
        let long = print(&Tree::BigInteger(BigInt::from(1) << 4000)).unwrap();
        assert_eq!(
            parse(&long).unwrap_err().to_string(),
            "a number of more than 500 bytes"
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes: Vec<u8>, flags in 0..8u8) {
            let _ = parse(&bytes);
            let _ = parse(&[b":)\n", &[flags][..], &bytes].concat());
        }

        #[test]
        fn any_scalar_comes_back(text: String, bytes: Vec<u8>, integer: i64, big: i128) {
            let tree = Tree::Array(vec![
                Tree::String(text.clone()),
                Tree::Bytes(bytes.into()),
                Tree::Integer(integer),
                Tree::BigInteger(big.into()),
                Tree::Object(vec![(text.into(), Tree::Null)]),
            ]);
            prop_assert_eq!(parse(&print(&tree).unwrap()).unwrap(), tree);
        }
    }
}
