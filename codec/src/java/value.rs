use bytes::Bytes;
use num_bigint::BigInt;

use super::{BigDecimal, JavaType, Mismatch, Name, Serialized, Temporal, View, jdk};

/// Any Java value, with the class that it has at run time.
///
/// # Examples
///
/// ```
/// use redisson_codec::java::JavaValue;
///
/// let order = JavaValue::map([
///     ("id".into(), JavaValue::Long(42)),
///     ("tags".into(), JavaValue::list(["vip".into(), "gift".into()])),
/// ]);
/// assert_eq!(order.class_name(), "java.util.LinkedHashMap");
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum JavaValue {
    /// `null`
    #[default]
    Null,
    /// `java.lang.Boolean`, or a `boolean` where Java declares one. The next seven are alike.
    Boolean(bool),
    /// `java.lang.Byte`
    Byte(i8),
    /// `java.lang.Short`
    Short(i16),
    /// `java.lang.Character`: one UTF-16 unit.
    Character(u16),
    /// `java.lang.Integer`
    Integer(i32),
    /// `java.lang.Long`
    Long(i64),
    /// `java.lang.Float`
    Float(f32),
    /// `java.lang.Double`
    Double(f64),
    /// `java.lang.String`
    String(String),
    /// The UTF-16 units of a `java.lang.String` with half a surrogate pair. No Rust string can hold
    /// one.
    Utf16(Vec<u16>),
    /// `java.math.BigInteger`
    BigInteger(BigInt),
    /// `java.math.BigDecimal`
    BigDecimal(BigDecimal),
    /// `java.util.UUID`
    Uuid(u128),
    /// `java.util.Date` and the classes of `java.sql` that extend it.
    Date(Date),
    /// A value of `java.time`.
    Time(Temporal),
    /// A constant of an enum.
    Enum(Constant),
    /// `byte[]`
    Bytes(Bytes),
    /// Any other array.
    Array(Array),
    /// A list, a set or a queue.
    Collection(Collection),
    /// A map.
    Map(Map),
    /// `java.util.Optional`
    Optional(Option<Box<JavaValue>>),
    /// An object of a class that holds nothing but a text, such as `java.net.URI`.
    Text(Text),
    /// An object with fields. A [`Schema`](super::Schema) describes its class, or the class is one
    /// of the JDK without a variant of its own.
    Object(Object),
    /// A value that a payload holds as a Java object stream. Codecs write it back as it was.
    Serialized(Box<Serialized>),
}

/// A `java.util.Date`, `java.sql.Date`, `java.sql.Time` or `java.sql.Timestamp`.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "these two are the value")]
pub struct Date {
    /// The name of the class.
    pub class: Name,
    /// Milliseconds since 1970.
    pub millis: i64,
}

/// A constant of an enum.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "these two are the value")]
pub struct Constant {
    /// The name of the enum, even if the constant has a body and so a class `Enum$1` of its own.
    pub class: Name,
    /// The name of the constant, as `Enum.name()` gives it.
    pub name: Name,
}

/// An array of anything but bytes.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "these two are the value")]
pub struct Array {
    /// The name of the class: `[I`, `[Ljava.lang.String;`.
    pub class: Name,
    /// The elements. In an array of a primitive type, all have that type.
    pub items: Vec<JavaValue>,
}

/// A list, a set or a queue.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "these three are the value")]
pub struct Collection {
    /// The name of the class: `java.util.ArrayList`.
    pub class: Name,
    /// The comparator of a `TreeSet` or a `PriorityQueue`. Null for the natural order, and for
    /// other classes. For an empty `EnumSet`, the class of its enum, because no element tells it.
    pub comparator: Box<JavaValue>,
    /// The elements in the order in which Java iterates over them.
    pub items: Vec<JavaValue>,
}

/// A map.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "these three are the value")]
pub struct Map {
    /// The name of the class: `java.util.LinkedHashMap`.
    pub class: Name,
    /// The comparator of a `TreeMap`. Null for the natural order, and for other classes. For an
    /// empty `EnumMap`, the class of its enum, because no key tells it.
    pub comparator: Box<JavaValue>,
    /// Keys and values in the order in which Java iterates over them.
    pub entries: Vec<(JavaValue, JavaValue)>,
}

/// An object of a class that holds just a text: `java.net.URI`, `java.net.URL`,
/// `java.lang.StringBuilder`, `java.util.Currency`, a time zone, `java.lang.Class`.
#[derive(Clone, Debug, Eq, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "these two are the value")]
pub struct Text {
    /// The name of the class.
    pub class: Name,
    /// The text in the object.
    pub text: String,
}

impl Text {
    /// The object that stands for a class.
    pub(crate) fn class_object(name: impl Into<String>) -> Self {
        Self {
            class: Name::new("java.lang.Class"),
            text: name.into(),
        }
    }
}

/// An object with fields.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_structs, reason = "these two are the value")]
pub struct Object {
    /// The name of the class.
    pub class: Name,
    /// The values of the fields, with those of super classes. Codecs look a field up by its name.
    /// If two fields have one name, that of the sub class comes first.
    pub fields: Vec<(Name, JavaValue)>,
}

impl JavaValue {
    /// Calls `visit` with this value, and with all values in it.
    pub(crate) fn visit(
        &mut self,
        visit: &mut impl FnMut(&mut Self) -> Result<(), Mismatch>,
    ) -> Result<(), Mismatch> {
        visit(self)?;
        match self {
            Self::Array(it) => it.items.iter_mut().try_for_each(|it| it.visit(visit)),
            Self::Collection(it) => it.items.iter_mut().try_for_each(|it| it.visit(visit)),
            Self::Map(it) => it.entries.iter_mut().try_for_each(|(key, value)| {
                key.visit(visit)?;
                value.visit(visit)
            }),
            Self::Object(it) => it.fields.iter_mut().try_for_each(|(_, it)| it.visit(visit)),
            Self::Optional(Some(held)) => held.visit(visit),
            _ => Ok(()),
        }
    }

    /// Names the class of an `EnumSet`, which depends on how many constants its enum has. `count`
    /// knows that.
    pub(crate) fn name_enum_set(&mut self, count: impl Fn(&str) -> Option<usize>) {
        let Self::Collection(set) = self else { return };
        if set.class != jdk::enum_set(0) {
            return;
        }
        let count = match (set.items.first(), &*set.comparator) {
            (Some(Self::Enum(first)), _) => count(&first.class),
            (None, Self::Text(class)) => count(&class.text),
            _ => None,
        };
        if let Some(count) = count {
            set.class = jdk::enum_set(count);
        }
    }

    /// A `java.util.ArrayList` of `items`.
    #[must_use]
    pub fn list(items: impl IntoIterator<Item = JavaValue>) -> Self {
        Self::collection("java.util.ArrayList", items)
    }

    /// A collection of this class. If the class sorts, it has the natural order.
    #[must_use]
    pub fn collection(class: impl Into<Name>, items: impl IntoIterator<Item = JavaValue>) -> Self {
        Self::Collection(Collection {
            class: class.into(),
            comparator: Box::default(),
            items: items.into_iter().collect(),
        })
    }

    /// A `java.util.LinkedHashMap` of `entries`.
    #[must_use]
    pub fn map(entries: impl IntoIterator<Item = (JavaValue, JavaValue)>) -> Self {
        Self::Map(Map {
            class: Name::new("java.util.LinkedHashMap"),
            comparator: Box::default(),
            entries: entries.into_iter().collect(),
        })
    }

    /// An object of this class.
    #[must_use]
    pub fn object<N: Into<Name>>(
        class: impl Into<Name>,
        fields: impl IntoIterator<Item = (N, JavaValue)>,
    ) -> Self {
        Self::Object(Object {
            class: class.into(),
            fields: fields.into_iter().map(|(n, v)| (n.into(), v)).collect(),
        })
    }

    /// The constant `name` of the enum `class`.
    #[must_use]
    pub fn constant(class: impl Into<Name>, name: impl Into<Name>) -> Self {
        Self::Enum(Constant {
            class: class.into(),
            name: name.into(),
        })
    }

    /// A string of UTF-16 units: [`String`](Self::String), or [`Utf16`](Self::Utf16) if there is
    /// half a surrogate pair in it.
    #[must_use]
    pub fn from_utf16(units: Vec<u16>) -> Self {
        match String::from_utf16(&units) {
            Ok(text) => Self::String(text),
            Err(_) => Self::Utf16(units),
        }
    }

    /// The name of the class that the value has at run time. For a constant, the name of the enum.
    #[must_use]
    pub fn class_name(&self) -> Name {
        View::from(self).class_name()
    }

    /// The class of the value at run time, as a type.
    #[must_use]
    pub fn class_type(&self) -> JavaType {
        JavaType::new(self.class_name())
    }

    /// True if it is `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

impl Object {
    /// Takes the value of a field out. Null if there is no field of this name.
    #[must_use]
    pub fn take(&mut self, field: &str) -> JavaValue {
        self.fields
            .iter_mut()
            .find(|(name, _)| name == field)
            .map(|(_, value)| std::mem::take(value))
            .unwrap_or_default()
    }

    /// The value of the field of this name.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&JavaValue> {
        self.fields
            .iter()
            .find(|(name, _)| name == field)
            .map(|(_, value)| value)
    }
}

impl From<&str> for JavaValue {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

macro_rules! from {
    ($($type:ty => $variant:ident),* $(,)?) => {
        $(impl From<$type> for JavaValue {
            fn from(value: $type) -> Self {
                Self::$variant(value)
            }
        })*
    };
}

from! {
    bool => Boolean,
    i8 => Byte,
    i16 => Short,
    i32 => Integer,
    i64 => Long,
    f32 => Float,
    f64 => Double,
    String => String,
    BigInt => BigInteger,
    BigDecimal => BigDecimal,
    Bytes => Bytes,
    Temporal => Time,
}
