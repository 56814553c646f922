//! Java classes as Rust types. Made by `rdq schema --rust`.

use std::collections::{HashMap, HashSet};
use std::marker::PhantomData;
use std::time::Duration;

use redisson_delayed_queue::java::{JavaObject, JavaValue};
use uuid::Uuid;

/// What a field of the type `com.example.odd.Odd$Shape` holds.
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(super_class = "com.example.odd.Odd$Shape")]
pub enum AnyShape {
    Circle(Circle),
    Group(Group),
    #[java(other)]
    Other(JavaValue),
}

/// `com.example.odd.Odd$Base`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(
    class = "com.example.odd.Odd$Base",
    serial_version_uid = 4463082317221305090,
    abstract
)]
pub struct Base<T> {
    pub value: Option<T>,
}

/// `com.example.odd.Odd$Circle`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.odd.Odd$Circle", record)]
pub struct Circle {
    pub radius: f64,
}

/// `com.example.odd.Odd$Group`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(class = "com.example.odd.Odd$Group", serial_version_uid = 7, record)]
pub struct Group {
    pub first: Option<Box<AnyShape>>,
    pub others: Option<Vec<AnyShape>>,
}

/// `com.example.odd.Odd$Inner`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(
    class = "com.example.odd.Odd$Inner",
    serial_version_uid = 1615764525341026299
)]
pub struct Inner {
    pub x: i32,
}

/// `com.example.odd.Odd$Level`
#[derive(Clone, Copy, Debug, Eq, Hash, JavaObject, PartialEq)]
#[java(class = "com.example.odd.Odd$Level")]
pub enum Level {
    Low,
    #[java(body = "com.example.odd.Odd$Level$2")]
    NotSoHigh,
    #[java(name = "high")]
    High,
}

/// `com.example.odd.Odd`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(
    class = "com.example.odd.Odd",
    serial_version_uid = -8817261728867089752,
    implements = "java.util.Comparator<java.lang.String>"
)]
pub struct Odd<K, V> {
    pub seen: i64,
    pub key: Option<K>,
    #[java(type = "java.util.Map<K, java.util.Collection<V>>")]
    pub all: Option<Vec<(K, Vec<V>)>>,
    pub into: Option<Vec<JavaValue>>,
    pub array: Option<Box<[Option<V>]>>,
    #[java(type = "byte[][]")]
    pub blobs: Option<Vec<Vec<u8>>>,
    pub takes: Option<Duration>,
    pub id: Option<Uuid>,
    #[java(type = "java.util.EnumMap<com.example.odd.Odd$Level, java.util.Set<java.lang.String>>")]
    pub levels: Option<HashMap<Level, HashSet<String>>>,
    pub shape: Option<AnyShape>,
    pub next: Option<Box<Odd<K, V>>>,
    pub self_: i32,
    pub r#type: Option<String>,
}

/// `com.example.odd.Odd$Unused`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(
    class = "com.example.odd.Odd$Unused",
    serial_version_uid = 5711557099115951164
)]
pub struct Unused<A, B> {
    #[java(extends)]
    pub base: Base<Vec<A>>,
    #[java(skip)]
    pub unused: PhantomData<B>,
}

/// `com.example.odd.Odd$Written`
#[derive(Clone, Debug, JavaObject, PartialEq)]
#[java(
    class = "com.example.odd.Odd$Written",
    serial_version_uid = -8031153682871522062,
    final,
    serialized = "own"
)]
pub struct Written {
    #[java(jackson_ignores)]
    pub x: i32,
}
