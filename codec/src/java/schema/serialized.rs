//! What the schema knows of a value that Java's serialization wrote, and the payload does not say.

use super::{Layouts, Schema};
use crate::java::class::{Kind, WriteObject};
use crate::java::{Collection, JavaValue, Mismatch, Name, jdk};

impl Schema {
    /// True if there is a class of which [`complete`](Self::complete) knows more than a payload says.
    pub(crate) fn knows_more(&self) -> bool {
        self.classes.values().any(|class| match &class.kind {
            Kind::Enum { constants, .. } => jdk::enum_set(constants.len()) != jdk::enum_set(0),
            _ => class.serialized == WriteObject::Own,
        })
    }

    /// Names the class of each `EnumSet`, which depends on how many constants its enum has. Refuses a
    /// value that holds an object which only its own code can read.
    pub(crate) fn complete(&self, value: &mut JavaValue) -> Result<(), Mismatch> {
        match value {
            JavaValue::Object(object) => {
                let mut class = self.classes.get(&object.class);
                for _ in 0..Layouts::LONGEST_CHAIN {
                    let Some(it) = class else { break };
                    if it.serialized == WriteObject::Own {
                        let what = format!("only code of {} can read it", object.class);
                        return Err(Mismatch::because(what));
                    }
                    let above = it.super_class.as_ref();
                    class = above.and_then(|it| self.classes.get(it.name()));
                }
                let mut fields = object.fields.iter_mut();
                fields.try_for_each(|(_, it)| self.complete(it))
            }
            JavaValue::Array(array) => self.complete_all(&mut array.items),
            JavaValue::Collection(it) => {
                if let Some(class) = self.enum_set(it) {
                    it.class = class;
                }
                self.complete_all(&mut it.items)
            }
            JavaValue::Map(map) => map.entries.iter_mut().try_for_each(|(key, value)| {
                self.complete(key)?;
                self.complete(value)
            }),
            JavaValue::Optional(Some(held)) => self.complete(held),
            _ => Ok(()),
        }
    }

    /// The class of an `EnumSet`, if its enum is one of the schema.
    fn enum_set(&self, set: &Collection) -> Option<Name> {
        if set.class != "java.util.RegularEnumSet" {
            return None;
        }
        let enumeration = match (set.items.first(), &*set.comparator) {
            (Some(JavaValue::Enum(first)), _) => &*first.class,
            (None, JavaValue::Text(class)) => &class.text,
            _ => return None,
        };
        match &self.classes.get(enumeration)?.kind {
            Kind::Enum { constants, .. } => Some(jdk::enum_set(constants.len())),
            _ => None,
        }
    }

    fn complete_all(&self, values: &mut [JavaValue]) -> Result<(), Mismatch> {
        values.iter_mut().try_for_each(|it| self.complete(it))
    }
}
