use std::collections::HashMap;

use bytes::Bytes;

use self::references::{Meeting, References};
use self::streams::Streams;
use super::classes::{Class, Classes};
use super::declared::{Bindings, Within};
use super::fault::{Fault, Result};
use super::form::Form;
use super::input::Input;
use crate::java::{JavaValue, Name};

mod containers;
mod objects;
mod references;
mod streams;
mod values;

/// How deep values may nest. Java gives up at a depth of some thousands, with an error that
/// Redisson does not catch.
pub(super) const DEEPEST: usize = 256;

/// No real class has a longer name.
const LONGEST_NAME: usize = 1_024;

/// How many elements may take no bytes of the payload, nulls in a row and objects without fields,
/// before its own length counts.
const FREE: usize = 1_024;

/// Reads the value of one payload.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    classes: &'a Classes,
    input: Input,
    names: HashMap<u32, Named>,
    bindings: Bindings,
    /// `None` when the codec keeps no references.
    references: Option<References<'a>>,
    streams: Streams,
    depth: usize,
    /// How many elements may still take no bytes.
    free: usize,
}

/// A class that the payload has named.
#[derive(Clone, Debug)]
struct Named {
    name: Name,
    class: Option<Class>,
    /// Where the name stands.
    start: usize,
    end: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(classes: &'a Classes, references: bool, payload: Bytes) -> Self {
        Self {
            classes,
            free: payload.len().saturating_mul(4).saturating_add(FREE),
            references: references.then(|| References::new(payload.len())),
            input: Input::new(payload),
            names: HashMap::new(),
            bindings: Bindings::default(),
            streams: Streams::default(),
            depth: 0,
        }
    }

    /// Reads the value. Nothing may follow it.
    pub(super) fn read(mut self) -> Result<JavaValue> {
        let value = self.any(None)?;
        if !self.input.rest().is_empty() {
            let what = "value ends before the payload: its class may have more fields than known";
            return Err(self.input.fault(what));
        }
        Ok(value)
    }

    /// A class tag and a value of this class, or null.
    fn any(&mut self, within: Option<Within<'a>>) -> Result<JavaValue> {
        match self.class()? {
            None => Ok(JavaValue::Null),
            Some(class) => self.value(&class, within),
        }
    }

    /// A class tag; `None` stands for null.
    fn class(&mut self) -> Result<Option<Class>> {
        let start = self.input.offset();
        match self.tag()? {
            None => Ok(None),
            Some((_, Some(class))) => Ok(Some(class)),
            Some((name, None)) if self.is_throwable(&name) => {
                let class = Class::throwable(name);
                for named in self.names.values_mut().filter(|it| it.name == class.name) {
                    named.class = Some(class.clone());
                }
                Ok(Some(class))
            }
            Some((name, None)) => Err(Fault::at(start, unknown(&name, self.classes))),
        }
    }

    /// A class tag: the name of the class, and the class if its values can be read.
    fn tag(&mut self) -> Result<Option<(Name, Option<Class>)>> {
        let start = self.input.offset();
        match self.input.varint()? {
            0 => Ok(None),
            1 => {
                let named = self.named()?;
                if !self.classes.allows(&named.name) {
                    return Err(Fault::at(start, not_allowed(&named.name)));
                }
                Ok(Some((named.name, named.class)))
            }
            tag => match self.classes.tagged(tag) {
                Some(tagged) => Ok(Some(tagged)),
                None => Err(Fault::at(start, format!("no class has the tag {tag}"))),
            },
        }
    }

    /// A class by its name. The payload has the name where it uses the class for the first time.
    fn named(&mut self) -> Result<Named> {
        let id = self.input.varint()?;
        let start = self.input.offset();
        if let Some(named) = self.names.get(&id) {
            // An object that is read again may have brought the name.
            if named.start == start {
                self.input.seek(named.end);
            }
            return Ok(named.clone());
        }
        let name = self.input.name()?;
        if name.len() > LONGEST_NAME {
            let what = format!("name of a class has more than {LONGEST_NAME} bytes");
            return Err(Fault::at(start, what));
        }
        let class = self.classes.find(&name);
        let named = Named {
            name: match &class {
                Some(class) => class.name.clone(),
                None => name.into(),
            },
            class,
            start,
            end: self.input.offset(),
        };
        self.names.insert(id, named.clone());
        Ok(named)
    }

    /// A value of a class that is known, and that cannot be null unless its form says so.
    fn value(&mut self, class: &Class, within: Option<Within<'a>>) -> Result<JavaValue> {
        if self.references.is_some() && class.form.has_identity() {
            return self.referred(class, within, false);
        }
        self.content(class, within)
    }

    /// A value of a class that is known, or null.
    fn value_or_null(&mut self, class: &Class, within: Option<Within<'a>>) -> Result<JavaValue> {
        if self.references.is_some() && class.form.has_identity() {
            return self.referred(class, within, true);
        }
        if self.references.is_none() && self.writes_null(class) {
            return self.content(class, within);
        }
        match self.input.boolean()? {
            true => self.content(class, within),
            false => Ok(JavaValue::Null),
        }
    }

    /// An object, or the number of one that has been read.
    fn referred(
        &mut self,
        class: &Class,
        within: Option<Within<'a>>,
        may_be_null: bool,
    ) -> Result<JavaValue> {
        let start = self.input.offset();
        let marker = self.input.varint()?;
        let here = self.input.offset();
        let Some(references) = &mut self.references else {
            return Err(Fault::at(start, "payload has no references"));
        };
        let number = match marker {
            0 if may_be_null => return Ok(JavaValue::Null),
            0 => return Err(Fault::at(start, "null stands where an object must be")),
            1 => {
                let number = references.begin(class, within, here, &self.bindings);
                let value = self.content(class, within)?;
                let end = self.input.offset();
                if let Some(references) = &mut self.references {
                    references.end(number, end);
                }
                return Ok(value);
            }
            marker => marker as usize - 2,
        };
        let value = self.again(number, start)?;
        self.input.seek(here);
        Ok(value)
    }

    /// Reads an object again from its place. `start` is the place of its number.
    fn again(&mut self, number: usize, start: usize) -> Result<JavaValue> {
        let Some(references) = &mut self.references else {
            return Err(Fault::at(start, "payload has no references"));
        };
        let Meeting {
            class,
            within,
            bindings,
            start: object,
        } = references
            .meet(number)
            .map_err(|what| Fault::at(start, what))?;
        self.input.seek(object);
        let bindings = std::mem::replace(&mut self.bindings, bindings);
        let value = self.content(&class, within)?;
        self.bindings = bindings;
        if let Some(references) = &mut self.references {
            references.leave();
        }
        Ok(value)
    }

    /// The content, behind the class tag and the mark of a reference.
    fn content(&mut self, class: &Class, within: Option<Within<'a>>) -> Result<JavaValue> {
        if self.depth == DEEPEST {
            let what = format!("values are nested more than {DEEPEST} deep");
            return Err(self.input.fault(what));
        }
        self.depth += 1;
        let value = match class.form {
            Form::Object(place) => self.object(place, within),
            Form::Record(place) => self.record(place),
            Form::Array(element) => self.array(class, element),
            Form::Collection(container) => self.collection(class, container, within),
            Form::Map(container) => self.map(class, container, within),
            Form::EmptyCollection
            | Form::EmptyMap
            | Form::SingletonCollection
            | Form::SingletonMap
            | Form::EnumSet
            | Form::KeySetView => self.special_container(class),
            Form::CollectionWrapper | Form::MapWrapper => self.wrapper(class, within),
            Form::Stream(_) => self.stream(class),
            Form::Optional => self.any(None).map(|it| match it {
                JavaValue::Null => JavaValue::Optional(None),
                value => JavaValue::Optional(Some(Box::new(value))),
            }),
            Form::AtomicReference => self
                .any(None)
                .map(|it| JavaValue::object(class.name.clone(), [("value", it)])),
            Form::Class => self.class_object(),
            _ => self.leaf(class),
        };
        self.depth -= 1;
        value
    }

    /// Counts elements that take no bytes.
    fn charge(&mut self, elements: usize) -> Result<()> {
        match self.free.checked_sub(elements) {
            Some(left) => {
                self.free = left;
                Ok(())
            }
            None => Err(self.input.fault("too many elements that take no bytes")),
        }
    }

    /// Reads `count` elements.
    fn elements<T>(
        &mut self,
        count: usize,
        mut read: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        // The count may be a lie, and there can be a list in each list.
        let mut elements = Vec::with_capacity(count.min(16));
        for place in 0..count {
            let before = self.input.offset();
            elements.push(read(self).map_err(|fault| fault.at_place(place))?);
            if self.input.offset() == before {
                self.charge(1)?;
            }
        }
        Ok(elements)
    }
}

pub(super) fn not_allowed(name: &str) -> String {
    format!("class {name} is not one of those allowed")
}

pub(super) fn unknown(name: &str, classes: &Classes) -> String {
    if classes.is_abstract(name) {
        return format!("java cannot make objects of {name}: the schema says it is abstract");
    }
    format!("class {name} is neither in the schema nor one of the JDK's that are known")
}
