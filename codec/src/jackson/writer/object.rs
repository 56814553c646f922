//! Objects with fields.

use std::collections::HashSet;

use super::{Tree, Writer};
use crate::jackson::place;
use crate::java::schema::{Layout, Shape};
use crate::java::{Field, JavaType, JavaValue, Mismatch, Name, Object};

impl Writer<'_> {
    pub(super) fn object(
        &self,
        object: &Object,
        declared: &JavaType,
        depth: usize,
    ) -> Result<Tree, Mismatch> {
        if let Some(layout) = self.layouts.get(&object.class)
            && let Shape::Object { .. } = layout.shape
        {
            return self.properties(object, layout, declared, depth);
        }
        match (object.class.as_str(), object.get("value")) {
            ("java.util.concurrent.atomic.AtomicBoolean", Some(JavaValue::Boolean(it))) => {
                return Ok(Tree::Boolean(*it));
            }
            ("java.util.concurrent.atomic.AtomicInteger", Some(JavaValue::Integer(it))) => {
                return Ok(Tree::Integer((*it).into()));
            }
            ("java.util.concurrent.atomic.AtomicLong", Some(JavaValue::Long(it))) => {
                return Ok(Tree::Integer(*it));
            }
            _ => {}
        }
        match object.class.as_str() {
            "java.util.GregorianCalendar" => match object.get("time") {
                Some(JavaValue::Long(millis)) => Ok(self.millis(*millis)),
                _ => Err(Mismatch::unknown("a calendar with a time", "none")),
            },
            "java.util.Locale" => {
                let between = if self.rules.language_tags { "-" } else { "_" };
                self.locale(object, between).map(Tree::String)
            }
            "java.util.regex.Pattern" => match object.get("pattern") {
                Some(JavaValue::String(pattern)) => Ok(Tree::String(pattern.clone())),
                _ => Err(Mismatch::unknown("a pattern with a text", "none")),
            },
            class => Err(Mismatch::because(format!(
                "class {class} is not in the schema"
            ))),
        }
    }

    pub(super) fn locale(&self, locale: &Object, between: &str) -> Result<String, Mismatch> {
        let mut text = String::new();
        for part in ["language", "country", "variant"] {
            match locale.get(part) {
                Some(JavaValue::String(part)) if !part.is_empty() => {
                    if !text.is_empty() {
                        text.push_str(between);
                    }
                    text.push_str(part);
                }
                None | Some(JavaValue::Null | JavaValue::String(_)) => {}
                Some(other) => return Err(Mismatch::new("java.lang.String", other).within(part)),
            }
        }
        Ok(text)
    }

    /// Writes the fields. Leaves out null fields, and fields that a field of a sub class hides. A
    /// field of a primitive type is never null in Java.
    fn properties(
        &self,
        object: &Object,
        layout: &Layout,
        declared: &JavaType,
        depth: usize,
    ) -> Result<Tree, Mismatch> {
        if let Some(name) = surplus(object, layout) {
            let what = format!("class {} has no such field", layout.name);
            return Err(Mismatch::because(what).within(name.to_string()));
        }
        let mut properties = Vec::new();
        for field in self.in_order(layout) {
            let declared = place::bind(layout, &field.declared, declared);
            let tree = match object.get(&field.name) {
                None if declared.is_primitive() => {
                    let what = format!("field of class {} is missing", layout.name);
                    Err(Mismatch::because(what))
                }
                None => continue,
                Some(JavaValue::Null) if !declared.is_primitive() => continue,
                Some(value) => self.value(value, &declared, depth),
            };
            let tree = tree.map_err(|error| error.within(field.name.to_string()))?;
            properties.push((field.name.to_string().into(), tree));
        }
        Ok(Tree::Object(properties))
    }

    fn in_order<'l>(&self, layout: &'l Layout) -> Vec<&'l Field> {
        let Shape::Object {
            is_record,
            fields,
            declared,
        } = &layout.shape
        else {
            return Vec::new();
        };
        let mut seen = HashSet::new();
        let mut ordered: Vec<&Field> = fields
            .iter()
            .filter(|field| seen.insert(field.name.clone()))
            .collect();
        let first: Vec<Name> = match self.rules.first.get(&layout.name) {
            Some(first) => first.clone(),
            None if *is_record && self.rules.records_as_declared => {
                declared.iter().map(|it| fields[*it].name.clone()).collect()
            }
            None => return ordered,
        };
        ordered.sort_by_key(|field| {
            let place = first.iter().position(|it| *it == field.name);
            place.unwrap_or(first.len())
        });
        ordered
    }
}

/// The first field that the class does not have.
fn surplus<'o>(object: &'o Object, layout: &Layout) -> Option<&'o Name> {
    let Shape::Object { fields, .. } = &layout.shape else {
        return None;
    };
    // The fields of an object that was read come in this order.
    let is_aligned = object.fields.len() == fields.len()
        && object.fields.iter().zip(fields).all(|(a, b)| a.0 == b.name);
    if is_aligned {
        return None;
    }
    let mut names = object.fields.iter().map(|(name, _)| name);
    names.find(|name| !fields.iter().any(|it| it.name == **name))
}
