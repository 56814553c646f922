use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use smallvec::SmallVec;

use super::Result;
use super::classes::{Class, Classes};
use super::declared::{Bindings, Declared};
use super::form::Form;
use super::output::Output;
use super::reader::{DEEPEST, not_allowed};
use crate::java::{JavaObject, Mismatch, Name, Serialized, View};
use crate::payload;

mod class_of;
mod containers;
mod nulls;
mod objects;
mod values;

use self::containers::Collection;

/// Writes one value as a payload.
#[derive(Debug)]
pub(super) struct Writer<'a> {
    classes: &'a Classes,
    references: bool,
    output: Output<'a>,
    /// The first names that have been written.
    few_names: SmallVec<[Name; 8]>,
    /// The numbers of the others.
    names: BTreeMap<Name, usize>,
    bindings: Bindings,
    depth: usize,
    /// The Java object streams, and how many objects of each have been written.
    streams: BTreeMap<Name, (Arc<()>, usize)>,
}

impl<'a> Writer<'a> {
    /// Writes a whole value.
    pub(super) fn write<T: JavaObject>(
        classes: &'a Classes,
        references: bool,
        value: &T,
    ) -> Result<Bytes> {
        payload::tried(|out| {
            let mut writer = Writer {
                classes,
                references,
                output: Output::new(out),
                few_names: SmallVec::new(),
                names: BTreeMap::new(),
                bindings: Bindings::default(),
                depth: 0,
                streams: BTreeMap::new(),
            };
            let mut written = Ok(());
            value.view(&mut |value| {
                written = match value {
                    View::Null => Err(Mismatch::because("null has no payload")),
                    value => writer.any(value, None),
                };
            });
            written
        })
    }

    /// A class tag and the value.
    fn any(&mut self, value: &View<'_>, declared: Option<&'a Declared>) -> Result<()> {
        if value.is_null() {
            self.output.byte(0);
            return Ok(());
        }
        let class = self.class_of(value)?;
        self.tag(&class)?;
        self.value(value, &class, declared)
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
            return Err(Mismatch::because(not_allowed(name)));
        }
        self.output.byte(1);
        let few = self.few_names.iter().position(|it| it == name);
        let known = few.or_else(|| self.names.get(name).copied());
        let number = known.unwrap_or(self.few_names.len() + self.names.len());
        self.output
            .varint(u32::try_from(number).unwrap_or(u32::MAX));
        if known.is_some() {
            return Ok(());
        }
        match self.few_names.len() < self.few_names.inline_size() {
            true => self.few_names.push(name.clone()),
            false => _ = self.names.insert(name.clone(), number),
        }
        self.output.name(name)
    }

    /// A value that is not null, of this class.
    fn value(
        &mut self,
        value: &View<'_>,
        class: &Class,
        declared: Option<&'a Declared>,
    ) -> Result<()> {
        if self.references && class.form.has_identity() {
            // A value here is never the same object as another.
            self.output.byte(1);
        }
        self.content(value, class, declared)
    }

    /// A value of a class that is known where it will be read, or null.
    fn value_or_null(
        &mut self,
        value: &View<'_>,
        class: &Class,
        declared: Option<&'a Declared>,
    ) -> Result<()> {
        if value.is_null() {
            self.output.byte(match class.form {
                Form::String | Form::Text { takes_null: true } if !self.references => 0x80,
                _ => 0,
            });
            return Ok(());
        }
        if let Some(written) = self.plain(value, class.form, true) {
            return written;
        }
        self.object_or_other(value, class, declared)
    }

    /// A value that is neither null nor plain, of a class that is known where it will be read.
    #[inline(never)]
    fn object_or_other(
        &mut self,
        value: &View<'_>,
        class: &Class,
        declared: Option<&'a Declared>,
    ) -> Result<()> {
        self.expect(value, class)?;
        if self.references || !class.form.takes_null() {
            self.output.byte(1);
        }
        self.content(value, class, declared)
    }

    /// Refuses a value of another class.
    fn expect(&self, value: &View<'_>, class: &Class) -> Result<()> {
        if self.is_of(value, class) {
            return Ok(());
        }
        let found = self.class_of(value)?;
        // A constant may have a class of its own, although the enum is final.
        let is_constant = matches!(class.form, Form::Enum(_)) && found.form == class.form;
        match found.name == class.name || is_constant {
            true => Ok(()),
            false => {
                let what = format!("expected {}, found {}", class.name, found.name);
                Err(Mismatch::because(what))
            }
        }
    }

    /// The content, behind the class tag and the mark of a reference.
    fn content(
        &mut self,
        value: &View<'_>,
        class: &Class,
        declared: Option<&'a Declared>,
    ) -> Result<()> {
        if self.depth == DEEPEST {
            let what = format!("values are nested more than {DEEPEST} deep");
            return Err(Mismatch::because(what));
        }
        self.depth += 1;
        match value {
            View::Object(_, fields) => self.object(*fields, class, declared),
            View::Array(name, items) => self.array(name, *items),
            View::Collection(name, items, comparator) => {
                let collection = Collection {
                    name,
                    items: *items,
                    comparator,
                };
                self.collection(collection, class, declared)
            }
            View::Map(name, entries, comparator) => {
                self.map(name, *entries, comparator, class, declared)
            }
            View::Optional(Some(View::Null)) => {
                Err(Mismatch::because("an Optional of null is empty in java"))
            }
            View::Optional(value) => self.any(value.unwrap_or(&View::Null), None),
            View::Serialized(value) => self.serialized(value, class),
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
            return Err(Mismatch::because(what));
        }
        let stream = (Arc::clone(value.stream()), value.place() + 1);
        self.streams.insert(key, stream);
        self.output.bytes(value.bytes());
        Ok(())
    }
}
