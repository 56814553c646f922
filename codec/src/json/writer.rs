//! A serde serializer that writes values the way Jackson writes objects.

use std::cell::Cell;

use bytes::Bytes;
use serde::Serialize;
use serde::ser::{self, Error as _};
use serde_json::{Error, Result};

use super::compound::{Entries, Properties, Sequence};
use super::tag;
use super::text::{self, LONGEST};
use crate::payload;
use crate::plain::number;

/// Writes `value` as JSON.
pub(super) fn payload<T: Serialize>(value: &T, tagged_uuids: bool) -> Result<Bytes> {
    let place = Place {
        tagged_uuids,
        is_key: false,
        levels: 0,
    };
    payload::tried(|out| value.serialize(Writer::new(out, place)))
}

/// Where a value stands among others: what holds for it there, and how deep it is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    tagged_uuids: bool,
    is_key: bool,
    /// How many values it is in.
    levels: u8,
}

impl Place {
    /// The place of the values that the value here holds.
    pub(super) fn within(self) -> Result<Self> {
        if self.levels >= DEEPEST {
            return Err(Error::custom(format_args!(
                "values nest more than {DEEPEST} levels deep"
            )));
        }
        let levels = self.levels + 1;
        Ok(Self { levels, ..self })
    }

    /// The same place, for the key of an entry.
    pub(super) fn key(self) -> Self {
        Self {
            tagged_uuids: false,
            is_key: true,
            ..self
        }
    }

    /// Refuses a text that Java would take and then not read.
    #[inline]
    fn check(self, text: &str) -> Result<()> {
        let checked = match self.is_key {
            true => text::check_name(text),
            false => text::check(text, LONGEST),
        };
        checked.map_err(Error::custom)
    }
}

/// Appends one value to `out`.
///
/// serde_json's own serializer cannot be told to: it treats structs and maps alike, and Jackson
/// sorts the properties of the one and keeps the order of the other.
pub(super) struct Writer<'a> {
    out: &'a mut Vec<u8>,
    place: Place,
    /// True if the value has asked whether the format is for people. A `Uuid` asks, a `String` does
    /// not.
    has_asked: Cell<bool>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>, place: Place) -> Self {
        Self {
            out,
            place,
            has_asked: Cell::new(false),
        }
    }

    /// Appends a value that serde_json and Jackson write alike.
    fn plain(self, value: impl Serialize) -> Result<()> {
        serde_json::to_writer(self.out, &value)
    }

    /// Opens `{"variant":`, serde's form of a variant with data.
    fn open_variant(self, variant: &str) -> Result<Self> {
        let place = self.place.within()?;
        self.out.push(b'{');
        text::push_string(self.out, variant);
        self.out.push(b':');
        Ok(Self::new(self.out, place))
    }
}

impl<'a> ser::Serializer for Writer<'a> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Sequence<'a>;
    type SerializeTuple = Sequence<'a>;
    type SerializeTupleStruct = Sequence<'a>;
    type SerializeTupleVariant = Sequence<'a>;
    type SerializeMap = Entries<'a>;
    type SerializeStruct = Properties<'a>;
    type SerializeStructVariant = Properties<'a>;

    fn serialize_bool(self, value: bool) -> Result<()> {
        self.plain(value)
    }

    fn serialize_i8(self, value: i8) -> Result<()> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<()> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<()> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<()> {
        number::push_whole(self.out, value);
        Ok(())
    }

    fn serialize_i128(self, value: i128) -> Result<()> {
        self.plain(value)
    }

    fn serialize_u8(self, value: u8) -> Result<()> {
        self.serialize_i64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<()> {
        self.serialize_i64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<()> {
        self.serialize_i64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<()> {
        self.plain(value)
    }

    fn serialize_u128(self, value: u128) -> Result<()> {
        self.plain(value)
    }

    fn serialize_f32(self, value: f32) -> Result<()> {
        if !value.is_finite() {
            return Err(Error::custom(NOT_FINITE));
        }
        number::push_float(self.out, value);
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Result<()> {
        if !value.is_finite() {
            return Err(Error::custom(NOT_FINITE));
        }
        number::push_float(self.out, value);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<()> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn is_human_readable(&self) -> bool {
        self.has_asked.set(true);
        true
    }

    fn serialize_str(self, value: &str) -> Result<()> {
        if self.place.tagged_uuids && self.has_asked.get() && tag::is_uuid(value.as_bytes()) {
            tag::push_uuid(self.out, value);
            return Ok(());
        }
        self.place.check(value)?;
        text::push_string(self.out, value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<()> {
        self.place.within()?;
        self.plain(value)
    }

    fn serialize_none(self) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<()> {
        self.out.extend_from_slice(NULL);
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<()> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Result<()> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<()> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<()> {
        let Writer { out, place, .. } = self.open_variant(variant)?;
        value.serialize(Writer::new(out, place))?;
        out.push(b'}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Sequence<'a>> {
        Sequence::open(self.out, "]", self.place)
    }

    fn serialize_tuple(self, _: usize) -> Result<Sequence<'a>> {
        Sequence::open(self.out, "]", self.place)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Sequence<'a>> {
        Sequence::open(self.out, "]", self.place)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Sequence<'a>> {
        let Writer { out, place, .. } = self.open_variant(variant)?;
        Sequence::open(out, "]}", place)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Entries<'a>> {
        Entries::open(self.out, self.place)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Properties<'a>> {
        Properties::open(self.out, "}", self.place)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Properties<'a>> {
        let Writer { out, place, .. } = self.open_variant(variant)?;
        Properties::open(out, "}}", place)
    }
}

/// The value that properties and maps leave out.
pub(super) const NULL: &[u8] = b"null";

/// serde_json reads no more levels, so that they fit the stack of a thread.
const DEEPEST: u8 = 127;

const NOT_FINITE: &str = "JSON has no NaN and no infinity";
