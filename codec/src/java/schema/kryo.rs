//! Type parameters as Kryo sees them.
//!
//! A parameter stands for a class, never for a type with arguments. Above a class that extends
//! another without type arguments nothing is known until an object is declared with some. And Kryo
//! compares names: a parameter counts as one of the super class with the same name.

use super::{Layouts, Schema};
use crate::java::{Class, Field, JavaType, Name, jdk};

/// A type parameter: the class that declares it, and its place there.
pub(crate) type Variable = (Name, usize);

enum Resolved {
    Class(Name),
    Variable(Variable),
}

/// The fields of the class and of those above, with type parameters resolved as far as they can be.
/// Those that cannot be have the names that [`variable`] reads.
pub(super) fn fields(schema: &Schema, class: &Class) -> Vec<Vec<Field>> {
    let fields_of = |declaring: &Class| {
        let fields = declaring.fields.iter().map(|field| Field {
            name: field.name.clone(),
            declared: field.declared.bind(&|name| {
                let place = declaring.parameters.iter().position(|it| it == name)?;
                let variable = (declaring.name.clone(), place);
                Some(match resolve(schema, declaring, class, variable) {
                    // A parameter of its own cannot stand for that: the names are the same.
                    Resolved::Class(name) if declaring == class && !is_final(schema, &name) => {
                        JavaType::object()
                    }
                    Resolved::Class(name) => JavaType::new(name),
                    Resolved::Variable((class, place)) => {
                        JavaType::new(format!("?{place}?{class}"))
                    }
                })
            }),
        });
        fields.collect()
    };
    lineage(schema, class).map(fields_of).collect()
}

/// The type parameter that stands in a field, if this is the name of one.
pub(crate) fn variable(name: &str) -> Option<(&str, usize)> {
    let (place, class) = name.strip_prefix('?')?.split_once('?')?;
    Some((class, place.parse().ok()?))
}

/// The type parameters of the class and of those above, each with those further up that it is passed
/// on to.
pub(super) fn groups(schema: &Schema, class: &Class) -> Vec<Vec<Variable>> {
    let group = |declaring: &Class, place: usize| {
        let mut group = vec![(declaring.name.clone(), place)];
        let mut place = place;
        for below in lineage(schema, declaring) {
            let Some((parent, arguments)) = parent(schema, below) else {
                break;
            };
            let own = &below.parameters[place];
            let passed = arguments.iter().position(|it| it.is_named(own));
            let Some(passed) = passed.filter(|it| *it < parent.parameters.len()) else {
                break;
            };
            place = passed;
            group.push((parent.name.clone(), place));
        }
        group
    };
    let lineage = lineage(schema, class);
    lineage
        .flat_map(|it| (0..it.parameters.len()).map(move |place| (it, place)))
        .map(|(declaring, place)| group(declaring, place))
        .collect()
}

/// As `GenericsUtil.resolveTypeVariable`.
fn resolve(schema: &Schema, from: &Class, class: &Class, variable: Variable) -> Resolved {
    let Some((parent, arguments)) = parent(schema, class) else {
        return Resolved::Variable(variable);
    };
    let mut variable = variable;
    if parent.name != from.name {
        match resolve(schema, from, parent, variable) {
            Resolved::Variable(resolved) => variable = resolved,
            resolved => return resolved,
        }
    }
    let declaring = schema.classes.get(&variable.0);
    let name = declaring.and_then(|it| it.parameters.get(variable.1));
    let place = parent.parameters.iter().position(|it| Some(it) == name);
    let Some(argument) = place.and_then(|it| arguments.get(it)) else {
        return Resolved::Variable(variable);
    };
    match class.parameters.iter().position(|it| argument.is_named(it)) {
        Some(place) => Resolved::Variable((class.name.clone(), place)),
        None => Resolved::Class(argument.name().clone()),
    }
}

fn is_final(schema: &Schema, class: &str) -> bool {
    match schema.classes.get(class) {
        Some(class) => class.is_final,
        None => jdk::is_final(class),
    }
}

/// The class that a class extends with type arguments, and these.
fn parent<'s>(schema: &'s Schema, class: &'s Class) -> Option<(&'s Class, &'s [JavaType])> {
    let super_type = class.super_class.as_ref()?;
    let parent = schema.classes.get(super_type.name())?;
    let arguments = super_type.arguments();
    (!arguments.is_empty()).then_some((parent, arguments))
}

/// The class and those that it extends.
fn lineage<'s>(schema: &'s Schema, class: &'s Class) -> impl Iterator<Item = &'s Class> {
    let above = |it: &&'s Class| schema.classes.get(it.super_class.as_ref()?.name());
    std::iter::successors(Some(class), above).take(Layouts::LONGEST_CHAIN + 1)
}
