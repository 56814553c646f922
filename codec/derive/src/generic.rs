//! Type parameters.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{DeriveInput, Error, GenericParam, Generics, Ident, Result, parse_quote};

/// The type parameters. Refuses other parameters, because Java has none.
pub(crate) fn parameters(generics: &Generics) -> Result<Vec<&Ident>> {
    generics
        .params
        .iter()
        .map(|parameter| match parameter {
            GenericParam::Type(it) => Ok(&it.ident),
            GenericParam::Lifetime(it) => Err(Error::new_spanned(
                it,
                "what is read from a payload borrows nothing: let the fields own their values",
            )),
            GenericParam::Const(it) => Err(Error::new_spanned(it, "Java has no const parameters")),
        })
        .collect()
}

/// The same generics, with the bound `JavaObject` on each type parameter.
pub(crate) fn bounded(generics: &Generics, java: &TokenStream) -> Generics {
    let mut generics = generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(parse_quote!(#java::JavaObject));
    }
    generics
}

/// Wraps an expression so that the Java type of a type parameter `T` of `input` is the type
/// variable `T`, as in the declaration of a Java class.
pub(crate) fn declaration(
    input: &DeriveInput,
    java: &TokenStream,
    expression: TokenStream,
) -> TokenStream {
    let parameters: Vec<&Ident> = input.generics.type_params().map(|it| &it.ident).collect();
    if parameters.is_empty() {
        return expression;
    }
    let (_, arguments, _) = input.generics.split_for_impl();
    let ident = &input.ident;
    let expression = replace_self(expression, &quote!(#ident #arguments));
    quote!({
        #(
            // An expression that names no parameter leaves these unused.
            #[allow(dead_code)]
            #[derive(
                ::core::clone::Clone,
                ::core::marker::Copy,
                ::core::fmt::Debug,
                ::core::default::Default,
                ::core::cmp::Eq,
                ::core::hash::Hash,
                ::core::cmp::Ord,
                ::core::cmp::PartialEq,
                ::core::cmp::PartialOrd,
            )]
            struct #parameters;

            impl #java::JavaObject for #parameters {
                fn java_type() -> #java::JavaType {
                    #java::JavaType::new(::core::stringify!(#parameters))
                }

                fn to_java(&self) -> #java::JavaValue {
                    #java::JavaValue::Null
                }

                fn from_java(
                    _: #java::JavaValue,
                ) -> ::core::result::Result<Self, #java::Mismatch> {
                    ::core::result::Result::Err(#java::Mismatch::unknown(
                        ::core::stringify!(#parameters),
                        "a value",
                    ))
                }
            }
        )*
        #expression
    })
}

/// Replaces `Self` everywhere by the type with its real arguments.
fn replace_self(tokens: TokenStream, by: &TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(ident) if ident == "Self" => by.clone(),
            TokenTree::Group(group) => {
                let mut replaced = Group::new(group.delimiter(), replace_self(group.stream(), by));
                replaced.set_span(group.span());
                TokenTree::Group(replaced).into_token_stream()
            }
            other => other.into_token_stream(),
        })
        .collect()
}
