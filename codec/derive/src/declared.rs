use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, LitStr, Result};

use crate::name;

/// A type in the syntax of Java source: `java.util.Map<java.lang.String, long[]>`.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) arguments: Vec<Declared>,
    pub(crate) dimensions: usize,
}

impl Declared {
    /// Reads a type from an attribute. `parameters` are the type parameters of the class.
    pub(crate) fn read(text: &LitStr, parameters: &[String]) -> Result<Self> {
        Parser::whole(text, parameters, |parser| parser.read(0))
    }

    /// Reads types with commas between them.
    pub(crate) fn read_all(text: &LitStr, parameters: &[String]) -> Result<Vec<Self>> {
        Parser::whole(text, parameters, |parser| {
            let mut all = vec![parser.read(0)?];
            while let Some(rest) = parser.rest.trim_start().strip_prefix(',') {
                parser.rest = rest;
                all.push(parser.read(0)?);
            }
            Ok(all)
        })
    }

    pub(crate) fn is_primitive(&self) -> bool {
        self.dimensions == 0 && is_primitive(&self.name)
    }

    pub(crate) fn is_array(&self) -> bool {
        self.dimensions > 0
    }

    /// The element type of an array.
    pub(crate) fn component(&self) -> Self {
        Self {
            dimensions: self.dimensions.saturating_sub(1),
            ..self.clone()
        }
    }

    /// An expression that makes the type.
    pub(crate) fn tokens(&self, java: &TokenStream) -> TokenStream {
        let name = &self.name;
        let mut tokens = quote!(#java::JavaType::new(#name));
        if !self.arguments.is_empty() {
            let arguments = self.arguments.iter().map(|it| it.tokens(java));
            tokens = quote!(#tokens.with_arguments([#(#arguments),*]));
        }
        for _ in 0..self.dimensions {
            tokens = quote!(#tokens.array());
        }
        tokens
    }
}

/// Writes the type in the syntax of Java source.
impl std::fmt::Display for Declared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        for (i, argument) in self.arguments.iter().enumerate() {
            write!(f, "{}{argument}", if i == 0 { "<" } else { ", " })?;
        }
        if !self.arguments.is_empty() {
            f.write_str(">")?;
        }
        f.write_str(&"[]".repeat(self.dimensions))
    }
}

pub(crate) fn is_primitive(name: &str) -> bool {
    PRIMITIVES.iter().any(|(primitive, _)| *primitive == name)
}

struct Parser<'a> {
    rest: &'a str,
    parameters: &'a [String],
}

impl Parser<'_> {
    /// Reads the whole text of an attribute.
    fn whole<T>(
        text: &LitStr,
        parameters: &[String],
        read: impl FnOnce(&mut Parser<'_>) -> std::result::Result<T, String>,
    ) -> Result<T> {
        let source = text.value();
        let mut parser = Parser {
            rest: &source,
            parameters,
        };
        let read = read(&mut parser).and_then(|read| {
            if parser.rest.trim_start().is_empty() {
                return Ok(read);
            }
            Err("nothing may follow the type".to_owned())
        });
        read.map_err(|reason| {
            let at = source.len() - parser.rest.len();
            let message = format!("no Java type, at byte {at}: {reason}");
            Error::new(text.span(), message)
        })
    }

    /// How deep a type may nest. Real types nest less deep.
    const DEEPEST: usize = 64;

    /// Reads past `token` and the spaces before it, if it comes next.
    fn skip(&mut self, token: &str) -> bool {
        let rest = self.rest.trim_start().strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn read(&mut self, depth: usize) -> std::result::Result<Declared, String> {
        if depth > Self::DEEPEST {
            return Err("it nests too deep".to_owned());
        }
        if self.skip("?") {
            if self.skip("extends ") {
                return self.argument(depth + 1);
            }
            if self.skip("super ") {
                self.argument(depth + 1)?;
            }
            return Ok(Declared {
                name: "java.lang.Object".to_owned(),
                arguments: Vec::new(),
                dimensions: 0,
            });
        }
        let name = self.name()?;
        let mut arguments = Vec::new();
        if self.skip("<") {
            if is_primitive(&name) {
                return Err(format!("{name} has no type arguments"));
            }
            loop {
                arguments.push(self.argument(depth + 1)?);
                if self.skip(">") {
                    break;
                }
                if !self.skip(",") {
                    return Err("expected `,` or `>`".to_owned());
                }
            }
        }
        let mut dimensions = 0;
        while self.skip("[") {
            if !self.skip("]") {
                return Err("expected `]`".to_owned());
            }
            dimensions += 1;
        }
        Ok(Declared {
            name,
            arguments,
            dimensions,
        })
    }

    fn argument(&mut self, depth: usize) -> std::result::Result<Declared, String> {
        let argument = self.read(depth)?;
        let boxed = PRIMITIVES.iter().find(|(name, _)| *name == argument.name);
        match boxed {
            Some((name, boxed)) if argument.is_primitive() => {
                Err(format!("{name} cannot be a type argument: write {boxed}"))
            }
            _ => Ok(argument),
        }
    }

    fn name(&mut self) -> std::result::Result<String, String> {
        let text = self.rest.trim_start();
        let length = text
            .find(|it: char| !(it.is_alphanumeric() || "._$".contains(it)))
            .unwrap_or(text.len());
        let (name, rest) = text.split_at(length);
        if !name.split('.').all(name::is_identifier) {
            return Err("expected the full name of a class".to_owned());
        }
        let is_parameter = self.parameters.iter().any(|it| it == name);
        if let Some(package) = package(name).filter(|_| !is_parameter) {
            return Err(format!("write the full name: {package}.{name}"));
        }
        self.rest = rest;
        Ok(name.to_owned())
    }
}

/// The package of a class of the JDK whose package users often leave out.
fn package(name: &str) -> Option<&'static str> {
    IMPORTED
        .iter()
        .find(|(_, names)| names.contains(&name))
        .map(|(package, _)| *package)
}

pub(crate) const PRIMITIVES: [(&str, &str); 8] = [
    ("boolean", "java.lang.Boolean"),
    ("byte", "java.lang.Byte"),
    ("char", "java.lang.Character"),
    ("double", "java.lang.Double"),
    ("float", "java.lang.Float"),
    ("int", "java.lang.Integer"),
    ("long", "java.lang.Long"),
    ("short", "java.lang.Short"),
];

const IMPORTED: [(&str, &[&str]); 4] = [
    (
        "java.lang",
        &[
            "Boolean",
            "Byte",
            "CharSequence",
            "Character",
            "Comparable",
            "Double",
            "Float",
            "Integer",
            "Iterable",
            "Long",
            "Number",
            "Object",
            "Short",
            "String",
        ],
    ),
    ("java.math", &["BigDecimal", "BigInteger"]),
    (
        "java.time",
        &[
            "Duration",
            "Instant",
            "LocalDate",
            "LocalDateTime",
            "LocalTime",
            "OffsetDateTime",
            "ZonedDateTime",
        ],
    ),
    (
        "java.util",
        &[
            "ArrayList",
            "Collection",
            "Date",
            "Deque",
            "HashMap",
            "HashSet",
            "LinkedHashMap",
            "LinkedHashSet",
            "LinkedList",
            "List",
            "Map",
            "Optional",
            "Queue",
            "Set",
            "SortedMap",
            "SortedSet",
            "TreeMap",
            "TreeSet",
            "UUID",
        ],
    ),
];
