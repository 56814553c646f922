//! From Rust values to trees and back.

use std::sync::Arc;

use super::reader::Reader;
use super::rules::Rules;
use super::tree::Tree;
use super::writer::Writer;
use crate::Error;
use crate::java::{InvalidSchema, JavaObject, Schema, schema::Layouts};

/// Turns Rust values into [`Tree`]s and back, for all codecs of this family.
#[derive(Clone, Debug)]
pub(super) struct Typing {
    layouts: Result<Arc<Layouts>, Error>,
    pub(super) rules: Rules,
}

impl Typing {
    /// Makes the typing of `T`. If the classes of `T` contradict each other, each call fails.
    pub(super) fn of<T: JavaObject>(rules: Rules) -> Self {
        let layouts = Layouts::new(&Schema::of::<T>(Schema::new()));
        let layouts = layouts.map(Arc::new).map_err(Error::contradiction);
        Self { layouts, rules }
    }

    /// Makes the typing of `T`, with more classes than `T` describes.
    pub(super) fn with_schema<T: JavaObject>(
        rules: Rules,
        schema: Schema,
    ) -> Result<Self, InvalidSchema> {
        let layouts = Ok(Arc::new(Layouts::new(&Schema::of::<T>(schema))?));
        Ok(Self { layouts, rules })
    }

    pub(super) fn write<T: JavaObject>(&self, value: &T) -> Result<Tree, Error> {
        let value = value.to_java();
        if value.is_null() {
            return Err(Error::null());
        }
        let layouts = self.layouts.as_deref().map_err(Error::clone)?;
        Writer::new(layouts, &self.rules)
            .root(&value)
            .map_err(|error| Error::with_source("value cannot be written by jackson", error))
    }

    pub(super) fn read<T: JavaObject>(&self, tree: Tree) -> Result<T, Error> {
        let layouts = self.layouts.as_deref().map_err(Error::clone)?;
        Reader::new(layouts)
            .root(tree, &T::java_type())
            .and_then(T::from_java)
            .map_err(Error::mismatch)
    }
}
