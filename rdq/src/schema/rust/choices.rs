//! The classes of fields that can hold one of several sub classes.

use std::collections::{BTreeMap, BTreeSet};

use crate::schema::closure::Closure;
use crate::schema::java_class::JavaClass;
use crate::schema::java_type::is_of_jdk;

/// From each such class to the classes that its values can have.
pub(super) struct Choices(BTreeMap<String, Vec<String>>);

impl Choices {
    /// A class that a field or an argument names gets an enum if it has no values of its own, or
    /// if others extend it and it is not generic.
    pub(super) fn of(closure: &Closure) -> Self {
        let mut held: BTreeSet<&str> = BTreeSet::new();
        for class in closure.classes.values() {
            let fields = class.fields.iter().map(|it| &it.declared);
            held.extend(fields.flat_map(|it| it.classes()));
            // The super class itself stands for its fields only.
            let arguments = class
                .super_class
                .iter()
                .flat_map(|it| it.classes().into_iter().skip(1));
            held.extend(arguments);
        }
        let held = held.into_iter().filter(|it| !is_of_jdk(it));
        let choices = held.filter_map(|name| {
            let mut below: Vec<String> = Vec::new();
            let Some(class) = closure.classes.get(name) else {
                return Some((name.to_owned(), below));
            };
            let all = closure.classes.values();
            let all = all.filter(|it| closure.is_concrete(it) && extends(closure, it, name));
            below.extend(all.map(|it| it.name.clone()));
            // An enum would not know the arguments of a generic class.
            let is_generic = !class.parameters.is_empty();
            let is_alone = closure.is_concrete(class) && (below.len() == 1 || is_generic);
            (!is_alone).then(|| (name.to_owned(), below))
        });
        Self(choices.collect())
    }

    pub(super) fn contains(&self, class: &str) -> bool {
        self.0.contains_key(class)
    }

    pub(super) fn below(&self, class: &str) -> &[String] {
        self.0.get(class).map_or(&[], |it| it)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0
            .iter()
            .map(|(class, below)| (class.as_str(), below.as_slice()))
    }
}

/// True if the class is `name`, extends it or implements it.
fn extends(closure: &Closure, class: &JavaClass, name: &str) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![class.name.as_str()];
    while let Some(current) = waiting.pop() {
        if current == name {
            return true;
        }
        if let Some(class) = closure
            .classes
            .get(current)
            .filter(|_| seen.insert(current))
        {
            waiting.extend(class.super_class.iter().map(|it| it.name.as_str()));
            waiting.extend(class.interfaces.iter().map(|it| it.name.as_str()));
        }
    }
    false
}
