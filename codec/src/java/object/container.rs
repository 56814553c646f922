use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use crate::java::{Array, Collection, JavaObject, JavaType, JavaValue, Map, Mismatch, Schema};

fn elements<T: JavaObject>(expected: &'static str, value: JavaValue) -> Result<Vec<T>, Mismatch> {
    let items = match value.into_plain() {
        JavaValue::Collection(Collection { items, .. }) | JavaValue::Array(Array { items, .. }) => {
            items
        }
        other => return Err(Mismatch::new(expected, &other)),
    };
    items
        .into_iter()
        .enumerate()
        .map(|(i, item)| T::from_java(item).map_err(|error| error.within(format!("[{i}]"))))
        .collect()
}

fn entries<K: JavaObject, V: JavaObject>(value: JavaValue) -> Result<Vec<(K, V)>, Mismatch> {
    let entries = match value.into_plain() {
        JavaValue::Map(Map { entries, .. }) => entries,
        other => return Err(Mismatch::new("java.util.Map", &other)),
    };
    entries
        .into_iter()
        .enumerate()
        .map(|(i, (key, value))| {
            let key = K::from_java(key).map_err(|error| error.within(format!("[key {i}]")))?;
            let value = V::from_java(value).map_err(|error| error.within(format!("[{i}]")))?;
            Ok((key, value))
        })
        .collect()
}

/// `java.util.List`
impl<T: JavaObject> JavaObject for Vec<T> {
    fn java_type() -> JavaType {
        JavaType::new("java.util.List").with_arguments([T::java_type()])
    }

    fn describe(schema: &mut Schema) {
        T::describe(schema);
    }

    fn to_java(&self) -> JavaValue {
        JavaValue::list(self.iter().map(T::to_java))
    }

    fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
        elements("java.util.List", value)
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

    fn to_java(&self) -> JavaValue {
        JavaValue::Array(Array {
            class: Self::java_type().name().clone(),
            items: self.iter().map(T::to_java).collect(),
        })
    }

    fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
        elements("an array", value).map(Into::into)
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

            fn to_java(&self) -> JavaValue {
                JavaValue::collection("java.util.LinkedHashSet", self.iter().map(T::to_java))
            }

            fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
                Ok(elements("java.util.Set", value)?.into_iter().collect())
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

            fn to_java(&self) -> JavaValue {
                JavaValue::map(self.iter().map(|(key, value)| (key.to_java(), value.to_java())))
            }

            fn from_java(value: JavaValue) -> Result<Self, Mismatch> {
                Ok(entries(value)?.into_iter().collect())
            }
        }
    };
}

map!(Vec<(K, V)>, K: JavaObject, V: JavaObject);
map!(BTreeMap<K, V>, K: JavaObject + Ord, V: JavaObject);
map!(HashMap<K, V, S>, K: JavaObject + Eq + Hash, V: JavaObject, S: BuildHasher + Default);
