use std::borrow::Cow;
use std::sync::Arc;

use super::classes::{Class, Classes};
use crate::java::schema::Layouts;
use crate::java::schema::kryo::{Variable, variable};
use crate::java::{JavaType, Name};

/// The declared type of a field: what decides how its values are written.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: Name,
    pub(super) bound: Bound,
    pub(super) arguments: Vec<Declared>,
}

#[derive(Clone, Debug)]
pub(super) enum Bound {
    /// Neither null nor a class tag is written.
    Primitive(Class),
    /// No class tag is written: the class of every value is known.
    Final(Class),
    /// Every value has its class tag.
    Open,
    /// A type parameter, or an array of it with that many dimensions.
    Variable { of: Variable, dimensions: usize },
}

impl Declared {
    /// Reads a type.
    pub(super) fn new(declared: &JavaType, layouts: &Layouts, classes: &Classes) -> Self {
        let declared = &declared.without_wildcard();
        let arguments = declared.arguments().iter();
        Self {
            name: declared.name().clone(),
            bound: bound(declared, layouts, classes),
            arguments: arguments
                .map(|it| Self::new(it, layouts, classes))
                .collect(),
        }
    }

    /// For the elements of a collection, or the keys of a map; `None` without type arguments.
    pub(super) fn first(&self) -> Option<&Self> {
        self.arguments.first()
    }

    /// For the values of a map, or the elements of what is in a collection.
    pub(super) fn last(&self) -> Option<&Self> {
        self.arguments.last()
    }
}

fn bound(declared: &JavaType, layouts: &Layouts, classes: &Classes) -> Bound {
    let dimensions = declared.name().bytes().take_while(|it| *it == b'[').count();
    if let Some((class, place)) = variable(declared.innermost().name()) {
        let of = (Name::from(class.to_owned()), place);
        return Bound::Variable { of, dimensions };
    }
    match classes.find(declared.name()) {
        Some(class) if declared.is_primitive() => Bound::Primitive(class),
        Some(class) if layouts.is_final(declared.name()) => Bound::Final(class),
        _ => Bound::Open,
    }
}

/// What a declared type says about the class of a value.
#[derive(Clone, Debug)]
pub(super) enum Known {
    /// The value has this class.
    Class(Class),
    /// The value may have a sub class.
    Open,
    /// Nothing: it is a type parameter without a known class.
    Unbound,
}

/// The classes of the type parameters in the value that is being read or written.
///
/// As in Kryo, those of an object count until its end, also for what is in its fields: in a
/// `Box<String>`, a raw `Box` in a field of type `Object` is taken for a box of strings.
///
/// A list with the newest first, so that a copy of it costs nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Bindings(Option<Arc<Binding>>);

#[derive(Debug)]
struct Binding {
    of: Variable,
    /// `None` for a class that has sub classes.
    class: Option<Class>,
    older: Bindings,
}

impl Bindings {
    pub(super) fn resolve(&self, declared: &Declared, classes: &Classes) -> Known {
        let (of, dimensions) = match &declared.bound {
            Bound::Primitive(_) | Bound::Open => return Known::Open,
            Bound::Final(class) => return Known::Class(class.clone()),
            Bound::Variable { of, dimensions } => (of, *dimensions),
        };
        let newest = self.0.as_deref();
        let mut bindings = std::iter::successors(newest, |it| it.older.0.as_deref());
        match bindings.find(|it| it.of == *of) {
            None => Known::Unbound,
            Some(Binding { class: None, .. }) => Known::Open,
            Some(Binding {
                class: Some(class), ..
            }) => array(class, dimensions, classes).map_or(Known::Open, Known::Class),
        }
    }

    /// The class of values of this declared type, if there can be only one.
    pub(super) fn class<'d>(
        &self,
        declared: Option<&'d Declared>,
        classes: &Classes,
    ) -> Option<Cow<'d, Class>> {
        let declared = declared?;
        match &declared.bound {
            Bound::Final(class) => Some(Cow::Borrowed(class)),
            Bound::Primitive(_) | Bound::Open => None,
            Bound::Variable { .. } => match self.resolve(declared, classes) {
                Known::Class(class) => Some(Cow::Owned(class)),
                Known::Open | Known::Unbound => None,
            },
        }
    }

    /// Binds the type parameters of an object to the arguments of the type declared for it: each
    /// group of them to one, as long as there are enough for its own. As in Kryo, an argument that
    /// is not bound itself leaves its group to the arguments behind it.
    ///
    /// Returns what must be put back at the end of the object.
    pub(super) fn push(
        &mut self,
        groups: &[Vec<Variable>],
        own: usize,
        declared: Option<&Declared>,
        classes: &Classes,
    ) -> Self {
        let before = self.clone();
        let Some(declared) = declared else {
            return before;
        };
        let arguments = &declared.arguments;
        if own > arguments.len() || arguments.len() > groups.len() {
            return before;
        }
        let mut parameters = groups.iter().flatten();
        for (group, argument) in groups.iter().zip(arguments) {
            let class = match self.resolve(argument, classes) {
                Known::Class(class) => Some(class),
                Known::Open => None,
                Known::Unbound => continue,
            };
            for of in parameters.by_ref().take(group.len()) {
                self.0 = Some(Arc::new(Binding {
                    of: of.clone(),
                    class: class.clone(),
                    older: self.clone(),
                }));
            }
        }
        before
    }
}

fn array(class: &Class, dimensions: usize, classes: &Classes) -> Option<Class> {
    let mut array = JavaType::new(class.name.clone());
    for _ in 0..dimensions {
        array = array.array();
    }
    classes.find(array.name())
}
