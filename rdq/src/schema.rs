//! Makes schema files and Rust types of Java classes.
//!
//! - [`class_path`]: class files in folders, in jars, and in jars inside of jars.
//! - [`java_class`] reads one of them, [`signature`] the types in it, [`constants`] those of an enum;
//!   [`traps`] finds what no schema can say, and [`uid`] the `serialVersionUID`.
//! - [`annotations`] reads those of Jackson in a class file; [`jackson`] finds out what they make of the
//!   names of fields.
//! - [`serialized`] looks at what `writeObject` writes.
//! - [`java_type`]: types as Java declares them.
//! - [`closure`]: the classes that a schema needs, and what is missing.
//! - [`json`] and [`rust`] write them.

mod annotations;
mod class_path;
mod closure;
mod constants;
mod jackson;
mod java_class;
mod java_type;
mod json;
mod rust;
mod serialized;
mod signature;
mod traps;
mod uid;

pub(crate) use class_path::ClassPath;
pub(crate) use closure::Closure;
