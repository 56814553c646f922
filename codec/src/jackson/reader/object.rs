//! Objects with fields, and what an `Optional` holds.

use std::collections::{HashMap, HashSet};

use smallvec::SmallVec;

use super::{OPTIONAL, REFERENCE, Read, Reader, unset};
use crate::jackson::place;
use crate::jackson::tape::{Label, Node, Token};
use crate::java::schema::jackson::{Given, Names};
use crate::java::schema::{Layout, Shape};
use crate::java::{
    Each, Field, FieldTaker, FieldsSource, JavaType, JavaValue, Mismatch, Name, Source, Taker,
    compare, skip,
};

impl Reader<'_> {
    /// Reads an object whose class is known. Missing fields become null or zero. Properties that
    /// the class does not have are skipped.
    pub(super) fn object(
        &self,
        layout: &Layout,
        fields: &[Field],
        node: Node<'_>,
        declared: &JavaType,
        to: &mut Taker<'_>,
    ) -> Read {
        let mut unread = Known {
            reader: *self,
            layout,
            fields,
            node,
            declared,
        };
        to(Source::Object(&layout.name, &mut unread))
    }

    pub(super) fn unknown_object(&self, class: &str, node: Node<'_>, to: &mut Taker<'_>) -> Read {
        let reader = *self;
        to(Source::Object(
            &class.to_owned().into(),
            &mut Unknown { reader, node },
        ))
    }

    /// Reads an `Optional`, which is written as its value.
    pub(super) fn optional(&self, node: Node<'_>, declared: &JavaType, to: &mut Taker<'_>) -> Read {
        match node.token() {
            Token::Null => return JavaValue::Optional(None).hand(to),
            Token::Array(_) => {
                if let Some((OPTIONAL, held)) = node.pair() {
                    return self.optional(held, declared, to);
                }
            }
            // Jackson 2.15 and earlier write only this.
            Token::Object(_) => match is_empty(node) {
                Some(true) => return JavaValue::Optional(None).hand(to),
                Some(false) => {
                    let found = "only that there is one";
                    return Err(Mismatch::unknown(
                        "the value of a java.util.Optional",
                        found,
                    ));
                }
                None => {}
            },
            _ => {}
        }
        let held = place::element(self.layouts, self.layouts.get(OPTIONAL), declared);
        to(Source::Optional(&mut Each {
            len: 1,
            read: |to: &mut Taker<'_>| self.value(node, &held, to),
        }))
    }
}

impl Reader<'_> {
    /// Reads an `AtomicReference`, which is written as its value.
    pub(super) fn reference(
        &self,
        node: Node<'_>,
        declared: &JavaType,
        to: &mut Taker<'_>,
    ) -> Read {
        let held = place::element(self.layouts, self.layouts.get(REFERENCE), declared);
        let mut value = JavaValue::Null;
        self.value(node, &held, &mut |it| {
            value = it.into_value()?;
            Ok(())
        })?;
        JavaValue::object(REFERENCE, [("value", value)]).hand(to)
    }
}

/// The fields of an object whose class is known.
struct Known<'r> {
    reader: Reader<'r>,
    layout: &'r Layout,
    fields: &'r [Field],
    node: Node<'r>,
    declared: &'r JavaType,
}

impl<'r> Known<'r> {
    /// Finds the value of each field. If several properties have its name, the last counts.
    fn find(&self, values: &mut [Option<&'r [Token<'r>]>]) {
        match &self.layout.names {
            Names::Given(given) => self.find_named(given, values),
            _ => self.find_fields(values),
        }
        if self.reader.rules.getters {
            self.find_getters(values);
        }
    }

    /// Finds fields that have other names in JSON.
    fn find_named(&self, given: &Given, values: &mut [Option<&'r [Token<'r>]>]) {
        for (label, value) in self.node.properties() {
            let Label::Text(name) = label else {
                continue;
            };
            if let Some(place) = given.find(name) {
                values[place] = Some(value.tokens());
            }
        }
        // Jackson 3 ignores the `@JsonNaming` of Jackson 2.
        if !self.reader.rules.getters {
            return;
        }
        let unread = given.names.iter().zip(self.fields).zip(values);
        for ((_, field), value) in unread.filter(|it| it.0.0.is_some() && it.1.is_none()) {
            let mut properties = self.node.properties();
            let found = properties.find(|it| it.0 == Label::Text(&field.name));
            *value = found
                .map(|it| it.1.tokens())
                .filter(|_| given.find(&field.name).is_none());
        }
    }

    fn find_fields(&self, values: &mut [Option<&'r [Token<'r>]>]) {
        // Java writes them in this order.
        let mut next = 0;
        for (label, value) in self.node.properties() {
            let Label::Text(name) = label else {
                continue;
            };
            if self.fields.get(next).is_none_or(|it| it.name != *name) {
                next = (self.fields).partition_point(|it| compare(&it.name, name).is_lt());
                if self.fields.get(next).is_none_or(|it| it.name != *name) {
                    continue;
                }
            }
            values[next] = Some(value.tokens());
            next += 1;
        }
    }

    /// Finds `active` for a boolean field `isActive`: where a class has `isActive()`, Jackson 3 writes
    /// that property and no other.
    fn find_getters(&self, values: &mut [Option<&'r [Token<'r>]>]) {
        let unread = self.fields.iter().zip(values).enumerate();
        for (number, (field, value)) in unread.filter(|it| it.1.1.is_none()) {
            if self.layout.names.of(number, &field.name) != Some(&field.name) {
                continue;
            }
            let is_boolean = matches!(
                field.declared.name().as_str(),
                "boolean" | "java.lang.Boolean"
            );
            let Some(property) = field
                .name
                .strip_prefix("is")
                .filter(|it| is_boolean && it.starts_with(char::is_uppercase))
            else {
                continue;
            };
            let property = property_of(property);
            if self.fields.iter().any(|it| it.name == *property) {
                continue;
            }
            let mut properties = self.node.properties();
            let found = properties.find(|it| it.0 == Label::Text(&property));
            *value = found.map(|it| it.1.tokens());
        }
    }

    fn field(&self, field: &Field, value: Option<&[Token<'_>]>, to: &mut Taker<'_>) -> Read {
        let declared = place::bind(
            self.reader.layouts,
            self.layout,
            &field.declared,
            self.declared,
        );
        let read = match value {
            Some(value) => self.reader.value(Node::new(value), &declared, to),
            None => to(Source::Value(missing(&declared))),
        };
        read.map_err(|error| error.within(field.name.to_string()))
    }
}

impl FieldsSource for Known<'_> {
    fn each(&mut self, names: Option<&'static [&'static str]>, to: &mut FieldTaker<'_>) -> Read {
        let Shape::Object { places, .. } = &self.layout.shape else {
            return Ok(());
        };
        let own = self.fields.iter().map(|it| it.name.as_str());
        let places = names.map(|names| places.among(names, own));
        let mut values: SmallVec<[_; 16]> = SmallVec::new();
        values.resize(self.fields.len(), None);
        self.find(&mut values);
        for (number, field) in self.fields.iter().enumerate() {
            let place = match &places {
                Some(places) => places.get(number),
                None => Some(number),
            };
            match place {
                Some(place) => {
                    let to = &mut |value: Source<'_>| to(place, &field.name, value);
                    self.field(field, values[number], to)?;
                }
                None => self.field(field, values[number], &mut skip)?,
            }
        }
        Ok(())
    }
}

/// The property of a getter, as `java.beans` names it: `active` of `isActive()`, `URL` of `isURL()`.
fn property_of(getter: &str) -> String {
    let mut chars = getter.chars();
    match (chars.next(), chars.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_uppercase() => {
            getter.to_owned()
        }
        (Some(first), _) => first.to_lowercase().chain(getter.chars().skip(1)).collect(),
        (None, _) => String::new(),
    }
}

/// The properties of an object whose class is not known.
struct Unknown<'r> {
    reader: Reader<'r>,
    node: Node<'r>,
}

impl FieldsSource for Unknown<'_> {
    fn each(&mut self, names: Option<&'static [&'static str]>, to: &mut FieldTaker<'_>) -> Read {
        let object = JavaType::object();
        unique(self.node, |place, name, value| {
            let name = Name::from(name.to_string());
            let place = match names {
                Some(names) => names.iter().position(|it| name == *it),
                None => Some(place),
            };
            let read = match place {
                Some(place) => (self.reader).value(value, &object, &mut |it| to(place, &name, it)),
                None => self.reader.value(value, &object, &mut skip),
            };
            read.map_err(|error| error.within(name.to_string()))
        })
    }
}

/// Whether an `Optional` is empty, if these are the properties of `{"empty":false,"present":true}`,
/// or of the reverse.
fn is_empty(node: Node<'_>) -> Option<bool> {
    let mut properties = node.properties();
    let (empty, value) = properties.next()?;
    let (present, other) = properties.next()?;
    let is_presence = node.len() == 2
        && empty == Label::Text("empty")
        && present == Label::Text("present")
        && matches!(other.token(), Token::Boolean(_));
    match value.token() {
        Token::Boolean(is_empty) if is_presence => Some(*is_empty),
        _ => None,
    }
}

/// The value of a field of this type if its property is missing.
fn missing(declared: &JavaType) -> JavaValue {
    match unset(declared) {
        JavaValue::Optional(_) | JavaValue::Object(_) => JavaValue::Null,
        unset => unset,
    }
}

/// The properties of an object. Merges those with the same name: the last value at the place of the
/// first, as in a Java map.
pub(super) fn unique<'t>(
    node: Node<'t>,
    mut each: impl FnMut(usize, Label<'t>, Node<'t>) -> Read,
) -> Read {
    if is_unique(node) {
        for (place, (name, value)) in node.properties().enumerate() {
            each(place, name, value)?;
        }
        return Ok(());
    }
    let mut all = merged(node).into_iter().enumerate();
    all.try_for_each(|(place, (name, value))| each(place, name, value))
}

fn merged(node: Node<'_>) -> Vec<(Label<'_>, Node<'_>)> {
    let mut places = HashMap::new();
    let mut merged = Vec::new();
    for (name, value) in node.properties() {
        let next = merged.len();
        match *places.entry(name).or_insert(next) {
            at if at < next => merged[at] = (name, value),
            _ => merged.push((name, value)),
        }
    }
    merged
}

fn is_unique(node: Node<'_>) -> bool {
    let names = node.properties().map(|it| it.0);
    match node.len() {
        ..=8 => {
            let others = |place| node.properties().skip(place + 1).map(|it| it.0);
            let mut names = names.enumerate();
            names.all(|(place, name)| others(place).all(|it| it != name))
        }
        // With a hash that resists crafted keys.
        count => names.collect::<HashSet<_>>().len() == count,
    }
}
