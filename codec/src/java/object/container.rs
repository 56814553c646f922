use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use crate::java::{
    Entries, Items, JavaObject, JavaType, JavaValue, Mismatch, Name, Schema, Source, View, source,
};

fn elements<T: JavaObject>(expected: &'static str, source: Source<'_>) -> Result<Vec<T>, Mismatch> {
    match source {
        Source::Collection(.., contents) | Source::Array(_, contents) => source::list(contents),
        Source::Value(JavaValue::Serialized(it)) => {
            it.into_value().hand(|it| elements(expected, it))
        }
        other => Err(other.mismatch(expected)),
    }
}

fn entries<K, V, M>(source: Source<'_>) -> Result<M, Mismatch>
where
    K: JavaObject,
    V: JavaObject,
    M: Extend<(K, V)> + Default,
{
    match source {
        Source::Map(.., contents) => source::entries(contents),
        Source::Value(JavaValue::Serialized(it)) => it.into_value().hand(entries),
        other => Err(other.mismatch("java.util.Map")),
    }
}

/// `java.util.List`
impl<T: JavaObject> JavaObject for Vec<T> {
    fn java_type() -> JavaType {
        JavaType::new("java.util.List").with_arguments([T::java_type()])
    }

    fn describe(schema: &mut Schema) {
        T::describe(schema);
    }

    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        to(&View::Collection(&LIST, Items::new(self), &JavaValue::Null));
    }

    fn from_source(source: Source<'_>) -> Result<Self, Mismatch> {
        elements("java.util.List", source)
    }
}

/// An array.
impl<T: JavaObject> JavaObject for Box<[T]> {
    fn java_type() -> JavaType {
        T::java_type().array()
    }

    fn describe(schema: &mut Schema) {
        T::describe(schema);
    }

    fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
        to(&View::Array(Self::java_type().name(), Items::new(self)));
    }

    fn from_source(source: Source<'_>) -> Result<Self, Mismatch> {
        elements("an array", source).map(Into::into)
    }
}

/// Implements [`JavaObject`] for a set.
macro_rules! set {
    ($set:ty, $($generics:tt)*) => {
        /// `java.util.Set`
        impl<$($generics)*> JavaObject for $set {
            fn java_type() -> JavaType {
                JavaType::new("java.util.Set").with_arguments([T::java_type()])
            }

            fn describe(schema: &mut Schema) {
                T::describe(schema);
            }

            fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
                to(&View::Collection(&SET, Items::new(self), &JavaValue::Null));
            }

            fn from_source(source: Source<'_>) -> Result<Self, Mismatch> {
                Ok(elements("java.util.Set", source)?.into_iter().collect())
            }
        }
    };
}

set!(BTreeSet<T>, T: JavaObject + Ord);
set!(HashSet<T, S>, T: JavaObject + Eq + Hash, S: BuildHasher + Default);

/// Implements [`JavaObject`] for a map.
macro_rules! map {
    ($map:ty, $($generics:tt)*) => {
        /// `java.util.Map`
        impl<$($generics)*> JavaObject for $map {
            fn java_type() -> JavaType {
                JavaType::new("java.util.Map").with_arguments([K::java_type(), V::java_type()])
            }

            fn describe(schema: &mut Schema) {
                K::describe(schema);
                V::describe(schema);
            }

            fn view(&self, to: &mut dyn FnMut(&View<'_>)) {
                to(&View::Map(&MAP, Entries::new(self), &JavaValue::Null));
            }

            fn from_source(source: Source<'_>) -> Result<Self, Mismatch> {
                entries(source)
            }
        }
    };
}

map!(Vec<(K, V)>, K: JavaObject, V: JavaObject);
map!(BTreeMap<K, V>, K: JavaObject + Ord, V: JavaObject);
map!(HashMap<K, V, S>, K: JavaObject + Eq + Hash, V: JavaObject, S: BuildHasher + Default);

static LIST: Name = Name::new("java.util.ArrayList");
static SET: Name = Name::new("java.util.LinkedHashSet");
static MAP: Name = Name::new("java.util.LinkedHashMap");
