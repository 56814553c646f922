use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::{InvalidSchema, Schema};
use crate::java::{Class, Name};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonClass {
    #[serde(default)]
    bodies: Vec<String>,
    #[serde(rename = "enum")]
    constants: Option<Vec<String>>,
    extends: Option<String>,
    #[serde(default)]
    fields: Ordered<String>,
    #[serde(rename = "final", default)]
    is_final: bool,
    #[serde(default)]
    parameters: Vec<String>,
    record: Option<Ordered<String>>,
    uid: Option<i64>,
}

impl Schema {
    /// Reads a schema from JSON, as the example of [`Schema`] shows it.
    ///
    /// # Errors
    ///
    /// - [`InvalidSchema::Json`] if the text is not JSON of this form.
    /// - [`InvalidSchema::Type`] if the type of a field or of a super class cannot be read.
    pub fn from_json(text: &str) -> Result<Self, InvalidSchema> {
        let classes: Ordered<JsonClass> =
            serde_json::from_str(text).map_err(InvalidSchema::Json)?;
        let classes = classes.0.into_iter();
        classes
            .map(|(name, json)| class(name.into(), json))
            .collect()
    }
}

fn class(name: Name, json: JsonClass) -> Result<Class, InvalidSchema> {
    let read = |text: &str| {
        text.parse().map_err(|source| InvalidSchema::Type {
            class: name.clone(),
            source,
        })
    };
    let (mut class, fields) = match (json.constants, json.record) {
        (Some(constants), _) => {
            let class = Class::enumeration(name.clone(), constants);
            (class.with_bodies(json.bodies), json.fields)
        }
        (None, Some(components)) => (Class::record(name.clone()), components),
        (None, None) => (Class::object(name.clone()), json.fields),
    };
    for (field, declared) in fields.0 {
        class = class.field(field, read(&declared)?);
    }
    if let Some(super_class) = json.extends {
        class = class.extends(read(&super_class)?);
    }
    if json.is_final {
        class = class.finalized();
    }
    if let Some(uid) = json.uid {
        class = class.serial_version_uid(uid);
    }
    Ok(class.parameters(json.parameters))
}

/// The properties of a JSON object in the order of the text.
struct Ordered<T>(Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Properties<T>(Ordered<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Properties<T> {
            type Value = Ordered<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Ordered<T>, A::Error> {
                while let Some(entry) = map.next_entry()? {
                    self.0.0.push(entry);
                }
                Ok(self.0)
            }
        }

        deserializer.deserialize_map(Properties(Self::default()))
    }
}
