//! The Java types of a generated program.

/// The declared type of a field, an element or an argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    /// A primitive type.
    Primitive(&'static str),
    /// A class of the JDK that has no arguments.
    Scalar(&'static str),
    /// A type parameter of the class.
    Parameter(String),
    /// A class of the program, by its index. Without arguments it is raw, or has no parameters.
    User(usize, Vec<Type>),
    /// A container of the JDK. Without arguments it is raw.
    Container(&'static str, Vec<Type>),
    Array(Box<Type>),
    /// `?`, `? extends` and `? super`.
    Wildcard(Bound, Box<Type>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    None,
    Extends,
    Super,
}

impl Type {
    pub(crate) const OBJECT: Self = Self::Scalar("java.lang.Object");

    /// The type with each parameter replaced.
    pub(crate) fn bind(&self, bound: &impl Fn(&str) -> Type) -> Self {
        let all = |them: &[Self]| them.iter().map(|it| it.bind(bound)).collect();
        match self {
            Self::Primitive(_) | Self::Scalar(_) => self.clone(),
            Self::Parameter(name) => bound(name),
            Self::User(class, arguments) => Self::User(*class, all(arguments)),
            Self::Container(name, arguments) => Self::Container(name, all(arguments)),
            Self::Array(component) => Self::Array(Box::new(component.bind(bound))),
            Self::Wildcard(kind, of) => Self::Wildcard(*kind, Box::new(of.bind(bound))),
        }
    }

    pub(crate) fn is_primitive(&self) -> bool {
        matches!(self, Self::Primitive(_))
    }
}
