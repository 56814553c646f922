//! Which Rust type stands for a Java type.

use std::collections::BTreeSet;

use super::choices::Choices;
use super::names::{self, Names};
use super::table::{PLAIN, boxed, is_collection, is_map};
use crate::schema::closure::Closure;
use crate::schema::java_class::Kind;
use crate::schema::java_type::{Argument, JavaType, is_of_jdk};

/// Finds Rust types.
pub(super) struct Types<'a> {
    pub(super) closure: &'a Closure,
    pub(super) names: &'a Names,
    choices: &'a Choices,
    hash: bool,
}

/// A Rust type.
pub(super) struct Rust {
    /// As the source spells it.
    pub(super) text: String,
    /// The Java type that the derive takes it for if nothing is said.
    java: String,
    /// True if it holds `null` by itself.
    is_dynamic: bool,
}

impl Rust {
    fn new(text: impl Into<String>, java: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            java: java.into(),
            is_dynamic: false,
        }
    }

    fn dynamic() -> Self {
        Self {
            is_dynamic: true,
            ..Self::new("JavaValue", "java.lang.Object")
        }
    }
}

impl<'a> Types<'a> {
    pub(super) fn new(
        closure: &'a Closure,
        names: &'a Names,
        choices: &'a Choices,
        hash: bool,
    ) -> Self {
        Self {
            closure,
            names,
            choices,
            hash,
        }
    }

    /// The type of a field of `class`, and what `type = "…"` must say about it.
    pub(super) fn field(&self, declared: &JavaType, class: &str) -> (String, Option<String>) {
        let rust = self.value(declared);
        let mut text = rust.text;
        if self.reaches(declared, class) {
            text = format!("Box<{text}>");
        }
        if !declared.is_primitive() && !rust.is_dynamic {
            text = format!("Option<{text}>");
        }
        let plain = declared.without_wildcards().to_string();
        (text, (plain != rust.java).then_some(plain))
    }

    /// The type of the fields of a super class.
    pub(super) fn base(&self, super_class: &JavaType) -> Rust {
        self.class(&self.names.of_class(&super_class.name), super_class)
    }

    /// A collection or a map, as the one field of a class that extends it.
    pub(super) fn container(&self, declared: &JavaType) -> String {
        self.value(declared).text
    }

    /// The type of a value that is not null.
    fn value(&self, declared: &JavaType) -> Rust {
        if let Some(component) = declared.component() {
            return self.array(&component);
        }
        let name = declared.name.as_str();
        if declared.is_variable {
            return Rust::new(name, name);
        }
        let plain = PLAIN.iter().find(|(names, ..)| names.contains(&name));
        if let Some((_, rust, java)) = plain {
            return Rust::new(*rust, if java.is_empty() { name } else { java });
        }
        let argument = |at: usize| match declared.arguments.get(at) {
            Some(Argument::Exactly(it) | Argument::Extends(it)) => self.value(it),
            _ => Rust::dynamic(),
        };
        if name == "java.util.Optional" {
            let content = argument(0);
            return Rust::new(format!("Option<{}>", content.text), content.java);
        }
        if is_collection(name) {
            let element = argument(0);
            let is_set = name.ends_with("Set") && self.hash && self.is_hashable(declared);
            let (rust, java) = if is_set {
                ("HashSet", "Set")
            } else {
                ("Vec", "List")
            };
            return Rust::new(
                format!("{rust}<{}>", element.text),
                format!("java.util.{java}<{}>", boxed(&element.java)),
            );
        }
        if is_map(name) {
            let (key, value) = (argument(0), argument(1));
            let text = match self.hash && self.is_hashable(declared) {
                true => format!("HashMap<{}, {}>", key.text, value.text),
                false => format!("Vec<({}, {})>", key.text, value.text),
            };
            let (key, value) = (boxed(&key.java), boxed(&value.java));
            return Rust::new(text, format!("java.util.Map<{key}, {value}>"));
        }
        if self.choices.contains(name) {
            return Rust::new(self.names.of_choice(name), name);
        }
        match self.closure.classes.get(name) {
            Some(class) if self.closure.is_concrete(class) => {
                self.class(&self.names.of_class(name), declared)
            }
            _ => Rust::dynamic(),
        }
    }

    fn array(&self, component: &JavaType) -> Rust {
        if component.is_primitive() && component.name == "byte" {
            return Rust::new("Vec<u8>", "byte[]");
        }
        let element = self.value(component);
        if component.is_variable && component.dimensions == 0 {
            // Only this type knows at run time what the parameter stands for.
            return Rust::new(
                format!("Box<[Option<{}>]>", element.text),
                format!("{}[]", element.java),
            );
        }
        let list = boxed(&element.java);
        Rust::new(
            format!("Vec<{}>", element.text),
            format!("java.util.List<{list}>"),
        )
    }

    /// A class with its type arguments.
    fn class(&self, name: &str, declared: &JavaType) -> Rust {
        let parameters = self.closure.classes.get(&declared.name);
        let count = parameters.map_or(0, |it| it.parameters.len());
        if count == 0 {
            return Rust::new(name, &*declared.name);
        }
        let arguments: Vec<Rust> = (0..count)
            .map(|at| match declared.arguments.get(at) {
                Some(Argument::Exactly(it) | Argument::Extends(it)) => self.value(it),
                _ => Rust::dynamic(),
            })
            .collect();
        let texts: Vec<&str> = arguments.iter().map(|it| it.text.as_str()).collect();
        let java: Vec<&str> = arguments.iter().map(|it| boxed(&it.java)).collect();
        Rust::new(
            format!("{name}<{}>", texts.join(", ")),
            format!("{}<{}>", declared.name, java.join(", ")),
        )
    }

    /// The enum for the sub classes of a class.
    pub(super) fn choice(&self, class: &str, below: &[String]) -> String {
        let name = self.names.of_choice(class);
        let mut taken = BTreeSet::from(["Other".to_owned()]);
        let mut text = format!(
            "/// What a field of the type `{class}` holds.\n\
             #[derive(Clone, Debug, JavaObject, PartialEq)]\n\
             #[java(super_class = \"{class}\")]\n\
             pub enum {name} {{\n"
        );
        for sub_class in below {
            let rust = self.class(
                &self.names.of_class(sub_class),
                &JavaType::new(&**sub_class),
            );
            let variant = self.names.of_class(sub_class);
            let (variant, _) = match taken.insert(variant.clone()) {
                true => (variant, None),
                false => names::constant(&format!("{variant}Class"), &mut taken),
            };
            text += &format!("    {variant}({}),\n", rust.text);
        }
        text + "    #[java(other)]\n    Other(JavaValue),\n}\n"
    }

    /// True if a value of the type can hold one of `class` without a list or a map in between. In
    /// Rust, it would have no end.
    fn reaches(&self, declared: &JavaType, class: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut waiting = self.held(declared);
        while let Some(current) = waiting.pop() {
            if current == class {
                return true;
            }
            if !seen.insert(current.clone()) {
                continue;
            }
            if let Some(read) = self.closure.classes.get(&current) {
                let fields = read.fields.iter().map(|it| &it.declared);
                let types = fields.chain(&read.super_class);
                waiting.extend(types.flat_map(|it| self.held(it)));
            }
        }
        false
    }

    /// The classes of which the type holds at most one value each.
    fn held(&self, declared: &JavaType) -> Vec<String> {
        let name = declared.name.as_str();
        let is_indirect = declared.dimensions > 0 || is_collection(name) || is_map(name);
        if is_indirect || declared.is_variable {
            return Vec::new();
        }
        let mut held = self.choices.below(name).to_vec();
        if !is_of_jdk(name) {
            held.push(name.to_owned());
        }
        let arguments = declared.arguments.iter().filter_map(Argument::bound);
        held.extend(arguments.flat_map(|it| self.held(it)));
        held
    }

    /// True if the elements of a set or the keys of a map can be hashed.
    fn is_hashable(&self, declared: &JavaType) -> bool {
        let Some(Argument::Exactly(key)) = declared.arguments.first() else {
            return false;
        };
        let name = key.name.as_str();
        let is_enum = self.closure.classes.get(name);
        let is_enum = is_enum.is_some_and(|it| matches!(it.kind, Kind::Enum { .. }));
        let known = [
            "Boolean",
            "Byte",
            "Character",
            "Integer",
            "Long",
            "Short",
            "String",
        ];
        let known = known
            .iter()
            .any(|it| name.strip_prefix("java.lang.") == Some(it));
        key.dimensions == 0 && (is_enum || known || name == "java.util.UUID")
    }
}
