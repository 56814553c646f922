#![doc = include_str!("../README.md")]
//!
//! # The map
//!
//! - `expansion`: finds the form of a struct or an enum, and writes the `impl` around it.
//! - `class`, `container`, `constants`, `choice`, `transparent`: the five forms. A class with fields, a
//!   class that extends a collection or a map, an enum, one of several sub classes, and a struct
//!   that is to Java what its one field is.
//! - `field`, `attribute`, `name`: fields, attributes and names.
//! - `declared`, `fitting`: Java types as text, and whether a Rust type fits one.
//! - `generic`: type parameters.
//! - `home`: the crate that the `impl` names.

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

mod attribute;
mod choice;
mod class;
mod constants;
mod container;
mod declared;
mod expansion;
mod field;
mod fitting;
mod generic;
mod home;
mod name;
mod transparent;

/// Derives `redisson_codec::java::JavaObject`. The documentation is at that path.
#[proc_macro_derive(JavaObject, attributes(java))]
pub fn java_object(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expansion::expand(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

#[cfg(test)]
mod tests;
