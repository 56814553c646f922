use std::collections::HashMap;

use sha1_smol::Sha1;

use crate::java::graph::Texts;
use crate::java::parts::{Key, Parts, Piece};
use crate::java::stream::tag;
use crate::java::{
    Array, Constant, DEEPEST, Descriptor, JavaType, JavaValue, Name, Output, Schema, Unwritable,
    in_modified_utf8, modified_utf8,
};
use crate::repeats::Repeats;

type Written = Result<(), Unwritable>;

/// Writes `value` as a stream of its own.
pub(super) fn write(
    schema: &Schema,
    distinct_strings: bool,
    value: &JavaValue,
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
    /// The numbers of the objects and classes that may come again.
    handles: HashMap<Handle, i32>,
    /// The numbers of strings.
    strings: Repeats,
    next: i32,
    depth: usize,
}

#[derive(Debug, Eq, Hash, PartialEq)]
enum Handle {
    Class(Name),
    /// A class that is itself a value.
    ClassObject(Name),
    Object(Key),
}

impl<'a> Writer<'a> {
    fn new(schema: &'a Schema, distinct_strings: bool, out: Vec<u8>) -> Self {
        let mut out = Output::new(out);
        out.bytes(&tag::HEADER);
        Self {
            out,
            schema,
            distinct_strings,
            handles: HashMap::default(),
            strings: Repeats::new(),
            next: tag::FIRST_HANDLE,
            depth: 0,
        }
    }

    fn value(&mut self, value: &JavaValue) -> Written {
        self.nested(value, None)
    }

    fn nested(&mut self, value: &JavaValue, key: Option<Key>) -> Written {
        if self.depth >= DEEPEST {
            return Err(Unwritable::of(value, "values are nested too deep"));
        }
        self.depth += 1;
        match value {
            JavaValue::Null => self.out.u8(tag::NULL),
            JavaValue::String(text) if self.distinct_strings => {
                self.new_string(&in_modified_utf8(text))
            }
            JavaValue::String(text) => self.string(text),
            JavaValue::Utf16(units) => self.new_string(&modified_utf8(units.iter().copied())),
            JavaValue::Bytes(bytes) => {
                self.begin_array(&Name::new("[B"), bytes.len())?;
                self.out.bytes(bytes);
            }
            JavaValue::Array(array) => self.array(array)?,
            JavaValue::Enum(constant) => self.constant(constant)?,
            JavaValue::Text(text) if text.class == "java.lang.Class" => {
                self.class_object(&text.text.clone().into(), false)?;
            }
            value => self.object(Parts::of(value, self.schema, Texts::Bytes)?, key)?,
        }
        self.depth -= 1;
        Ok(())
    }

    fn object(&mut self, parts: Parts<'_>, key: Option<Key>) -> Written {
        let key = key.or(parts.key).map(Handle::Object);
        if key.as_ref().is_some_and(|key| self.refers(key)) {
            return Ok(());
        }
        self.out.u8(tag::OBJECT);
        self.class(&parts.class)?;
        self.number(key);
        for level in &parts.levels {
            for (field, piece) in level.class.fields.iter().zip(&level.fields) {
                match (field.signature.as_bytes(), piece) {
                    ([letter], Piece::Value(value)) => self.primitive(*letter, value)?,
                    (_, piece) => self.piece(piece)?,
                }
            }
            for piece in &level.data {
                self.piece(piece)?;
            }
            if level.class.is_ended() {
                self.out.u8(tag::END);
            }
        }
        Ok(())
    }

    fn piece(&mut self, piece: &Piece<'_>) -> Written {
        match piece {
            Piece::Value(value) => self.value(value),
            Piece::Shared(key, value) => self.nested(value, Some(key.clone())),
            Piece::EnumClass(class) => self.class_object(class, true),
            Piece::Block(bytes) => {
                self.out.block(tag::BLOCK, tag::LONG_BLOCK, bytes);
                Ok(())
            }
        }
    }

    /// Writes the bare number, which must be of the type of this letter.
    fn primitive(&mut self, letter: u8, value: &JavaValue) -> Written {
        let written = self.out.primitive(letter, value);
        written
            .ok_or_else(|| Unwritable::of(value, "a primitive value of another type is declared"))
    }

    fn array(&mut self, array: &Array) -> Written {
        let component = JavaType::new(array.class.clone()).component();
        let component = component.ok_or_else(|| Unwritable {
            class: array.class.clone(),
            reason: "it is not the class of an array",
        })?;
        self.begin_array(&array.class, array.items.len())?;
        for item in &array.items {
            match component.is_primitive() {
                true => self.primitive(array.class.as_bytes()[1], item)?,
                false => self.value(item)?,
            }
        }
        Ok(())
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

    fn constant(&mut self, constant: &Constant) -> Written {
        let key = Key::Constant(constant.class.clone(), constant.name.clone());
        let key = Handle::Object(key);
        if !self.refers(&key) {
            self.out.u8(tag::ENUM);
            self.enum_class(&constant.class)?;
            self.number(Some(key));
            // Java reads no reference here, though it refers to the name later.
            self.shared_string(&in_modified_utf8(&constant.name));
        }
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

    /// Writes a reference to an object, if it has been written already.
    fn refers(&mut self, key: &Handle) -> bool {
        let handle = self.handles.get(key);
        if let Some(handle) = handle {
            self.out.u8(tag::REFERENCE);
            self.out.i32(*handle);
        }
        handle.is_some()
    }

    /// Gives the next number to an object.
    fn number(&mut self, key: Option<Handle>) {
        if let Some(key) = key {
            if self.handles.capacity() == 0 {
                self.handles.reserve(14);
            }
            self.handles.insert(key, self.next);
        }
        self.next += 1;
    }

    /// Writes a class that is itself a value.
    fn class_object(&mut self, class: &Name, is_enum: bool) -> Written {
        let key = Handle::ClassObject(class.clone());
        if !self.refers(&key) {
            self.out.u8(tag::CLASS);
            match is_enum {
                true => self.enum_class(class)?,
                false => self.class(class)?,
            }
            self.number(Some(key));
        }
        Ok(())
    }

    /// Describes a class, or refers to its description.
    fn class(&mut self, class: &Name) -> Written {
        if self.refers(&Handle::Class(class.clone())) {
            return Ok(());
        }
        match class.starts_with('[') {
            true => self.describe(&array_class(class)),
            false => self.describe(&*Descriptor::of(class, self.schema)?),
        }
    }

    fn enum_class(&mut self, class: &Name) -> Written {
        if self.refers(&Handle::Class(class.clone())) {
            return Ok(());
        }
        self.describe(&Descriptor::of_enum(class.clone()))
    }

    fn describe(&mut self, class: &Descriptor) -> Written {
        self.out.u8(tag::CLASS_DESCRIPTION);
        self.name(&class.name)?;
        self.out.i64(class.uid);
        self.number(Some(Handle::Class(class.name.clone())));
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
            Some(super_class) => self.class(super_class),
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
    Descriptor {
        name: class.clone(),
        uid: i64::from_le_bytes([a, b, c, d, e, f, g, h]),
        flags: Descriptor::SERIALIZABLE,
        fields: Vec::new(),
        super_class: None,
        is_record: false,
    }
}
