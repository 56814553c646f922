use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;

use super::classes::{Class, Classes};
use super::declared::{Bindings, Within};
use super::fault::{Fault, Result};
use super::form::Form;
use super::output::Output;
use super::reader::{DEEPEST, not_allowed};
use crate::java::{JavaValue, Name, Serialized};

mod class_of;
mod containers;
mod nulls;
mod objects;
mod times;
mod values;

/// Writes one value as a payload.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    classes: &'a Classes,
    references: bool,
    output: Output,
    /// The numbers of the names that have been written.
    names: HashMap<Name, u32>,
    bindings: Bindings,
    depth: usize,
    /// The Java object streams, and how many objects of each have been written.
    streams: HashMap<Name, (Arc<()>, usize)>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(classes: &'a Classes, references: bool) -> Self {
        Self {
            classes,
            references,
            output: Output::default(),
            names: HashMap::new(),
            bindings: Bindings::default(),
            depth: 0,
            streams: HashMap::new(),
        }
    }

    pub(super) fn write(mut self, value: &JavaValue) -> Result<Bytes> {
        if value.is_null() {
            return Err(Fault::new("null has no payload"));
        }
        self.any(value, None)?;
        Ok(self.output.into_bytes())
    }

    /// A class tag and the value.
    fn any(&mut self, value: &JavaValue, within: Option<Within<'a>>) -> Result<()> {
        if value.is_null() {
            self.output.byte(0);
            return Ok(());
        }
        let class = self.class_of(value)?;
        self.tag(&class)?;
        self.value(value, &class, within)
    }

    fn tag(&mut self, class: &Class) -> Result<()> {
        if let Some(tag) = self.classes.tag(class) {
            self.output.varint(tag);
            return Ok(());
        }
        self.tag_name(&class.name)
    }

    fn tag_name(&mut self, name: &Name) -> Result<()> {
        if !self.classes.allows(name) {
            return Err(Fault::new(not_allowed(name)));
        }
        self.output.byte(1);
        if let Some(number) = self.names.get(name) {
            self.output.varint(*number);
            return Ok(());
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.insert(name.clone(), number);
        self.output.varint(number);
        self.output.name(name)
    }

    /// A value that is not null, of this class.
    fn value(
        &mut self,
        value: &JavaValue,
        class: &Class,
        within: Option<Within<'a>>,
    ) -> Result<()> {
        if self.references && class.form.has_identity() {
            // A value here is never the same object as another.
            self.output.byte(1);
        }
        self.content(value, class, within)
    }

    /// A value of a class that is known where it will be read, or null.
    fn value_or_null(
        &mut self,
        value: &JavaValue,
        class: &Class,
        within: Option<Within<'a>>,
    ) -> Result<()> {
        if value.is_null() {
            self.output.byte(match class.form {
                Form::String | Form::Text { takes_null: true } if !self.references => 0x80,
                _ => 0,
            });
            return Ok(());
        }
        let found = self.class_of(value)?;
        if found.name != class.name {
            let what = format!("expected {}, found {}", class.name, found.name);
            return Err(Fault::new(what));
        }
        if self.references || !class.form.takes_null() {
            self.output.byte(1);
        }
        self.content(value, class, within)
    }

    /// The content, behind the class tag and the mark of a reference.
    fn content(
        &mut self,
        value: &JavaValue,
        class: &Class,
        within: Option<Within<'a>>,
    ) -> Result<()> {
        if self.depth == DEEPEST {
            let what = format!("values are nested more than {DEEPEST} deep");
            return Err(Fault::new(what));
        }
        self.depth += 1;
        match value {
            JavaValue::Object(object) => self.object(object, class, within),
            JavaValue::Array(array) => self.array(array, class),
            JavaValue::Collection(collection) => self.collection(collection, class, within),
            JavaValue::Map(map) => self.map(map, class, within),
            JavaValue::Optional(Some(value)) if value.is_null() => {
                Err(Fault::new("an Optional of null is empty in java"))
            }
            JavaValue::Optional(value) => match value {
                Some(value) => self.any(value, None),
                None => self.any(&JavaValue::Null, None),
            },
            JavaValue::Serialized(value) => self.serialized(value, class),
            _ => self.leaf(value, class),
        }?;
        self.depth -= 1;
        Ok(())
    }

    /// The bytes that were read, if those that they refer to come before them as they did then.
    fn serialized(&mut self, value: &Serialized, class: &Class) -> Result<()> {
        let key = match class.form {
            Form::Stream(key) => Name::new(key),
            _ => class.name.clone(),
        };
        let written = self.streams.get(&key);
        let continues = match written {
            None => value.place() == 0,
            Some((stream, objects)) => {
                Arc::ptr_eq(stream, value.stream()) && *objects == value.place()
            }
        };
        if !continues {
            let what = format!(
                "a {} can only be written back in the payload that it was read from",
                class.name
            );
            return Err(Fault::new(what));
        }
        let stream = (Arc::clone(value.stream()), value.place() + 1);
        self.streams.insert(key, stream);
        self.output.bytes(value.bytes());
        Ok(())
    }
}
