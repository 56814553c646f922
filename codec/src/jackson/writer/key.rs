//! Keys of maps: their `toString`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{Writer, uuid};
use crate::jackson::number::printed;
use crate::jackson::sink::Sink;
use crate::jackson::time;
use crate::java::locale::Locale;
use crate::java::{JavaType, Mismatch, View};

impl<S: Sink> Writer<'_, S> {
    /// Writes a key of a map whose keys are declared as `declared`. Returns its text if it had to be
    /// made.
    pub(super) fn key(
        &mut self,
        key: &View<'_>,
        declared: &JavaType,
    ) -> Result<Option<String>, Mismatch> {
        // Where a super class of these is declared, Jackson writes a text.
        let is_number = || {
            matches!(
                declared.name().as_str(),
                "java.lang.Integer" | "java.lang.Long" | "java.lang.Object"
            )
        };
        let text = match *key {
            View::String(it) => return self.sink.name(it).map(|()| None),
            View::Enum(class, name) => {
                let shown = self.shown(class, name)?;
                return self.sink.name(&shown).map(|()| None);
            }
            View::Integer(it) if is_number() => {
                return self.sink.number_name(it.into()).map(|()| None);
            }
            View::Long(it) if is_number() => return self.sink.number_name(it).map(|()| None),
            View::Time(it) => {
                // Java has such keys wherever it has such values.
                self.time(it)?;
                time::key::write(it)?
            }
            View::Object(class, fields) if *class == Locale::CLASS => Locale::of(fields)?.text(),
            _ => text(key)?,
        };
        self.sink.name(&text)?;
        Ok(Some(text))
    }
}

/// The text of a key, for errors.
pub(super) fn text_of(key: &View<'_>) -> String {
    text(key).unwrap_or_default()
}

fn text(key: &View<'_>) -> Result<String, Mismatch> {
    Ok(match key {
        View::Boolean(it) => it.to_string(),
        View::Byte(it) => it.to_string(),
        View::Short(it) => it.to_string(),
        View::Integer(it) => it.to_string(),
        View::Long(it) => it.to_string(),
        View::Float(it) if it.is_finite() => printed(*it),
        View::Double(it) if it.is_finite() => printed(*it),
        View::Character(it) => String::from_utf16(&[*it]).map_err(|_| no_key(key))?,
        View::String(it) => (*it).to_owned(),
        View::BigInteger(it) => it.to_string(),
        View::BigDecimal(it) => it.to_string(),
        View::Uuid(it) => uuid(*it),
        View::Enum(_, name) => name.to_string(),
        View::Text(_, text) => (*text).to_owned(),
        View::Bytes(it) => STANDARD.encode(it),
        View::Collection(_, items, _) => {
            let mut texts = Vec::with_capacity(items.len());
            items.try_each(|_, item| {
                texts.push(text(item)?);
                Ok::<_, Mismatch>(())
            })?;
            format!("[{}]", texts.join(", "))
        }
        _ => return Err(no_key(key)),
    })
}

fn no_key(key: &View<'_>) -> Mismatch {
    Mismatch::found("a map key with a text of its own", key)
}
