//! The crate that the `impl` names.

use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The path of a crate that has the module `java`, as the user's package can write it.
///
/// The crate is a dependency of that package, under the name that the package gave it.
pub(crate) fn path() -> TokenStream {
    let found = HOMES
        .iter()
        .find_map(|package| Some((*package, crate_name(package).ok()?)));
    let name = match found {
        Some((_, FoundCrate::Name(name))) => name,
        // Tests and examples of the crate see it from outside.
        Some((package, FoundCrate::Itself)) => package.replace('-', "_"),
        // Built without Cargo, or without the dependency. The compiler reports what is missing.
        None => HOMES[0].replace('-', "_"),
    };
    let name = Ident::new(&name, Span::call_site());
    quote!(::#name)
}

/// The packages that have `java`. The first has precedence, because a package that depends only on
/// codecs may need a queue in its tests.
const HOMES: [&str; 2] = ["redisson-codec", "redisson-delayed-queue"];
