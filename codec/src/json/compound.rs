//! Lists, maps and objects under construction.

use std::ops::Range;

use serde::Serialize;
use serde::ser::{self, Error as _};
use serde_json::{Error, Result};
use smallvec::SmallVec;

use super::writer::{NULL, Place, Writer};
use super::{order, text};

/// A JSON array. Nulls in it stay.
pub(super) struct Sequence<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
    close: &'static str,
    /// That of the values in it.
    place: Place,
}

impl<'a> Sequence<'a> {
    pub(super) fn open(out: &'a mut Vec<u8>, close: &'static str, place: Place) -> Result<Self> {
        let place = place.within()?;
        out.push(b'[');
        Ok(Self {
            out,
            first: true,
            close,
            place,
        })
    }

    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        value.serialize(Writer::new(self.out, self.place))
    }

    fn close(self) -> Result<()> {
        self.out.extend(self.close.as_bytes());
        Ok(())
    }
}

/// Implements serde's four traits for what is one array in JSON.
macro_rules! sequence {
    ($($kind:ident, $element:ident;)*) => {
        $(impl ser::$kind for Sequence<'_> {
            type Ok = ();
            type Error = Error;

            fn $element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.push(value)
            }

            fn end(self) -> Result<()> {
                self.close()
            }
        })*
    };
}

sequence! {
    SerializeSeq, serialize_element;
    SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field;
    SerializeTupleVariant, serialize_field;
}

/// A Java map: entries in their own order, null values left out.
pub(super) struct Entries<'a> {
    out: &'a mut Vec<u8>,
    /// Where the first entry starts.
    start: usize,
    /// Where the entry starts whose key was written last.
    entry: usize,
    /// That of the values in it.
    place: Place,
}

impl<'a> Entries<'a> {
    pub(super) fn open(out: &'a mut Vec<u8>, place: Place) -> Result<Self> {
        let place = place.within()?;
        out.push(b'{');
        let start = out.len();
        Ok(Self {
            out,
            start,
            entry: start,
            place,
        })
    }

    fn quote(&mut self, start: usize) {
        self.out.insert(start, b'"');
        self.out.push(b'"');
    }
}

impl ser::SerializeMap for Entries<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        self.entry = self.out.len();
        if self.entry > self.start {
            self.out.push(b',');
        }
        let start = self.out.len();
        key.serialize(Writer::new(self.out, self.place.key()))?;
        match &self.out[start..] {
            [b'"', ..] => {}
            b"true" | b"false" => self.quote(start),
            [b'-' | b'0'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit) => {
                self.quote(start)
            }
            _ => return Err(Error::custom("a map key is no text, integer or boolean")),
        }
        self.out.push(b':');
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let start = self.out.len();
        value.serialize(Writer::new(self.out, self.place))?;
        if &self.out[start..] == NULL {
            self.out.truncate(self.entry);
        }
        Ok(())
    }

    fn end(self) -> Result<()> {
        self.out.push(b'}');
        Ok(())
    }
}

/// A Java object: properties in the order of their names, null ones left out.
pub(super) struct Properties<'a> {
    out: &'a mut Vec<u8>,
    properties: SmallVec<[Property; 16]>,
    start: usize,
    close: &'static str,
    /// That of the values in it.
    place: Place,
    /// serde_json handed JSON over in place of an object.
    is_bare: bool,
}

/// serde_json serializes a `RawValue`, and a `Number` with its feature `arbitrary_precision`, as a struct
/// with one field. The name of the field begins so, and its value is the text of the JSON.
const BARE: &str = "$serde_json::private::";

/// A property that has been written: its name, and where its name and its value stand.
type Property = (&'static str, Range<usize>);

impl<'a> Properties<'a> {
    pub(super) fn open(out: &'a mut Vec<u8>, close: &'static str, place: Place) -> Result<Self> {
        let place = place.within()?;
        out.push(b'{');
        let start = out.len();
        Ok(Self {
            out,
            properties: SmallVec::new(),
            start,
            close,
            place,
            is_bare: false,
        })
    }

    fn push<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        let before = self.out.len();
        if before > self.start {
            self.out.push(b',');
        }
        let start = self.out.len();
        text::push_string(self.out, name);
        self.out.push(b':');
        let value_start = self.out.len();
        value.serialize(Writer::new(self.out, self.place))?;
        if name.starts_with(BARE) {
            let bare: String = serde_json::from_slice(&self.out[value_start..])?;
            self.out.truncate(self.start - 1);
            self.out.extend_from_slice(bare.as_bytes());
            self.is_bare = true;
            return Ok(());
        }
        if &self.out[value_start..] == NULL {
            self.out.truncate(before);
            return Ok(());
        }
        self.properties.push((name, start..self.out.len()));
        Ok(())
    }

    fn close(self) -> Result<()> {
        if self.is_bare {
            return Ok(());
        }
        let Self {
            out, properties, ..
        } = self;
        order::with(
            &properties,
            |(name, _)| name,
            |order| {
                let end = out.len();
                for at in order {
                    if out.len() > end {
                        out.push(b',');
                    }
                    out.extend_from_within(properties[usize::from(*at)].1.clone());
                }
                out.drain(self.start..end);
            },
        );
        out.extend_from_slice(self.close.as_bytes());
        Ok(())
    }
}

/// Implements serde's two traits for what is one object in JSON.
macro_rules! properties {
    ($($kind:ident),*) => {
        $(impl ser::$kind for Properties<'_> {
            type Ok = ();
            type Error = Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Result<()> {
                self.push(name, value)
            }

            fn end(self) -> Result<()> {
                self.close()
            }
        })*
    };
}

properties!(SerializeStruct, SerializeStructVariant);
