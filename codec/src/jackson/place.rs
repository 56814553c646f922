//! Which type is declared at a place, and whether its class is written.

use crate::java::schema::{Layout, Layouts, Shape};
use crate::java::{JavaType, Name};

/// True for the classes that `List.of` and the like return. They are final, but no field can
/// declare them.
fn is_hidden_final(class: &str) -> bool {
    class.starts_with("java.util.ImmutableCollections$")
}

/// True if a value is written with its class at a place declared as `declared`.
pub(super) fn is_tagged(layouts: &Layouts, declared: &JavaType, long_tags: bool) -> bool {
    let innermost = innermost(declared);
    let name = innermost.name();
    if name == "java.lang.Long" {
        return long_tags;
    }
    !layouts.is_final(name) && !is_hidden_final(name)
}

/// The element type of the innermost array, or the type itself if it is no array.
fn innermost(declared: &JavaType) -> JavaType {
    let mut innermost = declared.clone();
    while let Some(component) = innermost.component() {
        innermost = component;
    }
    innermost
}

/// The declared type of the elements of a collection of the class `class`, at a place declared as
/// `declared`.
pub(super) fn element(layouts: &Layouts, class: &str, declared: &JavaType) -> JavaType {
    match &arguments(layouts, class, declared)[..] {
        [element] => element.clone(),
        _ => JavaType::object(),
    }
}

/// The declared types of the keys and the values of a map.
pub(super) fn entry(layouts: &Layouts, class: &str, declared: &JavaType) -> (JavaType, JavaType) {
    match &arguments(layouts, class, declared)[..] {
        [key, value] => (key.clone(), value.clone()),
        _ => (JavaType::object(), JavaType::object()),
    }
}

fn arguments(layouts: &Layouts, class: &str, declared: &JavaType) -> Vec<JavaType> {
    match layouts.get(class) {
        Some(layout) => match &layout.shape {
            Shape::Container { of } => bind(layout, of, declared).arguments().to_vec(),
            _ => Vec::new(),
        },
        None => declared.arguments().to_vec(),
    }
}

/// Fills in a field's type parameters, as the place `declared` binds them. Unbound ones become
/// `Object`.
pub(super) fn bind(layout: &Layout, field: &JavaType, declared: &JavaType) -> JavaType {
    if layout.parameters.is_empty() {
        return field.clone();
    }
    field.bind(&|name| {
        let at = layout.parameters.iter().position(|it| *it == *name)?;
        Some(argument(layout, at, declared).unwrap_or_else(JavaType::object))
    })
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
