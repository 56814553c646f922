use super::Writer;
use crate::java::time::numbers;
use crate::java::{Fields, Mismatch, Name, Temporal, View};
use crate::kryo5::Result;
use crate::kryo5::classes::Class;
use crate::kryo5::form::Form;
use crate::kryo5::reader::DEEPEST;

impl Writer<'_> {
    /// Writes a text or a number of this form, which most fields hold. `None` if the value is another one.
    /// `is_marked` says whether a byte before a number tells it from null.
    #[inline]
    pub(super) fn plain(
        &mut self,
        value: &View<'_>,
        form: Form,
        is_marked: bool,
    ) -> Option<Result<()>> {
        if self.references || self.depth == DEEPEST {
            return None;
        }
        let output = &mut self.output;
        match (value, form) {
            (View::String(text), Form::String) => return Some(output.text(text)),
            (View::Long(number), Form::Long) => {
                output.mark(is_marked);
                output.long_zigzag(*number);
            }
            (View::Integer(number), Form::Integer) => {
                output.mark(is_marked);
                output.zigzag(*number);
            }
            (View::Double(number), Form::Double) => {
                output.mark(is_marked);
                output.bytes(&number.to_le_bytes());
            }
            _ => return None,
        }
        Some(Ok(()))
    }

    /// A value that holds no other values.
    pub(super) fn leaf(&mut self, value: &View<'_>, class: &Class) -> Result<()> {
        let output = &mut self.output;
        match value {
            View::Null => return Err(Mismatch::because(format!("{} is null", class.name))),
            View::Boolean(flag) => output.boolean(*flag),
            View::Byte(number) => output.byte(number.cast_unsigned()),
            View::Short(number) => output.bytes(&number.to_le_bytes()),
            View::Character(unit) => output.bytes(&unit.to_le_bytes()),
            View::Integer(number) => output.zigzag(*number),
            View::Long(number) => output.long_zigzag(*number),
            View::Float(number) => output.bytes(&number.to_le_bytes()),
            View::Double(number) => output.bytes(&number.to_le_bytes()),
            View::String(text) => output.text(text)?,
            View::Utf16(units) => output.units(units)?,
            View::BigInteger(number) => {
                let bytes = number.to_signed_bytes_be();
                output.length(bytes.len())?;
                output.bytes(&bytes);
            }
            View::BigDecimal(number) => {
                let bytes = number.unscaled.to_signed_bytes_be();
                output.length(bytes.len())?;
                output.bytes(&bytes);
                output.zigzag(number.scale);
            }
            View::Uuid(uuid) => {
                output.bytes(&((uuid >> 64) as u64).to_le_bytes());
                output.bytes(&(*uuid as u64).to_le_bytes());
            }
            View::Date(_, millis) => output.long(*millis),
            View::Bytes(bytes) => {
                output.length(bytes.len())?;
                output.bytes(bytes);
            }
            View::Enum(_, name) => {
                let Form::Enum(place) = class.form else {
                    return Err(Mismatch::because(format!("{} is no enum", class.name)));
                };
                let mut constants = self.classes.shape(place).constants.iter();
                let ordinal = constants.position(|it| it.name == **name);
                output.length(ordinal.unwrap_or_default())?;
            }
            View::Text(_, text) if class.form == Form::Class => return self.class_object(text),
            View::Text(_, text) => output.text(text)?,
            View::Time(time) => {
                time.check().map_err(Mismatch::because)?;
                numbers::write(time, output)?;
            }
            other => {
                let what = format!("a {} cannot be written", other.class_name());
                return Err(Mismatch::because(what));
            }
        }
        Ok(())
    }

    /// The tags of `int` and `Integer` are the same, so a byte tells them apart.
    fn class_object(&mut self, class: &str) -> Result<()> {
        if class.is_empty() {
            return Err(Mismatch::because("name of a class is empty"));
        }
        match self.classes.find(class) {
            Some(found) if found.form.primitive_tag().is_some() => {
                self.tag(&found)?;
                self.output.boolean(!class.contains('.'));
                Ok(())
            }
            Some(found) => self.tag(&found),
            // A value must have a known class, but a class object may name any.
            None => self.tag_name(&Name::from(class.to_owned())),
        }
    }

    pub(super) fn object_of_jdk(&mut self, object: &dyn Fields, class: &Class) -> Result<()> {
        let fields: &[&'static str] = match class.form {
            Form::Locale => &["language", "country", "variant"],
            Form::Pattern => &["pattern", "flags"],
            Form::BitSet => &["words"],
            Form::MonthDay => &["month", "day"],
            Form::OffsetTime => &["time", "offset"],
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
        let mut names = (0..object.len()).map(|place| object.name(place));
        if let Some(name) = names.find(|it| !fields.iter().any(|field| field == it)) {
            let what = format!("class {} has no such field", class.name);
            return Err(Mismatch::because(what).within(name));
        }
        for field in fields {
            let Some(place) = object.place(field) else {
                let what = format!("field of class {} is missing", class.name);
                return Err(Mismatch::because(what).within(*field));
            };
            let mut written = Ok(());
            object.field(place, &mut |value| {
                written = self.field_of_jdk(field, value, class)
            });
            written.map_err(|fault| fault.within(*field))?;
        }
        Ok(())
    }

    fn field_of_jdk(&mut self, field: &str, value: &View<'_>, class: &Class) -> Result<()> {
        let output = &mut self.output;
        match (class.form, field, value) {
            (Form::Locale, "variant", View::String(text))
            | (Form::Calendar, "zone", View::String(text))
            | (Form::Pattern, "pattern", View::String(text)) => output.text(text)?,
            (Form::Locale, _, View::String(text)) if text.is_ascii() => output.name(text)?,
            (Form::Pattern, "pattern", View::Utf16(units)) => output.units(units)?,
            (Form::Pattern, "flags", View::Integer(flags)) => output.int(*flags),
            (Form::BitSet, _, View::Array(class, items)) if **class == "[J" => {
                output.varint(u32::try_from(items.len()).unwrap_or(u32::MAX));
                items.try_each(|_, item| match item {
                    View::Long(word) => {
                        output.bytes(&word.to_le_bytes());
                        Ok(())
                    }
                    other => Err(expected("long", other)),
                })?;
            }
            (Form::Calendar, "time", View::Long(millis)) => output.long(*millis),
            (Form::Calendar, "lenient", View::Boolean(flag)) => output.boolean(*flag),
            (Form::Calendar, "gregorianCutover", View::Long(millis)) => {
                output.long_zigzag(*millis);
            }
            (Form::Calendar, "firstDayOfWeek", View::Integer(number))
            | (Form::Calendar, "minimalDaysInFirstWeek", View::Integer(number)) => {
                output.int(*number);
            }
            (Form::MonthDay, _, View::Integer(number)) => {
                let most = if field == "month" { 12 } else { 31 };
                match u8::try_from(*number) {
                    Ok(number) if (1..=most).contains(&number) => output.byte(number),
                    _ => return Err(Mismatch::because("java has no such day of a month")),
                }
            }
            (Form::OffsetTime, "time", View::Time(time @ Temporal::LocalTime(_)))
            | (Form::OffsetTime, "offset", View::Time(time @ Temporal::ZoneOffset(_))) => {
                time.check().map_err(Mismatch::because)?;
                numbers::write(time, output)?;
            }
            (Form::OptionalDouble | Form::OptionalInt | Form::OptionalLong, _, View::Null) => {
                output.boolean(false);
            }
            (Form::OptionalDouble, _, View::Double(number)) => {
                output.boolean(true);
                output.bytes(&number.to_le_bytes());
            }
            (Form::OptionalInt, _, View::Integer(number)) => {
                output.boolean(true);
                output.bytes(&number.to_le_bytes());
            }
            (Form::OptionalLong, _, View::Long(number)) => {
                output.boolean(true);
                output.bytes(&number.to_le_bytes());
            }
            (Form::AtomicBoolean, _, View::Boolean(flag)) => output.boolean(*flag),
            (Form::AtomicInteger, _, View::Integer(number)) => {
                output.bytes(&number.to_le_bytes());
            }
            (Form::AtomicLong, _, View::Long(number)) => output.bytes(&number.to_le_bytes()),
            (Form::AtomicReference, _, value) => self.any(value, None)?,
            (_, _, other) => return Err(expected("another type", other)),
        }
        Ok(())
    }
}

fn expected(expected: &str, found: &View<'_>) -> Mismatch {
    Mismatch::because(format!("expected {expected}, found {}", found.class_name()))
}
