//! Takes values apart into the parts that Java's serialization sends. The reverse of
//! [`graph`](super::graph).

use std::borrow::Cow;
use std::sync::Arc;

use super::descriptor::{DescribedField, Descriptor, Unwritable};
use super::graph::Texts;
use super::{JavaValue, Name, Schema};

mod container;
mod object;
mod scalar;

/// An object, and the parts that its classes send.
#[derive(Debug)]
pub(crate) struct Parts<'v> {
    /// The class that is sent. It may stand for the class of the value.
    pub(crate) class: Name,
    /// Objects with equal keys are the same object.
    pub(crate) key: Option<Key>,
    /// Super classes first.
    pub(crate) levels: Vec<Level<'v>>,
}

/// What one class of an object sends.
#[derive(Debug)]
pub(crate) struct Level<'v> {
    pub(crate) class: Arc<Descriptor>,
    /// The values of the fields of the class, in the same order.
    pub(crate) fields: Vec<Piece<'v>>,
    pub(crate) data: Vec<Piece<'v>>,
}

/// What a field or a block of data holds.
#[derive(Clone, Debug)]
pub(crate) enum Piece<'v> {
    Value(Cow<'v, JavaValue>),
    /// A value that is the same object wherever this key is.
    Shared(Key, JavaValue),
    /// An enum itself.
    EnumClass(Name),
    /// Bytes without a type.
    Block(Vec<u8>),
}

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
struct Sent<'v> {
    class: Name,
    fields: Vec<(&'static str, Piece<'v>)>,
    data: Vec<Piece<'v>>,
}

impl<'v> Parts<'v> {
    /// Takes a value apart that is an object of a class with fields, as Java sees it: no string, no
    /// array, no constant of an enum.
    ///
    /// # Errors
    ///
    /// - [`Unwritable`] if the value cannot be written, or if `schema` does not say enough of its
    ///   class.
    pub(crate) fn of(
        value: &'v JavaValue,
        schema: &Schema,
        texts: Texts,
    ) -> Result<Self, Unwritable> {
        match value {
            JavaValue::Collection(collection) => container::collection(collection, schema),
            JavaValue::Map(map) => container::map(map, schema),
            JavaValue::Text(text) => object::text(text, schema),
            JavaValue::Object(object) => object::object(object, schema),
            scalar => scalar::scalar(scalar, schema, texts),
        }
    }

    /// The parts of an object of the JDK, or of a class that extends it.
    fn assemble(class: Name, sent: Vec<Sent<'v>>, schema: &Schema) -> Result<Self, Unwritable> {
        let mut levels = Vec::new();
        for descriptor in chain(&class, schema)? {
            let of_class = sent.iter().find(|it| it.class == descriptor.name);
            let fields = descriptor.fields.iter().map(|field| {
                let fields = of_class.map_or(&[][..], |it| &it.fields);
                let sent = fields.iter().find(|(name, _)| *name == field.name.as_str());
                let piece = sent.map(|(_, piece)| piece.clone());
                piece.ok_or_else(|| lacks(&descriptor, field))
            });
            levels.push(Level {
                fields: fields.collect::<Result<_, _>>()?,
                data: of_class.map(|it| it.data.clone()).unwrap_or_default(),
                class: descriptor,
            });
        }
        levels.reverse();
        Ok(Self {
            class,
            key: None,
            levels,
        })
    }
}

impl<'v> Sent<'v> {
    fn new(class: impl Into<Name>) -> Self {
        Self {
            class: class.into(),
            fields: Vec::new(),
            data: Vec::new(),
        }
    }

    fn field(mut self, name: &'static str, piece: impl Into<Piece<'v>>) -> Self {
        self.fields.push((name, piece.into()));
        self
    }

    fn block(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.data.push(Piece::Block(bytes.into()));
        self
    }

    fn data(mut self, values: impl IntoIterator<Item = &'v JavaValue>) -> Self {
        let values = values.into_iter();
        self.data
            .extend(values.map(|it| Piece::Value(Cow::Borrowed(it))));
        self
    }
}

impl<'v> From<&'v JavaValue> for Piece<'v> {
    fn from(value: &'v JavaValue) -> Self {
        Self::Value(Cow::Borrowed(value))
    }
}

impl From<JavaValue> for Piece<'_> {
    fn from(value: JavaValue) -> Self {
        Self::Value(Cow::Owned(value))
    }
}

impl From<i32> for Piece<'_> {
    fn from(number: i32) -> Self {
        JavaValue::Integer(number).into()
    }
}

/// The class and those that it extends.
fn chain(class: &Name, schema: &Schema) -> Result<Vec<Arc<Descriptor>>, Unwritable> {
    let mut chain = vec![Descriptor::of(class, schema)?];
    if schema.get(class).is_some_and(|it| it.is_abstract) {
        return Err(unwritable(class, "the schema says it is abstract"));
    }
    while let Some(super_class) = chain.last().and_then(|it| it.super_class.clone()) {
        chain.push(Descriptor::of(&super_class, schema)?);
    }
    Ok(chain)
}

fn lacks(class: &Descriptor, field: &DescribedField) -> Unwritable {
    Unwritable {
        class: format!("{}.{}", class.name, field.name).into(),
        reason: "the value has no such field",
    }
}

fn unwritable(class: &Name, reason: &'static str) -> Unwritable {
    Unwritable {
        class: class.clone(),
        reason,
    }
}
