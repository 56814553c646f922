//! Completes a value that Java's serialization wrote with what only the schema knows.

use super::{Layouts, Schema};
use crate::java::class::{Kind, WriteObject};
use crate::java::{JavaValue, Mismatch, Name, jdk};

impl Schema {
    /// True if there is a class of which [`complete`](Self::complete) knows more than a payload says.
    pub(crate) fn knows_more(&self) -> bool {
        self.classes.values().any(|class| match &class.kind {
            Kind::Enum { constants, .. } => jdk::enum_set(constants.len()) != jdk::enum_set(0),
            _ => class.serialized == WriteObject::Own,
        })
    }

    /// Names the class of each `EnumSet`. Refuses a value that holds an object which only its own code
    /// can read.
    pub(crate) fn complete(&self, value: &mut JavaValue) -> Result<(), Mismatch> {
        value.visit(&mut |value| match value {
            JavaValue::Object(object) => self.check_own_code(&object.class),
            _ => {
                value.name_enum_set(|name| match &self.classes.get(name)?.kind {
                    Kind::Enum { constants, .. } => Some(constants.len()),
                    _ => None,
                });
                Ok(())
            }
        })
    }

    fn check_own_code(&self, name: &Name) -> Result<(), Mismatch> {
        let mut class = self.classes.get(name);
        for _ in 0..Layouts::LONGEST_CHAIN {
            let Some(it) = class else { break };
            if it.serialized == WriteObject::Own {
                let what = format!("only code of {name} can read it");
                return Err(Mismatch::because(what));
            }
            let above = it.super_class.as_ref();
            class = above.and_then(|it| self.classes.get(it.name()));
        }
        Ok(())
    }
}
