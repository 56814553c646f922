//! Takes values apart into the parts that Java's serialization sends. The reverse of
//! [`graph`](super::graph).

use std::sync::Arc;

use smallvec::SmallVec;

use super::descriptor::{DescribedField, Descriptor, Unwritable};
use super::graph::Texts;
use super::{Entries, Fields, Found, Items, JavaValue, Name, Schema, View};

mod container;
mod object;
mod scalar;

pub(crate) type Written = Result<(), Unwritable>;

/// An object, and the parts that its classes send.
#[derive(Debug)]
pub(crate) struct Parts<'v> {
    /// The class that is sent. It may stand for the class of the value.
    pub(crate) class: Arc<Descriptor>,
    /// Objects with equal keys are the same object.
    pub(crate) key: Option<Key>,
    content: Content<'v>,
}

#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a box for each container costs more than the room"
)]
enum Content<'v> {
    /// What classes of the JDK send, in any order.
    Known(SmallVec<[Sent<'v>; 2]>),
    /// Fields with the names that the classes declare.
    Declared(&'v dyn Fields),
}

/// What one class of an object sends.
pub(crate) struct Level<'p> {
    pub(crate) class: &'p Descriptor,
    fields: LevelFields<'p>,
    pub(crate) data: &'p [Piece<'p>],
}

enum LevelFields<'p> {
    Known(&'p [(&'static str, Piece<'p>)]),
    /// An object, the places of all fields in it, and the number of the first one of this class.
    Declared(&'p dyn Fields, &'p Found<'p>, usize),
}

/// What a field or a block of data holds.
#[derive(Debug)]
pub(crate) enum Piece<'v> {
    Value(View<'v>),
    /// A value that is made to be sent.
    Made(Box<JavaValue>),
    /// A value that is the same object wherever this key is.
    Shared(Box<(Key, JavaValue)>),
    /// The elements of a collection.
    Items(Items<'v>),
    /// The keys of a map, each with its value behind it.
    Entries(Entries<'v>),
    /// An enum itself.
    EnumClass(Name),
    /// Bytes without a type.
    Block(Block),
}

/// Mostly a few numbers.
pub(crate) type Block = SmallVec<[u8; 16]>;

/// An object of which there is only one, or which counts as one.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Key {
    Constant(Name, Name),
    /// One of the objects that a class keeps under names, or its only one.
    Named(Name, String),
    /// A number that Java keeps for all.
    Number(Name, i64),
    #[cfg(feature = "marshalling")]
    Text(Vec<u8>),
}

/// What one class sends, by the names of its fields.
#[derive(Debug)]
struct Sent<'v> {
    class: Name,
    fields: SmallVec<[(&'static str, Piece<'v>); 2]>,
    data: SmallVec<[Piece<'v>; 3]>,
}

impl<'v> Parts<'v> {
    /// Takes a value apart that is an object of a class with fields, as Java sees it: no string, no
    /// array, no constant of an enum.
    ///
    /// # Errors
    ///
    /// - [`Unwritable`] if the value cannot be written, or if `schema` does not say enough of its
    ///   class.
    pub(crate) fn of(value: &View<'v>, schema: &Schema, texts: Texts) -> Result<Self, Unwritable> {
        match *value {
            View::Collection(class, items, comparator) => {
                container::collection(value, class, items, comparator, schema)
            }
            View::Map(class, entries, comparator) => {
                container::map(value, class, entries, comparator, schema)
            }
            View::Text(class, text) => object::text(class, text, schema),
            View::Object(class, fields) => object::object(class, fields, schema),
            ref scalar => scalar::scalar(scalar, schema, texts),
        }
    }

    /// The parts of an object of the JDK, or of a class that extends it.
    fn known<const N: usize>(
        class: &Name,
        sent: [Sent<'v>; N],
        schema: &Schema,
    ) -> Result<Self, Unwritable> {
        Ok(Self {
            class: described(class, schema)?,
            key: None,
            content: Content::Known(sent.into_iter().collect()),
        })
    }

    /// The only object of its class.
    fn only(class: &Name, schema: &Schema) -> Result<Self, Unwritable> {
        let parts = Self::known(class, [], schema)?;
        Ok(parts.with_key(Key::Named(class.clone(), String::new())))
    }

    fn with_key(self, key: impl Into<Option<Key>>) -> Self {
        Self {
            key: key.into(),
            ..self
        }
    }

    /// Hands what each class sends to `to`, super classes first.
    ///
    /// # Errors
    ///
    /// - [`Unwritable`] if the object has not the fields that its classes declare, or from `to`.
    pub(crate) fn each_level(&self, mut to: impl FnMut(Level<'_>) -> Written) -> Written {
        match &self.content {
            Content::Known(sent) => self.class.lineage().rev().try_for_each(|class| {
                let sent = sent.iter().find(|it| it.class == class.name);
                to(Level {
                    class,
                    fields: LevelFields::Known(sent.map_or(&[], |it| &it.fields)),
                    data: sent.map_or(&[], |it| &it.data),
                })
            }),
            Content::Declared(fields) => object::each_level(&self.class, *fields, to),
        }
    }
}

impl Level<'_> {
    /// Hands over what the field of the class at this place holds.
    ///
    /// # Errors
    ///
    /// - [`Unwritable`] if the object has no such field, or one of another type, or from `to`.
    pub(crate) fn field(&self, place: usize, mut to: impl FnMut(&Piece<'_>) -> Written) -> Written {
        let described = &self.class.fields[place];
        let lacks = || of_field(self.class, described, "the value has no such field");
        match &self.fields {
            LevelFields::Known(sent) => {
                let sent = sent.iter().find(|(name, _)| described.name == *name);
                to(&sent.ok_or_else(lacks)?.1)
            }
            LevelFields::Declared(fields, places, first) => {
                let mut written = Ok(());
                fields.field(places.get(first + place).ok_or_else(lacks)?, &mut |value| {
                    written = match described.takes(value) {
                        true => to(&Piece::Value(*value)),
                        false => {
                            let reason = "a value of another class is declared";
                            Err(of_field(self.class, described, reason))
                        }
                    };
                });
                written
            }
        }
    }
}

impl<'v> Sent<'v> {
    fn new(class: impl Into<Name>) -> Self {
        Self {
            class: class.into(),
            fields: SmallVec::new(),
            data: SmallVec::new(),
        }
    }

    fn field(mut self, name: &'static str, piece: impl Into<Piece<'v>>) -> Self {
        self.fields.push((name, piece.into()));
        self
    }

    fn block(self, bytes: impl AsRef<[u8]>) -> Self {
        self.data(Piece::Block(SmallVec::from_slice(bytes.as_ref())))
    }

    fn data(mut self, piece: impl Into<Piece<'v>>) -> Self {
        self.data.push(piece.into());
        self
    }
}

impl<'v> From<View<'v>> for Piece<'v> {
    fn from(value: View<'v>) -> Self {
        Self::Value(value)
    }
}

impl<'v> From<&'v JavaValue> for Piece<'v> {
    fn from(value: &'v JavaValue) -> Self {
        Self::Value(value.into())
    }
}

impl From<JavaValue> for Piece<'_> {
    fn from(value: JavaValue) -> Self {
        Self::Made(Box::new(value))
    }
}

impl From<i32> for Piece<'_> {
    fn from(number: i32) -> Self {
        Self::Value(View::Integer(number))
    }
}

impl<'v> From<Items<'v>> for Piece<'v> {
    fn from(items: Items<'v>) -> Self {
        Self::Items(items)
    }
}

impl<'v> From<Entries<'v>> for Piece<'v> {
    fn from(entries: Entries<'v>) -> Self {
        Self::Entries(entries)
    }
}

/// The class of an object.
fn described(class: &Name, schema: &Schema) -> Result<Arc<Descriptor>, Unwritable> {
    let described = Descriptor::of(class, schema)?;
    match described.is_abstract {
        true => Err(unwritable(class, "the schema says it is abstract")),
        false => Ok(described),
    }
}

fn of_field(class: &Descriptor, field: &DescribedField, reason: &'static str) -> Unwritable {
    Unwritable {
        class: format!("{}.{}", class.name, field.name).into(),
        reason,
    }
}

fn unwritable(class: &Name, reason: &'static str) -> Unwritable {
    Unwritable {
        class: class.clone(),
        reason,
    }
}
