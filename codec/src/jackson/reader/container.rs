//! Arrays, collections and maps.

use base64::Engine;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::{alphabet, engine::DecodePaddingMode};
use bytes::Bytes;

use super::{Reader, class, scalar, unique};
use crate::jackson::place;
use crate::jackson::tree::{Label, Tree};
use crate::java::schema::Shape;
use crate::java::{Array, Collection, JavaType, JavaValue, Map, Mismatch, Text};

impl Reader<'_> {
    pub(super) fn array(&self, class: &str, tree: Tree) -> Result<JavaValue, Mismatch> {
        let declared = JavaType::new(class.to_owned());
        let Some(component) = declared.component() else {
            return Err(Mismatch::unknown("an array class", class));
        };
        let items = match (class, tree) {
            ("[B", Tree::Bytes(bytes)) => return Ok(JavaValue::Bytes(bytes)),
            ("[B", Tree::String(text)) => {
                let bytes = BASE64.decode(text).map(Bytes::from);
                let bytes = bytes.map_err(|_| Mismatch::unknown("base64", "another text"));
                return bytes.map(JavaValue::Bytes);
            }
            ("[C", Tree::String(text)) => return Ok(characters(text.encode_utf16().collect())),
            ("[C", Tree::Utf16(units)) => return Ok(characters(units)),
            (_, Tree::Array(items)) => self.items(items, &component)?,
            (_, tree) => return Err(Mismatch::unknown(declared.to_string(), tree.kind())),
        };
        if class != "[B" {
            let class = class.to_owned().into();
            return Ok(JavaValue::Array(Array { class, items }));
        }
        let bytes = items.into_iter().map(|item| match item {
            JavaValue::Byte(it) => Ok(it.cast_unsigned()),
            other => Err(Mismatch::new("byte", &other)),
        });
        Ok(JavaValue::Bytes(bytes.collect::<Result<_, _>>()?))
    }

    /// Reads a collection or a map, of the JDK or of a class that extends one.
    pub(super) fn container(
        &self,
        class: &str,
        tree: Tree,
        declared: &JavaType,
    ) -> Result<JavaValue, Mismatch> {
        match tree {
            Tree::Array(items) => self.collection(class, items, declared),
            Tree::Object(properties) => self.map(class, properties, declared),
            tree => Err(Mismatch::unknown(class.to_owned(), tree.kind())),
        }
    }

    fn collection(
        &self,
        class: &str,
        items: Vec<Tree>,
        declared: &JavaType,
    ) -> Result<JavaValue, Mismatch> {
        let concrete = class::concrete(class);
        let element = place::element(self.layouts, class, declared);
        let items = self.items(items, &element)?;
        let is_enum_set = concrete.ends_with("EnumSet");
        Ok(JavaValue::Collection(Collection {
            comparator: enumeration(is_enum_set && items.is_empty(), &element),
            class: concrete.to_owned().into(),
            items,
        }))
    }

    fn map(
        &self,
        class: &str,
        properties: Vec<(Label, Tree)>,
        declared: &JavaType,
    ) -> Result<JavaValue, Mismatch> {
        let concrete = class::concrete(class);
        let (key, value) = place::entry(self.layouts, class, declared);
        let mut entries = Vec::new();
        for (name, tree) in unique(properties) {
            let item = self.value(tree, &value);
            let item = item.map_err(|error| error.within(name.to_string()))?;
            entries.push((self.key(name.to_string(), &key)?, item));
        }
        let is_enum_map = concrete == "java.util.EnumMap";
        Ok(JavaValue::Map(Map {
            comparator: enumeration(is_enum_map && entries.is_empty(), &key),
            class: concrete.to_owned().into(),
            entries,
        }))
    }

    fn items(&self, items: Vec<Tree>, declared: &JavaType) -> Result<Vec<JavaValue>, Mismatch> {
        let mut values = Vec::with_capacity(items.len());
        for (i, item) in items.into_iter().enumerate() {
            let value = self.value(item, declared);
            values.push(value.map_err(|error| error.within(format!("[{i}]")))?);
        }
        Ok(values)
    }

    /// Reads a key as a value of the declared type, as Java does: an enum, or a class of the JDK
    /// that holds no others. A key of any other type stays a text.
    fn key(&self, name: String, declared: &JavaType) -> Result<JavaValue, Mismatch> {
        let class = declared.name();
        let constants = self.layouts.get(class).map(|layout| &layout.shape);
        if let Some(Shape::Enum { constants, .. }) = constants {
            return match constants.iter().find(|it| **it == name.as_str()) {
                Some(constant) => Ok(JavaValue::constant(class.clone(), constant.clone())),
                None => Err(Mismatch::no_constant(class.clone(), &name, constants)),
            };
        }
        let tree = Tree::String(name);
        match scalar::read(class, &tree) {
            Some(Some(key)) => Ok(key),
            Some(None) => Err(Mismatch::unknown(class.clone(), "another key")),
            None => scalar::natural(tree),
        }
    }
}

/// The class object of an enum, which an empty `EnumSet` or `EnumMap` needs. It is null for other
/// containers, and if the type does not name the enum.
fn enumeration(of_no_constants: bool, constants: &JavaType) -> Box<JavaValue> {
    if !of_no_constants || *constants == JavaType::object() {
        return Box::default();
    }
    let class = Text::class_object(constants.name().to_string());
    Box::new(JavaValue::Text(class))
}

fn characters(units: Vec<u16>) -> JavaValue {
    JavaValue::Array(Array {
        class: "[C".into(),
        items: units.into_iter().map(JavaValue::Character).collect(),
    })
}

/// Reads base64 with or without padding, like Jackson.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
