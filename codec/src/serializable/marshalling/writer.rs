use std::collections::HashMap;

use super::container::collection_tag;
use super::tag;
use crate::hash;
use crate::java::graph::Texts;
use crate::java::parts::{Key, Parts, Piece, Written};
use crate::java::{
    DEEPEST, Entries, Items, JavaType, JavaValue, Name, Output, Schema, Unwritable, View,
    modified_utf8,
};

/// Writes `value` as a payload.
pub(super) fn write(
    schema: &Schema,
    distinct_strings: bool,
    value: &View<'_>,
    out: &mut Vec<u8>,
) -> Written {
    let mut writer = Writer::new(schema, distinct_strings, std::mem::take(out));
    let written = writer.value(value);
    *out = writer.out.into_bytes();
    written
}

pub(super) struct Writer<'a> {
    pub(super) out: Output,
    pub(super) schema: &'a Schema,
    distinct_strings: bool,
    /// The places of the objects that may come again, and the number of all objects.
    instances: HashMap<Key, i64>,
    instance_count: i64,
    pub(super) classes: hash::HashMap<Name, i64>,
    pub(super) class_count: i64,
    depth: usize,
}

impl<'a> Writer<'a> {
    fn new(schema: &'a Schema, distinct_strings: bool, out: Vec<u8>) -> Self {
        let mut out = Output::new(out);
        out.u8(tag::VERSION);
        Self {
            out,
            schema,
            distinct_strings,
            instances: HashMap::new(),
            instance_count: 0,
            classes: hash::HashMap::default(),
            class_count: 0,
            depth: 0,
        }
    }

    pub(super) fn value(&mut self, value: &View<'_>) -> Written {
        self.nested(value, None)
    }

    fn nested(&mut self, value: &View<'_>, key: Option<&Key>) -> Written {
        if self.depth >= DEEPEST {
            return Err(Unwritable::of(value, "values are nested too deep"));
        }
        self.depth += 1;
        match value {
            View::Null => self.out.u8(tag::NULL),
            View::Boolean(true) => self.out.u8(tag::TRUE),
            View::Boolean(false) => self.out.u8(tag::FALSE),
            value => match number(value) {
                Some((read, letter)) => {
                    self.out.u8(read);
                    self.primitive(letter, value)?;
                }
                None => self.object(value, key)?,
            },
        }
        self.depth -= 1;
        Ok(())
    }

    fn object(&mut self, value: &View<'_>, key: Option<&Key>) -> Written {
        match *value {
            View::String(text) if self.distinct_strings => {
                self.new_string(&text.encode_utf16().collect::<Vec<_>>(), None)
            }
            View::String(text) => self.string(text),
            View::Utf16(units) => self.new_string(units, None),
            View::Bytes(bytes) => {
                self.sized(tag::ARRAY_EMPTY, bytes.len(), &Name::new("[B"))?;
                self.out.u8(tag::of_letter(b'B'));
                self.out.bytes(bytes);
                self.instance(None);
                Ok(())
            }
            View::Array(class, items) => self.array(class, items),
            View::Enum(class, name) => self.constant(class, name),
            View::Collection(class, items, _) => match collection_tag(class) {
                Some(read) => self.collection(read, value, items),
                None => self.parts(value, key),
            },
            View::Map(class, entries, _) => match class.as_str() {
                "java.util.Collections$EmptyMap" => self.byte(tag::EMPTY_MAP),
                "java.util.Collections$SingletonMap" => self.singleton_map(class, entries),
                "java.util.EnumMap" | "java.util.IdentityHashMap" => self.map(value, entries),
                _ => self.parts(value, key),
            },
            View::Text(class, text) if class == "java.lang.Class" => match tag::of_class(text) {
                Some(read) if tag::is_class_object(read) => self.byte(read),
                _ => {
                    self.out.bytes(&[tag::NEW_OBJECT, tag::CLASS_CLASS]);
                    self.class(&text.to_owned().into())
                }
            },
            View::Object(class, _) if class == "java.util.Collections$ReverseComparator" => {
                self.byte(tag::REVERSE_ORDER)
            }
            _ => self.parts(value, key),
        }
    }

    pub(super) fn byte(&mut self, byte: u8) -> Written {
        self.out.u8(byte);
        Ok(())
    }

    /// Writes an object as the parts that its classes send.
    fn parts(&mut self, value: &View<'_>, key: Option<&Key>) -> Written {
        let parts = Parts::of(value, self.schema, Texts::Units)?;
        let key = key.or(parts.key.as_ref());
        if key.is_some_and(|key| self.refers(key)) {
            return Ok(());
        }
        self.out.u8(tag::NEW_OBJECT);
        self.class(&parts.class.name)?;
        self.instance(key.cloned());
        parts.each_level(|level| {
            for place in &level.class.by_name {
                let signature = level.class.fields[*place].signature.as_bytes();
                level.field(*place, |piece| match (signature, piece) {
                    ([letter], Piece::Value(value)) => self.primitive(*letter, value),
                    ([letter], Piece::Made(value)) => self.primitive(*letter, &(&**value).into()),
                    (_, piece) => self.piece(piece),
                })?;
            }
            for piece in level.data {
                self.piece(piece)?;
            }
            if level.class.is_ended() {
                self.out.u8(tag::END_BLOCK_DATA);
            }
            Ok(())
        })
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Written {
        match piece {
            Piece::Value(value) => self.value(value),
            Piece::Made(value) => self.made(value, None),
            Piece::Shared(shared) => self.made(&shared.1, Some(&shared.0)),
            Piece::Items(items) => self.all(*items),
            Piece::Entries(entries) => self.entries(*entries),
            Piece::EnumClass(class) => self.enum_class(class),
            Piece::Block(bytes) => {
                self.out
                    .block(tag::START_BLOCK_SMALL, tag::START_BLOCK_LARGE, bytes);
                Ok(())
            }
        }
    }

    fn made(&mut self, value: &JavaValue, key: Option<&Key>) -> Written {
        let mut written = Ok(());
        value.show(&mut |value| written = self.nested(value, key));
        written
    }

    /// Writes the bare number, which must be of the type of this letter.
    fn primitive(&mut self, letter: u8, value: &View<'_>) -> Written {
        let written = self.out.primitive(letter, value);
        written
            .ok_or_else(|| Unwritable::of(value, "a primitive value of another type is declared"))
    }

    /// Writes a string, or a reference to an equal one.
    pub(super) fn string(&mut self, text: &str) -> Written {
        let units: Vec<u16> = text.encode_utf16().collect();
        let key = Key::Text(modified_utf8(units.iter().copied()));
        match self.refers(&key) {
            true => Ok(()),
            false => self.new_string(&units, Some(key)),
        }
    }

    fn new_string(&mut self, units: &[u16], key: Option<Key>) -> Written {
        self.sized(
            tag::STRING_EMPTY,
            units.len(),
            &Name::new("java.lang.String"),
        )?;
        self.out.bytes(&modified_utf8(units.iter().copied()));
        // Nothing refers to the empty string.
        if !units.is_empty() {
            self.instance(key);
        }
        Ok(())
    }

    /// Writes a size. The byte before it, one of four from `first` on, says how many bytes the size
    /// takes. The largest size of one or two bytes is written as zero.
    pub(super) fn sized(&mut self, first: u8, size: usize, class: &Name) -> Written {
        match size {
            0 => self.out.u8(first),
            1..=0x100 => self.out.bytes(&[first + 1, size as u8]),
            0x101..=0x1_0000 => {
                self.out.u8(first + 2);
                self.out.u16(size as u16);
            }
            size => {
                let size = i32::try_from(size).map_err(|_| Unwritable {
                    class: class.clone(),
                    reason: "it is too large",
                })?;
                self.out.u8(first + 3);
                self.out.i32(size);
            }
        }
        Ok(())
    }

    fn array(&mut self, class: &Name, items: Items<'_>) -> Written {
        let component = JavaType::new(class.clone()).component();
        let component = component.ok_or_else(|| Unwritable {
            class: class.clone(),
            reason: "it is no class of arrays",
        })?;
        self.sized(tag::ARRAY_EMPTY, items.len(), class)?;
        if !component.is_primitive() {
            self.class(component.name())?;
            self.instance(None);
            return self.all(items);
        }
        let letter = class.as_bytes()[1];
        self.out.u8(tag::of_letter(letter));
        self.instance(None);
        match letter {
            b'Z' => self.bits(items),
            letter => items.try_each(|_, item| self.primitive(letter, item)),
        }
    }

    /// Writes eight booleans in a byte.
    fn bits(&mut self, items: Items<'_>) -> Written {
        let mut bits = 0;
        items.try_each(|place, item| {
            let View::Boolean(bit) = item else {
                return Err(Unwritable::of(item, "an array holds booleans only"));
            };
            bits |= u8::from(*bit) << (place % 8);
            if place % 8 == 7 || place + 1 == items.len() {
                self.out.u8(std::mem::take(&mut bits));
            }
            Ok(())
        })
    }

    fn constant(&mut self, class: &Name, name: &Name) -> Written {
        let key = Key::Constant(class.clone(), name.clone());
        if !self.refers(&key) {
            self.out.u8(tag::NEW_OBJECT);
            self.enum_class(class)?;
            self.text(name)?;
            self.instance(Some(key));
        }
        Ok(())
    }

    pub(super) fn all(&mut self, items: Items<'_>) -> Written {
        items.try_each(|_, item| self.value(item))
    }

    pub(super) fn entries(&mut self, entries: Entries<'_>) -> Written {
        entries.try_each(|_, key, value| {
            self.value(key)?;
            self.value(value)
        })
    }

    /// Writes a reference to an object, if it has been written already.
    fn refers(&mut self, key: &Key) -> bool {
        let Some(place) = self.instances.get(key).copied() else {
            return false;
        };
        let near = tag::REPEAT_OBJECT_NEAR;
        self.back(place, self.instance_count, near, tag::REPEAT_OBJECT_FAR);
        true
    }

    /// Writes a place among `count`: the distance back from here or, if that is very far, the
    /// distance from the start.
    pub(super) fn back(&mut self, place: i64, count: i64, near: u8, far: u8) {
        match place - count {
            back @ -0x100.. => self.out.bytes(&[near, back as u8]),
            back @ -0x1_0000.. => {
                self.out.u8(near + 1);
                self.out.u16(back as u16);
            }
            _ => {
                self.out.u8(far);
                self.out.i32(place as i32);
            }
        }
    }

    /// Gives the next place to an object.
    pub(super) fn instance(&mut self, key: Option<Key>) {
        if let Some(key) = key {
            self.instances.insert(key, self.instance_count);
        }
        self.instance_count += 1;
    }

    /// Writes a text that is not an object.
    pub(super) fn text(&mut self, text: &Name) -> Written {
        let units = i32::try_from(text.encode_utf16().count()).map_err(|_| Unwritable {
            class: text.clone(),
            reason: "the name is too long",
        })?;
        self.out.i32(units);
        self.out.bytes(&modified_utf8(text.encode_utf16()));
        Ok(())
    }
}

/// The byte of a boxed number, and the letter of its primitive type.
fn number(value: &View<'_>) -> Option<(u8, u8)> {
    let (place, letter) = match value {
        View::Byte(_) => (0, b'B'),
        View::Short(_) => (1, b'S'),
        View::Integer(_) => (2, b'I'),
        View::Long(_) => (3, b'J'),
        View::Character(_) => (4, b'C'),
        View::Float(_) => (5, b'F'),
        View::Double(_) => (6, b'D'),
        _ => return None,
    };
    Some((tag::BYTE_OBJECT + place, letter))
}
