//! Values as codecs read them: one level after the other, and nothing is made but the result.

use super::{Array, Collection, JavaObject, JavaValue, Map, Mismatch, Name, Object};

mod held;

/// One level of a Java value that is being read: as a [`JavaValue`], but what it holds is still to
/// be read.
///
/// A type makes itself from a source in [`JavaObject::from_source`](super::JavaObject::from_source).
///
/// # Examples
///
/// ```
/// use redisson_codec::java::{JavaObject, JavaType, JavaValue, Mismatch, Source};
///
/// /// How many elements a list has.
/// struct Length(usize);
///
/// impl JavaObject for Length {
///     fn java_type() -> JavaType {
///         JavaType::new("java.util.List")
///     }
///
///     fn to_java(&self) -> JavaValue {
///         JavaValue::list(vec![JavaValue::Null; self.0])
///     }
///
///     fn from_source(source: Source<'_>) -> Result<Self, Mismatch> {
///         match source {
///             Source::Collection(_, _, elements) => {
///                 let mut length = Self(0);
///                 elements.each(&mut |_| {
///                     length.0 += 1;
///                     Ok(())
///                 })?;
///                 Ok(length)
///             }
///             other => Err(other.mismatch("java.util.List")),
///         }
///     }
/// }
///
/// let list = JavaValue::list(["vip".into(), "gift".into()]);
/// assert_eq!(Length::from_java(list)?.0, 2);
/// # Ok::<(), Mismatch>(())
/// ```
#[non_exhaustive]
pub enum Source<'s> {
    /// A value that holds no others.
    Value(JavaValue),
    /// An array: its class and its elements.
    Array(&'s Name, &'s mut dyn Contents),
    /// A collection: its class, its comparator and its elements.
    Collection(&'s Name, &'s JavaValue, &'s mut dyn Contents),
    /// A map: its class, its comparator, and each key with its value behind it.
    Map(&'s Name, &'s JavaValue, &'s mut dyn Contents),
    /// A `java.util.Optional`: its value, if it has one.
    Optional(&'s mut dyn Contents),
    /// An object: its class and its fields.
    Object(&'s Name, &'s mut dyn FieldsSource),
}

/// Takes one source after the other, and fails if one is not what it should be.
pub type Taker<'t> = dyn FnMut(Source<'_>) -> Result<(), Mismatch> + 't;

/// Takes one field after the other: its place among the names that were asked for, its name, and
/// its value.
pub type FieldTaker<'t> = dyn FnMut(usize, &Name, Source<'_>) -> Result<(), Mismatch> + 't;

/// The values that a container holds, not yet read.
pub trait Contents {
    /// About how many there are. A payload may lie.
    fn len(&self) -> usize;

    /// True if there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads them one after the other, and hands each to `to`.
    ///
    /// # Errors
    ///
    /// - [`Mismatch`] if the payload is malformed, or from `to`. It names the place of the value.
    fn each(&mut self, to: &mut Taker<'_>) -> Result<(), Mismatch>;
}

/// Values that a function reads: it hands each to what it gets.
pub(crate) struct Each<R> {
    /// About how many there are.
    pub(crate) len: usize,
    pub(crate) read: R,
}

impl<R: FnMut(&mut Taker<'_>) -> Result<(), Mismatch>> Contents for Each<R> {
    fn len(&self) -> usize {
        self.len
    }

    fn each(&mut self, to: &mut Taker<'_>) -> Result<(), Mismatch> {
        (self.read)(to)
    }
}

/// The fields of an object, not yet read.
pub trait FieldsSource {
    /// Reads the fields one after the other, and hands each to `to`. If there are `names`, only the
    /// fields that have one, each once: of two fields with one name the first is that of the sub
    /// class, and so it is with `names`.
    ///
    /// # Errors
    ///
    /// - [`Mismatch`] if the payload is malformed, or from `to`. It names the field.
    fn each(
        &mut self,
        names: Option<&'static [&'static str]>,
        to: &mut FieldTaker<'_>,
    ) -> Result<(), Mismatch>;
}

/// A struct that stands for a class, and that is read field by field. The derive implements it.
pub trait Gather: Sized {
    /// The names of the fields: those of super classes last.
    fn names() -> &'static [&'static str];

    /// Reads the fields `names`, in which those of this struct begin at the place `first`. Hands
    /// those before it to `others`.
    ///
    /// # Errors
    ///
    /// - [`Mismatch`] if a field is not what its type stands for.
    fn gather(
        fields: &mut dyn FieldsSource,
        names: &'static [&'static str],
        first: usize,
        others: &mut dyn FnMut(usize, Source<'_>) -> Result<(), Mismatch>,
    ) -> Result<Self, Mismatch>;
}

impl<'s> Source<'s> {
    /// `null`
    pub const NULL: Self = Self::Value(JavaValue::Null);

    /// The name of the class that the value has at run time. For a constant, the name of the enum.
    #[must_use]
    pub fn class_name(&self) -> Name {
        match self {
            Self::Value(value) => value.class_name(),
            Self::Optional(_) => Name::new("java.util.Optional"),
            Self::Array(class, _)
            | Self::Collection(class, ..)
            | Self::Map(class, ..)
            | Self::Object(class, _) => (*class).clone(),
        }
    }

    /// Makes an error for a value of another class than the `expected` one.
    #[must_use]
    pub fn mismatch(&self, expected: impl Into<Name>) -> Mismatch {
        match self {
            Self::Value(value) => Mismatch::new(expected, value),
            other => Mismatch::unknown(expected, other.class_name().as_str()),
        }
    }

    /// The fields of an object, which must be of this very class.
    ///
    /// # Errors
    ///
    /// - [`Mismatch`] if it is anything else.
    pub fn into_object(
        self,
        expected: impl Into<Name>,
    ) -> Result<&'s mut dyn FieldsSource, Mismatch> {
        let expected = expected.into();
        match self {
            Self::Object(class, fields) if *class == expected => Ok(fields),
            other => Err(other.mismatch(expected)),
        }
    }

    /// Reads the whole value.
    ///
    /// # Errors
    ///
    /// - [`Mismatch`] if the payload is malformed.
    #[inline]
    pub fn into_value(self) -> Result<JavaValue, Mismatch> {
        match self {
            Self::Value(value) => Ok(value),
            other => other.into_tree(),
        }
    }

    /// Each form in a function of its own, so that nesting takes little of the stack.
    fn into_tree(self) -> Result<JavaValue, Mismatch> {
        match self {
            Self::Value(value) => Ok(value),
            Self::Array(class, items) => array(class, items),
            Self::Collection(class, comparator, items) => collection(class, comparator, items),
            Self::Map(class, comparator, entries) => map(class, comparator, entries),
            Self::Optional(value) => {
                list(value).map(|mut it| JavaValue::Optional(it.pop().map(Box::new)))
            }
            Self::Object(class, fields) => object(class, fields),
        }
    }
}

fn array(class: &Name, items: &mut dyn Contents) -> Result<JavaValue, Mismatch> {
    Ok(JavaValue::Array(Array {
        items: list(items)?,
        class: class.clone(),
    }))
}

fn collection(
    class: &Name,
    comparator: &JavaValue,
    items: &mut dyn Contents,
) -> Result<JavaValue, Mismatch> {
    Ok(JavaValue::Collection(Collection {
        items: list(items)?,
        class: class.clone(),
        comparator: Box::new(comparator.clone()),
    }))
}

fn map(
    class: &Name,
    comparator: &JavaValue,
    entries: &mut dyn Contents,
) -> Result<JavaValue, Mismatch> {
    Ok(JavaValue::Map(Map {
        entries: self::entries(entries)?,
        class: class.clone(),
        comparator: Box::new(comparator.clone()),
    }))
}

fn object(class: &Name, fields: &mut dyn FieldsSource) -> Result<JavaValue, Mismatch> {
    let mut read = Vec::new();
    fields.each(None, &mut |_, name, value| {
        read.push((name.clone(), value.into_value()?));
        Ok(())
    })?;
    Ok(JavaValue::Object(Object {
        class: class.clone(),
        fields: read,
    }))
}

/// Reads the whole value for nothing: it may be malformed, and others may come behind it.
pub(crate) fn skip(source: Source<'_>) -> Result<(), Mismatch> {
    match source {
        Source::Value(_) => Ok(()),
        Source::Array(_, contents)
        | Source::Collection(.., contents)
        | Source::Map(.., contents)
        | Source::Optional(contents) => contents.each(&mut skip),
        Source::Object(_, fields) => fields.each(None, &mut |_, _, value| skip(value)),
    }
}

/// Reads all entries into a map.
pub(super) fn entries<K: JavaObject, V: JavaObject, C: Extend<(K, V)> + Default>(
    contents: &mut dyn Contents,
) -> Result<C, Mismatch> {
    let mut entries = C::default();
    let mut key: Option<K> = None;
    contents.each(&mut |part| {
        if key.is_none() {
            return keep(&mut key, part);
        }
        let mut value = None;
        keep(&mut value, part)?;
        entries.extend(key.take().zip(value));
        Ok(())
    })?;
    Ok(entries)
}

fn keep<T: JavaObject>(kept: &mut Option<T>, value: Source<'_>) -> Result<(), Mismatch> {
    *kept = Some(T::from_source(value)?);
    Ok(())
}

/// Reads all elements into a list.
pub(super) fn list<T: JavaObject>(contents: &mut dyn Contents) -> Result<Vec<T>, Mismatch> {
    let mut items = Vec::with_capacity(room::<T>(contents));
    contents.each(&mut |item| {
        items.push(T::from_source(item)?);
        Ok(())
    })?;
    Ok(items)
}

/// For how many elements to set room aside. The count may be a lie, and there can be a list in each
/// list.
fn room<T>(contents: &dyn Contents) -> usize {
    contents.len().min(1024 / size_of::<T>().max(1))
}

impl std::fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Value(value) => value.fmt(f),
            other => other.class_name().fmt(f),
        }
    }
}
