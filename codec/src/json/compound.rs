//! Lists, maps and objects under construction.

use std::ops::Range;

use serde::Serialize;
use serde::ser::{self, Error as _};
use serde_json::{Error, Result, Value};

use super::text;
use super::writer::{NULL, Writer};

/// A JSON array. Nulls in it stay.
pub(super) struct Sequence<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
    close: &'static str,
    tagged_uuids: bool,
}

impl<'a> Sequence<'a> {
    pub(super) fn open(out: &'a mut Vec<u8>, close: &'static str, tagged_uuids: bool) -> Self {
        out.push(b'[');
        Self {
            out,
            first: true,
            close,
            tagged_uuids,
        }
    }

    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        value.serialize(Writer::new(self.out, self.tagged_uuids))
    }

    fn close(self) -> Result<()> {
        self.out.extend(self.close.as_bytes());
        Ok(())
    }
}

impl ser::SerializeSeq for Sequence<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.push(value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

impl ser::SerializeTuple for Sequence<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.push(value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

impl ser::SerializeTupleStruct for Sequence<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.push(value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

impl ser::SerializeTupleVariant for Sequence<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.push(value)
    }

    fn end(self) -> Result<()> {
        self.close()
    }
}

/// A Java map: entries in their own order, null values left out.
pub(super) struct Entries<'a> {
    out: &'a mut Vec<u8>,
    /// Where the first entry starts.
    start: usize,
    /// Where the entry starts whose key was written last.
    entry: usize,
    tagged_uuids: bool,
}

impl<'a> Entries<'a> {
    pub(super) fn open(out: &'a mut Vec<u8>, tagged_uuids: bool) -> Self {
        out.push(b'{');
        let start = out.len();
        Self {
            out,
            start,
            entry: start,
            tagged_uuids,
        }
    }
}

impl ser::SerializeMap for Entries<'_> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let key = match serde_json::to_value(key)? {
            Value::String(key) => key,
            Value::Number(key) if !key.is_f64() => key.to_string(),
            Value::Bool(key) => key.to_string(),
            _ => return Err(Error::custom("a map key is no text, integer or boolean")),
        };

        self.entry = self.out.len();
        if self.entry > self.start {
            self.out.push(b',');
        }
        text::push_string(self.out, &key);
        self.out.push(b':');
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        let start = self.out.len();
        value.serialize(Writer::new(self.out, self.tagged_uuids))?;
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
    /// Where the values stand in `out`, one after the other, until they are put in order.
    values: Vec<(&'static str, Range<usize>)>,
    start: usize,
    close: &'static str,
    tagged_uuids: bool,
}

impl<'a> Properties<'a> {
    pub(super) fn open(
        out: &'a mut Vec<u8>,
        close: &'static str,
        len: usize,
        tagged_uuids: bool,
    ) -> Self {
        out.push(b'{');
        let start = out.len();
        Self {
            out,
            values: Vec::with_capacity(len),
            start,
            close,
            tagged_uuids,
        }
    }

    fn push<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        let start = self.out.len();
        value.serialize(Writer::new(self.out, self.tagged_uuids))?;
        if &self.out[start..] != NULL {
            let value = start - self.start..self.out.len() - self.start;
            self.values.push((name, value));
        }
        Ok(())
    }

    /// Jackson sorts by `String.compareTo`, which looks at UTF-16 and not at code points.
    fn close(mut self) -> Result<()> {
        self.values
            .sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));

        let unordered = self.out.split_off(self.start);
        for (index, (name, value)) in self.values.into_iter().enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            text::push_string(self.out, name);
            self.out.push(b':');
            self.out.extend_from_slice(&unordered[value]);
        }
        self.out.extend(self.close.as_bytes());
        Ok(())
    }
}

impl ser::SerializeStruct for Properties<'_> {
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
}

impl ser::SerializeStructVariant for Properties<'_> {
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
}
