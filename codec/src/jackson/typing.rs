//! From Rust values to a syntax and back.

use std::sync::Arc;

use super::reader::Reader;
use super::rules::Rules;
use super::sink::Sink;
use super::tape::Node;
use super::writer::Writer;
use crate::Error;
use crate::java::{InvalidSchema, JavaObject, JavaType, Schema, schema::Layouts};

/// Writes and reads Rust values, for all codecs of this family.
#[derive(Clone, Debug)]
pub(super) struct Typing {
    layouts: Result<Arc<Layouts>, Error>,
    /// The type of whole values.
    declared: Arc<JavaType>,
    /// The class that a whole value mostly has.
    usual: Arc<JavaType>,
    pub(super) rules: Rules,
}

impl Typing {
    /// Makes the typing of `T`. If the classes of `T` contradict each other, each call fails.
    pub(super) fn of<T: JavaObject>(rules: Rules) -> Self {
        let layouts = Layouts::new(&Schema::of::<T>(Schema::new()));
        let layouts = layouts.map(Arc::new).map_err(Error::contradiction);
        Self {
            layouts,
            declared: Arc::new(T::java_type()),
            usual: Arc::new(usual::<T>()),
            rules,
        }
    }

    /// Makes the typing of `T`, with more classes than `T` describes.
    pub(super) fn with_schema<T: JavaObject>(
        rules: Rules,
        schema: Schema,
    ) -> Result<Self, InvalidSchema> {
        let layouts = Ok(Arc::new(Layouts::new(&Schema::of::<T>(schema))?));
        Ok(Self {
            layouts,
            declared: Arc::new(T::java_type()),
            usual: Arc::new(usual::<T>()),
            rules,
        })
    }

    /// Writes a value in a syntax.
    pub(super) fn write<T: JavaObject, S: Sink>(&self, value: &T, sink: S) -> Result<(), Error> {
        let layouts = self.layouts.as_deref().map_err(Error::clone)?;
        let written = Writer::new(layouts, &self.rules, &self.usual, sink).whole(value);
        written
            .ok_or_else(Error::null)?
            .map_err(|error| Error::with_source("value cannot be written by jackson", error))
    }

    pub(super) fn read<T: JavaObject>(&self, root: Node<'_>) -> Result<T, Error> {
        let layouts = self.layouts.as_deref().map_err(Error::clone)?;
        let mut read = None;
        let reader = Reader {
            layouts,
            rules: &self.rules,
        };
        let handed = reader.value(root, &self.declared, &mut |value| {
            read = Some(T::from_source(value)?);
            Ok(())
        });
        handed.map_err(Error::mismatch)?;
        read.ok_or_else(Error::null)
    }
}

fn usual<T: JavaObject>() -> JavaType {
    JavaType::new(T::java_type().boxed().name().clone())
}
