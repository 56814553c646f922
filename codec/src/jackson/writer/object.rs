//! Objects with fields.

use std::borrow::Cow;

use super::Writer;
use crate::jackson::place;
use crate::jackson::reader::{OPTIONALS, REFERENCE, check_annotations};
use crate::jackson::sink::{Sink, Written};
use crate::jackson::tape::{Node, Token};
use crate::java::locale::Locale;
use crate::java::schema::jackson::Names;
use crate::java::schema::{Layout, Shape};
use crate::java::{Fields, JavaType, JavaValue, Mismatch, Name, Surplus, View};

impl<S: Sink> Writer<'_, S> {
    pub(super) fn object(
        &mut self,
        class: &Name,
        fields: &dyn Fields,
        declared: &JavaType,
        depth: usize,
        tag: Option<&str>,
    ) -> Written {
        if let Some(layout) = self.layouts.get(class)
            && let Shape::Object { .. } = layout.shape
        {
            check_annotations(layout)?;
            return self.properties(fields, layout, declared, depth, tag);
        }
        if *class == REFERENCE {
            let layout = self.layouts.get(REFERENCE);
            let declared = place::element(self.layouts, layout, declared);
            let mut written = Ok(());
            let mut write = |held: &View<'_>| {
                written = self.value(held, &declared, depth, tag);
            };
            match fields.place("value") {
                Some(place) => fields.field(place, &mut write),
                None => write(&View::Null),
            }
            return written;
        }
        let leaf = match class.as_str() {
            "java.util.GregorianCalendar" => match fields.get("time") {
                Some(JavaValue::Long(millis)) => self.millis(millis),
                _ => return Err(Mismatch::unknown("a calendar with a time", "none")),
            },
            Locale::CLASS => {
                let locale = Locale::of(fields)?;
                Token::String(match self.rules.language_tags {
                    true => locale.tag().into(),
                    false => locale.text().into(),
                })
            }
            "java.util.regex.Pattern" => match fields.get("pattern") {
                Some(JavaValue::String(pattern)) => Token::String(pattern.into()),
                _ => return Err(Mismatch::unknown("a pattern with a text", "none")),
            },
            _ => match (class.as_str(), fields.get("value")) {
                ("java.util.concurrent.atomic.AtomicBoolean", Some(JavaValue::Boolean(it))) => {
                    Token::Boolean(it)
                }
                ("java.util.concurrent.atomic.AtomicInteger", Some(JavaValue::Integer(it))) => {
                    Token::Integer(it.into())
                }
                ("java.util.concurrent.atomic.AtomicLong", Some(JavaValue::Long(it))) => {
                    Token::Integer(it)
                }
                (optional, value) if self.rules.optionals && OPTIONALS.contains(&optional) => {
                    match (optional, value) {
                        (_, None | Some(JavaValue::Null)) => Token::Null,
                        ("java.util.OptionalDouble", Some(JavaValue::Double(it))) => {
                            Token::Double(it)
                        }
                        ("java.util.OptionalInt", Some(JavaValue::Integer(it))) => {
                            Token::Integer(it.into())
                        }
                        ("java.util.OptionalLong", Some(JavaValue::Long(it))) => Token::Integer(it),
                        (_, Some(other)) => {
                            let other = View::from(&other);
                            return Err(Mismatch::found(class.clone(), &other));
                        }
                    }
                }
                _ => {
                    let what = format!("class {class} is not in the schema");
                    return Err(Mismatch::because(what));
                }
            },
        };
        self.sink.node(Node::leaf(&leaf), tag)
    }

    /// Writes the fields. Leaves out null fields, and fields that a field of a sub class hides. A
    /// field of a primitive type is never null in Java.
    fn properties(
        &mut self,
        object: &dyn Fields,
        layout: &Layout,
        declared: &JavaType,
        depth: usize,
        tag: Option<&str>,
    ) -> Written {
        let Shape::Object { fields, places, .. } = &layout.shape else {
            return Ok(());
        };
        let places = places.of(object, fields.iter().map(|it| &*it.name));
        let places = places.map_err(|Surplus(name)| {
            let what = format!("class {} has no such field", layout.name);
            Mismatch::because(what).within(name)
        })?;
        let order = self.in_order(layout);
        let mut count = 0;
        if S::COUNTS {
            for place in order.iter().filter_map(|it| places.get(*it)) {
                object.field(place, &mut |value| count += usize::from(!value.is_null()));
            }
        }
        self.sink.begin_object(count, tag)?;
        if let Names::Given(given) = &layout.names {
            check_ignored(object, layout, &given.names, |it| places.get(it))?;
        }
        for number in order.iter() {
            let field = &fields[*number];
            let name = layout.names.of(*number, &field.name);
            let name = name.unwrap_or(&field.name);
            let declared = place::bind(self.layouts, layout, &field.declared, declared);
            let mut written = Ok(());
            match places.get(*number) {
                None if declared.is_primitive() => {
                    let what = format!("field of class {} is missing", layout.name);
                    written = Err(Mismatch::because(what));
                }
                None => continue,
                Some(place) => object.field(place, &mut |value| {
                    if !value.is_null() || declared.is_primitive() {
                        written = self
                            .sink
                            .name(name)
                            .and_then(|()| self.value(value, &declared, depth, None));
                    }
                }),
            }
            written.map_err(|error| error.within(field.name.to_string()))?;
        }
        self.sink.end_object()
    }

    /// The numbers of the fields, in the order in which they are written.
    fn in_order<'l>(&self, layout: &'l Layout) -> Cow<'l, [usize]> {
        let Shape::Object {
            is_record,
            fields,
            declared,
            shown,
            ..
        } = &layout.shape
        else {
            return Cow::Borrowed(&[]);
        };
        let (declared, shown) = match &layout.names {
            Names::Given(given) => (&given.declared, &given.shown),
            Names::Java | Names::Unknown => (declared, shown),
        };
        match self.rules.first.get(&layout.name) {
            Some(first) => {
                let mut ordered = shown.clone();
                ordered.sort_by_key(|number| {
                    let name = layout.names.of(*number, &fields[*number].name);
                    let place = first.iter().position(|it| Some(it) == name);
                    place.unwrap_or(first.len())
                });
                Cow::Owned(ordered)
            }
            None if *is_record && self.rules.records_as_declared => Cow::Borrowed(declared),
            None => Cow::Borrowed(shown),
        }
    }
}

/// Refuses a value in a field that Jackson does not write.
fn check_ignored(
    object: &dyn Fields,
    layout: &Layout,
    names: &[Option<Name>],
    place: impl Fn(usize) -> Option<usize>,
) -> Written {
    let Shape::Object { fields, .. } = &layout.shape else {
        return Ok(());
    };
    for (number, field) in fields.iter().enumerate() {
        let Some(place) = place(number).filter(|_| names[number].is_none()) else {
            continue;
        };
        let mut has_value = false;
        object.field(place, &mut |value| has_value = !is_unset(value));
        if has_value {
            let what = "jackson does not write it: leave it null or zero";
            return Err(Mismatch::because(what).within(field.name.to_string()));
        }
    }
    Ok(())
}

/// True for null and zero, which a field has if nothing sets it.
fn is_unset(value: &View<'_>) -> bool {
    match *value {
        View::Null | View::Boolean(false) => true,
        View::Byte(it) => it == 0,
        View::Short(it) => it == 0,
        View::Character(it) => it == 0,
        View::Integer(it) => it == 0,
        View::Long(it) => it == 0,
        View::Float(it) => it == 0.0,
        View::Double(it) => it == 0.0,
        _ => false,
    }
}
