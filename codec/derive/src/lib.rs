#![doc = include_str!("../README.md")]
//!
//! # The map
//!
//! - `expansion`: which of the forms an item has, and the `impl` around them.
//! - `class`, `container`, `constants`, `choice`, `transparent`: the forms.
//! - `field`, `attribute`, `name`: what they are made of.
//! - `declared`, `fitting`: Java types as text, and which of them a Rust type can have.
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

/// Derives `redisson_codec::java::JavaObject`, which describes it.
#[proc_macro_derive(JavaObject, attributes(java))]
pub fn java_object(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expansion::expand(&input)
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

#[cfg(test)]
mod tests;
