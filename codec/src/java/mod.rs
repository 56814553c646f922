//! Java values, the types that Java declares for them, and their classes.
//!
//! Most of Redisson's codecs depend on facts that only Java knows: the class of a value, whether a
//! field is a `long` or a `Long`, the order of the fields. This module describes these facts in
//! Rust. The codecs turn them into bytes.
//!
//! - [`JavaValue`]: any value, with the class that it has at run time.
//! - [`View`]: the same, level by level and borrowed, for codecs that write.
//! - [`Source`]: the same, level by level and still to be read, from codecs that read.
//! - [`JavaType`]: the type of a field, such as `java.util.List<java.lang.String>`.
//! - [`Schema`]: classes and their fields, written in Rust or read from a JSON file.
//! - [`JavaObject`]: Rust types that stand for Java types. Derive it for your own types.

// Public: values, types, classes, and Rust types that stand for them.
pub(crate) mod class;
mod decimal;
#[cfg(feature = "derive")]
mod derive;
mod mismatch;
mod name;
mod object;
pub(crate) mod schema;
mod serialized;
mod source;
pub(crate) mod time;
mod r#type;
mod value;
mod view;

// Helpers of the codecs. `fit` makes a value fit a declared type, with `view`; `hierarchy` says which classes
// such a type can hold, `jdk` knows the classes of the JDK, `path` says in errors where a value
// stands, and `zone` reads time zones that are offsets.
mod fit;
pub(crate) mod hierarchy;
pub(crate) mod jdk;
pub(crate) mod locale;
mod path;
pub(crate) mod zone;

// Java's own serialization. To read: `cursor`, `stream` and `graph` turn bytes into objects and
// objects into values. To write: `parts`, `descriptor` and `output` do the reverse.
mod cursor;
#[cfg(any(feature = "marshalling", feature = "serialization"))]
pub(crate) mod descriptor;
pub(crate) mod graph;
mod malformed;
#[cfg(any(feature = "marshalling", feature = "serialization"))]
mod output;
#[cfg(any(feature = "marshalling", feature = "serialization"))]
pub(crate) mod parts;
pub(crate) mod stream;

pub use self::class::Class;
pub(crate) use self::class::Field;
pub(crate) use self::cursor::Cursor;
pub use self::decimal::BigDecimal;
#[cfg(feature = "derive")]
pub use self::derive::JavaObject;
#[cfg(any(feature = "marshalling", feature = "serialization"))]
pub(crate) use self::descriptor::{Descriptor, Unwritable};
#[cfg(any(feature = "marshalling", feature = "serialization"))]
pub(crate) use self::graph::DEEPEST;
pub(crate) use self::malformed::Malformed;
pub use self::mismatch::Mismatch;
pub use self::name::Name;
pub(crate) use self::name::compare;
pub use self::object::JavaObject;
#[cfg(feature = "serialization")]
pub(crate) use self::output::in_modified_utf8;
#[cfg(any(feature = "marshalling", feature = "serialization"))]
pub(crate) use self::output::{Output, modified_utf8};
pub(crate) use self::path::Path;
pub use self::schema::{InvalidSchema, Schema};
pub use self::serialized::Serialized;
pub use self::source::{Contents, FieldTaker, FieldsSource, Gather, Source, Taker};
pub(crate) use self::source::{Each, skip};
pub use self::time::{
    Instant, LocalDate, LocalDateTime, LocalTime, OffsetDateTime, Period, Temporal, YearMonth,
    ZonedDateTime,
};
pub(crate) use self::r#type::Fitting;
#[cfg(feature = "marshalling")]
pub(crate) use self::r#type::{DIMENSIONS, dimensions};
pub use self::r#type::{InvalidType, JavaType};
pub use self::value::{Array, Collection, Constant, Date, JavaValue, Map, Object, Text};
#[cfg(any(feature = "marshalling", feature = "serialization"))]
pub(crate) use self::view::Found;
pub use self::view::{Elements, Entries, Fields, Items, Pairs, View};
pub(crate) use self::view::{Places, Surplus};
pub use num_bigint::BigInt;
