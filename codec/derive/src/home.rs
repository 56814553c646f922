use proc_macro_crate::{FoundCrate, crate_name};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

/// The path of a crate that has the module `java`, where the item stands.
///
/// That is a dependency of the package, by the name that the package gave it.
pub(crate) fn path() -> TokenStream {
    let found = HOMES
        .iter()
        .find_map(|package| Some((*package, crate_name(package).ok()?)));
    let name = match found {
        Some((_, FoundCrate::Name(name))) => name,
        // Its tests and examples see it from outside.
        Some((package, FoundCrate::Itself)) => package.replace('-', "_"),
        // Built without Cargo, or no dependency: the compiler then says what is missing.
        None => HOMES[0].replace('-', "_"),
    };
    let name = Ident::new(&name, Span::call_site());
    quote!(::#name)
}

/// The packages that have `java`. The first has precedence: a package that depends on codecs alone
/// may need a queue in its tests.
const HOMES: [&str; 2] = ["redisson-codec", "redisson-delayed-queue"];
