//! Which type is declared at a place, and whether its class is written.

use std::borrow::Cow;

use super::reader::{OPTIONAL, REFERENCE};
use crate::java::hierarchy::is_above;
use crate::java::schema::{Layout, Layouts, Shape};
use crate::java::{JavaType, Mismatch, Name};

/// True for the classes that `List.of` and the like return. They are final, but no field can
/// declare them.
fn is_hidden_final(class: &str) -> bool {
    class.starts_with("java.util.ImmutableCollections$")
}

/// True if nothing tells the declared type of a place: it is a type parameter of a class, in a place
/// declared with an interface that the schema does not connect with the class. Or it is an array of
/// such a type.
pub(super) fn is_unknown(declared: &JavaType) -> bool {
    let name = declared.name().as_bytes();
    name == UNKNOWN.as_bytes() || name.ends_with(b"[L?;")
}

/// The name of a type that nothing tells. Java has no such name.
const UNKNOWN: &str = "?";

/// Refuses a value whose type only an unknown declared type tells.
pub(super) fn untold() -> Mismatch {
    Mismatch::because(
        "its type is not known: say in the schema which interfaces with type arguments the class \
         around it implements",
    )
}

/// True if a value is written with its class at a place declared as `declared`. `looks_in` says whether
/// that depends on what is in the references of an array.
pub(super) fn is_tagged(
    layouts: &Layouts,
    declared: &JavaType,
    long_tags: bool,
    looks_in: bool,
) -> bool {
    if looks_in && let Some(held) = held_in_array(declared) {
        // A class of arrays is final.
        return !held.name().starts_with('[') && is_tagged(layouts, &held, long_tags, false);
    }
    let is_tagged = declared.facts.is_tagged.get_or_init(|| {
        let innermost = declared.innermost();
        let name = innermost.name();
        let is_long = name == "java.lang.Long";
        (!is_long).then(|| {
            // Jackson tags what is in an `AtomicReference`.
            let is_reference = *name == REFERENCE && declared.name() == REFERENCE;
            !layouts.is_final(name) && !is_hidden_final(name) && !is_reference
        })
    });
    is_tagged.unwrap_or(long_tags)
}

/// The type inside the references of such an array.
fn held_in_array(declared: &JavaType) -> Option<JavaType> {
    let is_reference = |it: &JavaType| [OPTIONAL, REFERENCE].contains(&it.name().as_str());
    let name = declared.name();
    // Asked for every value: most are in no such array.
    if !name.starts_with('[') || !name.ends_with("Optional;") && !name.ends_with("Reference;") {
        return None;
    }
    let mut held = declared.innermost();
    if !is_reference(&held) {
        return None;
    }
    while is_reference(&held) {
        let inner = held.arguments().first().cloned();
        held = inner.unwrap_or_else(|| JavaType::new("java.lang.Object"));
    }
    Some(held)
}

/// The declared type of the elements of an array of this class, at a place declared as `declared`.
/// `None` if it is no class of arrays.
pub(super) fn component(class: &str, declared: &JavaType) -> Option<JavaType> {
    match declared.name() == class {
        true => declared.component(),
        false => JavaType::new(class.to_owned()).component(),
    }
}

/// The declared type of the elements of a collection, whose class may have a `layout`, at a place
/// declared as `declared`.
pub(super) fn element<'t>(
    layouts: &'t Layouts,
    layout: Option<&'t Layout>,
    declared: &'t JavaType,
) -> Cow<'t, JavaType> {
    if layout.is_none() && is_unknown(declared) {
        return Cow::Borrowed(declared);
    }
    match arguments(layouts, layout, declared) {
        Cow::Borrowed([element]) => Cow::Borrowed(element),
        Cow::Owned(owned) if owned.len() == 1 => owned
            .into_iter()
            .next()
            .map_or(Cow::Borrowed(&layouts.object), Cow::Owned),
        _ => Cow::Borrowed(&layouts.object),
    }
}

/// The declared types of the keys and the values of a map, whose class may have a `layout`.
pub(super) fn entry<'t>(
    layouts: &'t Layouts,
    layout: Option<&'t Layout>,
    declared: &'t JavaType,
) -> (Cow<'t, JavaType>, Cow<'t, JavaType>) {
    if layout.is_none() && is_unknown(declared) {
        return (Cow::Borrowed(declared), Cow::Borrowed(declared));
    }
    match arguments(layouts, layout, declared) {
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

fn arguments<'t>(
    layouts: &'t Layouts,
    layout: Option<&'t Layout>,
    declared: &'t JavaType,
) -> Cow<'t, [JavaType]> {
    match layout.map(|it| (it, &it.shape)) {
        Some((layout, Shape::Container { of })) => match bind(layouts, layout, of, declared) {
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
    layouts: &Layouts,
    layout: &Layout,
    field: &'t JavaType,
    declared: &JavaType,
) -> Cow<'t, JavaType> {
    if layout.parameters.is_empty() {
        return Cow::Borrowed(field);
    }
    let bound = field.bind(&|name| {
        let at = layout.parameters.iter().position(|it| *it == *name)?;
        let argument = argument(layouts, layout, at, declared);
        Some(argument.unwrap_or_else(|| layout.bounds[at].clone()))
    });
    Cow::Owned(bound)
}

/// The type that a parameter of a class stands for, in an object that is declared as `declared`.
/// `None` if the place does not bind it.
fn argument(
    layouts: &Layouts,
    layout: &Layout,
    parameter: usize,
    declared: &JavaType,
) -> Option<JavaType> {
    let arguments = declared.arguments();
    let solver = Solver {
        parameter: &layout.parameters[parameter],
        class: &layout.name,
    };
    if is_unknown(declared) {
        return Some(JavaType::new(UNKNOWN));
    }
    if arguments.is_empty() {
        return None;
    }
    if *declared.name() == layout.name {
        return arguments.get(parameter).cloned();
    }
    let mut ancestors = layout.ancestors.iter();
    if let Some(above) = ancestors.find(|it| it.name() == declared.name()) {
        // Jackson forgets the bound of a parameter that the place does not tell.
        return Some(
            solver
                .solve(above, declared)
                .unwrap_or_else(JavaType::object),
        );
    }
    // All that is above the collections of the JDK has their type parameters.
    if let Shape::Container { of } = &layout.shape
        && is_above(declared.name(), of.name())
    {
        return solver.solve_each(of, declared);
    }
    // The schema does not say how the class implements the interface.
    let interface = layouts.get(declared.name());
    match interface.is_some_and(|it| it.parameters == layout.parameters) {
        true => arguments.get(parameter).cloned(),
        false => Some(JavaType::new(UNKNOWN)),
    }
}

/// Finds what a type parameter stands for.
struct Solver<'a> {
    parameter: &'a Name,
    class: &'a Name,
}

impl Solver<'_> {
    /// The type that the parameter must stand for so that `above`, which contains it, is `declared`.
    fn solve(&self, above: &JavaType, declared: &JavaType) -> Option<JavaType> {
        if above.is_named(self.parameter) {
            return Some(declared.clone());
        }
        if let (Some(above), Some(declared)) = (above.component(), declared.component()) {
            return self.solve(&above, &declared);
        }
        // Jackson does not look into the class itself: `class Unit<T> implements Comparable<Unit<T>>`.
        let is_same = above.name() == declared.name() && above.name() != self.class;
        is_same.then(|| self.solve_each(above, declared)).flatten()
    }

    fn solve_each(&self, above: &JavaType, declared: &JavaType) -> Option<JavaType> {
        let mut both = above.arguments().iter().zip(declared.arguments());
        both.find_map(|(above, declared)| self.solve(above, declared))
    }
}
