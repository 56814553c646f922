use super::Writer;
use crate::java::{Array, JavaValue, Name, Object, Text};
use crate::kryo5::classes::Class;
use crate::kryo5::fault::{Fault, Result};
use crate::kryo5::form::Form;

impl Writer<'_> {
    /// A value that holds no other values.
    pub(super) fn leaf(&mut self, value: &JavaValue, class: &Class) -> Result<()> {
        let output = &mut self.output;
        match value {
            JavaValue::Null => return Err(Fault::new(format!("{} is null", class.name))),
            JavaValue::Boolean(flag) => output.boolean(*flag),
            JavaValue::Byte(number) => output.byte(number.cast_unsigned()),
            JavaValue::Short(number) => output.bytes(&number.to_le_bytes()),
            JavaValue::Character(unit) => output.bytes(&unit.to_le_bytes()),
            JavaValue::Integer(number) => output.zigzag(*number),
            JavaValue::Long(number) => output.long_zigzag(*number),
            JavaValue::Float(number) => output.bytes(&number.to_le_bytes()),
            JavaValue::Double(number) => output.bytes(&number.to_le_bytes()),
            JavaValue::String(text) => output.text(text)?,
            JavaValue::Utf16(units) => output.units(units)?,
            JavaValue::BigInteger(number) => {
                let bytes = number.to_signed_bytes_be();
                output.length(bytes.len())?;
                output.bytes(&bytes);
            }
            JavaValue::BigDecimal(number) => {
                let bytes = number.unscaled.to_signed_bytes_be();
                output.length(bytes.len())?;
                output.bytes(&bytes);
                output.zigzag(number.scale);
            }
            JavaValue::Uuid(uuid) => {
                output.bytes(&((uuid >> 64) as u64).to_le_bytes());
                output.bytes(&(*uuid as u64).to_le_bytes());
            }
            JavaValue::Date(date) => output.long(date.millis),
            JavaValue::Bytes(bytes) => {
                output.length(bytes.len())?;
                output.bytes(bytes);
            }
            JavaValue::Enum(constant) => {
                let Form::Enum(place) = class.form else {
                    return Err(Fault::new(format!("{} is no enum", class.name)));
                };
                let mut constants = self.classes.shape(place).constants.iter();
                let ordinal = constants.position(|it| it.name == constant.name);
                output.length(ordinal.unwrap_or_default())?;
            }
            JavaValue::Text(text) if class.form == Form::Class => return self.class_object(text),
            JavaValue::Text(text) => output.text(&text.text)?,
            JavaValue::Time(time) => self.time(time)?,
            other => {
                let what = format!("a {} cannot be written", other.class_name());
                return Err(Fault::new(what));
            }
        }
        Ok(())
    }

    /// The tags of `int` and `Integer` are the same, so a byte tells them apart.
    fn class_object(&mut self, class: &Text) -> Result<()> {
        if class.text.is_empty() {
            return Err(Fault::new("name of a class is empty"));
        }
        match self.classes.find(&class.text) {
            Some(found) if found.form.primitive_tag().is_some() => {
                self.tag(&found)?;
                self.output.boolean(!class.text.contains('.'));
                Ok(())
            }
            Some(found) => self.tag(&found),
            // A value must have a known class, but a class object may name any.
            None => self.tag_name(&Name::from(class.text.clone())),
        }
    }

    pub(super) fn object_of_jdk(&mut self, object: &Object, class: &Class) -> Result<()> {
        let fields: &[&'static str] = match class.form {
            Form::Locale => &["language", "country", "variant"],
            Form::Pattern => &["pattern", "flags"],
            Form::BitSet => &["words"],
            Form::Calendar => &[
                "zone",
                "time",
                "lenient",
                "firstDayOfWeek",
                "minimalDaysInFirstWeek",
                "gregorianCutover",
            ],
            _ => &["value"],
        };
        if let Some((name, _)) = object.fields.iter().find(|it| !fields.contains(&&*it.0)) {
            let what = format!("class {} has no such field", class.name);
            return Err(Fault::new(what).within(name));
        }
        for field in fields {
            let Some(value) = object.get(field) else {
                let what = format!("field of class {} is missing", class.name);
                return Err(Fault::new(what).within(field));
            };
            self.field_of_jdk(field, value, class)
                .map_err(|fault| fault.within(field))?;
        }
        Ok(())
    }

    fn field_of_jdk(&mut self, field: &str, value: &JavaValue, class: &Class) -> Result<()> {
        let output = &mut self.output;
        match (class.form, field, value) {
            (Form::Locale, "variant", JavaValue::String(text))
            | (Form::Calendar, "zone", JavaValue::String(text))
            | (Form::Pattern, "pattern", JavaValue::String(text)) => output.text(text)?,
            (Form::Locale, _, JavaValue::String(text)) if text.is_ascii() => output.name(text)?,
            (Form::Pattern, "pattern", JavaValue::Utf16(units)) => output.units(units)?,
            (Form::Pattern, "flags", JavaValue::Integer(flags)) => output.int(*flags),
            (Form::BitSet, _, JavaValue::Array(Array { class, items })) if class == "[J" => {
                let mut words = Vec::with_capacity(items.len());
                for item in items {
                    match item {
                        JavaValue::Long(word) => words.extend(word.to_le_bytes()),
                        other => return Err(expected("long", other)),
                    }
                }
                output.varint(u32::try_from(items.len()).unwrap_or(u32::MAX));
                output.bytes(&words);
            }
            (Form::Calendar, "time", JavaValue::Long(millis)) => output.long(*millis),
            (Form::Calendar, "lenient", JavaValue::Boolean(flag)) => output.boolean(*flag),
            (Form::Calendar, "gregorianCutover", JavaValue::Long(millis)) => {
                output.long_zigzag(*millis);
            }
            (Form::Calendar, "firstDayOfWeek", JavaValue::Integer(number))
            | (Form::Calendar, "minimalDaysInFirstWeek", JavaValue::Integer(number)) => {
                output.int(*number);
            }
            (Form::AtomicBoolean, _, JavaValue::Boolean(flag)) => output.boolean(*flag),
            (Form::AtomicInteger, _, JavaValue::Integer(number)) => {
                output.bytes(&number.to_le_bytes());
            }
            (Form::AtomicLong, _, JavaValue::Long(number)) => output.bytes(&number.to_le_bytes()),
            (Form::AtomicReference, _, value) => self.any(value, None)?,
            (_, _, other) => return Err(expected("another type", other)),
        }
        Ok(())
    }
}

fn expected(expected: &str, found: &JavaValue) -> Fault {
    Fault::new(format!("expected {expected}, found {}", found.class_name()))
}
