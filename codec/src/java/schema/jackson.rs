//! What Jackson's annotations make of the fields and the constants of a class.

use super::{Layouts, Schema, Shape};
use crate::java::class::Jackson;
use crate::java::{Class, Name, compare};

/// What Jackson calls the fields or the constants of a class.
#[derive(Debug)]
pub(crate) enum Names {
    /// What Java calls them.
    Java,
    Given(Given),
    /// Annotations decide.
    Unknown,
}

/// Names that annotations give.
#[derive(Debug)]
pub(crate) struct Given {
    /// By the indexes of the fields or the constants. `None` if Jackson does not write the field.
    pub(crate) names: Vec<Option<Name>>,
    /// The indexes of the fields that Jackson writes, in the order of declaration.
    pub(crate) declared: Vec<usize>,
    /// The same but for hidden fields, ordered by these names as Java orders strings.
    pub(crate) shown: Vec<usize>,
}

impl Names {
    /// What Jackson calls the field of this index, which Java calls `own`. `None` if it does not write
    /// the field.
    pub(crate) fn of<'n>(&'n self, place: usize, own: &'n Name) -> Option<&'n Name> {
        match self {
            Self::Given(given) => given.names[place].as_ref(),
            Self::Java | Self::Unknown => Some(own),
        }
    }
}

impl Given {
    /// The field or the constant that Jackson calls so.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let is_it = |it: &Option<Name>| it.as_ref().is_some_and(|it| *it == *name);
        self.names.iter().position(is_it)
    }
}

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
        Shape::Object {
            fields,
            declared,
            shown,
            ..
        } => {
            let names: Vec<Option<Name>> = fields.iter().map(|it| name(&it.name)).collect();
            let written = |it: &usize| Some((names[*it].as_ref()?, *it));
            let mut shown: Vec<(&Name, usize)> = shown.iter().filter_map(written).collect();
            shown.sort_by(|(a, _), (b, _)| compare(a, b));
            let shown = shown.into_iter().map(|(_, it)| it).collect();
            let declared = declared.iter().filter_map(written).map(|(_, it)| it);
            Given {
                declared: declared.collect(),
                shown,
                names,
            }
        }
        Shape::Enum { constants, .. } => Given {
            names: constants.iter().map(name).collect(),
            declared: Vec::new(),
            shown: Vec::new(),
        },
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
