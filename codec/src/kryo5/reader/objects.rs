use super::Reader;
use crate::java::{Constant, JavaValue, Name, Object};
use crate::kryo5::classes::{Class, Field};
use crate::kryo5::declared::{Bound, Known, Within};
use crate::kryo5::fault::{Fault, Result};
use crate::kryo5::form::Form;

impl<'a> Reader<'a> {
    pub(super) fn object(&mut self, place: usize, within: Option<Within<'a>>) -> Result<JavaValue> {
        let shape = self.classes.shape(place);
        let (groups, own) = (&shape.groups, shape.parameters);
        let before = self.bindings.push(groups, own, within, self.classes);
        let object = self.fields(place, true)?;
        self.bindings = before;
        Ok(object)
    }

    /// A record is written without regard to type arguments.
    pub(super) fn record(&mut self, place: usize) -> Result<JavaValue> {
        self.fields(place, false)
    }

    fn fields(&mut self, place: usize, has_arguments: bool) -> Result<JavaValue> {
        let shape = self.classes.shape(place);
        let mut fields = Vec::with_capacity(shape.fields.len());
        for field in &shape.fields {
            let value = self
                .field(field, has_arguments)
                .map_err(|fault| fault.within(&field.name))?;
            fields.push((field.name.clone(), value));
        }
        Ok(JavaValue::Object(Object {
            class: shape.name.clone(),
            fields,
        }))
    }

    fn field(&mut self, field: &'a Field, has_arguments: bool) -> Result<JavaValue> {
        let within = Within {
            declared: &field.declared,
        };
        if let Bound::Primitive(form) = within.declared.bound {
            return self.content(&primitive(form), None);
        }
        let known = self.bindings.resolve(within, self.classes);
        let below = has_arguments.then_some(within);
        if let Known::Class(class) = known {
            return self.value_or_null(&class, below);
        }
        let start = self.input.offset();
        let Some(class) = self.class()? else {
            return Ok(JavaValue::Null);
        };
        if !self.classes.fits(&field.holds, &class) {
            let what = format!("expected {}, found {}", field.holds, class.name);
            return Err(Fault::at(start, what));
        }
        self.value(&class, below)
    }

    /// A constant of an enum, or null.
    pub(super) fn constant(&mut self, place: usize) -> Result<JavaValue> {
        let start = self.input.offset();
        let Some(ordinal) = self.input.length()? else {
            return Ok(JavaValue::Null);
        };
        let shape = self.classes.shape(place);
        let Some(constant) = shape.constants.get(ordinal) else {
            let what = format!("enum {} has no constant {ordinal}", shape.name);
            return Err(Fault::at(start, what));
        };
        Ok(JavaValue::Enum(Constant {
            class: shape.name.clone(),
            name: constant.name.clone(),
        }))
    }
}

/// A class for a primitive type: its name is not looked at.
pub(super) fn primitive(form: Form) -> Class {
    Class {
        name: Name::new("primitive"),
        form,
    }
}
