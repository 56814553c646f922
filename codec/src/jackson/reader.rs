//! From trees to Java values.

use std::collections::HashMap;

use super::place;
use super::tree::{Label, Tree};
use crate::java::schema::{Layout, Layouts, Shape};
use crate::java::{JavaType, JavaValue, Mismatch, Name, Text};

mod class;
mod container;
pub(super) mod scalar;

/// Turns trees into values, even without the tags that Java insists on.
///
/// If such a tag is missing, the declared type and the form of the tree decide.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    layouts: &'a Layouts,
}

impl<'a> Reader<'a> {
    pub(super) fn new(layouts: &'a Layouts) -> Self {
        Self { layouts }
    }

    pub(super) fn root(&self, tree: Tree, declared: &JavaType) -> Result<JavaValue, Mismatch> {
        self.value(tree, declared)
    }

    /// Reads a value at a place declared as `declared`.
    fn value(&self, tree: Tree, declared: &JavaType) -> Result<JavaValue, Mismatch> {
        match tree {
            Tree::Null => Ok(unset(declared)),
            tree if declared.name() == OPTIONAL => self.optional(tree, declared),
            Tree::Tagged(class, tree) => self.tagged(&class, *tree, declared),
            Tree::Object(mut properties) => match take_class(&mut properties) {
                // No other class can stand there, whatever the tag says.
                Some(class) if self.layouts.get(&class).is_none() && self.is_final(declared) => {
                    self.of(declared.name(), Tree::Object(properties), declared)
                }
                Some(class) => self.tagged(&class, Tree::Object(properties), declared),
                None => self.bare(Tree::Object(properties), declared),
            },
            Tree::Array(items) => match self.wrapped(items, declared) {
                Ok((class, tree)) => self.tagged(&class, tree, declared),
                Err(items) => self.bare(Tree::Array(items), declared),
            },
            tree => self.bare(tree, declared),
        }
    }

    fn is_final(&self, declared: &JavaType) -> bool {
        self.layouts.is_final(declared.name())
    }

    /// Takes `["class", value]` apart, or gives the array back if it is no such pair.
    ///
    /// Java knows from the place. This reader also takes values without a tag. So two strings are a
    /// pair only if the first can be the name of a class, and never where an array of strings is
    /// declared.
    fn wrapped(&self, items: Vec<Tree>, declared: &JavaType) -> Result<(String, Tree), Vec<Tree>> {
        let [Tree::String(class), inner] = &items[..] else {
            return Err(items);
        };
        let pair = match declared.component() {
            Some(_) if !place::is_tagged(self.layouts, declared, true) => {
                let is_text = matches!(declared.name().as_str(), "[B" | "[C");
                class.starts_with('[') && (is_text || matches!(inner, Tree::Array(_)))
            }
            _ => class::is_name(class) || self.layouts.get(class).is_some(),
        };
        if !pair {
            return Err(items);
        }
        let mut items = items.into_iter();
        match (items.next(), items.next()) {
            (Some(Tree::String(class)), Some(inner)) => Ok((class, inner)),
            _ => Err(Vec::new()),
        }
    }

    /// Reads a value that names its class.
    fn tagged(&self, class: &str, tree: Tree, declared: &JavaType) -> Result<JavaValue, Mismatch> {
        if !class.contains('<') {
            return self.of(class, tree, declared);
        }
        // As in `java.util.EnumSet<com.example.Status>`.
        let Ok(class) = class.parse::<JavaType>() else {
            return Err(Mismatch::unknown("the name of a class", class));
        };
        self.of(class.name(), tree, &class)
    }

    /// Reads a value that does not name its class: as the class of the place, or as the class that
    /// such a tree most likely has.
    fn bare(&self, tree: Tree, declared: &JavaType) -> Result<JavaValue, Mismatch> {
        let class = declared.name();
        let layout = self.layouts.get(class);
        let has_no_objects = layout.is_some_and(|it| it.is_abstract && !it.is_final);
        if has_no_objects && matches!(tree, Tree::Object(_)) {
            return Err(Mismatch::unknown(
                class.clone(),
                "an object without a class",
            ));
        }
        let known = self.is_final(declared)
            || self.layouts.get(class).is_some()
            || class.starts_with('[')
            || class::is_bare(class);
        if known {
            return self.of(class, tree, declared);
        }
        match tree {
            Tree::Array(_) if !class::is_collection(class) => {
                self.of("java.util.ArrayList", tree, declared)
            }
            Tree::Object(_) if !class::is_map(class) => {
                self.of("java.util.LinkedHashMap", tree, declared)
            }
            Tree::Array(_) | Tree::Object(_) => self.of(class, tree, declared),
            tree => scalar::natural(tree),
        }
    }

    /// Reads a value of a class.
    fn of(&self, class: &str, tree: Tree, declared: &JavaType) -> Result<JavaValue, Mismatch> {
        if class == OPTIONAL {
            return self.optional(tree, declared);
        }
        if tree == Tree::Null {
            return Ok(unset(declared));
        }
        if let Some(value) = scalar::read(class, &tree) {
            return value.ok_or_else(|| Mismatch::unknown(class.to_owned(), tree.kind()));
        }
        if class.starts_with('[') {
            return self.array(class, tree);
        }
        match self.layouts.get(class) {
            Some(layout) => match &layout.shape {
                Shape::Enum { constants, .. } => constant(layout, constants, &tree),
                Shape::Object { fields, .. } => match tree {
                    // An incomplete schema calls a class abstract that it cannot describe.
                    Tree::Object(properties) if layout.is_abstract && fields.is_empty() => {
                        self.unknown_object(class, properties)
                    }
                    Tree::Object(_) if layout.is_abstract => Err(Mismatch::because(format!(
                        "java cannot make objects of {class}: the schema says it is abstract"
                    ))),
                    Tree::Object(properties) => self.object(layout, properties, declared),
                    tree => Err(Mismatch::unknown(class.to_owned(), tree.kind())),
                },
                Shape::Container { .. } => self.container(class, tree, declared),
            },
            None => self.unknown(class, tree, declared),
        }
    }

    /// Reads a collection, a map, or a value of a class that neither the schema nor the codec
    /// knows.
    fn unknown(&self, class: &str, tree: Tree, declared: &JavaType) -> Result<JavaValue, Mismatch> {
        match tree {
            Tree::Object(properties) if !class::is_map(class) => {
                self.unknown_object(class, properties)
            }
            Tree::Array(_) | Tree::Object(_) => self.container(class, tree, declared),
            // As Jackson writes a file, an address, a path and others.
            Tree::String(text) if class.starts_with("java.") || class.starts_with("javax.") => {
                let class = class.to_owned().into();
                Ok(JavaValue::Text(Text { class, text }))
            }
            // Java writes a value of a hidden class of the JDK, and cannot read it.
            Tree::String(_)
                if ["com.sun.", "jdk.", "sun."]
                    .iter()
                    .any(|it| class.starts_with(it)) =>
            {
                Err(Mismatch::unknown("a class that java reads", class))
            }
            // Jackson writes no other value of a user's class as a string.
            Tree::String(name) => Ok(JavaValue::constant(class.to_owned(), name)),
            tree => Err(Mismatch::unknown(class.to_owned(), tree.kind())),
        }
    }

    fn unknown_object(
        &self,
        class: &str,
        properties: Vec<(Label, Tree)>,
    ) -> Result<JavaValue, Mismatch> {
        let mut fields = Vec::new();
        for (name, tree) in unique(properties) {
            let value = self.value(tree, &JavaType::object());
            let value = value.map_err(|error| error.within(name.to_string()))?;
            fields.push((Name::from(name.to_string()), value));
        }
        Ok(JavaValue::object(class.to_owned(), fields))
    }

    /// Reads an object whose class is known. Missing fields become null or zero. Properties that
    /// the class does not have are skipped.
    fn object(
        &self,
        layout: &Layout,
        mut properties: Vec<(Label, Tree)>,
        declared: &JavaType,
    ) -> Result<JavaValue, Mismatch> {
        let Shape::Object { fields, .. } = &layout.shape else {
            return Err(Mismatch::unknown(layout.name.clone(), "an object"));
        };
        let mut values = Vec::with_capacity(fields.len());
        for field in fields {
            let declared = place::bind(layout, &field.declared, declared);
            // If several properties have this name, the last counts.
            let place = properties
                .iter()
                .rposition(|(name, _)| *name == *field.name.as_str());
            let value = match place {
                Some(at) => {
                    let tree = std::mem::replace(&mut properties[at].1, Tree::Null);
                    self.value(tree, &declared)
                        .map_err(|error| error.within(field.name.to_string()))?
                }
                None => missing(&declared),
            };
            values.push((field.name.clone(), value));
        }
        Ok(JavaValue::object(layout.name.clone(), values))
    }

    /// Reads an `Optional`, which is written as its value.
    fn optional(&self, tree: Tree, declared: &JavaType) -> Result<JavaValue, Mismatch> {
        let tree = match tree {
            Tree::Null => return Ok(JavaValue::Optional(None)),
            Tree::Array(items) => match <[Tree; 2]>::try_from(items) {
                Ok([Tree::String(class), held]) if class == OPTIONAL => {
                    return self.optional(held, declared);
                }
                Ok(pair) => Tree::Array(pair.into()),
                Err(items) => Tree::Array(items),
            },
            // Jackson 2.15 and earlier write only this.
            Tree::Object(properties) if is_presence(&properties) => match properties[0].1 {
                Tree::Boolean(true) => return Ok(JavaValue::Optional(None)),
                _ => {
                    let found = "only that there is one";
                    return Err(Mismatch::unknown(
                        "the value of a java.util.Optional",
                        found,
                    ));
                }
            },
            tree => tree,
        };
        let held = place::element(self.layouts, OPTIONAL, declared);
        let held = self.value(tree, &held)?;
        Ok(JavaValue::Optional(Some(Box::new(held))))
    }
}

/// True if these are the properties of `{"empty":false,"present":true}`, or of the reverse.
fn is_presence(properties: &[(Label, Tree)]) -> bool {
    let [(empty, Tree::Boolean(_)), (present, Tree::Boolean(_))] = properties else {
        return false;
    };
    *empty == *"empty" && *present == *"present"
}

/// Reads a constant from its name, or from its place in the enum.
fn constant(layout: &Layout, constants: &[Name], tree: &Tree) -> Result<JavaValue, Mismatch> {
    let name = match tree {
        Tree::String(name) => constants.iter().find(|it| **it == name.as_str()),
        Tree::Integer(at) => usize::try_from(*at).ok().and_then(|at| constants.get(at)),
        _ => None,
    };
    match (name, tree) {
        (Some(name), _) => Ok(JavaValue::constant(layout.name.clone(), name.clone())),
        (None, Tree::String(name)) => {
            Err(Mismatch::no_constant(layout.name.clone(), name, constants))
        }
        (None, tree) => Err(Mismatch::unknown(layout.name.clone(), tree.kind())),
    }
}

/// The value that `null` stands for at a place of this type.
fn unset(declared: &JavaType) -> JavaValue {
    match declared.name().as_str() {
        "boolean" => JavaValue::Boolean(false),
        "byte" => JavaValue::Byte(0),
        "char" => JavaValue::Character(0),
        "double" => JavaValue::Double(0.0),
        "float" => JavaValue::Float(0.0),
        "int" => JavaValue::Integer(0),
        "long" => JavaValue::Long(0),
        "short" => JavaValue::Short(0),
        OPTIONAL => JavaValue::Optional(None),
        _ => JavaValue::Null,
    }
}

/// The value of a field of this type if its property is missing.
fn missing(declared: &JavaType) -> JavaValue {
    match unset(declared) {
        JavaValue::Optional(_) => JavaValue::Null,
        unset => unset,
    }
}

/// Takes the class out of the properties of an object, wherever it stands. A second property with
/// that name stays in the object.
fn take_class(properties: &mut Vec<(Label, Tree)>) -> Option<String> {
    let at = properties
        .iter()
        .position(|(name, value)| *name == *Tree::CLASS && matches!(value, Tree::String(_)))?;
    match properties.remove(at) {
        (_, Tree::String(class)) => Some(class),
        _ => None,
    }
}

/// Merges properties with the same name: the last value at the place of the first, as in a Java
/// map.
fn unique(properties: Vec<(Label, Tree)>) -> Vec<(Label, Tree)> {
    let mut places: HashMap<Label, usize> = HashMap::new();
    let mut unique: Vec<(Label, Tree)> = Vec::new();
    for (name, tree) in properties {
        match places.get(&name) {
            Some(at) => unique[*at].1 = tree,
            None => {
                places.insert(name.clone(), unique.len());
                unique.push((name, tree));
            }
        }
    }
    unique
}

const OPTIONAL: &str = "java.util.Optional";
