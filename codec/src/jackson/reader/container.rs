//! Arrays, collections and maps.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use base64::{alphabet, engine::DecodePaddingMode};
use bytes::Bytes;

use super::object::unique;
use super::{Read, Reader, class, scalar};
use crate::jackson::place;
use crate::jackson::tape::{Label, Node, Token};
use crate::java::schema::{Layout, Shape};
use crate::java::{
    Array, Contents, Each, JavaObject, JavaType, JavaValue, Mismatch, Name, Source, Taker, Text,
    jdk,
};

impl Reader<'_> {
    pub(super) fn array(
        &self,
        class: &str,
        node: Node<'_>,
        declared: &JavaType,
        to: &mut Taker<'_>,
    ) -> Read {
        let Some(component) = place::component(class, declared) else {
            return Err(Mismatch::unknown("an array class", class));
        };
        let leaf = match (class, node.token()) {
            ("[B", Token::Bytes(bytes)) => JavaValue::Bytes(Bytes::copy_from_slice(bytes)),
            ("[B", Token::String(text)) => {
                let bytes = BASE64.decode(text.as_bytes()).map(Bytes::from);
                JavaValue::Bytes(bytes.map_err(|_| Mismatch::unknown("base64", "another text"))?)
            }
            ("[B", Token::Array(_)) => return self.bytes(node, &component, to),
            ("[C", Token::String(text)) => characters(text.encode_utf16().collect()),
            ("[C", Token::Utf16(units)) => characters(units.to_vec()),
            (_, Token::Array(_)) => {
                let class = Name::from(class.to_owned());
                return to(Source::Array(&class, &mut self.items(node, &component)));
            }
            (_, token) => {
                let array = component.array().to_string();
                return Err(Mismatch::unknown(array, token.kind()));
            }
        };
        leaf.hand(to)
    }

    /// Reads bytes that are written as an array of numbers.
    fn bytes(&self, node: Node<'_>, component: &JavaType, to: &mut Taker<'_>) -> Read {
        let mut bytes = Vec::new();
        self.items(node, component).each(&mut |item| {
            bytes.push(i8::from_source(item)?.cast_unsigned());
            Ok(())
        })?;
        to(Source::Value(JavaValue::Bytes(bytes.into())))
    }

    /// Reads a collection or a map, of the JDK or of a class that extends one.
    pub(super) fn container(
        &self,
        class: &str,
        layout: Option<&Layout>,
        node: Node<'_>,
        declared: &JavaType,
        to: &mut Taker<'_>,
    ) -> Read {
        match node.token() {
            Token::Array(_) => self.collection(class, layout, node, declared, to),
            Token::Object(_) => self.map(class, layout, node, declared, to),
            token => Err(Mismatch::unknown(class.to_owned(), token.kind())),
        }
    }

    fn collection(
        &self,
        class: &str,
        layout: Option<&Layout>,
        node: Node<'_>,
        declared: &JavaType,
        to: &mut Taker<'_>,
    ) -> Read {
        let mut name = class::concrete(class);
        let element = place::element(self.layouts, layout, declared);
        if jdk::is_enum_set(&name)
            && let Some(layout) = self.layouts.get(element.name())
            && let Shape::Enum { constants, .. } = &layout.shape
        {
            name = jdk::enum_set(constants.len());
        }
        let comparator = enumeration(jdk::is_enum_set(&name) && node.len() == 0, &element);
        let mut items = self.items(node, &element);
        to(Source::Collection(&name, &comparator, &mut items))
    }

    fn map(
        &self,
        class: &str,
        layout: Option<&Layout>,
        node: Node<'_>,
        declared: &JavaType,
        to: &mut Taker<'_>,
    ) -> Read {
        let name = class::concrete(class);
        let types = place::entry(self.layouts, layout, declared);
        let is_enum_map = name == "java.util.EnumMap";
        let comparator = enumeration(is_enum_map && node.len() == 0, &types.0);
        let mut entries = Each {
            len: node.len(),
            read: |to: &mut Taker<'_>| self.entries(node, &types.0, &types.1, to),
        };
        to(Source::Map(&name, &comparator, &mut entries))
    }

    fn items(&self, node: Node<'_>, declared: &JavaType) -> impl Contents {
        Each {
            len: node.len(),
            read: move |to: &mut Taker<'_>| {
                for (place, item) in node.items().enumerate() {
                    let read = self.value(item, declared, to);
                    read.map_err(|error| error.at_place(place))?;
                }
                Ok(())
            },
        }
    }

    fn entries(
        &self,
        node: Node<'_>,
        keys: &JavaType,
        values: &JavaType,
        to: &mut Taker<'_>,
    ) -> Read {
        unique(node, |place, name, value| {
            self.hand_key(name, keys, place, to)?;
            let read = self.value(value, values, to);
            read.map_err(|error| error.within(name.to_string()))
        })
    }

    fn hand_key(
        &self,
        name: Label<'_>,
        declared: &JavaType,
        place: usize,
        to: &mut Taker<'_>,
    ) -> Read {
        let handed = self.key(name, declared)?.hand(to);
        handed.map_err(|error| error.at_key(place))
    }

    /// Reads a key as a value of the declared type, as Java does: an enum, bytes, or a class of the
    /// JDK that holds no others. A key of any other type stays a text.
    fn key(&self, name: Label<'_>, declared: &JavaType) -> Result<JavaValue, Mismatch> {
        if place::is_unknown(declared) {
            return Err(place::untold());
        }
        let class = declared.name();
        let name = match name {
            Label::Text(text) => Cow::Borrowed(text),
            Label::Number(number) => Cow::Owned(number.to_string()),
        };
        if class == "java.lang.String" || class == "java.lang.Object" {
            return Ok(JavaValue::String(name.into_owned()));
        }
        if class == "[B" {
            let bytes = BASE64.decode(&*name).ok();
            let bytes = bytes.map(|it| JavaValue::Bytes(it.into()));
            return bytes.ok_or_else(|| Mismatch::unknown(class.clone(), "another key"));
        }
        let token = Token::String(name);
        if let Some(layout) = self.layouts.get(class)
            && let Shape::Enum { constants, .. } = &layout.shape
        {
            return self.constant(layout, constants, &token);
        }
        match scalar::read(class, Node::leaf(&token)) {
            Some(Some(key)) => Ok(key),
            Some(None) => Err(Mismatch::unknown(class.clone(), "another key")),
            None => scalar::natural(Node::leaf(&token)),
        }
    }
}

/// The class object of an enum, which an empty `EnumSet` or `EnumMap` needs. It is null for other
/// containers, and if the type does not name the enum.
fn enumeration(of_no_constants: bool, constants: &JavaType) -> JavaValue {
    if !of_no_constants || *constants == JavaType::object() {
        return JavaValue::Null;
    }
    JavaValue::Text(Text::class_object(constants.name().to_string()))
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
