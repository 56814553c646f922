//! Finds the form of a struct or an enum, and writes the `impl` around it.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Data, DeriveInput, Error, Fields, Path, Result};

use crate::attribute::Attributes;
use crate::{choice, class, constants, container, generic, home, transparent};

/// The bodies of the functions of `JavaObject`.
pub(crate) struct Bodies {
    pub(crate) java_type: TokenStream,
    pub(crate) describe: TokenStream,
    pub(crate) view: TokenStream,
    pub(crate) from_source: TokenStream,
    /// Items beside the `impl`.
    pub(crate) more: TokenStream,
}

pub(crate) fn expand(input: &DeriveInput) -> Result<TokenStream> {
    let mut attributes = Attributes::read(&input.attrs)?;
    let home = match attributes.text("crate")? {
        Some(path) => path.parse::<Path>()?.into_token_stream(),
        None => home::path(),
    };
    let java = quote!(#home::java);
    generic::parameters(&input.generics)?;
    let bodies = match &input.data {
        Data::Struct(it) if attributes.find("transparent").is_some() => {
            transparent::bodies(&it.fields, attributes, &java)?
        }
        Data::Struct(it) => match &it.fields {
            Fields::Unnamed(fields) => container::bodies(input, fields, attributes, &java)?,
            fields => class::bodies(input, fields, attributes, &java)?,
        },
        Data::Enum(it) if attributes.find("super_class").is_some() => {
            choice::bodies(it, attributes, &java)?
        }
        Data::Enum(it) => constants::bodies(input, it, attributes, &java)?,
        Data::Union(it) => {
            let message = "a union stands for nothing in Java: write a struct";
            return Err(Error::new(it.union_token.span, message));
        }
    };

    let Bodies {
        java_type,
        describe,
        view,
        from_source,
        more,
    } = bodies;
    let ident = &input.ident;
    let generics = generic::bounded(&input.generics, &java);
    let (parameters, arguments, bounds) = generics.split_for_impl();
    Ok(quote! {
        #[automatically_derived]
        impl #parameters #java::JavaObject for #ident #arguments #bounds {
            fn java_type() -> #java::JavaType {
                #java_type
            }

            fn describe(schema: &mut #java::Schema) {
                #describe
            }

            fn view(&self, to: &mut dyn FnMut(&#java::View<'_>)) {
                #view
            }

            fn from_source(
                source: #java::Source<'_>,
            ) -> ::core::result::Result<Self, #java::Mismatch> {
                #from_source
            }
        }

        #more
    })
}
