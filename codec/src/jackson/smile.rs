//! Trees as Smile.

use std::fmt;

use num_bigint::BigInt;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Error as _, SerializeMap};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
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
    serde_smile::from_slice(bytes).map(|Read(tree)| tree)
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

/// A tree that is being read, with all properties of one name: `@class` may be the key of an entry
/// too.
struct Read(Tree);

impl<'de> Deserialize<'de> for Read {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As the format's own values do: a `BigInteger` then comes whole.
        let fields = &["\0SmileBigIntegerField"];
        deserializer.deserialize_struct("\0SmileBigInteger", fields, Values)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Read;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Read, E> {
        Ok(Read(Tree::Null))
    }

    fn visit_bool<E>(self, it: bool) -> Result<Read, E> {
        Ok(Read(Tree::Boolean(it)))
    }

    fn visit_i32<E>(self, it: i32) -> Result<Read, E> {
        Ok(Read(Tree::Integer(it.into())))
    }

    fn visit_i64<E>(self, it: i64) -> Result<Read, E> {
        Ok(Read(Tree::Integer(it)))
    }

    fn visit_f32<E>(self, it: f32) -> Result<Read, E> {
        Ok(Read(Tree::Float(it)))
    }

    fn visit_f64<E>(self, it: f64) -> Result<Read, E> {
        Ok(Read(Tree::Double(it)))
    }

    fn visit_str<E>(self, it: &str) -> Result<Read, E> {
        Ok(Read(Tree::String(it.to_owned())))
    }

    fn visit_string<E>(self, it: String) -> Result<Read, E> {
        Ok(Read(Tree::String(it)))
    }

    fn visit_bytes<E>(self, it: &[u8]) -> Result<Read, E> {
        Ok(Read(Tree::Bytes(it.to_vec().into())))
    }

    fn visit_byte_buf<E>(self, it: Vec<u8>) -> Result<Read, E> {
        Ok(Read(Tree::Bytes(it.into())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Read, A::Error> {
        let mut items = Vec::new();
        while let Some(Read(item)) = seq.next_element()? {
            items.push(item);
        }
        Ok(Read(Tree::Array(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Read, A::Error> {
        let mut properties = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if properties.is_empty() && name.starts_with("\0Smile") {
                let map = Begun {
                    name: Some(name),
                    map,
                };
                return big_number(Value::deserialize(MapAccessDeserializer::new(map))?);
            }
            let Read(value) = map.next_value()?;
            properties.push((name.into(), value));
        }
        Ok(Read(Tree::Object(properties)))
    }
}

/// The format gives a big number as a map with a name of its own.
fn big_number<E: de::Error>(value: Value) -> Result<Read, E> {
    match value {
        Value::BigInteger(it) => Ok(Read(Tree::BigInteger(number(&it)?))),
        Value::BigDecimal(it) => {
            let unscaled = number(it.unscaled_value())?;
            Ok(Read(Tree::Decimal(BigDecimal::new(unscaled, it.scale()))))
        }
        _ => Err(E::custom("no number")),
    }
}

/// A map whose first name has been read.
struct Begun<A> {
    name: Option<String>,
    map: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Begun<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        match self.name.take() {
            Some(name) => seed.deserialize(name.into_deserializer()).map(Some),
            None => self.map.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

/// A byte makes no more than three digits.
fn number<E: de::Error>(number: &BigInteger) -> Result<BigInt, E> {
    let bytes = number.as_be_bytes();
    if bytes.len() > LONGEST / 2 {
        return Err(E::custom("a number of more than 500 bytes"));
    }
    Ok(BigInt::from_signed_bytes_be(bytes))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use proptest::prelude::*;

    use super::*;
    use crate::{Codec, SmileJacksonCodec};

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

    /// Written by `SmileJacksonCodec` of Redisson 4.7.0: the first `@class` names the class of the
    /// map, the second is an entry.
    #[test]
    fn a_map_with_the_key_of_a_class_matches_jackson() {
        let payload = b":)\x0a\x01\xfa\x85@classVjava.util.LinkedHashMap\
            @Mcom.acme.Other\x80b@c\xfb";
        let codec = SmileJacksonCodec::<JavaValue>::new();
        let entries = [("@class", "com.acme.Other"), ("b", "c")];
        let entries = entries.map(|(key, value)| (key.into(), value.into()));
        let map = codec.decode(Bytes::from_static(payload)).unwrap();
        assert_eq!(map, JavaValue::map(entries));
        assert_eq!(codec.encode(&map).unwrap(), &payload[..]);
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
