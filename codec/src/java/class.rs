use serde::Deserialize;

use super::{JavaType, Name};

/// A Java class, described for the codecs.
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
    /// Abstract, or an interface: no value has this very class.
    pub(crate) is_abstract: bool,
    /// It extends `Throwable`. Its fields are not described.
    pub(crate) is_throwable: bool,
    pub(crate) parameters: Vec<Name>,
    /// The type parameters that have a bound, with it.
    pub(crate) bounds: Vec<(Name, JavaType)>,
    pub(crate) super_class: Option<JavaType>,
    /// The interfaces with type arguments, as far as they are known.
    pub(crate) interfaces: Vec<JavaType>,
    /// In the order of their declaration, without those of super classes.
    pub(crate) fields: Vec<Field>,
    pub(crate) serial_version_uid: Option<i64>,
    pub(crate) serialized: WriteObject,
    pub(crate) jackson: Jackson,
}

/// What Jackson calls the fields or the constants of a class.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Jackson {
    /// What Java calls them, but for these. `None` if it writes nothing of the field.
    Named(Vec<(Name, Option<Name>)>),
    /// Annotations decide, or code that they name.
    Unknown,
}

impl Default for Jackson {
    fn default() -> Self {
        Self::Named(Vec::new())
    }
}

/// What Java's own serialization writes of an object, for one of its classes. A schema file leaves
/// the default out.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum WriteObject {
    /// Its fields.
    #[default]
    #[serde(skip)]
    Fields,
    /// Its fields, and more behind them. Java misses it if it is not there.
    More,
    /// Anything: the class has code of its own for that.
    Own,
}

/// The texts that stand for the constants of an enum where its `toString()` counts.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) enum Shown {
    /// Their names.
    #[default]
    Names,
    /// One for each constant.
    Texts(Vec<Name>),
    Unknown,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    Object,
    Record,
    Enum {
        constants: Vec<Name>,
        /// The constants that have a body, and so a class of their own: its name, or `None` if
        /// Java's compiler named it.
        with_bodies: Vec<(Name, Option<Name>)>,
        shown: Shown,
    },
}

/// A field of a class, or a component of a record.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) declared: JavaType,
    /// The class whose values the field holds at run time. It differs from that of `declared` if
    /// that was bound to a type parameter.
    pub(crate) erased: Name,
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
            is_throwable: false,
            parameters: Vec::new(),
            bounds: Vec::new(),
            super_class: None,
            interfaces: Vec::new(),
            fields: Vec::new(),
            serial_version_uid: None,
            serialized: WriteObject::Fields,
            jackson: Jackson::default(),
        }
    }

    /// An abstract class, or an interface: no value has this very class.
    ///
    /// It needs fields only if a class of the schema extends it.
    #[must_use]
    pub fn abstract_class(name: impl Into<Name>) -> Self {
        Self {
            is_abstract: true,
            ..Self::object(name)
        }
    }

    /// An exception, or any other class that extends `Throwable`, without its fields.
    ///
    /// Kryo leaves it to Java's own serialization. Jackson reads and writes its properties, so the
    /// other codecs read it without a description, too, and write none.
    #[must_use]
    pub fn throwable(name: impl Into<Name>) -> Self {
        Self {
            is_abstract: true,
            is_throwable: true,
            ..Self::object(name)
        }
    }

    /// A record. Add its components as fields, in the order of their declaration.
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
                shown: Shown::Names,
            },
            is_final: true,
            ..Self::object(name)
        }
    }

    /// Adds a field of the class itself, or a component of a record. Leave out static and transient
    /// fields. For a field of the type `T`, pass the name of the type parameter as its type.
    #[must_use]
    pub fn field(mut self, name: impl Into<Name>, declared: JavaType) -> Self {
        self.fields.push(Field {
            name: name.into(),
            erased: declared.name().clone(),
            declared,
        });
        self
    }

    /// Names the class that it extends. The schema must describe that class too, unless it is one
    /// of the JDK.
    #[must_use]
    pub fn extends(mut self, super_class: JavaType) -> Self {
        self.super_class = Some(super_class);
        self
    }

    /// Adds an interface with type arguments that it implements: `Pair<B, A>`. The codecs of Jackson
    /// learn from it what the type parameters of the class stand for, in a place that is declared
    /// with the interface. Other interfaces need not be named.
    #[must_use]
    pub fn implements(mut self, interface: JavaType) -> Self {
        self.interfaces.push(interface);
        self
    }

    /// Says that the class is declared `final`, which changes the payloads of its values.
    #[must_use]
    pub fn finalized(mut self) -> Self {
        self.is_final = true;
        self
    }

    /// Sets the `serialVersionUID` that the class declares. Java's own serialization writes it with
    /// every object, and refuses an object with another one. Records and enums need none.
    #[must_use]
    pub fn serial_version_uid(mut self, uid: i64) -> Self {
        self.serial_version_uid = Some(uid);
        self
    }

    /// Says that its `writeObject` writes more than its fields, or that it extends a container and has
    /// fields of its own. Then codecs of Java's own serialization drop the rest when they read, and
    /// refuse to write: Java would miss it.
    #[must_use]
    pub fn serialized_with_more(mut self) -> Self {
        self.serialized = WriteObject::More;
        self
    }

    /// Says that only its own code knows what its `writeObject` or `writeExternal` writes. Codecs of
    /// Java's own serialization refuse such objects.
    #[must_use]
    pub fn serialized_its_own_way(mut self) -> Self {
        self.serialized = WriteObject::Own;
        self
    }

    /// Names what `toString()` returns for each constant of an enum, if that is not its name. Jackson 3
    /// writes it.
    #[must_use]
    pub fn shown_as<N: Into<Name>>(self, texts: impl IntoIterator<Item = N>) -> Self {
        self.with_shown(Shown::Texts(texts.into_iter().map(Into::into).collect()))
    }

    /// Says that an enum overrides `toString()`, and nobody knows what it returns. The codecs of
    /// Jackson 3 refuse its constants.
    #[must_use]
    pub fn shown_as_unknown(self) -> Self {
        self.with_shown(Shown::Unknown)
    }

    fn with_shown(mut self, texts: Shown) -> Self {
        if let Kind::Enum { shown, .. } = &mut self.kind {
            *shown = texts;
        }
        self
    }

    /// Says that Jackson writes a field of the class itself, or a constant of an enum, under another
    /// name, as with `@JsonProperty("order_id")`. Other codecs ignore that.
    #[must_use]
    pub fn jackson_name(self, member: impl Into<Name>, written: impl Into<Name>) -> Self {
        self.with_jackson(member.into(), Some(written.into()))
    }

    /// Says that Jackson does not write a field of the class itself, as with `@JsonIgnore`. Its codecs
    /// read null or zero, and refuse to write anything else.
    #[must_use]
    pub fn jackson_ignores(self, field: impl Into<Name>) -> Self {
        self.with_jackson(field.into(), None)
    }

    /// Says that annotations such as `@JsonTypeInfo` let Jackson write the class, or those that extend
    /// it, in another way than its fields say. The codecs of Jackson refuse such objects.
    #[must_use]
    pub fn jackson_unknown(mut self) -> Self {
        self.jackson = Jackson::Unknown;
        self
    }

    fn with_jackson(mut self, member: Name, written: Option<Name>) -> Self {
        if let Jackson::Named(names) = &mut self.jackson {
            names.push((member, written));
        }
        self
    }

    /// Names the type parameters of the class.
    #[must_use]
    pub fn parameters<N: Into<Name>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.parameters = names.into_iter().map(Into::into).collect();
        self
    }

    /// Says that a type parameter extends this type: `T extends Order`. Where `T` is not known, its
    /// values are of this type.
    #[must_use]
    pub fn bound(mut self, parameter: impl Into<Name>, extends: JavaType) -> Self {
        self.bounds.push((parameter.into(), extends));
        self
    }

    /// The type that a type parameter extends: its values have it if nothing else is known.
    pub(crate) fn bound_of(&self, parameter: &str) -> JavaType {
        let bound = |name: &str| self.bounds.iter().find(|it| it.0 == *name);
        let mut extends = bound(parameter).map(|it| it.1.clone());
        // `K extends T`: no further than each parameter once.
        for _ in &self.bounds {
            match extends.as_ref().and_then(|it| bound(it.name())) {
                Some((_, further)) => extends = Some(further.clone()),
                None => break,
            }
        }
        let is_own = |name: &str| self.parameters.iter().any(|it| it == name);
        let extends = extends.filter(|it| !is_own(it.name()));
        extends.map_or_else(JavaType::object, |it| {
            it.bind(&|name| is_own(name).then(JavaType::object))
        })
    }

    /// Names the constants of an enum that have a body, as in `HIGH { ... }`. Java gives each of
    /// them a class of its own: `Enum$1` to the first, `Enum$2` to the second.
    ///
    /// For an enum of Kotlin, call [`Class::with_body`].
    #[must_use]
    pub fn with_bodies<N: Into<Name>>(self, constants: impl IntoIterator<Item = N>) -> Self {
        let constants = constants.into_iter();
        constants.fold(self, |it, constant| it.add_body(constant.into(), None))
    }

    /// Names a constant of an enum that has a body, and the class of the constant.
    ///
    /// Kotlin gives it the name of the constant: `Priority$HIGH`. In Java, objects of anonymous
    /// classes in the enum take numbers too.
    #[must_use]
    pub fn with_body(self, constant: impl Into<Name>, class: impl Into<Name>) -> Self {
        self.add_body(constant.into(), Some(class.into()))
    }

    fn add_body(mut self, constant: Name, class: Option<Name>) -> Self {
        if let Kind::Enum { with_bodies, .. } = &mut self.kind {
            with_bodies.push((constant, class));
            self.is_final = false;
        }
        self
    }

    /// The name of the class.
    #[must_use]
    pub fn name(&self) -> &Name {
        &self.name
    }
}
