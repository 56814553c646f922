//! Type parameters as Kryo resolves them.
//!
//! Kryo binds a parameter to a class, never to a type with arguments. If a class extends another
//! without type arguments, Kryo leaves the parameters above it unbound until an object is declared
//! with arguments. And Kryo compares names: it takes a parameter for the parameter of the super
//! class with the same name, if that is bound to a class. Only where a field is declared as the
//! parameter itself, or as an array of it, Kryo knows a bound that is final.

use super::{Layouts, Schema};
use crate::java::{Class, Field, JavaType, Name, jdk};

/// A type parameter: the class that declares it, and its place there.
pub(crate) type Variable = (Name, usize);

enum Resolved {
    Class(Name),
    Variable(Variable),
}

/// The fields of the class and of the classes above it, with type parameters resolved as far as
/// possible. An unresolved parameter gets a name that [`variable`] reads.
pub(super) fn fields(schema: &Schema, class: &Class) -> Vec<Vec<Field>> {
    let fields_of = |declaring: &Class| {
        let place_of = |name: &str| declaring.parameters.iter().position(|it| it == name);
        let bound = |field: &Field| {
            let declared = field.declared.innermost();
            let variable = (declaring.name.clone(), place_of(declared.name())?);
            // A parameter of the same name further up counts for more.
            if let Resolved::Class(_) = resolve(schema, declaring, class, variable, true) {
                return None;
            }
            let bound = declaring.bound_of(declared.name());
            is_final(schema, bound.innermost().name()).then(|| {
                let dimensions = field.declared.name().bytes().take_while(|it| *it == b'[');
                let erased = JavaType::new(bound.name().clone());
                dimensions.fold(erased, |it, _| it.array())
            })
        };
        let fields = declaring.fields.iter().map(|field| Field {
            name: field.name.clone(),
            declared: bound(field).unwrap_or_else(|| {
                field.declared.bind(&|name| {
                    let variable = (declaring.name.clone(), place_of(name)?);
                    Some(match resolve(schema, declaring, class, variable, true) {
                        // An ancestor has a parameter of the same name. What is bound there says nothing
                        // about the values of the class's own parameter.
                        Resolved::Class(name) if declaring == class && !is_final(schema, &name) => {
                            JavaType::object()
                        }
                        Resolved::Class(name) => JavaType::new(name),
                        Resolved::Variable((class, place)) => {
                            JavaType::new(format!("?{place}?{class}"))
                        }
                    })
                })
            }),
            erased: field
                .declared
                .bind(&|name| place_of(name).map(|_| declaring.bound_of(name)))
                .name()
                .clone(),
        });
        fields.collect()
    };
    lineage(schema, class).map(fields_of).collect()
}

/// Reads the name that [`fields`] gives an unresolved type parameter. `None` for other names.
pub(crate) fn variable(name: &str) -> Option<(&str, usize)> {
    let (place, class) = name.strip_prefix('?')?.split_once('?')?;
    Some((class, place.parse().ok()?))
}

/// The type parameters of the class and of the classes above it. Each is grouped with the
/// parameters further up that it is passed on to.
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

/// Resolves a type parameter as Kryo's `GenericsUtil.resolveTypeVariable` does. `is_last` says that
/// no class below `class` may bind it.
fn resolve(
    schema: &Schema,
    from: &Class,
    class: &Class,
    variable: Variable,
    is_last: bool,
) -> Resolved {
    let Some((parent, arguments)) = parent(schema, class) else {
        return Resolved::Variable(variable);
    };
    let mut variable = variable;
    // For a parameter of the class itself, this goes on above the class.
    if parent.name != from.name {
        match resolve(schema, from, parent, variable, false) {
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
    // Kryo takes `T[]` for `T` here.
    let passed = argument.innermost();
    let passed = class.parameters.iter().position(|it| passed.is_named(it));
    match passed {
        None => Resolved::Class(argument.name().clone()),
        Some(_) if is_last && argument.component().is_none() => Resolved::Variable(variable),
        Some(place) => Resolved::Variable((class.name.clone(), place)),
    }
}

fn is_final(schema: &Schema, class: &str) -> bool {
    match schema.classes.get(class) {
        Some(class) => class.is_final,
        None => jdk::is_final(class) || jdk::enums().get(class).is_some(),
    }
}

/// The class that a class extends with type arguments, and the arguments.
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
