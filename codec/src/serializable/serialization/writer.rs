use std::collections::HashMap;

use sha1_smol::Sha1;

use crate::hash;
use crate::java::graph::Texts;
use crate::java::parts::{Key, Parts, Piece, Written};
use crate::java::stream::tag;
use crate::java::{
    DEEPEST, Descriptor, Items, JavaType, JavaValue, Name, Output, Schema, Unwritable, View,
    in_modified_utf8, modified_utf8,
};
use crate::repeats::Repeats;

/// Writes `value` as a stream of its own.
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

struct Writer<'a> {
    out: Output,
    schema: &'a Schema,
    distinct_strings: bool,
    /// The numbers of the objects that may come again.
    objects: HashMap<Key, i32>,
    /// The numbers of the descriptions of classes.
    classes: hash::HashMap<Name, i32>,
    /// The numbers of classes that are values themselves.
    class_objects: hash::HashMap<Name, i32>,
    /// The numbers of strings.
    strings: Repeats,
    next: i32,
    depth: usize,
}

impl<'a> Writer<'a> {
    fn new(schema: &'a Schema, distinct_strings: bool, out: Vec<u8>) -> Self {
        let mut out = Output::new(out);
        out.bytes(&tag::HEADER);
        Self {
            out,
            schema,
            distinct_strings,
            objects: HashMap::new(),
            classes: hash::HashMap::default(),
            class_objects: hash::HashMap::default(),
            strings: Repeats::new(),
            next: tag::FIRST_HANDLE,
            depth: 0,
        }
    }

    fn value(&mut self, value: &View<'_>) -> Written {
        self.nested(value, None)
    }

    fn nested(&mut self, value: &View<'_>, key: Option<&Key>) -> Written {
        if self.depth >= DEEPEST {
            return Err(Unwritable::of(value, "values are nested too deep"));
        }
        self.depth += 1;
        match *value {
            View::Null => self.out.u8(tag::NULL),
            View::String(text) if self.distinct_strings => {
                self.new_string(&in_modified_utf8(text));
            }
            View::String(text) => self.string(text),
            View::Utf16(units) => self.new_string(&modified_utf8(units.iter().copied())),
            View::Bytes(bytes) => {
                self.begin_array(&Name::new("[B"), bytes.len())?;
                self.out.bytes(bytes);
            }
            View::Array(class, items) => self.array(class, items)?,
            View::Enum(class, name) => self.constant(class, name)?,
            View::Text(class, text) if class == "java.lang.Class" => {
                self.class_object(&text.to_owned().into(), false)?;
            }
            _ => self.object(&Parts::of(value, self.schema, Texts::Bytes)?, key)?,
        }
        self.depth -= 1;
        Ok(())
    }

    fn object(&mut self, parts: &Parts<'_>, key: Option<&Key>) -> Written {
        let key = key.or(parts.key.as_ref());
        if let Some(handle) = key.and_then(|key| self.objects.get(key).copied()) {
            self.refer(handle);
            return Ok(());
        }
        self.out.u8(tag::OBJECT);
        self.described(&parts.class)?;
        self.number(key);
        parts.each_level(|level| {
            for (place, field) in level.class.fields.iter().enumerate() {
                level.field(place, |piece| match (field.signature.as_bytes(), piece) {
                    ([letter], Piece::Value(value)) => self.primitive(*letter, value),
                    ([letter], Piece::Made(value)) => self.primitive(*letter, &(&**value).into()),
                    (_, piece) => self.piece(piece),
                })?;
            }
            for piece in level.data {
                self.piece(piece)?;
            }
            if level.class.is_ended() {
                self.out.u8(tag::END);
            }
            Ok(())
        })
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Written {
        match piece {
            Piece::Value(value) => self.value(value),
            Piece::Made(value) => self.made(value, None),
            Piece::Shared(shared) => self.made(&shared.1, Some(&shared.0)),
            Piece::Items(items) => items.try_each(|_, item| self.value(item)),
            Piece::Entries(entries) => entries.try_each(|_, key, value| {
                self.value(key)?;
                self.value(value)
            }),
            Piece::EnumClass(class) => self.class_object(class, true),
            Piece::Block(bytes) => {
                self.out.block(tag::BLOCK, tag::LONG_BLOCK, bytes);
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

    fn array(&mut self, class: &Name, items: Items<'_>) -> Written {
        let component = JavaType::new(class.clone()).component();
        let component = component.ok_or_else(|| Unwritable {
            class: class.clone(),
            reason: "it is not the class of an array",
        })?;
        self.begin_array(class, items.len())?;
        items.try_each(|_, item| match component.is_primitive() {
            true => self.primitive(class.as_bytes()[1], item),
            false => self.value(item),
        })
    }

    fn begin_array(&mut self, class: &Name, length: usize) -> Written {
        let length = i32::try_from(length).map_err(|_| Unwritable {
            class: class.clone(),
            reason: "it has too many elements",
        })?;
        self.out.u8(tag::ARRAY);
        self.class(class)?;
        self.number(None);
        self.out.i32(length);
        Ok(())
    }

    fn constant(&mut self, class: &Name, name: &Name) -> Written {
        let key = Key::Constant(class.clone(), name.clone());
        if let Some(handle) = self.objects.get(&key).copied() {
            self.refer(handle);
            return Ok(());
        }
        self.out.u8(tag::ENUM);
        self.enum_class(class)?;
        self.number(Some(&key));
        // Java reads no reference here, though it refers to the name later.
        self.shared_string(&in_modified_utf8(name));
        Ok(())
    }

    /// Writes a string, or a reference to an equal one.
    fn string(&mut self, text: &str) {
        let bytes = in_modified_utf8(text);
        match self.strings.number(self.out.as_bytes(), &bytes) {
            Some(handle) => {
                self.out.u8(tag::REFERENCE);
                self.out.i32(handle.cast_signed());
            }
            None => self.shared_string(&bytes),
        }
    }

    /// Writes a string to which equal ones refer.
    fn shared_string(&mut self, bytes: &[u8]) {
        let number = self.next.cast_unsigned();
        self.new_string(bytes);
        self.strings.add(self.out.as_bytes(), bytes, number);
    }

    fn new_string(&mut self, bytes: &[u8]) {
        match u16::try_from(bytes.len()) {
            Ok(length) => {
                self.out.u8(tag::STRING);
                self.out.u16(length);
            }
            Err(_) => {
                self.out.u8(tag::LONG_STRING);
                self.out.i64(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
            }
        }
        self.out.bytes(bytes);
        self.number(None);
    }

    fn refer(&mut self, handle: i32) {
        self.out.u8(tag::REFERENCE);
        self.out.i32(handle);
    }

    /// Gives the next number to an object.
    fn number(&mut self, key: Option<&Key>) {
        if let Some(key) = key {
            self.objects.insert(key.clone(), self.next);
        }
        self.next += 1;
    }

    /// Writes a class that is itself a value.
    fn class_object(&mut self, class: &Name, is_enum: bool) -> Written {
        if let Some(handle) = self.class_objects.get(class).copied() {
            self.refer(handle);
            return Ok(());
        }
        self.out.u8(tag::CLASS);
        match is_enum {
            true => self.enum_class(class)?,
            false => self.class(class)?,
        }
        self.class_objects.insert(class.clone(), self.next);
        self.number(None);
        Ok(())
    }

    /// Describes a class, or refers to its description.
    fn class(&mut self, class: &Name) -> Written {
        if self.refers_to_class(class) {
            return Ok(());
        }
        match class.starts_with('[') {
            true => self.describe(&array_class(class)),
            false => self.describe(&*Descriptor::of(class, self.schema)?),
        }
    }

    fn enum_class(&mut self, class: &Name) -> Written {
        match self.refers_to_class(class) {
            true => Ok(()),
            false => self.describe(&Descriptor::of_enum(class.clone())),
        }
    }

    /// Writes a reference to the description of a class, if it has been written already.
    fn refers_to_class(&mut self, class: &Name) -> bool {
        let handle = self.classes.get(class).copied();
        if let Some(handle) = handle {
            self.refer(handle);
        }
        handle.is_some()
    }

    fn described(&mut self, class: &Descriptor) -> Written {
        match self.refers_to_class(&class.name) {
            true => Ok(()),
            false => self.describe(class),
        }
    }

    fn describe(&mut self, class: &Descriptor) -> Written {
        self.out.u8(tag::CLASS_DESCRIPTION);
        self.name(&class.name)?;
        self.out.i64(class.uid);
        self.classes.insert(class.name.clone(), self.next);
        self.number(None);
        self.out.u8(class.flags);
        let count = u16::try_from(class.fields.len()).map_err(|_| Unwritable {
            class: class.name.clone(),
            reason: "it has too many fields",
        })?;
        self.out.u16(count);
        for field in &class.fields {
            let signature = field.signature.as_bytes();
            self.out.u8(signature[0]);
            self.name(&field.name)?;
            if signature.len() > 1 {
                self.string(&field.signature);
            }
        }
        self.out.u8(tag::END);
        match &class.super_class {
            Some(super_class) => self.described(super_class),
            None => {
                self.out.u8(tag::NULL);
                Ok(())
            }
        }
    }

    fn name(&mut self, name: &Name) -> Written {
        let bytes = in_modified_utf8(name);
        let length = u16::try_from(bytes.len()).map_err(|_| Unwritable {
            class: name.clone(),
            reason: "the name is too long",
        })?;
        self.out.u16(length);
        self.out.bytes(&bytes);
        Ok(())
    }
}

/// The serialVersionUID of an array is a digest of its name and modifiers. This uses the modifiers
/// of a public class for all: Java does not compare the uid of an array.
fn array_class(class: &Name) -> Descriptor {
    const PUBLIC_FINAL_ABSTRACT: u32 = 0x411;

    let name = in_modified_utf8(class);
    let mut digest = Sha1::new();
    digest.update(&u16::try_from(name.len()).unwrap_or(u16::MAX).to_be_bytes());
    digest.update(&name);
    digest.update(&PUBLIC_FINAL_ABSTRACT.to_be_bytes());
    let [a, b, c, d, e, f, g, h, ..] = digest.digest().bytes();
    let uid = i64::from_le_bytes([a, b, c, d, e, f, g, h]);
    let fields = Vec::new();
    Descriptor::new(class.clone(), uid, Descriptor::SERIALIZABLE, fields, None)
}
