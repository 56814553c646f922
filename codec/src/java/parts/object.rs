//! Objects with fields, and those that hold a text.

use super::{Key, Level, Parts, Sent, chain, lacks, unwritable};
use crate::java::{Descriptor, JavaValue, Object, Schema, Text, Unwritable};

pub(super) fn text<'v>(text: &Text, schema: &Schema) -> Result<Parts<'v>, Unwritable> {
    let content = JavaValue::String(text.text.clone());
    let sent = Sent::new(text.class.clone());
    let (sent, key) = match text.class.as_str() {
        "java.net.URI" => (sent.field("string", content), None),
        "java.util.Currency" => {
            let key = Key::Named(text.class.clone(), text.text.clone());
            (sent.field("currencyCode", content), Some(key))
        }
        _ => return Err(unwritable(&text.class, "it is only read")),
    };
    let mut parts = Parts::assemble(text.class.clone(), vec![sent], schema)?;
    parts.key = key;
    Ok(parts)
}

pub(super) fn object<'v>(object: &'v Object, schema: &Schema) -> Result<Parts<'v>, Unwritable> {
    let sent = Sent::new(object.class.clone());
    let field = |name| object.get(name).unwrap_or(&NULL);
    let sent = match object.class.as_str() {
        "java.net.Inet4Address" => Sent::new("java.net.InetAddress")
            .field("address", field("address"))
            .field("family", field("family"))
            .field("hostName", field("hostName")),
        "java.util.BitSet" => sent.field("bits", field("words")),
        "java.util.Collections$ReverseComparator" => {
            let mut parts = Parts::assemble(object.class.clone(), Vec::new(), schema)?;
            parts.key = Some(Key::Named(object.class.clone(), String::new()));
            return Ok(parts);
        }
        "java.util.Locale" => {
            let part = |name| match field(name) {
                JavaValue::Null => "".into(),
                part => part.clone(),
            };
            // The hash is computed again by whoever reads it.
            sent.field("hashcode", -1)
                .field("country", part("country"))
                .field("extensions", JavaValue::from(""))
                .field("language", part("language"))
                .field("script", JavaValue::from(""))
                .field("variant", part("variant"))
        }
        "java.util.concurrent.atomic.AtomicBoolean" => {
            let is_set = matches!(field("value"), JavaValue::Boolean(true));
            sent.field("value", i32::from(is_set))
        }
        _ => return declared(object, schema),
    };
    Parts::assemble(sent.class.clone(), vec![sent], schema)
}

/// The parts of an object whose fields are those that its classes declare. Of two fields with one
/// name, the first value is that of the sub class.
fn declared<'v>(object: &'v Object, schema: &Schema) -> Result<Parts<'v>, Unwritable> {
    let mut unused = vec![true; object.fields.len()];
    let mut levels = Vec::new();
    for class in chain(&object.class, schema)? {
        let mut fields = Vec::with_capacity(class.fields.len());
        for field in &class.fields {
            let mut named = object.fields.iter().zip(&mut unused);
            let found = named.find(|((name, _), unused)| **unused && *name == field.name);
            let ((_, value), unused) = found.ok_or_else(|| lacks(&class, field))?;
            *unused = false;
            if !field.takes(value) {
                return Err(Unwritable {
                    class: format!("{}.{}", class.name, field.name).into(),
                    reason: "a value of another class is declared",
                });
            }
            fields.push(value.into());
        }
        let writes_data = class.flags & Descriptor::WRITES_DATA != 0;
        if writes_data && class.fields.is_empty() {
            return Err(unwritable(&class.name, "it is no object with fields"));
        }
        levels.push(Level {
            class,
            fields,
            data: Vec::new(),
        });
    }
    levels.reverse();
    if let Some(place) = unused.iter().position(|it| *it) {
        let name = &object.fields[place].0;
        return Err(Unwritable {
            class: format!("{}.{name}", object.class).into(),
            reason: "the class has no such field",
        });
    }
    Ok(Parts {
        class: object.class.clone(),
        key: None,
        levels,
    })
}

static NULL: JavaValue = JavaValue::Null;
