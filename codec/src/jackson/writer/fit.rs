//! Refuses values that do not fit their place. Java could not read the whole value.

use super::{Writer, is_natural};
use crate::jackson::place;
use crate::jackson::reader::{no_objects, scalar};
use crate::jackson::tape::{Node, Token};
use crate::java::schema::{Layout, Shape};
use crate::java::{Fitting, JavaType, Mismatch, Name, View, jdk};

impl<'a, S> Writer<'a, S> {
    /// True if such a value was found to fit the place.
    #[inline]
    pub(super) fn is_usual(&self, value: &View<'_>, declared: &JavaType) -> Result<bool, Mismatch> {
        let fitting = declared.facts.fitting.get();
        let is_usual = fitting.is_some_and(|it| it.holds(value));
        match value {
            View::Enum(class, name) if is_usual => self.check_constant(class, name)?,
            _ => {}
        }
        Ok(is_usual)
    }

    /// Refuses a value that a place declared as `declared` cannot hold, or whose class it cannot tell.
    #[inline(never)]
    pub(super) fn check_place(
        &self,
        value: &View<'_>,
        declared: &JavaType,
    ) -> Result<(), Mismatch> {
        if !place::is_unknown(declared) {
            return self.check(value, declared);
        }
        if !is_natural(value) && self.layouts.is_final(&value.class_name()) {
            return Err(place::untold());
        }
        self.check(value, &self.layouts.object)
    }

    /// The layout of the class of a container at a place declared as `declared`.
    pub(super) fn layout(&self, class: &Name, declared: &JavaType) -> Option<&'a Layout> {
        match declared.facts.fitting.get() {
            Some(usual) if !usual.is_laid_out && usual.class == *class => None,
            _ => self.layouts.get(class),
        }
    }

    /// Refuses a value that a place declared as `declared` cannot hold.
    pub(super) fn check(&self, value: &View<'_>, declared: &JavaType) -> Result<(), Mismatch> {
        if self.is_usual(value, declared)? {
            return Ok(());
        }
        if value.is_null() {
            return match declared.is_primitive() {
                true => Err(Mismatch::unknown(declared.to_string(), "null")),
                false => Ok(()),
            };
        }
        let class = value.class_name();
        let fits = match value {
            // `object` has a better error for this.
            View::Object(..) if !self.layouts.knows(&class) => true,
            View::Collection(..) if !self.layouts.knows(&class) => {
                self.layouts.can_hold_unknown(declared.name(), false)
            }
            View::Map(..) if !self.layouts.knows(&class) => {
                self.layouts.can_hold_unknown(declared.name(), true)
            }
            _ if declared.is_primitive() => class == *declared.clone().boxed().name(),
            _ => self.layouts.can_hold(declared.name(), &class),
        };
        if !fits {
            return Err(Mismatch::found(declared.to_string(), value));
        }
        if self.layouts.get(&class).is_some_and(|it| it.is_abstract) {
            return Err(no_objects(&class));
        }
        if !self.is_of_kind(value, &class) {
            let what = format!("a {class} cannot be written as this kind of value");
            return Err(Mismatch::because(what));
        }
        // A place mostly holds values of one class. It does no harm if another was first. Keys and
        // values can share an unknown type, but not what fits them.
        if !place::is_unknown(declared) {
            _ = declared.facts.fitting.set(Fitting {
                kind: value.kind(),
                is_laid_out: self.layouts.get(&class).is_some(),
                class,
            });
        }
        match value {
            View::Enum(class, name) => self.check_constant(class, name),
            _ => Ok(()),
        }
    }

    /// Refuses a key of another type than the map declares. A text is accepted if Java reads it as
    /// a key of that type.
    pub(super) fn check_key(&self, key: &View<'_>, declared: &JavaType) -> Result<(), Mismatch> {
        let View::String(text) = key else {
            return self.check(key, declared);
        };
        let class = declared.name();
        if class == "java.lang.String" || class == "java.lang.Object" {
            return Ok(());
        }
        if self.layouts.get(class).is_some() {
            return self.check_constant(class, text);
        }
        match scalar::read(class, Node::leaf(&Token::String((*text).into()))) {
            Some(None) => Err(Mismatch::found(declared.to_string(), key)),
            _ => Ok(()),
        }
    }

    /// True if the class can have this kind of value. True if the class is unknown.
    fn is_of_kind(&self, value: &View<'_>, class: &str) -> bool {
        let shape = self.layouts.get(class).map(|layout| &layout.shape);
        match (value, shape) {
            (View::Object(..), Some(shape)) => matches!(shape, Shape::Object { .. }),
            (View::Enum(..), Some(shape)) => matches!(shape, Shape::Enum { .. }),
            (_, Some(shape)) => matches!(shape, Shape::Container { .. }),
            (View::Collection(..), None) => !jdk::is_map(class),
            (View::Map(..), None) => !jdk::is_collection(class),
            _ => true,
        }
    }

    /// Refuses a constant that a known enum does not have.
    #[inline(never)]
    fn check_constant(&self, class: &str, name: &str) -> Result<(), Mismatch> {
        let Some(layout) = self.layouts.get(class) else {
            return Ok(());
        };
        match &layout.shape {
            Shape::Enum { constants, .. } if !constants.iter().any(|it| *it == name) => {
                Err(Mismatch::no_constant(layout.name.clone(), name, constants))
            }
            _ => Ok(()),
        }
    }
}
