//! JSON of no particular type.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Any JSON that keeps its order. `serde_json::Value` would sort it.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Json {
    Null(()),
    Bool(bool),
    Integer(i64),
    Double(f64),
    Text(String),
    List(Vec<Json>),
    Object(Entries),
}

pub(crate) struct Entries(Vec<(String, Json)>);

impl Serialize for Entries {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de> Deserialize<'de> for Entries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Entries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Entries, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = object.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(InOrder)
    }
}
