//! Rust structs and enums that derive `JavaObject`.

use std::collections::BTreeSet;

use super::closure::{Closure, is_container_of_jdk};
use super::java_class::{JavaClass, Kind};

mod choices;
mod item;
mod names;
mod table;
mod types;

use choices::Choices;
use item::Item;
use names::Names;
use types::Types;

/// What the writer chose by itself, and what it could not say.
#[derive(Debug)]
pub(crate) struct RustSource {
    pub(crate) text: String,
    /// What to check, each in a line.
    pub(crate) notes: Vec<String>,
}

impl Closure {
    /// The source text of a module with a struct or an enum for each class. With `hash`, maps and
    /// sets are a `HashMap` and a `HashSet` where their keys allow it.
    pub(crate) fn to_rust(&self, hash: bool) -> RustSource {
        let choices = Choices::of(self);
        let names = Names::of(self, &choices);
        let types = Types::new(self, &names, &choices, hash);
        let mut notes = Vec::new();
        let mut items: Vec<(String, String)> = Vec::new();
        for class in self.classes.values() {
            if let Some(text) = Item::new(class, &types, &mut notes).write() {
                items.push((names.of_class(&class.name), text));
            }
        }
        items.extend(
            choices
                .iter()
                .map(|(class, below)| (names.of_choice(class), types.choice(class, below))),
        );
        items.sort();
        let items: Vec<String> = items.into_iter().map(|(_, text)| text).collect();
        let body = items.join("\n");
        let text = format!(
            "//! Java classes as Rust types. Made by `rdq schema --rust`.\n\n{}\n{body}",
            imports(&body)
        );
        RustSource { text, notes }
    }

    /// The class of the JDK that a class extends, if that is a collection or a map.
    fn container_above<'a>(&'a self, class: &'a JavaClass) -> Option<&'a JavaClass> {
        let mut current = class;
        let mut seen = BTreeSet::new();
        loop {
            let above = current.super_class.as_ref()?;
            if is_container_of_jdk(&above.name) {
                return Some(current);
            }
            if !seen.insert(&above.name) {
                return None;
            }
            current = self.classes.get(&above.name)?;
        }
    }

    /// True if the class has values of its own, whose fields are known.
    fn is_concrete(&self, class: &JavaClass) -> bool {
        let has_values = match &class.kind {
            Kind::Interface => false,
            Kind::Enum { constants, .. } => !constants.is_empty(),
            Kind::Object | Kind::Record => !class.is_abstract,
        };
        has_values && !class.is_local && !self.is_opaque(&class.name)
    }
}

/// The `use` declarations that the text needs.
fn imports(body: &str) -> String {
    // Names in attributes and paths need no import.
    let code = body.split('"').step_by(2);
    let words =
        code.flat_map(|it| it.split(|it: char| !(it.is_alphanumeric() || "_.".contains(it))));
    let words: BTreeSet<&str> = words.collect();
    let uses = |name: &str| words.contains(name);
    let group = |from: &str, names: &[&str]| {
        let used: Vec<&str> = names.iter().copied().filter(|it| uses(it)).collect();
        match used[..] {
            [] => String::new(),
            [one] => format!("use {from}::{one};\n"),
            _ => format!("use {from}::{{{}}};\n", used.join(", ")),
        }
    };
    let standard = [
        group("std::collections", &["HashMap", "HashSet"]),
        group("std::marker", &["PhantomData"]),
        group("std::time", &["Duration"]),
    ];
    let others = [
        group("redisson_delayed_queue::java", &table::OF_CRATE),
        group("uuid", &["Uuid"]),
    ];
    let blocks = [standard.concat(), others.concat()];
    let blocks: Vec<String> = blocks.into_iter().filter(|it| !it.is_empty()).collect();
    blocks.join("\n")
}
