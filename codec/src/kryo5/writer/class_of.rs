use super::Writer;
use crate::java::{Mismatch, Name, View, jdk};
use crate::kryo5::Result;
use crate::kryo5::classes::Class;
use crate::kryo5::form::Form;
use crate::kryo5::reader::unknown;

impl Writer<'_> {
    /// True if the value surely has this class, which was found before.
    pub(super) fn is_of(&self, value: &View<'_>, class: &Class) -> bool {
        match *value {
            View::Array(name, _)
            | View::Collection(name, ..)
            | View::Map(name, ..)
            | View::Object(name, _)
            | View::Text(name, _)
            | View::Date(name, _) => class.name == *name && is_of_kind(value, class.form),
            View::Enum(name, constant) => match class.form {
                Form::Enum(place) if class.name == *name => {
                    let mut constants = self.classes.shape(place).constants.iter();
                    let constant = constants.find(|it| it.name == *constant);
                    constant.is_some_and(|it| it.class.name == class.name)
                }
                _ => false,
            },
            _ => is_plain(value, class.form),
        }
    }

    /// The class that a value has at run time. A constant with a body has a class of its own.
    pub(super) fn class_of(&self, value: &View<'_>) -> Result<Class> {
        let form = match value {
            View::Boolean(_) => Form::Boolean,
            View::Byte(_) => Form::Byte,
            View::Short(_) => Form::Short,
            View::Character(_) => Form::Character,
            View::Integer(_) => Form::Integer,
            View::Long(_) => Form::Long,
            View::Float(_) => Form::Float,
            View::Double(_) => Form::Double,
            View::String(_) | View::Utf16(_) => Form::String,
            View::BigInteger(_) => Form::BigInteger,
            View::BigDecimal(_) => Form::BigDecimal,
            View::Uuid(_) => Form::Uuid,
            View::Bytes(_) => Form::Bytes,
            View::Optional(_) => Form::Optional,
            View::Enum(class, name) => return self.class_of_constant(class, name),
            _ => {
                let name = value.class_name();
                let class = match self.classes.find(&name) {
                    // It was read without a description.
                    None if matches!(value, View::Serialized(_)) => {
                        Some(Class::throwable(name.clone()))
                    }
                    class => class,
                };
                let class = class.ok_or_else(|| {
                    let what = abstract_class(&name);
                    Mismatch::because(what.unwrap_or_else(|| unknown(&name, self.classes)))
                })?;
                return match is_of_kind(value, class.form) {
                    true => Ok(class),
                    false => Err(Mismatch::because(unwritable(value, &name))),
                };
            }
        };
        let name = value.class_name();
        Ok(Class { name, form })
    }

    fn class_of_constant(&self, class: &Name, name: &Name) -> Result<Class> {
        let Some(Class {
            form: Form::Enum(place),
            ..
        }) = self.classes.find(class)
        else {
            return Err(Mismatch::because(unknown(class, self.classes)));
        };
        let constants = &self.classes.shape(place).constants;
        match constants.iter().find(|it| it.name == *name) {
            Some(constant) => Ok(constant.class.clone()),
            None => {
                let known = constants.iter().map(|it| &*it.name);
                let error = Mismatch::no_constant(class.clone(), name, known);
                Err(Mismatch::because(error.to_string()))
            }
        }
    }
}

/// True for a text and a number of this form.
#[inline]
pub(super) fn is_plain(value: &View<'_>, form: Form) -> bool {
    matches!(
        (value, form),
        (View::String(_), Form::String)
            | (View::Long(_), Form::Long)
            | (View::Integer(_), Form::Integer)
            | (View::Boolean(_), Form::Boolean)
            | (View::Double(_), Form::Double)
            | (View::Float(_), Form::Float)
            | (View::Short(_), Form::Short)
            | (View::Byte(_), Form::Byte)
            | (View::Character(_), Form::Character)
    )
}

/// True if values of this kind are written in this form.
fn is_of_kind(value: &View<'_>, form: Form) -> bool {
    match value {
        View::Array(..) => form == Form::Array,
        View::Collection(class, ..) => match form {
            // Java itself cannot read it back.
            Form::Collection(_) => **class != "java.util.ArrayList$SubList",
            Form::EmptyCollection
            | Form::SingletonCollection
            | Form::EnumSet
            | Form::KeySetView => true,
            _ => false,
        },
        View::Map(..) => {
            matches!(form, Form::Map(_) | Form::EmptyMap | Form::SingletonMap)
        }
        View::Date(..) => form == Form::Date,
        View::Text(..) => matches!(form, Form::Text { .. } | Form::Class),
        View::Object(..) => matches!(
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
                | Form::MonthDay
                | Form::OffsetTime
                | Form::OptionalDouble
                | Form::OptionalInt
                | Form::OptionalLong
        ),
        View::Serialized(_) => matches!(
            form,
            Form::CollectionWrapper | Form::MapWrapper | Form::Stream(_)
        ),
        View::Time(_) => true,
        _ => false,
    }
}

/// Why a class cannot be written, and which class to use instead.
fn unwritable(value: &View<'_>, name: &Name) -> String {
    match value {
        View::Collection(..) if name.contains("Set") => {
            format!("a {name} cannot be written: make it a java.util.LinkedHashSet")
        }
        View::Collection(..) => {
            format!("a {name} cannot be written: make it a java.util.ArrayList")
        }
        View::Map(..) => {
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
