use super::{JavaType, Name};

/// A Java class, as far as codecs must know it.
///
/// # Examples
///
/// ```
/// use redisson_codec::java::{Class, JavaType};
///
/// // public class Order extends Event { private String id; private Long userId; }
/// let order = Class::object("com.example.Order")
///     .extends(JavaType::new("com.example.Event"))
///     .field("id", JavaType::new("java.lang.String"))
///     .field("userId", JavaType::new("java.lang.Long"));
/// // public enum Status { NEW, PAID }
/// let status = Class::enumeration("com.example.Status", ["NEW", "PAID"]);
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Class {
    pub(crate) name: Name,
    pub(crate) kind: Kind,
    pub(crate) is_final: bool,
    /// Abstract, or an interface: no value has it as its class.
    pub(crate) is_abstract: bool,
    pub(crate) parameters: Vec<Name>,
    pub(crate) super_class: Option<JavaType>,
    /// As declared in the class.
    pub(crate) fields: Vec<Field>,
    pub(crate) serial_version_uid: Option<i64>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    Object,
    Record,
    Enum {
        constants: Vec<Name>,
        /// Those of the constants that have a body, and so a class of their own.
        with_bodies: Vec<Name>,
    },
}

/// A field of a class, or a component of a record.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) declared: JavaType,
}

impl Class {
    /// A class of objects with fields.
    #[must_use]
    pub fn object(name: impl Into<Name>) -> Self {
        Self {
            name: name.into(),
            kind: Kind::Object,
            is_final: false,
            is_abstract: false,
            parameters: Vec::new(),
            super_class: None,
            fields: Vec::new(),
            serial_version_uid: None,
        }
    }

    /// An abstract class, or an interface: no value is of this very class.
    ///
    /// It needs fields only if a class of the schema extends it.
    #[must_use]
    pub fn abstract_class(name: impl Into<Name>) -> Self {
        Self {
            is_abstract: true,
            ..Self::object(name)
        }
    }

    /// A record; its fields are its components in the order of its declaration.
    #[must_use]
    pub fn record(name: impl Into<Name>) -> Self {
        Self {
            kind: Kind::Record,
            is_final: true,
            ..Self::object(name)
        }
    }

    /// An enum with all its constants in the order of their declaration.
    #[must_use]
    pub fn enumeration<N: Into<Name>>(
        name: impl Into<Name>,
        constants: impl IntoIterator<Item = N>,
    ) -> Self {
        Self {
            kind: Kind::Enum {
                constants: constants.into_iter().map(Into::into).collect(),
                with_bodies: Vec::new(),
            },
            is_final: true,
            ..Self::object(name)
        }
    }

    /// Adds a field of the class itself, or a component of a record; leave out static and transient
    /// ones. A type that has the name of a type parameter of the class stands for that.
    #[must_use]
    pub fn field(mut self, name: impl Into<Name>, declared: JavaType) -> Self {
        self.fields.push(Field {
            name: name.into(),
            declared,
        });
        self
    }

    /// Says which class it extends; that one must be known too, by the schema or as one of the JDK.
    #[must_use]
    pub fn extends(mut self, super_class: JavaType) -> Self {
        self.super_class = Some(super_class);
        self
    }

    /// Says that the class is declared `final`, which changes how values of it are written.
    #[must_use]
    pub fn finalized(mut self) -> Self {
        self.is_final = true;
        self
    }

    /// Says which `serialVersionUID` the class declares: Java's own serialization writes it with
    /// every object, and refuses one that is not that of its class. Records and enums need none.
    #[must_use]
    pub fn serial_version_uid(mut self, uid: i64) -> Self {
        self.serial_version_uid = Some(uid);
        self
    }

    /// Says what the type parameters are called.
    #[must_use]
    pub fn parameters<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.parameters = names.into_iter().map(Into::into).collect();
        self
    }

    /// Says which constants of an enum have a body, `HIGH { ... }`; these have a class of their own.
    #[must_use]
    pub fn with_bodies<N: Into<Name>>(mut self, constants: impl IntoIterator<Item = N>) -> Self {
        if let Kind::Enum { with_bodies, .. } = &mut self.kind {
            with_bodies.extend(constants.into_iter().map(Into::into));
            self.is_final = with_bodies.is_empty();
        }
        self
    }

    /// The name of the class.
    #[must_use]
    pub fn name(&self) -> &Name {
        &self.name
    }
}
