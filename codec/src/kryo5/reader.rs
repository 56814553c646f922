use bytes::Bytes;
use smallvec::SmallVec;

use self::references::{Meeting, References};
use self::streams::Streams;
use super::Result;
use super::classes::{Class, Classes};
use super::declared::{Bindings, Declared};
use super::form::Form;
use super::input::Input;
use crate::java::{Contents, Each, JavaObject, JavaValue, Mismatch, Name, Source, Taker, skip};

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
    /// By the numbers of the classes.
    names: SmallVec<[Named; 8]>,
    bindings: Bindings,
    /// `None` when the codec keeps no references.
    references: Option<References<'a>>,
    streams: Streams,
    depth: usize,
    /// How many elements may still take no bytes.
    free: usize,
}

/// A class, or the name of one whose values cannot be read.
type Tagged = std::result::Result<Class, Unknown>;

/// A class whose values cannot be read.
struct Unknown {
    name: Name,
    /// Its place among the names.
    place: Option<usize>,
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
            names: SmallVec::new(),
            bindings: Bindings::default(),
            streams: Streams::default(),
            depth: 0,
        }
    }

    /// Reads the value. Nothing may follow it.
    pub(super) fn read<T: JavaObject>(mut self) -> Result<T> {
        let mut read = None;
        let to: &mut Taker<'_> = &mut |value| {
            read = Some(T::from_source(value)?);
            Ok(())
        };
        let root = &self.classes.root;
        match self.class(root.get())? {
            None => to(Source::NULL),
            Some(class) => {
                let value = self.value(&class, None, to);
                _ = root.set(class);
                value
            }
        }?;
        if !self.input.rest().is_empty() {
            let what = "value ends before the payload: its class may have more fields than known";
            return Err(self.input.fault(what));
        }
        read.ok_or_else(|| self.input.fault("no value was read"))
    }

    /// A class tag and a value of this class, or null.
    fn any(&mut self, declared: Option<&'a Declared>, to: &mut Taker<'_>) -> Result<()> {
        match self.class(None)? {
            None => to(Source::NULL),
            Some(class) => self.value(&class, declared, to),
        }
    }

    /// A class tag and the whole value, or null.
    fn tree(&mut self) -> Result<JavaValue> {
        let mut tree = JavaValue::Null;
        self.any(None, &mut |value| {
            tree = value.into_value()?;
            Ok(())
        })?;
        Ok(tree)
    }

    /// A class tag; `None` stands for null. The class is mostly the `usual` one.
    fn class(&mut self, usual: Option<&Class>) -> Result<Option<Class>> {
        let start = self.input.offset();
        let unknown_class = match self.tag(usual)? {
            None => return Ok(None),
            Some(Ok(class)) => return Ok(Some(class)),
            Some(Err(it)) if self.is_throwable(&it.name) => it,
            Some(Err(it)) => return Err(Mismatch::at(start, unknown(&it.name, self.classes))),
        };
        let class = Class::throwable(unknown_class.name);
        if let Some(named) = unknown_class.place.and_then(|it| self.names.get_mut(it)) {
            named.class = Some(class.clone());
        }
        Ok(Some(class))
    }

    /// A class tag: the class, or only its name if its values cannot be read.
    fn tag(&mut self, usual: Option<&Class>) -> Result<Option<Tagged>> {
        let start = self.input.offset();
        match self.input.varint()? {
            0 => Ok(None),
            1 => {
                let place = self.named(usual)?;
                let Named { name, class, .. } = &self.names[place];
                if !self.classes.allows(name) {
                    return Err(Mismatch::at(start, not_allowed(name)));
                }
                Ok(Some(class.clone().ok_or_else(|| Unknown {
                    name: name.clone(),
                    place: Some(place),
                })))
            }
            tag => match self.classes.tagged(tag) {
                Some((name, class)) => Ok(Some(class.ok_or(Unknown { name, place: None }))),
                None => Err(Mismatch::at(start, format!("no class has the tag {tag}"))),
            },
        }
    }

    /// The place among `names` of a class that has no tag. The payload has the name where it uses
    /// the class for the first time.
    fn named(&mut self, usual: Option<&Class>) -> Result<usize> {
        let before = self.input.offset();
        let place = self.input.varint()? as usize;
        let start = self.input.offset();
        if let Some(named) = self.names.get(place) {
            // An object that is read again may have brought the name.
            if named.start == start {
                self.input.seek(named.end);
            }
            return Ok(place);
        }
        if place > self.names.len() {
            let what = format!("no class has the number {place}");
            return Err(Mismatch::at(before, what));
        }
        let classes = self.classes;
        let (class, name) = match usual {
            Some(usual) if self.input.skip_name(&usual.name) => (Some(usual.clone()), None),
            _ => self.input.named(|name| classes.find(name))?,
        };
        if name.as_ref().is_some_and(|it| it.len() > LONGEST_NAME) {
            let what = format!("name of a class has more than {LONGEST_NAME} bytes");
            return Err(Mismatch::at(start, what));
        }
        self.names.push(Named {
            name: match &class {
                Some(class) => class.name.clone(),
                None => name.unwrap_or_default().into(),
            },
            class,
            start,
            end: self.input.offset(),
        });
        Ok(place)
    }

    /// A value of a class that is known, and that cannot be null unless its form says so.
    fn value(
        &mut self,
        class: &Class,
        declared: Option<&'a Declared>,
        to: &mut Taker<'_>,
    ) -> Result<()> {
        if self.references.is_some() && class.form.has_identity() {
            return self.referred(class, declared, false, to);
        }
        self.content(class, declared, to)
    }

    /// A value of a class that is known, or null.
    fn value_or_null(
        &mut self,
        class: &Class,
        declared: Option<&'a Declared>,
        to: &mut Taker<'_>,
    ) -> Result<()> {
        if self.references.is_some() && class.form.has_identity() {
            return self.referred(class, declared, true, to);
        }
        if self.references.is_none() && (class.form == Form::String || self.writes_null(class)) {
            return self.content(class, declared, to);
        }
        match self.input.boolean()? {
            true => self.content(class, declared, to),
            false => to(Source::NULL),
        }
    }

    /// An object, or the number of one that has been read.
    fn referred(
        &mut self,
        class: &Class,
        declared: Option<&'a Declared>,
        may_be_null: bool,
        to: &mut Taker<'_>,
    ) -> Result<()> {
        let start = self.input.offset();
        let marker = self.input.varint()?;
        let here = self.input.offset();
        let Some(references) = &mut self.references else {
            return Err(Mismatch::at(start, "payload has no references"));
        };
        let number = match marker {
            0 if may_be_null => return to(Source::NULL),
            0 => return Err(Mismatch::at(start, "null stands where an object must be")),
            1 => {
                let number = references.begin(class, declared, here, &self.bindings);
                self.content(class, declared, to)?;
                let end = self.input.offset();
                if let Some(references) = &mut self.references {
                    references.end(number, end);
                }
                return Ok(());
            }
            marker => marker as usize - 2,
        };
        self.again(number, start, to)?;
        self.input.seek(here);
        Ok(())
    }

    /// Reads an object again from its place. `start` is the place of its number.
    fn again(&mut self, number: usize, start: usize, to: &mut Taker<'_>) -> Result<()> {
        let Some(references) = &mut self.references else {
            return Err(Mismatch::at(start, "payload has no references"));
        };
        let Meeting {
            class,
            declared,
            bindings,
            start: object,
        } = references
            .meet(number)
            .map_err(|what| Mismatch::at(start, what))?;
        self.input.seek(object);
        let bindings = std::mem::replace(&mut self.bindings, bindings);
        self.content(&class, declared, to)?;
        self.bindings = bindings;
        if let Some(references) = &mut self.references {
            references.leave();
        }
        Ok(())
    }

    /// The content, behind the class tag and the mark of a reference.
    #[inline]
    fn content(
        &mut self,
        class: &Class,
        declared: Option<&'a Declared>,
        to: &mut Taker<'_>,
    ) -> Result<()> {
        match class.form.is_leaf() {
            true => self.leaf_to(class, to),
            false => self.nested(class, declared, to),
        }
    }

    #[inline(never)]
    fn nested(
        &mut self,
        class: &Class,
        declared: Option<&'a Declared>,
        to: &mut Taker<'_>,
    ) -> Result<()> {
        if self.depth == DEEPEST {
            return Err(self.too_deep());
        }
        self.depth += 1;
        match class.form {
            Form::Object(place) => self.object(place, declared, to),
            Form::Record(place) => self.record(place, to),
            Form::Array => self.array(class, to),
            Form::Collection(container) => self.collection(class, container, declared, to),
            Form::Map(container) => self.map(class, container, declared, to),
            Form::CollectionWrapper | Form::MapWrapper => self.wrapper(class, declared, to),
            _ => self.special(class)?.hand(to),
        }?;
        self.depth -= 1;
        Ok(())
    }

    #[cold]
    fn too_deep(&self) -> Mismatch {
        let what = format!("values are nested more than {DEEPEST} deep");
        self.input.fault(what)
    }

    /// A value that most fields hold. It is made where `to` takes it: to move one costs more than to
    /// read it.
    fn leaf_to(&mut self, class: &Class, to: &mut Taker<'_>) -> Result<()> {
        if self.depth == DEEPEST {
            return Err(self.too_deep());
        }
        let input = &mut self.input;
        match class.form {
            Form::String => match input.marked()? {
                Some(text) => to(Source::Value(JavaValue::String(text))),
                None => to(Source::Value(input.unmarked()?)),
            },
            Form::Boolean => to(Source::Value(JavaValue::Boolean(input.boolean()?))),
            Form::Integer => to(Source::Value(JavaValue::Integer(input.zigzag()?))),
            Form::Long => to(Source::Value(JavaValue::Long(input.long_zigzag()?))),
            Form::Double => {
                let bytes = input.array()?;
                to(Source::Value(JavaValue::Double(f64::from_le_bytes(bytes))))
            }
            _ => to(Source::Value(self.leaf(class)?)),
        }
    }

    /// A value that is mostly small, and so read as a whole.
    #[inline(never)]
    fn special(&mut self, class: &Class) -> Result<JavaValue> {
        Ok(match class.form {
            Form::EmptyCollection
            | Form::EmptyMap
            | Form::SingletonCollection
            | Form::SingletonMap
            | Form::EnumSet
            | Form::KeySetView => self.special_container(class)?,
            Form::Stream(_) => self.stream(class)?,
            Form::Optional => match self.tree()? {
                JavaValue::Null => JavaValue::Optional(None),
                value => JavaValue::Optional(Some(Box::new(value))),
            },
            Form::AtomicReference => {
                JavaValue::object(class.name.clone(), [("value", self.tree()?)])
            }
            Form::Class => self.class_object()?,
            _ => self.leaf(class)?,
        })
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

    /// Hands `count` values over to `hand`. Each call of `read` reads one: the closure gets its place.
    fn contents(
        &mut self,
        count: usize,
        mut read: impl FnMut(&mut Self, usize, &mut Taker<'_>) -> Result<()>,
        hand: impl FnOnce(&mut dyn Contents) -> Result<()>,
    ) -> Result<()> {
        let mut left = count;
        let mut unread = Each {
            len: count.min(self.input.rest().len()),
            read: |to: &mut Taker<'_>| {
                for place in 0..std::mem::take(&mut left) {
                    let before = self.input.offset();
                    read(self, place, to)?;
                    if self.input.offset() == before {
                        self.charge(1)?;
                    }
                }
                Ok(())
            },
        };
        hand(&mut unread)?;
        // A type may have no use for them.
        unread.each(&mut skip)
    }

    /// Reads `count` values of one kind.
    fn leaves<T>(
        &mut self,
        count: usize,
        mut read: impl FnMut(&mut Self) -> Result<T>,
    ) -> Result<Vec<T>> {
        // The count may be a lie.
        let mut leaves = Vec::with_capacity(count.min(16));
        for place in 0..count {
            let before = self.input.offset();
            leaves.push(read(self).map_err(|fault| fault.at_place(place))?);
            if self.input.offset() == before {
                self.charge(1)?;
            }
        }
        Ok(leaves)
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
