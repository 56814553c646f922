use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::OnceLock;

use super::{Name, View};

/// The type that Java declares for a field, an element or a key.
///
/// # Examples
///
/// ```
/// use redisson_codec::java::JavaType;
///
/// let declared: JavaType = "java.util.Map<java.lang.String, long[]>".parse()?;
/// assert_eq!(declared.name(), "java.util.Map");
/// assert_eq!(declared.arguments()[1].name(), "[J");
/// # Ok::<(), redisson_codec::java::InvalidType>(())
/// ```
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct JavaType {
    name: Name,
    arguments: Vec<JavaType>,
    wildcard: Wildcard,
    pub(crate) facts: Facts,
}

/// Remembers answers that the layouts of a codec gave about a type of theirs. They are no part of the
/// type: two types with other answers are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// Whether Jackson writes the class of values. `None` if its version decides.
    pub(crate) is_tagged: OnceLock<Option<bool>>,
    /// True if the class of the type is final.
    pub(crate) is_final: OnceLock<bool>,
    /// Values that were found to fit the type.
    pub(crate) fitting: OnceLock<Fitting>,
}

/// The values of one kind and one class.
#[derive(Clone, Debug)]
pub(crate) struct Fitting {
    pub(crate) kind: u8,
    pub(crate) class: Name,
    /// True if the class has a layout.
    pub(crate) is_laid_out: bool,
}

impl Fitting {
    #[inline]
    pub(crate) fn holds(&self, value: &View<'_>) -> bool {
        self.kind == value.kind()
            && match value {
                View::Array(class, _)
                | View::Collection(class, ..)
                | View::Map(class, ..)
                | View::Object(class, _)
                | View::Text(class, _)
                | View::Date(class, _)
                | View::Enum(class, _) => self.class == **class,
                View::Time(_) | View::Serialized(_) => self.class == value.class_name(),
                // Their kind tells the class.
                _ => true,
            }
    }
}

impl Eq for Facts {}

impl PartialEq for Facts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Hash for Facts {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// Whether a type was written as a wildcard. It has the name and the arguments of the upper bound.
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq)]
enum Wildcard {
    #[default]
    No,
    Extends,
    /// With the name of the lower bound.
    Super(Name),
}

/// A text is not a Java type.
#[derive(Clone, Debug, thiserror::Error)]
#[error("not a java type: {text:?}, at byte {offset}")]
pub struct InvalidType {
    text: String,
    offset: usize,
}

impl JavaType {
    /// The type of this name, as `Class.getName()` gives it, without type arguments.
    #[must_use]
    pub fn new(name: impl Into<Name>) -> Self {
        Self {
            name: name.into(),
            arguments: Vec::new(),
            wildcard: Wildcard::No,
            facts: Facts::default(),
        }
    }

    /// `java.lang.Object`
    #[must_use]
    pub fn object() -> Self {
        Self::new("java.lang.Object")
    }

    /// The same class with these type arguments. Primitive types become boxed types, as in Java.
    #[must_use]
    pub fn with_arguments(self, arguments: impl IntoIterator<Item = JavaType>) -> Self {
        Self {
            name: self.name,
            arguments: arguments.into_iter().map(|it| it.boxed()).collect(),
            wildcard: self.wildcard,
            facts: Facts::default(),
        }
    }

    /// The name of the class, as `Class.getName()` gives it. For a primitive type, a name like
    /// `long`.
    #[must_use]
    pub fn name(&self) -> &Name {
        &self.name
    }

    /// The type arguments. A raw type has none. An array type has those of its elements.
    #[must_use]
    pub fn arguments(&self) -> &[JavaType] {
        &self.arguments
    }

    /// True if it is one of the eight primitive types.
    #[must_use]
    pub fn is_primitive(&self) -> bool {
        PRIMITIVES.iter().any(|it| it.name == self.name.as_str())
    }

    /// The class that boxes a primitive type, or the type itself.
    #[must_use]
    pub fn boxed(self) -> Self {
        match PRIMITIVES.iter().find(|it| it.name == self.name.as_str()) {
            Some(primitive) => Self::new(primitive.class),
            None => self,
        }
    }

    /// The type of arrays of this type.
    #[must_use]
    pub fn array(&self) -> Self {
        let name = self.name.as_str();
        let primitive = PRIMITIVES.iter().find(|it| it.name == name);
        let array = match primitive {
            Some(primitive) => format!("[{}", primitive.letter),
            None if name.starts_with('[') => format!("[{name}"),
            None => format!("[L{name};"),
        };
        Self::new(array).with_arguments(self.arguments.iter().cloned())
    }

    /// The type of the elements if this is an array type.
    #[must_use]
    pub fn component(&self) -> Option<Self> {
        let component = Self::new(component(&self.name)?);
        Some(component.with_arguments(self.arguments.iter().cloned()))
    }

    /// The type of the elements of an array of any dimensions, or the type itself.
    pub(crate) fn innermost(&self) -> Self {
        let mut innermost = self.clone();
        while let Some(component) = innermost.component() {
            innermost = component;
        }
        innermost
    }

    /// The type with each type variable replaced by what it is bound to.
    pub(crate) fn bind(&self, bound: &impl Fn(&str) -> Option<JavaType>) -> Self {
        if self.arguments.is_empty()
            && let Some(bound) = bound(&self.name)
        {
            return bound;
        }
        if let Some(component) = self.component() {
            return component.bind(bound).array();
        }
        let wildcard = match &self.wildcard {
            Wildcard::Super(lower) => {
                let lower = Self::new(lower.clone()).bind(bound);
                Wildcard::Super(lower.name)
            }
            other => other.clone(),
        };
        Self {
            name: self.name.clone(),
            arguments: self.arguments.iter().map(|it| it.bind(bound)).collect(),
            wildcard,
            facts: Facts::default(),
        }
    }

    /// True if the type is this name, without type arguments.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.name == *name && self.arguments.is_empty() && self.wildcard == Wildcard::No
    }

    /// The type that Kryo takes it for. For a wildcard, that is the upper bound or else the lower
    /// bound, without type arguments.
    pub(crate) fn without_wildcard(&self) -> Self {
        match &self.wildcard {
            Wildcard::No => self.clone(),
            Wildcard::Extends => Self::new(self.name.clone()),
            Wildcard::Super(lower) => Self::new(lower.clone()),
        }
    }
}

/// Java has no array type of more dimensions.
pub(crate) const DIMENSIONS: usize = 255;

/// How many dimensions the class of an array has.
pub(crate) fn dimensions(class: &str) -> usize {
    class.bytes().take_while(|it| *it == b'[').count()
}

/// The name of the type of the elements of an array class.
pub(crate) fn component(array: &str) -> Option<Name> {
    let inner = array.strip_prefix('[')?;
    if dimensions(array) > DIMENSIONS {
        return None;
    }
    if inner.starts_with('[') {
        return Some(inner.to_owned().into());
    }
    if let Some(class) = inner.strip_prefix('L') {
        return Some(class.strip_suffix(';')?.to_owned().into());
    }
    PRIMITIVES
        .iter()
        .find(|it| it.letter == inner)
        .map(|it| it.name.into())
}

struct Primitive {
    name: &'static str,
    letter: &'static str,
    class: &'static str,
}

const PRIMITIVES: [Primitive; 8] = {
    const fn primitive(name: &'static str, letter: &'static str, class: &'static str) -> Primitive {
        Primitive {
            name,
            letter,
            class,
        }
    }
    [
        primitive("boolean", "Z", "java.lang.Boolean"),
        primitive("byte", "B", "java.lang.Byte"),
        primitive("char", "C", "java.lang.Character"),
        primitive("double", "D", "java.lang.Double"),
        primitive("float", "F", "java.lang.Float"),
        primitive("int", "I", "java.lang.Integer"),
        primitive("long", "J", "java.lang.Long"),
        primitive("short", "S", "java.lang.Short"),
    ]
};

/// Reads a type as Java source spells it: `java.util.List<? extends java.lang.Number>`, `long[]`.
/// Write the full name of every class, with `$` for a nested class. A wildcard has the name and the
/// arguments of its upper bound.
impl FromStr for JavaType {
    type Err = InvalidType;

    fn from_str(text: &str) -> Result<Self, InvalidType> {
        let mut parser = Parser { text, at: 0 };
        match parser.read(0) {
            Some(parsed) if parser.rest().trim_start().is_empty() => Ok(parsed),
            _ => Err(InvalidType {
                text: text.to_owned(),
                offset: parser.at,
            }),
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    /// No type of a real class nests as deep.
    const DEEPEST: usize = 64;

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    /// Reads past `token`, and spaces before it, if it comes next.
    fn skip(&mut self, token: &str) -> bool {
        let spaces = self.rest().len() - self.rest().trim_start().len();
        if self.rest()[spaces..].starts_with(token) {
            self.at += spaces + token.len();
            return true;
        }
        false
    }

    fn read(&mut self, depth: usize) -> Option<JavaType> {
        if depth > Self::DEEPEST {
            return None;
        }
        if self.skip("?") {
            let mut read = JavaType::object();
            if self.skip("extends ") {
                read = self.read(depth + 1)?;
                // Without arguments it is the same to all.
                if !read.arguments.is_empty() {
                    read.wildcard = Wildcard::Extends;
                }
            } else if self.skip("super ") {
                read.wildcard = Wildcard::Super(self.read(depth + 1)?.name);
            }
            return Some(read);
        }
        self.skip("");
        let length = self
            .rest()
            .find(|it: char| !(it.is_alphanumeric() || "._$".contains(it)))
            .unwrap_or(self.rest().len());
        if length == 0 {
            return None;
        }
        let name = self.rest()[..length].to_owned();
        self.at += length;
        let mut parsed = JavaType::new(name);
        if self.skip("<") {
            loop {
                parsed.arguments.push(self.read(depth + 1)?);
                if self.skip(">") {
                    break;
                }
                if !self.skip(",") {
                    return None;
                }
            }
        }
        while self.skip("[") {
            if !self.skip("]") || dimensions(parsed.name()) == DIMENSIONS {
                return None;
            }
            parsed = parsed.array();
        }
        Some(parsed)
    }
}

/// As in Java source.
impl fmt::Display for JavaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.wildcard {
            Wildcard::No => {}
            Wildcard::Extends => f.write_str("? extends ")?,
            Wildcard::Super(lower) => {
                return write!(f, "? super {}", Self::new(lower.clone()));
            }
        }
        if let Some(component) = self.component() {
            return write!(f, "{component}[]");
        }
        f.write_str(&self.name)?;
        for (i, argument) in self.arguments.iter().enumerate() {
            write!(f, "{}{argument}", if i == 0 { "<" } else { ", " })?;
        }
        if !self.arguments.is_empty() {
            f.write_str(">")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_and_written_as_in_java() {
        for (text, name, printed) in [
            ("long", "long", "long"),
            ("byte[]", "[B", "byte[]"),
            ("int[][]", "[[I", "int[][]"),
            (
                "java.lang.String[]",
                "[Ljava.lang.String;",
                "java.lang.String[]",
            ),
            (
                "java.util.Optional<java.net.URI>[][]",
                "[[Ljava.util.Optional;",
                "java.util.Optional<java.net.URI>[][]",
            ),
            ("?", "java.lang.Object", "java.lang.Object"),
            (
                " java.util.Map < java.lang.Long ,? extends com.x.A$B > ",
                "java.util.Map",
                "java.util.Map<java.lang.Long, com.x.A$B>",
            ),
            (
                "java.util.List<? super java.lang.Integer>",
                "java.util.List",
                "java.util.List<? super java.lang.Integer>",
            ),
            (
                "com.example.Заказ",
                "com.example.Заказ",
                "com.example.Заказ",
            ),
        ] {
            let parsed: JavaType = text.parse().unwrap();
            assert_eq!(parsed.name(), name);
            assert_eq!(parsed.to_string(), printed);
            assert_eq!(printed.parse::<JavaType>().unwrap(), parsed);
        }
    }

    #[test]
    fn arrays_have_the_type_arguments_of_their_elements() {
        let of: JavaType = "java.util.Map<K, V[]>".parse().unwrap();
        assert_eq!(of.array().component().unwrap(), of);
        let bound = of.array().array().bind(&|name| match name {
            "K" => Some(JavaType::new("java.lang.Long")),
            "V" => "java.util.List<java.lang.String>".parse().ok(),
            _ => None,
        });
        let text = "java.util.Map<java.lang.Long, java.util.List<java.lang.String>[]>[][]";
        assert_eq!(bound.to_string(), text);
    }

    #[test]
    fn what_is_no_type_is_refused_where_it_goes_wrong() {
        for (text, offset) in [
            ("", 0),
            ("java.util.List<", 15),
            ("java.util.List<java.lang.String", 31),
            ("a b", 1),
            ("long[", 5),
            ("a<b;c>", 3),
        ] {
            let error = text.parse::<JavaType>().unwrap_err();
            assert_eq!(error.offset, offset, "{error}");
        }
        let endless = "a<".repeat(1_000_000);
        assert!(endless.parse::<JavaType>().is_err());
    }
}
