//! What Jackson's annotations make of the fields and the constants of a class.

use super::{Layouts, Names, Schema, Shape};
use crate::java::class::Jackson;
use crate::java::{Class, Name};

/// What Jackson calls the fields or the constants. Annotations of a class hold for those that extend
/// it, too.
pub(super) fn names(schema: &Schema, class: &Class, shape: &Shape) -> Names {
    let mut given: Vec<&(Name, Option<Name>)> = Vec::new();
    let mut hidden: Vec<&Name> = Vec::new();
    for class in chain(schema, class) {
        match &class.jackson {
            Jackson::Named(names) => {
                given.extend(names.iter().filter(|it| !hidden.contains(&&it.0)));
            }
            Jackson::Unknown => return Names::Unknown,
        }
        hidden.extend(class.fields.iter().map(|it| &it.name));
    }
    if given.is_empty() {
        return Names::Java;
    }
    let name = |member: &Name| match given.iter().find(|it| it.0 == *member) {
        Some((_, written)) => written.clone(),
        None => Some(member.clone()),
    };
    Names::Given(match shape {
        Shape::Object { fields, .. } => fields.iter().map(|it| name(&it.name)).collect(),
        Shape::Enum { constants, .. } => constants.iter().map(name).collect(),
        Shape::Container { .. } => return Names::Java,
    })
}

/// The class, and the classes and the interfaces of the schema above it, the nearest first.
fn chain<'s>(schema: &'s Schema, class: &'s Class) -> Vec<&'s Class> {
    let mut chain = vec![class];
    let mut next = 0;
    while let Some(class) = chain.get(next)
        && next < Layouts::LONGEST_CHAIN
    {
        next += 1;
        let above = class.super_class.iter().chain(&class.interfaces);
        let above: Vec<&Class> = above
            .filter_map(|it| schema.classes.get(it.name()))
            .collect();
        chain.extend(above);
    }
    chain
}
