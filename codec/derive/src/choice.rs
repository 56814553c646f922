//! Enums whose variants hold one sub class each. The enum stands for the super class.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, Error, Fields, Ident, Result, Type, Variant};

use crate::attribute::{Attributes, collect};
use crate::declared::Declared;
use crate::expansion::Bodies;

struct Choice<'a> {
    ident: &'a Ident,
    ty: &'a Type,
    takes_others: bool,
}

pub(crate) fn bodies(
    data: &DataEnum,
    mut attributes: Attributes,
    java: &TokenStream,
) -> Result<Bodies> {
    let mut java_type = quote!(#java::JavaType::object());
    let mut expected = "java.lang.Object".to_owned();
    let mut described = None;
    if let Some(text) = attributes.text("super_class")? {
        let declared = Declared::read(&text, &[])?;
        if declared.is_primitive() || declared.is_array() {
            let message = format!("{declared} has no sub classes");
            return Err(Error::new(text.span(), message));
        }
        java_type = declared.tokens(java);
        described = self::described(&declared, java);
        expected = format!("a sub class of {declared}");
    }
    attributes.finish("an enum of several sub classes", "`super_class`, `crate`")?;
    let choices: Vec<Choice<'_>> = collect(data.variants.iter().map(Choice::read))?;
    let mut others = choices.iter().filter(|it| it.takes_others);
    let other = others.next();
    if let Some(second) = others.next() {
        let message = "one variant takes all others: this is the second `other`";
        return Err(Error::new(second.ident.span(), message));
    }

    let idents: Vec<_> = choices.iter().map(|it| it.ident).collect();
    let types: Vec<_> = choices.iter().map(|it| it.ty).collect();
    let tried = choices.iter().filter(|it| !it.takes_others);
    let tried = tried.map(|Choice { ident, ty, .. }| {
        quote! {
            if *<#ty as #java::JavaObject>::java_type().boxed().name() == class {
                return <#ty as #java::JavaObject>::from_source(source).map(Self::#ident);
            }
        }
    });
    let last = match other {
        Some(Choice { ident, ty, .. }) => {
            quote!(<#ty as #java::JavaObject>::from_source(source).map(Self::#ident))
        }
        None => quote! {
            ::core::result::Result::Err(source.mismatch(#expected))
        },
    };
    Ok(Bodies {
        java_type,
        describe: quote! {
            #(<#types as #java::JavaObject>::describe(schema);)*
            #described
        },
        view: quote! {
            match self {
                #(Self::#idents(it) => <#types as #java::JavaObject>::view(it, to)),*
            }
        },
        from_source: quote! {
            let class = source.class_name();
            #(#tried)*
            #last
        },
        more: TokenStream::new(),
    })
}

/// Adds the super class to the schema, unless a variant did. An abstract class or an interface may
/// have no struct of its own.
fn described(declared: &Declared, java: &TokenStream) -> Option<TokenStream> {
    let name = &declared.name;
    let is_of_jdk = ["java.", "javax."].iter().any(|it| name.starts_with(it));
    (!is_of_jdk).then(|| {
        quote! {
            if !schema.contains(#name) {
                schema.add(#java::Class::abstract_class(#name));
            }
        }
    })
}

impl<'a> Choice<'a> {
    fn read(variant: &'a Variant) -> Result<Self> {
        let ident = &variant.ident;
        let ty = match &variant.fields {
            Fields::Unnamed(fields) if fields.unnamed.len() == 1 => &fields.unnamed[0].ty,
            _ => {
                let message = format!(
                    "the variants of such an enum hold one struct each: {ident}(Some{ident})"
                );
                return Err(Error::new(ident.span(), message));
            }
        };
        let mut attributes = Attributes::read(&variant.attrs)?;
        let takes_others = attributes.flag("other")?.is_some();
        attributes.finish("a variant for a sub class", "`other`")?;
        Ok(Self {
            ident,
            ty,
            takes_others,
        })
    }
}
