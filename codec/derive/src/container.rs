//! Structs around a collection or a map that stand for a class that extends one.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, FieldsUnnamed, Result};

use crate::attribute::Attributes;
use crate::declared::Declared;
use crate::expansion::Bodies;
use crate::{class, fitting};

pub(crate) fn bodies(
    input: &DeriveInput,
    fields: &FieldsUnnamed,
    mut attributes: Attributes,
    java: &TokenStream,
) -> Result<Bodies> {
    let Some(text) = attributes.text("extends")? else {
        let message = "the fields of a Java class have names: give them names, or write \
                       #[java(transparent)] if it is to Java what its one field is";
        return Err(Error::new_spanned(fields, message));
    };
    let class = class::named(input, &mut attributes)?;
    let is_final = attributes.flag("final")?.map(|_| quote!(.finalized()));
    let uid = class::uid(&mut attributes)?;
    let serialized = class::serialized(&mut attributes)?;
    attributes.finish(
        "a struct around a collection",
        "`class`, `extends`, `final`, `serial_version_uid`, `serialized`, `crate`",
    )?;
    let parameters: Vec<String> = input
        .generics
        .type_params()
        .map(|it| it.ident.to_string())
        .collect();
    let declared = Declared::read(&text, &parameters)?;
    let ty = match fields.unnamed.first() {
        Some(field) if fields.unnamed.len() == 1 && fitting::is_container(&field.ty) => &field.ty,
        _ => {
            let message = "a class that extends a collection or a map has one field: \
                           struct Tags(Vec<String>)";
            return Err(Error::new_spanned(fields, message));
        }
    };
    fitting::check(ty, &declared).map_err(|reason| Error::new(text.span(), reason))?;

    let extended = declared.tokens(java);
    let parameters = (!parameters.is_empty()).then(|| quote!(.parameters([#(#parameters),*])));
    let described = quote!(#java::Class::object(#class) #is_final #uid #serialized #parameters .extends(#extended));
    Ok(Bodies {
        java_type: class::java_type(input, &class, java),
        describe: class::describe(input, &class, described, &[ty], java),
        view: quote! {
            static CLASS: #java::Name = #java::Name::new(#class);
            static EXTENDED: ::std::sync::LazyLock<#java::JavaType> =
                ::std::sync::LazyLock::new(|| #extended);
            <#ty as #java::JavaObject>::view(&self.0, &mut |it| {
                it.fit(&EXTENDED, &mut |it| it.held_by(&CLASS, to));
            });
        },
        from_source: quote! {
            if source.class_name() != #class {
                return ::core::result::Result::Err(source.mismatch(#class));
            }
            <#ty as #java::JavaObject>::from_source(source).map(Self)
        },
        more: TokenStream::new(),
    })
}
