//! Refuses schemas that describe no possible classes.

use std::collections::HashSet;

use super::{InvalidSchema, Schema};
use crate::java::class::{Jackson, Kind, Shown};
use crate::java::{Class, JavaType, Name, jdk};

impl Schema {
    /// Refuses contradictions, and types that cannot exist.
    pub(super) fn check(&self) -> Result<(), InvalidSchema> {
        for class in self.classes.values() {
            let contradicts = |reason| InvalidSchema::Contradiction {
                class: class.name.clone(),
                reason,
            };
            if let Some(reason) = contradiction(class) {
                return Err(contradicts(reason));
            }
            for above in class.super_class.iter().chain(&class.interfaces) {
                self.exists(above, class).map_err(contradicts)?;
            }
            for (_, bound) in &class.bounds {
                self.exists(bound, class).map_err(contradicts)?;
            }
            for field in &class.fields {
                self.exists(&field.declared, class)
                    .map_err(|reason| InvalidSchema::FieldType {
                        class: class.name.clone(),
                        field: field.name.clone(),
                        reason,
                    })?;
            }
        }
        Ok(())
    }

    /// Refuses fields of classes that are not described.
    pub(super) fn check_complete(&self) -> Result<(), InvalidSchema> {
        for class in self.classes.values() {
            for field in &class.fields {
                if let Some(name) = self.unknown(&field.declared, class) {
                    return Err(InvalidSchema::UnknownType {
                        class: class.name.clone(),
                        field: field.name.clone(),
                        name,
                    });
                }
            }
        }
        Ok(())
    }

    /// Checks that a type in `class` can exist. The error says why it cannot.
    fn exists(&self, declared: &JavaType, class: &Class) -> Result<(), String> {
        if let Some(component) = declared.component() {
            return self.exists(&component, class);
        }
        let name = declared.name();
        let is_known = declared.is_primitive()
            || name.contains('.')
            || class.parameters.contains(name)
            || self.classes.contains_key(name);
        if !is_known {
            return Err(match jdk::full_name(name) {
                Some(full) => format!("write the full name: {full}"),
                None => format!("{name} is no type: write the full name, with its package"),
            });
        }
        for argument in declared.arguments() {
            if argument.is_primitive() {
                let boxed = argument.clone().boxed();
                let name = argument.name();
                return Err(format!("{name} cannot be a type argument: write {boxed}"));
            }
            self.exists(argument, class)?;
        }
        Ok(())
    }

    /// The first class in a type that neither the schema nor the JDK has.
    fn unknown(&self, declared: &JavaType, class: &Class) -> Option<Name> {
        if let Some(component) = declared.component() {
            return self.unknown(&component, class);
        }
        let name = declared.name();
        let is_known = declared.is_primitive()
            || name.starts_with("java.")
            || name.starts_with("javax.")
            || jdk::is_container(name)
            || class.parameters.contains(name)
            || self.classes.contains_key(name);
        if !is_known {
            return Some(name.clone());
        }
        let mut arguments = declared.arguments().iter();
        arguments.find_map(|it| self.unknown(it, class))
    }
}

fn contradiction(class: &Class) -> Option<String> {
    if class.is_throwable && (!class.fields.is_empty() || class.super_class.is_some()) {
        return Some("it is a throwable: leave its fields and its super class out".to_owned());
    }
    if let Some((name, _)) = class
        .bounds
        .iter()
        .find(|it| !class.parameters.contains(&it.0))
    {
        return Some(format!("it has no type parameter {name} to be bound"));
    }
    if class.is_abstract && class.is_final && !class.is_throwable {
        return Some("no abstract class is final".to_owned());
    }
    if let Some(name) = second(class.fields.iter().map(|it| &it.name)) {
        return Some(format!("a second field {name}"));
    }
    if let Some(reason) = of_jackson(class) {
        return Some(reason);
    }
    if let Kind::Enum {
        constants,
        with_bodies,
        shown,
    } = &class.kind
    {
        if let Shown::Texts(texts) = shown
            && texts.len() != constants.len()
        {
            return Some("it shows another number of texts than it has constants".to_owned());
        }
        if !class.fields.is_empty() {
            return Some("it is an enum: leave its fields out".to_owned());
        }
        if class.is_abstract {
            return Some("it is an enum, and so not abstract".to_owned());
        }
        if let Some(name) = second(constants.iter()) {
            return Some(format!("a second constant {name}"));
        }
        let mut bodies = with_bodies.iter().map(|(constant, _)| constant);
        if let Some(name) = bodies.find(|it| !constants.contains(it)) {
            return Some(format!("there is no constant {name} to have a body"));
        }
    }
    None
}

/// What is wrong with the names that Jackson gives to fields or constants.
fn of_jackson(class: &Class) -> Option<String> {
    let given = match &class.jackson {
        Jackson::Named(given) if !given.is_empty() => given,
        _ => return None,
    };
    let members: Vec<&Name> = match &class.kind {
        Kind::Enum { constants, .. } => constants.iter().collect(),
        Kind::Object | Kind::Record => class.fields.iter().map(|it| &it.name).collect(),
    };
    if let Some(name) = second(given.iter().map(|it| &it.0)) {
        return Some(format!("jackson has two names for {name}"));
    }
    if let Some((name, _)) = given.iter().find(|it| !members.contains(&&it.0)) {
        return Some(format!("it has no {name} that jackson could name"));
    }
    let is_enum = matches!(class.kind, Kind::Enum { .. });
    if let Some((name, _)) = given.iter().find(|it| is_enum && it.1.is_none()) {
        return Some(format!("jackson cannot leave out the constant {name}"));
    }
    let written =
        members
            .iter()
            .filter_map(|member| match given.iter().find(|it| it.0 == **member) {
                Some((_, written)) => written.as_ref(),
                None => Some(*member),
            });
    second(written).map(|name| format!("jackson has two members called {name}"))
}

/// The first name that comes a second time.
fn second<'a>(mut names: impl Iterator<Item = &'a Name>) -> Option<&'a Name> {
    let mut seen = HashSet::new();
    names.find(|it| !seen.insert(*it))
}

#[cfg(test)]
mod tests;
