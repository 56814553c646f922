//! Objects with fields, and those that hold a text.

use super::{Content, Key, Level, LevelFields, Parts, Sent, Written, described, unwritable};
use crate::java::{Descriptor, Fields, JavaValue, Name, Schema, Surplus, Unwritable, View};

pub(super) fn text<'v>(
    class: &Name,
    text: &'v str,
    schema: &Schema,
) -> Result<Parts<'v>, Unwritable> {
    let sent = Sent::new(class.clone());
    let content = View::String(text);
    match class.as_str() {
        "java.net.URI" => Parts::known(class, [sent.field("string", content)], schema),
        "java.util.Currency" => {
            let parts = Parts::known(class, [sent.field("currencyCode", content)], schema)?;
            Ok(parts.with_key(Key::Named(class.clone(), text.to_owned())))
        }
        _ => Err(unwritable(class, "it is only read")),
    }
}

pub(super) fn object<'v>(
    class: &Name,
    fields: &'v dyn Fields,
    schema: &Schema,
) -> Result<Parts<'v>, Unwritable> {
    let sent = Sent::new(class.clone());
    let field = |name| fields.get(name).unwrap_or_default();
    let sent = match class.as_str() {
        "java.net.Inet4Address" => Sent::new("java.net.InetAddress")
            .field("address", field("address"))
            .field("family", field("family"))
            .field("hostName", field("hostName")),
        "java.util.BitSet" => sent.field("bits", field("words")),
        "java.util.Collections$ReverseComparator" => return Parts::only(class, schema),
        "java.util.Locale" => {
            let part = |name| match field(name) {
                JavaValue::Null => "".into(),
                part => part,
            };
            // The hash is computed again by whoever reads it.
            sent.field("hashcode", -1)
                .field("country", part("country"))
                .field("extensions", part("extensions"))
                .field("language", part("language"))
                .field("script", part("script"))
                .field("variant", part("variant"))
        }
        "java.util.concurrent.atomic.AtomicBoolean" => {
            let is_set = field("value") == JavaValue::Boolean(true);
            sent.field("value", i32::from(is_set))
        }
        _ => {
            return Ok(Parts {
                class: described(class, schema)?,
                key: None,
                content: Content::Declared(fields),
            });
        }
    };
    let class = sent.class.clone();
    Parts::known(&class, [sent], schema)
}

/// Hands over what an object sends whose fields are those that its classes declare. Of two fields
/// with one name, the first value is that of the sub class.
pub(super) fn each_level(
    class: &Descriptor,
    fields: &dyn Fields,
    mut to: impl FnMut(Level<'_>) -> Written,
) -> Written {
    let places = class.places(fields).map_err(|Surplus(name)| Unwritable {
        class: format!("{}.{name}", class.name).into(),
        reason: "the class has no such field",
    })?;
    let mut first = class.all_fields().len();
    for class in class.lineage().rev() {
        let writes_data = class.flags & Descriptor::WRITES_DATA != 0;
        if writes_data && class.fields.is_empty() {
            return Err(unwritable(&class.name, "it is no object with fields"));
        }
        first -= class.fields.len();
        to(Level {
            class,
            fields: LevelFields::Declared(fields, &places, first),
            data: &[],
        })?;
    }
    Ok(())
}
