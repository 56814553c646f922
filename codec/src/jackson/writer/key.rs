//! Keys of maps: their `toString`.

use super::{Writer, uuid};
use crate::jackson::time;
use crate::jackson::tree::Label;
use crate::java::{Collection, JavaType, JavaValue, Mismatch};
use crate::plain::number::push_float;

impl Writer<'_> {
    /// Writes a key of a map whose keys are declared as `declared`.
    pub(super) fn label(&self, key: &JavaValue, declared: &JavaType) -> Result<Label, Mismatch> {
        // Where a super class of these is declared, Jackson writes a text.
        let is_number = matches!(
            declared.name().as_str(),
            "java.lang.Integer" | "java.lang.Long" | "java.lang.Object"
        );
        match key {
            JavaValue::Integer(it) if is_number => Ok(Label::Number((*it).into())),
            JavaValue::Long(it) if is_number => Ok(Label::Number(*it)),
            JavaValue::Time(it) => {
                // Java has such keys wherever it has such values.
                self.time(it)?;
                time::key::write(it).map(Label::Text)
            }
            JavaValue::Object(it) if it.class == "java.util.Locale" => {
                self.locale(it, "_").map(Label::Text)
            }
            _ => text(key).map(Label::Text),
        }
    }
}

fn text(key: &JavaValue) -> Result<String, Mismatch> {
    Ok(match key {
        JavaValue::Boolean(it) => it.to_string(),
        JavaValue::Byte(it) => it.to_string(),
        JavaValue::Short(it) => it.to_string(),
        JavaValue::Integer(it) => it.to_string(),
        JavaValue::Long(it) => it.to_string(),
        JavaValue::Float(it) if it.is_finite() => number(|out| push_float(out, *it)),
        JavaValue::Double(it) if it.is_finite() => number(|out| push_float(out, *it)),
        JavaValue::Character(it) => String::from_utf16(&[*it]).map_err(|_| no_key(key))?,
        JavaValue::String(it) => it.clone(),
        JavaValue::BigInteger(it) => it.to_string(),
        JavaValue::BigDecimal(it) => it.to_string(),
        JavaValue::Uuid(it) => uuid(*it),
        JavaValue::Enum(it) => it.name.to_string(),
        JavaValue::Text(it) => it.text.clone(),
        JavaValue::Collection(Collection { items, .. }) => {
            let items: Result<Vec<String>, Mismatch> = items.iter().map(text).collect();
            format!("[{}]", items?.join(", "))
        }
        _ => return Err(no_key(key)),
    })
}

fn number(push: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    push(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn no_key(key: &JavaValue) -> Mismatch {
    Mismatch::new("a map key with a text of its own", key)
}
