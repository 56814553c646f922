use crate::java::schema::{Layout, Layouts, Shape};
use crate::java::{JavaType, Name};

/// Whether it is one of the final classes that `List.of` and the like return. No field can declare
/// them, but as the class of a root they count.
fn is_hidden_final(class: &str) -> bool {
    class.starts_with("java.util.ImmutableCollections$")
}

/// Whether a value in a place declared so is written with its class.
pub(super) fn is_tagged(layouts: &Layouts, declared: &JavaType, long_tags: bool) -> bool {
    let innermost = innermost(declared);
    let name = innermost.name();
    if name == "java.lang.Long" {
        return long_tags;
    }
    !layouts.is_final(name) && !is_hidden_final(name)
}

/// The type of what a place holds in the end: of the elements of the innermost array.
fn innermost(declared: &JavaType) -> JavaType {
    let mut innermost = declared.clone();
    while let Some(component) = innermost.component() {
        innermost = component;
    }
    innermost
}

/// What the elements of a collection are declared to be: its class is `class`, and the place that
/// holds it is declared as `declared`.
pub(super) fn element(layouts: &Layouts, class: &str, declared: &JavaType) -> JavaType {
    match &arguments(layouts, class, declared)[..] {
        [element] => element.clone(),
        _ => JavaType::object(),
    }
}

/// What the keys and the values of a map are declared to be.
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

/// The type of a field of a class, in a place that declares what the type parameters stand for.
///
/// One that is not bound there stands for anything. A sub class with as many parameters as the
/// declared class has them in the same order, as far as can be told.
pub(super) fn bind(layout: &Layout, field: &JavaType, declared: &JavaType) -> JavaType {
    if layout.parameters.is_empty() {
        return field.clone();
    }
    let bound = layout.parameters.len() == declared.arguments().len();
    field.bind(&|name| {
        let at = layout.parameters.iter().position(|it: &Name| it == name)?;
        let argument = declared.arguments().get(at).filter(|_| bound);
        Some(argument.cloned().unwrap_or_else(JavaType::object))
    })
}
