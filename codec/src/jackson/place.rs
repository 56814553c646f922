//! Which type is declared at a place, and whether its class is written.

use std::borrow::Cow;

use super::reader::REFERENCE;
use crate::java::schema::{Layout, Layouts, Shape};
use crate::java::{JavaType, Name};

/// True for the classes that `List.of` and the like return. They are final, but no field can
/// declare them.
fn is_hidden_final(class: &str) -> bool {
    class.starts_with("java.util.ImmutableCollections$")
}

/// True if a value is written with its class at a place declared as `declared`.
pub(super) fn is_tagged(layouts: &Layouts, declared: &JavaType, long_tags: bool) -> bool {
    let is_tagged = declared.facts.is_tagged.get_or_init(|| {
        let innermost = innermost(declared);
        let name = innermost.name();
        let is_long = name == "java.lang.Long";
        (!is_long).then(|| {
            // Jackson tags what is in an `AtomicReference`.
            !layouts.is_final(name) && !is_hidden_final(name) && *name != REFERENCE
        })
    });
    is_tagged.unwrap_or(long_tags)
}

/// The element type of the innermost array, or the type itself if it is no array.
fn innermost(declared: &JavaType) -> JavaType {
    let mut innermost = declared.clone();
    while let Some(component) = innermost.component() {
        innermost = component;
    }
    innermost
}

/// The declared type of the elements of an array of this class, at a place declared as `declared`.
/// `None` if it is no class of arrays.
pub(super) fn component(class: &str, declared: &JavaType) -> Option<JavaType> {
    match declared.name() == class {
        true => declared.component(),
        false => JavaType::new(class.to_owned()).component(),
    }
}

/// The declared type of the elements of a collection of the class `class`, at a place declared as
/// `declared`.
pub(super) fn element<'t>(
    layouts: &'t Layouts,
    class: &str,
    declared: &'t JavaType,
) -> Cow<'t, JavaType> {
    match arguments(layouts, class, declared) {
        Cow::Borrowed([element]) => Cow::Borrowed(element),
        Cow::Owned(owned) if owned.len() == 1 => owned
            .into_iter()
            .next()
            .map_or(Cow::Borrowed(&layouts.object), Cow::Owned),
        _ => Cow::Borrowed(&layouts.object),
    }
}

/// The declared types of the keys and the values of a map.
pub(super) fn entry<'t>(
    layouts: &'t Layouts,
    class: &str,
    declared: &'t JavaType,
) -> (Cow<'t, JavaType>, Cow<'t, JavaType>) {
    match arguments(layouts, class, declared) {
        Cow::Borrowed([key, value]) => (Cow::Borrowed(key), Cow::Borrowed(value)),
        Cow::Owned(owned) if owned.len() == 2 => {
            (Cow::Owned(owned[0].clone()), Cow::Owned(owned[1].clone()))
        }
        _ => (
            Cow::Borrowed(&layouts.object),
            Cow::Borrowed(&layouts.object),
        ),
    }
}

fn arguments<'t>(layouts: &'t Layouts, class: &str, declared: &'t JavaType) -> Cow<'t, [JavaType]> {
    match layouts.get(class).map(|it| (it, &it.shape)) {
        Some((layout, Shape::Container { of })) => match bind(layout, of, declared) {
            Cow::Borrowed(of) => Cow::Borrowed(of.arguments()),
            Cow::Owned(of) => Cow::Owned(of.arguments().to_vec()),
        },
        Some(_) => Cow::Borrowed(&[]),
        None => Cow::Borrowed(declared.arguments()),
    }
}

/// Fills in a field's type parameters, as the place `declared` binds them. Others become what they
/// extend.
pub(super) fn bind<'t>(
    layout: &Layout,
    field: &'t JavaType,
    declared: &JavaType,
) -> Cow<'t, JavaType> {
    if layout.parameters.is_empty() {
        return Cow::Borrowed(field);
    }
    let bound = field.bind(&|name| {
        let at = layout.parameters.iter().position(|it| *it == *name)?;
        let argument = argument(layout, at, declared);
        Some(argument.unwrap_or_else(|| layout.bounds[at].clone()))
    });
    Cow::Owned(bound)
}

/// The type that a parameter of a class stands for, in an object that is declared as `declared`.
///
/// Which interfaces a class has is not known: one with as many parameters is assumed to have them in
/// the same order.
fn argument(layout: &Layout, parameter: usize, declared: &JavaType) -> Option<JavaType> {
    let arguments = declared.arguments();
    let mut ancestors = layout.ancestors.iter();
    match ancestors.find(|it| it.name() == declared.name()) {
        Some(above) => solve(&layout.parameters[parameter], above, declared),
        None if layout.parameters.len() == arguments.len() => arguments.get(parameter).cloned(),
        None => None,
    }
}

/// The type that the parameter must stand for so that `above`, which contains it, is `declared`.
fn solve(parameter: &Name, above: &JavaType, declared: &JavaType) -> Option<JavaType> {
    if above.is_named(parameter) {
        return Some(declared.clone());
    }
    if let (Some(above), Some(declared)) = (above.component(), declared.component()) {
        return solve(parameter, &above, &declared);
    }
    let both = above.arguments().iter().zip(declared.arguments());
    let mut both = both.filter(|_| above.name() == declared.name());
    both.find_map(|(above, declared)| solve(parameter, above, declared))
}
