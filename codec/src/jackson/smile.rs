//! Smile, read and written.

use std::borrow::Cow;
use std::fmt;

use num_bigint::BigInt;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, de};
use serde_smile::value::{BigInteger, Value};

use super::number::LONGEST;
use super::tape::{Tape, Token};
use crate::java::BigDecimal;

mod printer;

pub(super) use self::printer::Printer;

/// Reads Smile, whether or not it shares strings.
pub(super) fn parse(bytes: &[u8]) -> Result<Tape<'_>, serde_smile::Error> {
    let mut tape = Tape::new(bytes.len());
    let mut deserializer = serde_smile::Deserializer::from_slice(bytes);
    Read(&mut tape).deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(tape)
}

/// Reads a value, with all properties of one name: `@class` may be the key of an entry too.
struct Read<'t, 'de>(&'t mut Tape<'de>);

impl<'de> DeserializeSeed<'de> for Read<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        // As the format's own values do: a `BigInteger` then comes whole.
        let fields = &["\0SmileBigIntegerField"];
        deserializer.deserialize_struct("\0SmileBigInteger", fields, self)
    }
}

impl<'de> Read<'_, 'de> {
    fn push<E>(self, token: Token<'de>) -> Result<(), E> {
        self.0.push(token);
        Ok(())
    }
}

impl<'de> Visitor<'de> for Read<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.push(Token::Null)
    }

    fn visit_bool<E>(self, it: bool) -> Result<(), E> {
        self.push(Token::Boolean(it))
    }

    fn visit_i32<E>(self, it: i32) -> Result<(), E> {
        self.push(Token::Integer(it.into()))
    }

    fn visit_i64<E>(self, it: i64) -> Result<(), E> {
        self.push(Token::Integer(it))
    }

    fn visit_f32<E>(self, it: f32) -> Result<(), E> {
        self.push(Token::Float(it))
    }

    fn visit_f64<E>(self, it: f64) -> Result<(), E> {
        self.push(Token::Double(it))
    }

    fn visit_borrowed_str<E>(self, it: &'de str) -> Result<(), E> {
        self.push(Token::String(it.into()))
    }

    fn visit_str<E>(self, it: &str) -> Result<(), E> {
        self.push(Token::String(it.to_owned().into()))
    }

    fn visit_borrowed_bytes<E>(self, it: &'de [u8]) -> Result<(), E> {
        self.push(Token::Bytes(it.into()))
    }

    fn visit_bytes<E>(self, it: &[u8]) -> Result<(), E> {
        self.push(Token::Bytes(it.to_vec().into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let (place, mut count) = (self.0.open(), 0);
        while seq.next_element_seed(Read(&mut *self.0))?.is_some() {
            count += 1;
        }
        self.0.end_array(place, count);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (place, mut count) = (self.0.open(), 0);
        while let Some(name) = map.next_key_seed(Text)? {
            if count == 0 && name.starts_with("\0Smile") {
                let name = Some(name.into_owned());
                let value = Value::deserialize(MapAccessDeserializer::new(Begun { name, map }))?;
                self.0.set(place, big_number(value)?);
                return Ok(());
            }
            self.0.push(Token::String(name));
            map.next_value_seed(Read(&mut *self.0))?;
            count += 1;
        }
        self.0.end_object(place, count);
        Ok(())
    }
}

/// The name of a property.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Text {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, it: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(it.into())
    }

    fn visit_str<E>(self, it: &str) -> Result<Cow<'de, str>, E> {
        Ok(it.to_owned().into())
    }
}

/// The format gives a big number as a map with a name of its own.
fn big_number<E: de::Error>(value: Value) -> Result<Token<'static>, E> {
    match value {
        Value::BigInteger(it) => Ok(Token::BigInteger(Box::new(number(&it)?))),
        Value::BigDecimal(it) => {
            let decimal = BigDecimal::new(number(it.unscaled_value())?, it.scale());
            Ok(Token::Decimal(Box::new(decimal)))
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
    use crate::jackson::tests::tree::Tree;
    use crate::java::{JavaValue, Mismatch};
    use crate::{Codec, SmileJacksonCodec};

    fn print(tree: &Tree) -> Result<Vec<u8>, Mismatch> {
        let mut out = Vec::new();
        tree.print(&mut Printer::new(&mut out))?;
        Ok(out)
    }

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
            assert_eq!(Tree::from(parse(&printed).unwrap().root()), tree);
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
        fn any_scalar_comes_back(text: String, bytes: Vec<u8>, integer: i64, big: i128) {
            let tree = Tree::Array(vec![
                Tree::String(text.clone()),
                Tree::Bytes(bytes.into()),
                Tree::Integer(integer),
                Tree::BigInteger(big.into()),
                Tree::Object(vec![(text.into(), Tree::Null)]),
            ]);
            prop_assert_eq!(Tree::from(parse(&print(&tree).unwrap()).unwrap().root()), tree);
        }
    }
}
