//! Structs with one field, which stand for the Java type of that field.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::{Error, Fields, Member, Result};

use crate::attribute::Attributes;
use crate::expansion::Bodies;

pub(crate) fn bodies(
    fields: &Fields,
    mut attributes: Attributes,
    java: &TokenStream,
) -> Result<Bodies> {
    let span = attributes.flag("transparent")?;
    attributes.finish(
        "a transparent struct",
        "nothing but `transparent` and `crate`",
    )?;
    let mut all = fields.iter();
    let (Some(field), None) = (all.next(), all.next()) else {
        let message = "a transparent struct has one field";
        return Err(Error::new(span.unwrap_or_else(Span::call_site), message));
    };
    Attributes::read(&field.attrs)?.finish("the field of a transparent struct", "none")?;
    let ty = &field.ty;
    let member = match &field.ident {
        Some(ident) => Member::Named(ident.clone()),
        None => Member::from(0),
    };
    Ok(Bodies {
        java_type: quote!(<#ty as #java::JavaObject>::java_type()),
        describe: quote!(<#ty as #java::JavaObject>::describe(schema)),
        view: quote!(<#ty as #java::JavaObject>::view(&self.#member, to)),
        more: TokenStream::new(),
        from_source: quote! {
            let inner = <#ty as #java::JavaObject>::from_source(source)?;
            ::core::result::Result::Ok(Self { #member: inner })
        },
    })
}
