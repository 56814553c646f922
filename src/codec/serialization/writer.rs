use std::collections::HashMap;

use sha1_smol::Sha1;

use crate::java::{
    DEEPEST, Descriptor, JavaValue, Name, Output, Schema, Unwritable, modified_utf8,
};

pub(super) type Written = Result<(), Unwritable>;

/// Writes one stream.
pub(super) struct Writer<'a> {
    pub(super) out: Output,
    pub(super) schema: &'a Schema,
    distinct_strings: bool,
    /// The numbers of what may come again.
    handles: HashMap<Key, i32>,
    next: i32,
    depth: usize,
}

/// An object of which there is only one, or which counts as one.
#[derive(Debug, Eq, Hash, PartialEq)]
pub(super) enum Key {
    Class(Name),
    /// A class that is itself a value.
    ClassObject(Name),
    Constant(Name, Name),
    /// The only object of its class.
    Single(Name),
    /// A number that Java keeps for all.
    Number(Name, i64),
    Text(Vec<u8>),
    /// One of the objects that a class keeps under names.
    Named(Name, String),
}

impl<'a> Writer<'a> {
    pub(super) fn new(schema: &'a Schema, distinct_strings: bool) -> Self {
        let mut out = Output::default();
        out.bytes(&[0xac, 0xed, 0, 5]);
        Self {
            out,
            schema,
            distinct_strings,
            handles: HashMap::new(),
            next: 0x7e_0000,
            depth: 0,
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.out.into_bytes()
    }

    pub(super) fn value(&mut self, value: &JavaValue) -> Written {
        if self.depth >= DEEPEST {
            return Err(Unwritable {
                class: value.class_name(),
                reason: "values are nested too deep",
            });
        }
        self.depth += 1;
        self.dispatch(value)?;
        self.depth -= 1;
        Ok(())
    }

    fn dispatch(&mut self, value: &JavaValue) -> Written {
        match value {
            JavaValue::Null => self.null(),
            JavaValue::String(text) if self.distinct_strings => self.new_string(&bytes(text)),
            JavaValue::String(text) => self.string(text),
            JavaValue::Utf16(units) => self.new_string(&modified_utf8(units.iter().copied())),
            JavaValue::Bytes(bytes) => return self.byte_array(bytes),
            JavaValue::Array(array) => return self.array(array),
            JavaValue::Collection(collection) => return self.collection(collection),
            JavaValue::Map(map) => return self.map(map),
            JavaValue::Text(text) => return self.text(text),
            JavaValue::Object(object) => return self.object(object),
            scalar => return self.scalar(scalar),
        }
        Ok(())
    }

    pub(super) fn null(&mut self) {
        self.out.u8(NULL);
    }

    /// Writes a string, or what refers to an equal one.
    pub(super) fn string(&mut self, text: &str) {
        let bytes = bytes(text);
        if !self.refers(&Key::Text(bytes.clone())) {
            self.new_string(&bytes);
            let handle = self.next - 1;
            self.handles.insert(Key::Text(bytes), handle);
        }
    }

    fn new_string(&mut self, bytes: &[u8]) {
        match u16::try_from(bytes.len()) {
            Ok(length) => {
                self.out.u8(STRING);
                self.out.u16(length);
            }
            Err(_) => {
                self.out.u8(LONG_STRING);
                self.out.i64(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
            }
        }
        self.out.bytes(bytes);
        self.number(None);
    }

    /// Writes what refers to an object, if it has been written already.
    pub(super) fn refers(&mut self, key: &Key) -> bool {
        let handle = self.handles.get(key);
        if let Some(handle) = handle {
            self.out.u8(REFERENCE);
            self.out.i32(*handle);
        }
        handle.is_some()
    }

    /// Gives the next number to an object.
    pub(super) fn number(&mut self, key: Option<Key>) {
        if let Some(key) = key {
            self.handles.insert(key, self.next);
        }
        self.next += 1;
    }

    /// Writes what stands before the fields of an object.
    pub(super) fn begin(&mut self, class: &str, key: Option<Key>) -> Written {
        self.out.u8(OBJECT);
        self.class(class)?;
        self.number(key);
        Ok(())
    }

    /// Writes the mark behind what a class adds to its fields.
    pub(super) fn end(&mut self) {
        self.out.u8(END);
    }

    /// Writes bytes that a class adds to its fields.
    pub(super) fn block(&mut self, bytes: &[u8]) {
        match u8::try_from(bytes.len()) {
            Ok(length) => {
                self.out.u8(BLOCK);
                self.out.u8(length);
            }
            Err(_) => {
                self.out.u8(LONG_BLOCK);
                self.out.i32(i32::try_from(bytes.len()).unwrap_or(i32::MAX));
            }
        }
        self.out.bytes(bytes);
    }

    /// Writes a class that is itself a value.
    pub(super) fn class_object(&mut self, class: &str) -> Written {
        let key = Key::ClassObject(class.to_owned().into());
        if !self.refers(&key) {
            self.out.u8(CLASS);
            self.class(class)?;
            self.number(Some(key));
        }
        Ok(())
    }

    /// Describes a class, or refers to its description.
    pub(super) fn class(&mut self, class: &str) -> Written {
        if self.refers(&Key::Class(class.to_owned().into())) {
            return Ok(());
        }
        let descriptor = match class.starts_with('[') {
            true => array_class(class),
            false => Descriptor::of(class, self.schema)?,
        };
        self.describe(&descriptor)
    }

    pub(super) fn enum_class(&mut self, class: &Name) -> Written {
        if self.refers(&Key::Class(class.clone())) {
            return Ok(());
        }
        self.describe(&Descriptor::of_enum(class.clone()))
    }

    fn describe(&mut self, class: &Descriptor) -> Written {
        self.out.u8(CLASS_DESCRIPTION);
        self.name(&class.name)?;
        self.out.i64(class.uid);
        self.number(Some(Key::Class(class.name.clone())));
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
        self.end();
        match &class.super_class {
            Some(super_class) => self.class(super_class),
            None => {
                self.null();
                Ok(())
            }
        }
    }

    fn name(&mut self, name: &Name) -> Written {
        let bytes = bytes(name);
        let length = u16::try_from(bytes.len()).map_err(|_| Unwritable {
            class: name.clone(),
            reason: "the name is too long",
        })?;
        self.out.u16(length);
        self.out.bytes(&bytes);
        Ok(())
    }
}

fn bytes(text: &str) -> Vec<u8> {
    modified_utf8(text.encode_utf16())
}

/// The serialVersionUID of an array is a digest of its name and modifiers. Those are of a public
/// class here: Java compares no uid of an array.
fn array_class(class: &str) -> Descriptor {
    const PUBLIC_FINAL_ABSTRACT: u32 = 0x411;

    let name = bytes(class);
    let mut digest = Sha1::new();
    digest.update(&u16::try_from(name.len()).unwrap_or(u16::MAX).to_be_bytes());
    digest.update(&name);
    digest.update(&PUBLIC_FINAL_ABSTRACT.to_be_bytes());
    let [a, b, c, d, e, f, g, h, ..] = digest.digest().bytes();
    Descriptor {
        name: class.to_owned().into(),
        uid: i64::from_le_bytes([a, b, c, d, e, f, g, h]),
        flags: Descriptor::SERIALIZABLE,
        fields: Vec::new(),
        super_class: None,
    }
}

const NULL: u8 = 0x70;
const REFERENCE: u8 = 0x71;
const CLASS_DESCRIPTION: u8 = 0x72;
const OBJECT: u8 = 0x73;
const STRING: u8 = 0x74;
const CLASS: u8 = 0x76;
const BLOCK: u8 = 0x77;
const END: u8 = 0x78;
const LONG_BLOCK: u8 = 0x7a;
const LONG_STRING: u8 = 0x7c;
