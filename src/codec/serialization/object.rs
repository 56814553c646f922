use std::collections::HashMap;

use super::writer::{Key, Writer, Written};
use crate::java::{DescribedField, Descriptor, JavaValue, Name, Object, Schema, Text, Unwritable};

impl Writer<'_> {
    /// Writes an object of a class that holds nothing but a text.
    pub(super) fn text(&mut self, text: &Text) -> Written {
        match text.class.as_str() {
            "java.lang.Class" => self.class_object(&text.text),
            "java.net.URI" => {
                self.begin(&text.class, None)?;
                self.string(&text.text);
                self.end();
                Ok(())
            }
            "java.util.Currency" => {
                let key = Key::Named(text.class.clone(), text.text.clone());
                if !self.refers(&key) {
                    self.begin(&text.class, Some(key))?;
                    self.string(&text.text);
                }
                Ok(())
            }
            _ => Err(Unwritable {
                class: text.class.clone(),
                reason: "it is only read",
            }),
        }
    }

    pub(super) fn object(&mut self, object: &Object) -> Written {
        let known = match object.class.as_str() {
            "java.net.Inet4Address" => Some(Object {
                class: "java.net.InetAddress".into(),
                fields: object.fields.clone(),
            }),
            "java.util.BitSet" => {
                let words = object.get("words").cloned().unwrap_or_default();
                Some(with_fields(object, [("bits", words)]))
            }
            "java.util.Locale" => Some(locale(object)),
            "java.util.concurrent.atomic.AtomicBoolean" => {
                let is_set = matches!(object.get("value"), Some(JavaValue::Boolean(true)));
                Some(with_fields(object, [("value", i32::from(is_set).into())]))
            }
            _ => None,
        };
        let object = known.as_ref().unwrap_or(object);
        let key = (object.class == "java.util.Collections$ReverseComparator")
            .then(|| Key::Single(object.class.clone()));
        if key.as_ref().is_some_and(|key| self.refers(key)) {
            return Ok(());
        }
        let chain = chain(&object.class, self.schema)?;
        let values = assign(object, &chain)?;
        self.begin(&object.class, key)?;
        for (class, values) in chain.iter().zip(values).rev() {
            for (field, value) in class.fields.iter().zip(values) {
                self.field(&object.class, field, value)?;
            }
            if class.flags & Descriptor::WRITES_DATA != 0 {
                self.end();
            }
        }
        Ok(())
    }

    fn field(&mut self, class: &Name, field: &DescribedField, value: &JavaValue) -> Written {
        if let [letter] = *field.signature.as_bytes() {
            return self.primitive(letter, value);
        }
        if !field.takes(value) {
            return Err(Unwritable {
                class: format!("{class}.{}", field.name).into(),
                reason: "a value of another class is declared",
            });
        }
        self.value(value)
    }
}

/// The class and those that it extends.
fn chain(class: &str, schema: &Schema) -> Result<Vec<Descriptor>, Unwritable> {
    let mut chain = vec![Descriptor::of(class, schema)?];
    while let Some(super_class) = chain.last().and_then(|it| it.super_class.clone()) {
        chain.push(Descriptor::of(&super_class, schema)?);
    }
    Ok(chain)
}

/// The values of the fields of each class: of two fields with one name, the first value is that of
/// the sub class.
fn assign<'v>(
    object: &'v Object,
    chain: &[Descriptor],
) -> Result<Vec<Vec<&'v JavaValue>>, Unwritable> {
    let mut by_name: HashMap<&str, Vec<&JavaValue>> = HashMap::new();
    for (name, value) in object.fields.iter().rev() {
        by_name.entry(name).or_default().push(value);
    }
    let mut values = Vec::with_capacity(chain.len());
    for class in chain {
        let fields = class.fields.iter().map(|field| {
            let value = by_name.get_mut(field.name.as_str()).and_then(Vec::pop);
            value.ok_or_else(|| Unwritable {
                class: format!("{}.{}", class.name, field.name).into(),
                reason: "the value has no such field",
            })
        });
        values.push(fields.collect::<Result<Vec<_>, _>>()?);
    }
    let left = by_name.iter().find(|(_, values)| !values.is_empty());
    match left {
        Some((name, _)) => Err(Unwritable {
            class: format!("{}.{name}", object.class).into(),
            reason: "the class has no such field",
        }),
        None => Ok(values),
    }
}

fn with_fields<const N: usize>(object: &Object, fields: [(&'static str, JavaValue); N]) -> Object {
    Object {
        class: object.class.clone(),
        fields: fields.map(|(name, value)| (name.into(), value)).into(),
    }
}

fn locale(locale: &Object) -> Object {
    let part = |name: &str| match locale.get(name) {
        Some(part) if !part.is_null() => part.clone(),
        _ => "".into(),
    };
    with_fields(
        locale,
        [
            // Computed again by whoever reads it.
            ("hashcode", (-1).into()),
            ("country", part("country")),
            ("extensions", "".into()),
            ("language", part("language")),
            ("script", "".into()),
            ("variant", part("variant")),
        ],
    )
}
