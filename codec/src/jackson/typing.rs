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
    layouts: Arc<Layouts>,
    /// The type of whole values.
    declared: Arc<JavaType>,
    /// The class that a whole value mostly has.
    usual: Arc<JavaType>,
    pub(super) rules: Rules,
}

impl Typing {
    pub(super) fn new(
        schema: &Schema,
        declared: JavaType,
        rules: Rules,
    ) -> Result<Self, InvalidSchema> {
        let layouts = match rules.bounded_wildcards {
            true => Layouts::new(&schema.with_bounded_wildcards()),
            false => Layouts::new(schema),
        };
        Ok(Self {
            layouts: Arc::new(layouts?),
            usual: Arc::new(JavaType::new(declared.clone().boxed().name().clone())),
            declared: Arc::new(declared),
            rules,
        })
    }

    /// Writes a value in a syntax.
    pub(super) fn write<T: JavaObject, S: Sink>(&self, value: &T, sink: S) -> Result<(), Error> {
        let written = Writer::new(&self.layouts, &self.rules, &self.usual, sink).whole(value);
        written
            .ok_or_else(Error::null)?
            .map_err(|error| Error::with_source("value cannot be written by jackson", error))
    }

    pub(super) fn read<T: JavaObject>(&self, root: Node<'_>) -> Result<T, Error> {
        let mut read = None;
        let reader = Reader {
            layouts: &self.layouts,
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
