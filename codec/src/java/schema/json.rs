//! Schemas as JSON.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};

use super::{InvalidSchema, Schema};
use crate::java::class::WriteObject;
use crate::java::{Class, Name};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonClass {
    #[serde(rename = "abstract", default)]
    is_abstract: bool,
    #[serde(default)]
    bodies: Bodies,
    #[serde(rename = "enum")]
    constants: Option<Vec<String>>,
    extends: Option<String>,
    fields: Option<Ordered<String>>,
    #[serde(rename = "final", default)]
    is_final: bool,
    #[serde(default)]
    implements: Vec<String>,
    jackson: Option<Jackson>,
    #[serde(default)]
    parameters: Vec<String>,
    record: Option<Ordered<String>>,
    serialized: Option<WriteObject>,
    shown: Option<Shown>,
    #[serde(default)]
    throwable: bool,
    uid: Option<i64>,
}

/// The constants that have a body, or each with the name of its class.
#[derive(Deserialize)]
#[serde(untagged)]
enum Bodies {
    Constants(Vec<String>),
    Classes(Ordered<String>),
}

/// The texts of the constants, or the word `unknown`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Shown {
    Texts(Vec<String>),
    Word(Unknown),
}

/// What Jackson calls fields or constants, or the word `unknown`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Jackson {
    Names(Ordered<Option<String>>),
    Word(Unknown),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Unknown {
    Unknown,
}

impl Default for Bodies {
    fn default() -> Self {
        Self::Constants(Vec::new())
    }
}

impl Schema {
    /// Reads a schema from JSON in the form that the example of [`Schema`] shows.
    ///
    /// # Errors
    ///
    /// - [`InvalidSchema::Json`] if the text is not JSON of this form.
    /// - [`InvalidSchema::Type`] if the type of a field or of a super class cannot be read.
    /// - [`InvalidSchema::FieldType`] if the type of a field cannot exist, such as `Long`, which
    ///   lacks its package.
    /// - [`InvalidSchema::Contradiction`] if no Java class can be what a description says.
    pub fn from_json(text: &str) -> Result<Self, InvalidSchema> {
        let classes: Ordered<JsonClass> =
            serde_json::from_str(text).map_err(InvalidSchema::Json)?;
        let mut schema = Self::new();
        for (name, json) in classes.0 {
            let name = Name::from(name);
            if schema.classes.contains_key(&name) {
                return Err(contradiction(&name, "it is there twice"));
            }
            schema.add(class(name, json)?);
        }
        schema.check()?;
        Ok(schema)
    }
}

fn contradiction(class: &Name, reason: &str) -> InvalidSchema {
    InvalidSchema::Contradiction {
        class: class.clone(),
        reason: reason.to_owned(),
    }
}

fn class(name: Name, json: JsonClass) -> Result<Class, InvalidSchema> {
    let read = |text: &str| {
        text.parse().map_err(|source| InvalidSchema::Type {
            class: name.clone(),
            source,
        })
    };
    let has_bodies = match &json.bodies {
        Bodies::Constants(constants) => !constants.is_empty(),
        Bodies::Classes(classes) => !classes.0.is_empty(),
    };
    if has_bodies && json.constants.is_none() {
        return Err(contradiction(&name, "only an enum has bodies"));
    }
    if json.shown.is_some() && json.constants.is_none() {
        return Err(contradiction(&name, "only an enum shows its constants"));
    }
    let (mut class, fields) = match (json.constants, json.record, json.fields) {
        (Some(_), ..) | (_, Some(_), _) if json.throwable => {
            return Err(contradiction(&name, "an enum or a record is no throwable"));
        }
        (Some(constants), None, None) => {
            let class = Class::enumeration(name.clone(), constants);
            let class = match json.bodies {
                Bodies::Constants(constants) => class.with_bodies(constants),
                Bodies::Classes(classes) => {
                    let bodies = classes.0.into_iter();
                    bodies.fold(class, |it, (constant, body)| it.with_body(constant, body))
                }
            };
            (class, None)
        }
        (None, Some(components), None) => (Class::record(name.clone()), Some(components)),
        (None, None, fields) if json.throwable => (Class::throwable(name.clone()), fields),
        (None, None, fields) => (Class::object(name.clone()), fields),
        (Some(_), Some(_), _) => {
            return Err(contradiction(&name, "it is an enum or a record, not both"));
        }
        (Some(_), None, Some(_)) => {
            return Err(contradiction(&name, "it is an enum: leave its fields out"));
        }
        (None, Some(_), Some(_)) => {
            let reason = "it is a record: its components are all its fields";
            return Err(contradiction(&name, reason));
        }
    };
    class.serialized = json.serialized.unwrap_or_default();
    class = match json.shown {
        None => class,
        Some(Shown::Texts(texts)) => class.shown_as(texts),
        Some(Shown::Word(Unknown::Unknown)) => class.shown_as_unknown(),
    };
    class = match json.jackson {
        None => class,
        Some(Jackson::Names(names)) => {
            let names = names.0.into_iter();
            names.fold(class, |it, (member, written)| match written {
                Some(written) => it.jackson_name(member, written),
                None => it.jackson_ignores(member),
            })
        }
        Some(Jackson::Word(Unknown::Unknown)) => class.jackson_unknown(),
    };
    for (field, declared) in fields.unwrap_or_default().0 {
        class = class.field(field, read(&declared)?);
    }
    if let Some(super_class) = json.extends {
        class = class.extends(read(&super_class)?);
    }
    for interface in &json.implements {
        class = class.implements(read(interface)?);
    }
    class.is_abstract |= json.is_abstract;
    if json.is_final {
        class = class.finalized();
    }
    if let Some(uid) = json.uid {
        class = class.serial_version_uid(uid);
    }
    let mut names = Vec::new();
    for parameter in &json.parameters {
        let (parameter, bound) = match parameter.split_once(" extends ") {
            Some((parameter, bound)) => (parameter, Some(read(bound)?)),
            None => (parameter.as_str(), None),
        };
        names.push(parameter.to_owned());
        if let Some(bound) = bound {
            class = class.bound(parameter.to_owned(), bound);
        }
    }
    Ok(class.parameters(names))
}

/// The properties of a JSON object, in the order of the text.
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
