//! Refuses values that do not fit their place. Java could not read the whole value.

use super::Writer;
use crate::jackson::reader::scalar;
use crate::jackson::tree::Tree;
use crate::java::schema::Shape;
use crate::java::{JavaType, JavaValue, Mismatch, jdk};

impl Writer<'_> {
    /// Refuses a value that a place declared as `declared` cannot hold.
    pub(super) fn check(&self, value: &JavaValue, declared: &JavaType) -> Result<(), Mismatch> {
        if value.is_null() {
            return match declared.is_primitive() {
                true => Err(Mismatch::unknown(declared.to_string(), "null")),
                false => Ok(()),
            };
        }
        let class = value.class_name();
        let fits = match value {
            // `object` has a better error for this.
            JavaValue::Object(_) if !self.layouts.knows(&class) => true,
            JavaValue::Collection(_) if !self.layouts.knows(&class) => {
                self.layouts.can_hold_unknown(declared.name(), false)
            }
            JavaValue::Map(_) if !self.layouts.knows(&class) => {
                self.layouts.can_hold_unknown(declared.name(), true)
            }
            _ if declared.is_primitive() => class == *declared.clone().boxed().name(),
            _ => self.layouts.can_hold(declared.name(), &class),
        };
        if !fits {
            return Err(Mismatch::new(declared.to_string(), value));
        }
        if self.layouts.get(&class).is_some_and(|it| it.is_abstract) {
            let what =
                format!("java cannot make objects of {class}: the schema says it is abstract");
            return Err(Mismatch::because(what));
        }
        if !self.is_of_kind(value, &class) {
            let what = format!("a {class} cannot be written as this kind of value");
            return Err(Mismatch::because(what));
        }
        match value {
            JavaValue::Enum(constant) => self.check_constant(&constant.class, &constant.name),
            _ => Ok(()),
        }
    }

    /// Refuses a key of another type than the map declares. A text is accepted if Java reads it as
    /// a key of that type.
    pub(super) fn check_key(&self, key: &JavaValue, declared: &JavaType) -> Result<(), Mismatch> {
        let JavaValue::String(text) = key else {
            return self.check(key, declared);
        };
        let class = declared.name();
        if self.layouts.get(class).is_some() {
            return self.check_constant(class, text);
        }
        match scalar::read(class, &Tree::String(text.clone())) {
            Some(None) => Err(Mismatch::new(declared.to_string(), key)),
            _ => Ok(()),
        }
    }

    /// True if the class can have this kind of value. True if the class is unknown.
    fn is_of_kind(&self, value: &JavaValue, class: &str) -> bool {
        let shape = self.layouts.get(class).map(|layout| &layout.shape);
        match (value, shape) {
            (JavaValue::Object(_), Some(shape)) => matches!(shape, Shape::Object { .. }),
            (JavaValue::Enum(_), Some(shape)) => matches!(shape, Shape::Enum { .. }),
            (_, Some(shape)) => matches!(shape, Shape::Container { .. }),
            (JavaValue::Collection(_), None) => !jdk::is_map(class),
            (JavaValue::Map(_), None) => !jdk::is_collection(class),
            _ => true,
        }
    }

    /// Refuses a constant that a known enum does not have.
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
