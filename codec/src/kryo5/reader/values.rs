use num_bigint::BigInt;

use super::{Reader, unknown};
use crate::java::time::numbers;
use crate::java::{Array, BigDecimal, Date, JavaValue, Mismatch, Text};
use crate::kryo5::Result;
use crate::kryo5::classes::Class;
use crate::kryo5::form::Form;

impl Reader<'_> {
    /// A value that holds no other values.
    pub(super) fn leaf(&mut self, class: &Class) -> Result<JavaValue> {
        let input = &mut self.input;
        Ok(match class.form {
            Form::Boolean => JavaValue::Boolean(input.boolean()?),
            Form::Byte => JavaValue::Byte(input.byte()?.cast_signed()),
            Form::Character => JavaValue::Character(u16::from_le_bytes(input.array()?)),
            Form::Short => JavaValue::Short(i16::from_le_bytes(input.array()?)),
            Form::Integer => JavaValue::Integer(input.zigzag()?),
            Form::Long => JavaValue::Long(input.long_zigzag()?),
            Form::Float => JavaValue::Float(f32::from_le_bytes(input.array()?)),
            Form::Double => JavaValue::Double(f64::from_le_bytes(input.array()?)),
            Form::String => input.text()?,
            Form::BigInteger => match self.big_integer()? {
                Some(number) => JavaValue::BigInteger(number),
                None => JavaValue::Null,
            },
            Form::BigDecimal => match self.big_integer()? {
                Some(unscaled) => JavaValue::BigDecimal(BigDecimal {
                    unscaled,
                    scale: self.input.zigzag()?,
                }),
                None => JavaValue::Null,
            },
            Form::Uuid => {
                let most = u64::from_le_bytes(input.array()?);
                let least = u64::from_le_bytes(input.array()?);
                JavaValue::Uuid(u128::from(most) << 64 | u128::from(least))
            }
            Form::Date => JavaValue::Date(Date {
                class: class.name.clone(),
                millis: input.long()?,
            }),
            Form::Bytes => match input.length()? {
                Some(length) => JavaValue::Bytes(input.slice(length)?),
                None => JavaValue::Null,
            },
            Form::Enum(place) => self.constant(place)?,
            Form::Text { takes_null } => match input.text()? {
                JavaValue::String(text) => JavaValue::Text(Text {
                    class: class.name.clone(),
                    text,
                }),
                JavaValue::Null if takes_null => JavaValue::Null,
                other => {
                    let what = format!("{} holds {}", class.name, other.class_name());
                    return Err(input.fault(what));
                }
            },
            Form::Locale | Form::Pattern | Form::BitSet | Form::Calendar => {
                self.fields_of_jdk(class)?
            }
            Form::OptionalDouble | Form::OptionalInt | Form::OptionalLong => {
                let value = match (input.boolean()?, class.form) {
                    (false, _) => JavaValue::Null,
                    (true, Form::OptionalDouble) => {
                        JavaValue::Double(f64::from_le_bytes(input.array()?))
                    }
                    (true, Form::OptionalInt) => {
                        JavaValue::Integer(i32::from_le_bytes(input.array()?))
                    }
                    _ => JavaValue::Long(i64::from_le_bytes(input.array()?)),
                };
                JavaValue::object(class.name.clone(), [("value", value)])
            }
            Form::AtomicBoolean | Form::AtomicInteger | Form::AtomicLong => {
                let value = match class.form {
                    Form::AtomicBoolean => JavaValue::Boolean(input.boolean()?),
                    Form::AtomicInteger => JavaValue::Integer(i32::from_le_bytes(input.array()?)),
                    _ => JavaValue::Long(i64::from_le_bytes(input.array()?)),
                };
                JavaValue::object(class.name.clone(), [("value", value)])
            }
            form => {
                let kind = match form {
                    Form::Time(kind) => kind,
                    Form::MonthDay => numbers::MONTH_DAY,
                    Form::OffsetTime => numbers::OFFSET_TIME,
                    _ => 0,
                };
                let time = numbers::read(kind, input)?;
                time.ok_or_else(|| self.input.fault(unknown(&class.name, self.classes)))?
            }
        })
    }

    fn big_integer(&mut self) -> Result<Option<BigInt>> {
        let start = self.input.offset();
        match self.input.length()? {
            None => Ok(None),
            Some(0) => Err(Mismatch::at(start, "number has no bytes")),
            Some(length) => {
                let bytes = self.input.slice(length)?;
                Ok(Some(BigInt::from_signed_bytes_be(&bytes)))
            }
        }
    }

    /// A `java.lang.Class`, or null. The tags of `int` and `Integer` are the same, so a byte tells
    /// them apart.
    pub(super) fn class_object(&mut self) -> Result<JavaValue> {
        let (mut text, is_boxed) = match self.tag(None)? {
            None => return Ok(JavaValue::Null),
            Some(Ok(class)) => (class.name.to_string(), class.form.primitive_tag().is_some()),
            Some(Err(it)) => (it.name.to_string(), false),
        };
        if is_boxed && self.input.boolean()? {
            let simple = match text.as_str() {
                "java.lang.Integer" => "int",
                "java.lang.Character" => "char",
                boxed => boxed.trim_start_matches("java.lang."),
            };
            text = simple.to_lowercase();
        }
        Ok(JavaValue::Text(Text {
            class: "java.lang.Class".into(),
            text,
        }))
    }

    fn fields_of_jdk(&mut self, class: &Class) -> Result<JavaValue> {
        let input = &mut self.input;
        let fields = match class.form {
            Form::Locale => vec![
                ("language", input.name()?.into()),
                ("country", input.name()?.into()),
                ("variant", input.name()?.into()),
            ],
            Form::Pattern => vec![
                ("pattern", input.text()?),
                ("flags", JavaValue::Integer(input.int()?)),
            ],
            Form::BitSet => {
                let count = input.varint()? as usize;
                let items = self.leaves(count, |it| {
                    let word = i64::from_le_bytes(it.input.array()?);
                    Ok(JavaValue::Long(word))
                })?;
                let class = "[J".into();
                vec![("words", JavaValue::Array(Array { class, items }))]
            }
            _ => vec![
                ("zone", input.name()?.into()),
                ("time", JavaValue::Long(input.long()?)),
                ("lenient", JavaValue::Boolean(input.boolean()?)),
                ("firstDayOfWeek", JavaValue::Integer(input.int()?)),
                ("minimalDaysInFirstWeek", JavaValue::Integer(input.int()?)),
                ("gregorianCutover", JavaValue::Long(input.long_zigzag()?)),
            ],
        };
        Ok(JavaValue::object(class.name.clone(), fields))
    }
}
