use super::{JavaType, JavaValue, Mismatch, Schema, Source, View};

mod container;
mod field;
mod scalar;
#[cfg(feature = "uuid")]
mod uuid;

/// A Rust type that stands for a Java type.
///
/// Derive it for structs that stand for classes and records, and for enums that stand for enums or
/// for one of several sub classes.
#[cfg_attr(
    feature = "derive",
    doc = "[The derive](derive@crate::java::JavaObject) says how."
)]
///
/// | Rust | declared in Java | holds |
/// |---|---|---|
/// | `bool`, `i8`, `i16`, `i32`, `i64`, `f32`, `f64` | `boolean`, `byte`, `short`, `int`, `long`, `float`, `double` | the same |
/// | `u16` | `char` | the same |
/// | `Option<T>` | as `T`, boxed: `Option<i64>` is a `Long` | `null`, or as `T` |
/// | `Option<T>` as `java.util.Optional<T>` | what `type` says | an empty or a full one, never `null` |
/// | `Option<Option<T>>` as `java.util.Optional<T>` | what `type` says | `null`, an empty or a full one |
/// | `String` | `String` | the same |
/// | `Vec<T>` | `java.util.List<T>` | `java.util.ArrayList` |
/// | `HashSet<T>`, `BTreeSet<T>` | `java.util.Set<T>` | `java.util.LinkedHashSet` |
/// | `HashMap<K, V>`, `BTreeMap<K, V>`, `Vec<(K, V)>` | `java.util.Map<K, V>` | `java.util.LinkedHashMap` |
/// | `Bytes`, `Vec<u8>` | `byte[]` | the same |
/// | `Box<[T]>` | `T[]` | the same |
/// | [`BigInt`](super::BigInt), [`BigDecimal`](super::BigDecimal) | `java.math.BigInteger`, `java.math.BigDecimal` | the same |
/// | `std::time::Duration`, `SystemTime` | `java.time.Duration`, `java.time.Instant` | the same |
/// | [`Instant`](super::Instant) and the like | of the same name in `java.time` | the same |
/// | [`Date`](super::Date) | `java.util.Date` | that or one of `java.sql` |
/// | `uuid::Uuid`, with the feature `uuid` | `java.util.UUID` | the same |
/// | [`JavaValue`] | `Object` | anything |
///
/// Lists are read from any Java collection or array, maps from any Java map.
///
/// `remove` and `contains` compare bytes, so the order of entries matters. `Vec<(K, V)>` keeps the
/// order of a Java map, and `Vec<T>` that of a set. `BTreeMap` and `BTreeSet` sort: `remove` and
/// `contains` miss a value whose map has another order in Java. `HashMap` and `HashSet` have a new
/// order each time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` stands for no Java type",
    label = "no Java type",
    note = "derive `JavaObject` for structs and enums of your own",
    note = "Java has no unsigned numbers: `i64` is a `long`, `u16` is a `char`, text is a `String`"
)]
pub trait JavaObject: Sized {
    /// The type that Java declares for a field of this Rust type.
    fn java_type() -> JavaType;

    /// Adds the class of this type, and the classes of its fields, to `schema`.
    fn describe(schema: &mut Schema) {
        let _ = schema;
    }

    /// The Java value.
    ///
    /// Implement this or [`view`](Self::view): each follows from the other.
    fn to_java(&self) -> JavaValue {
        JavaValue::seen(|to| self.view(to))
    }

    /// Shows the Java value to `to`, once. Codecs write what they see, so that no value is made.
    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        self.to_java().show(to);
    }

    /// Reads the Java value back.
    ///
    /// Implement this or [`from_source`](Self::from_source): each follows from the other.
    ///
    /// # Errors
    ///
    /// - [`Mismatch`] if `value` has another class than the one that this type stands for.
    fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
        value.hand(Self::from_source)
    }

    /// Reads the Java value level by level, as codecs do, so that no value is made.
    ///
    /// # Errors
    ///
    /// - [`Mismatch`] if `source` has another class than the one that this type stands for, or the
    ///   payload is malformed.
    fn from_source(source: Source<'_>) -> Result<Self, Mismatch> {
        Self::from_java(source.into_value()?)
    }
}

/// Any value at all.
impl JavaObject for JavaValue {
    fn java_type() -> JavaType {
        JavaType::object()
    }

    fn to_java(&self) -> JavaValue {
        self.clone()
    }

    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        self.show(to);
    }

    fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
        Ok(value)
    }

    fn from_source(source: Source<'_>) -> Result<Self, Mismatch> {
        source.into_value()
    }
}

/// `null` or a value. The Java type is boxed. A `java.util.Optional` is read as its content.
impl<T: JavaObject> JavaObject for Option<T> {
    fn java_type() -> JavaType {
        T::java_type().boxed()
    }

    fn describe(schema: &mut Schema) {
        T::describe(schema);
    }

    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        match self {
            Some(value) => value.view(to),
            None => to(&View::Null),
        }
    }

    fn from_source(source: Source<'_>) -> Result<Self, Mismatch> {
        match source {
            Source::Value(JavaValue::Null) => Ok(None),
            Source::Optional(content) => {
                let mut read = None;
                content.each(&mut |value| {
                    read = Some(T::from_source(value)?);
                    Ok(())
                })?;
                Ok(read)
            }
            value => T::from_source(value).map(Some),
        }
    }
}

/// Like the type in the box.
impl<T: JavaObject> JavaObject for Box<T> {
    fn java_type() -> JavaType {
        T::java_type()
    }

    fn describe(schema: &mut Schema) {
        T::describe(schema);
    }

    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        T::view(self, to);
    }

    fn from_source(source: Source<'_>) -> Result<Self, Mismatch> {
        T::from_source(source).map(Self::new)
    }
}

#[cfg(test)]
mod tests;
