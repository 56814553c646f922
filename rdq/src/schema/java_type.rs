//! Types as Java declares them.

use std::fmt;

/// A type of a field, an element or a super class.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct JavaType {
    /// As `Class.getName()` gives it, or the name of a primitive type or of a type parameter.
    pub(crate) name: String,
    pub(crate) arguments: Vec<Argument>,
    /// How many times it is an array.
    pub(crate) dimensions: usize,
    /// True if `name` is that of a type parameter.
    pub(crate) is_variable: bool,
}

/// A type argument.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Argument {
    /// `?`
    Any,
    Exactly(JavaType),
    /// `? extends T`
    Extends(JavaType),
    /// `? super T`
    Super(JavaType),
}

impl JavaType {
    pub(crate) fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: Vec::new(),
            dimensions: 0,
            is_variable: false,
        }
    }

    pub(crate) fn object() -> Self {
        Self::new("java.lang.Object")
    }

    pub(crate) fn variable(name: impl Into<String>) -> Self {
        Self {
            is_variable: true,
            ..Self::new(name)
        }
    }

    pub(crate) fn is_primitive(&self) -> bool {
        self.dimensions == 0 && PRIMITIVES.contains(&self.name.as_str())
    }

    /// The type of the elements of an array.
    pub(crate) fn component(&self) -> Option<Self> {
        let dimensions = self.dimensions.checked_sub(1)?;
        Some(Self {
            dimensions,
            ..self.clone()
        })
    }

    /// The classes that the type names, in its arguments too. Without primitive types.
    pub(crate) fn classes(&self) -> Vec<&str> {
        let own = !self.is_variable && !PRIMITIVES.contains(&self.name.as_str());
        let own = own.then_some(self.name.as_str());
        let arguments = self.arguments.iter().filter_map(Argument::bound);
        own.into_iter()
            .chain(arguments.flat_map(Self::classes))
            .collect()
    }

    /// The type with each type parameter replaced by what `bound` says.
    pub(crate) fn bind(&self, bound: &impl Fn(&str) -> JavaType) -> Self {
        if self.is_variable {
            let mut bound = bound(&self.name);
            bound.dimensions += self.dimensions;
            return bound;
        }
        let arguments = self.arguments.iter().map(|it| match it {
            Argument::Any => Argument::Any,
            Argument::Exactly(it) => Argument::Exactly(it.bind(bound)),
            Argument::Extends(it) => Argument::Extends(it.bind(bound)),
            Argument::Super(it) => Argument::Super(it.bind(bound)),
        });
        Self {
            arguments: arguments.collect(),
            ..self.clone()
        }
    }

    /// The type without wildcards: each is its upper bound.
    pub(crate) fn without_wildcards(&self) -> Self {
        let arguments = self.arguments.iter().map(|it| match it {
            Argument::Any | Argument::Super(_) => Self::object(),
            Argument::Exactly(it) | Argument::Extends(it) => it.without_wildcards(),
        });
        Self {
            arguments: arguments.map(Argument::Exactly).collect(),
            ..self.clone()
        }
    }

    /// True if a codec treats a wildcard of the type in another way than its upper bound: Kryo
    /// ignores the arguments of an upper bound, and takes a lower bound for the type.
    pub(crate) fn has_telling_wildcard(&self) -> bool {
        self.arguments.iter().any(|it| match it {
            Argument::Any => false,
            Argument::Exactly(it) => it.has_telling_wildcard(),
            Argument::Extends(it) => !it.arguments.is_empty(),
            Argument::Super(_) => true,
        })
    }
}

impl Argument {
    /// The type that is named, unless there is none.
    pub(crate) fn bound(&self) -> Option<&JavaType> {
        match self {
            Self::Any => None,
            Self::Exactly(it) | Self::Extends(it) | Self::Super(it) => Some(it),
        }
    }
}

/// As in Java source.
impl fmt::Display for JavaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (i, argument) in self.arguments.iter().enumerate() {
            f.write_str(if i == 0 { "<" } else { ", " })?;
            match argument {
                Argument::Any => f.write_str("?")?,
                Argument::Exactly(it) => it.fmt(f)?,
                Argument::Extends(it) => write!(f, "? extends {it}")?,
                Argument::Super(it) => write!(f, "? super {it}")?,
            }
        }
        if !self.arguments.is_empty() {
            f.write_str(">")?;
        }
        f.write_str(&"[]".repeat(self.dimensions))
    }
}

/// True if a codec needs no description of the class.
pub(crate) fn is_of_jdk(class: &str) -> bool {
    class.starts_with("java.") || class.starts_with("javax.")
}

const PRIMITIVES: [&str; 8] = [
    "boolean", "byte", "char", "double", "float", "int", "long", "short",
];
