use super::Writer;
use crate::java::{Constant, JavaValue, Mismatch, Name, jdk};
use crate::kryo5::classes::Class;
use crate::kryo5::fault::{Fault, Result};
use crate::kryo5::form::Form;
use crate::kryo5::reader::unknown;

impl Writer<'_> {
    /// The class that a value has at run time. A constant with a body has a class of its own.
    pub(super) fn class_of(&self, value: &JavaValue) -> Result<Class> {
        let form = match value {
            JavaValue::Boolean(_) => Form::Boolean,
            JavaValue::Byte(_) => Form::Byte,
            JavaValue::Short(_) => Form::Short,
            JavaValue::Character(_) => Form::Character,
            JavaValue::Integer(_) => Form::Integer,
            JavaValue::Long(_) => Form::Long,
            JavaValue::Float(_) => Form::Float,
            JavaValue::Double(_) => Form::Double,
            JavaValue::String(_) | JavaValue::Utf16(_) => Form::String,
            JavaValue::BigInteger(_) => Form::BigInteger,
            JavaValue::BigDecimal(_) => Form::BigDecimal,
            JavaValue::Uuid(_) => Form::Uuid,
            JavaValue::Bytes(_) => Form::Bytes,
            JavaValue::Optional(_) => Form::Optional,
            JavaValue::Enum(constant) => return self.class_of_constant(constant),
            _ => {
                let name = value.class_name();
                let class = match self.classes.find(&name) {
                    // It was read without a description.
                    None if matches!(value, JavaValue::Serialized(_)) => {
                        Some(Class::throwable(name.clone()))
                    }
                    class => class,
                };
                let class = class.ok_or_else(|| {
                    let what = abstract_class(&name);
                    Fault::new(what.unwrap_or_else(|| unknown(&name, self.classes)))
                })?;
                return match is_of_kind(value, class.form) {
                    true => Ok(class),
                    false => Err(Fault::new(unwritable(value, &name))),
                };
            }
        };
        let name = value.class_name();
        Ok(Class { name, form })
    }

    fn class_of_constant(&self, constant: &Constant) -> Result<Class> {
        let Some(Class {
            form: Form::Enum(place),
            ..
        }) = self.classes.find(&constant.class)
        else {
            return Err(Fault::new(unknown(&constant.class, self.classes)));
        };
        let constants = &self.classes.shape(place).constants;
        match constants.iter().find(|it| it.name == constant.name) {
            Some(constant) => Ok(constant.class.clone()),
            None => {
                let known = constants.iter().map(|it| &*it.name);
                let Constant { class, name } = constant;
                let error = Mismatch::no_constant(class.clone(), name, known);
                Err(Fault::new(error.to_string()))
            }
        }
    }
}

/// True if values of this kind are written in this form.
fn is_of_kind(value: &JavaValue, form: Form) -> bool {
    match value {
        JavaValue::Array(_) => matches!(form, Form::Array(_)),
        JavaValue::Collection(it) => match form {
            // Java itself cannot read it back.
            Form::Collection(_) => it.class != "java.util.ArrayList$SubList",
            Form::EmptyCollection
            | Form::SingletonCollection
            | Form::EnumSet
            | Form::KeySetView => true,
            _ => false,
        },
        JavaValue::Map(_) => {
            matches!(form, Form::Map(_) | Form::EmptyMap | Form::SingletonMap)
        }
        JavaValue::Date(_) => form == Form::Date,
        JavaValue::Text(_) => matches!(form, Form::Text { .. } | Form::Class),
        JavaValue::Object(_) => matches!(
            form,
            Form::Object(_)
                | Form::Record(_)
                | Form::Locale
                | Form::Pattern
                | Form::BitSet
                | Form::Calendar
                | Form::AtomicBoolean
                | Form::AtomicInteger
                | Form::AtomicLong
                | Form::AtomicReference
        ),
        JavaValue::Serialized(_) => matches!(
            form,
            Form::CollectionWrapper | Form::MapWrapper | Form::Stream(_)
        ),
        JavaValue::Time(_) => true,
        _ => false,
    }
}

/// Why a class cannot be written, and which class to use instead.
fn unwritable(value: &JavaValue, name: &Name) -> String {
    match value {
        JavaValue::Collection(_) if name.contains("Set") => {
            format!("a {name} cannot be written: make it a java.util.LinkedHashSet")
        }
        JavaValue::Collection(_) => {
            format!("a {name} cannot be written: make it a java.util.ArrayList")
        }
        JavaValue::Map(_) => {
            format!("a {name} cannot be written: make it a java.util.LinkedHashMap")
        }
        _ => format!("a {name} cannot be written as this kind of value"),
    }
}

/// The error for classes and interfaces that Java cannot make objects of. Redisson would neither
/// answer nor fail, and its connection would hang.
fn abstract_class(name: &str) -> Option<String> {
    let instead = jdk::concrete(name)?;
    Some(format!(
        "java cannot make objects of {name}: name a class such as {instead}"
    ))
}
