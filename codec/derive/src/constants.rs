//! Enums of unit variants, which stand for Java enums.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DataEnum, DeriveInput, Error, Ident, Result, Variant};

use crate::attribute::{Attributes, collect};
use crate::expansion::Bodies;
use crate::{class, name};

struct Constant<'a> {
    ident: &'a Ident,
    name: String,
    /// If it has a body: its class, unless Java's compiler named that.
    body: Option<Option<String>>,
    /// What its `toString()` returns.
    shown: Option<String>,
    jackson: Option<String>,
}

pub(crate) fn bodies(
    input: &DeriveInput,
    data: &DataEnum,
    mut attributes: Attributes,
    java: &TokenStream,
) -> Result<Bodies> {
    if attributes.find("class").is_none() {
        let is_plain = data.variants.iter().all(|it| it.fields.is_empty());
        let message = if is_plain {
            "say which enum it stands for: #[java(class = \"com.example.Status\")]"
        } else {
            "say of which class its variants are sub classes: \
             #[java(super_class = \"com.example.Event\")]"
        };
        return Err(Error::new(input.ident.span(), message));
    }
    let class = class::named(input, &mut attributes)?;
    let is_final = attributes.flag("final")?;
    let shown_as_unknown = shown_as_unknown(&mut attributes)?;
    let jackson_unknown = class::jackson_unknown(&mut attributes)?;
    attributes.finish(
        "an enum",
        "`class` or `super_class`, `final`, `shown`, `jackson`, and `crate`",
    )?;
    if let Some(parameter) = input.generics.params.first() {
        return Err(Error::new_spanned(parameter, "Java enums are not generic"));
    }
    if data.variants.is_empty() {
        let message = "an enum without constants has no values";
        return Err(Error::new(input.ident.span(), message));
    }
    let constants: Vec<Constant<'_>> = collect(data.variants.iter().map(Constant::read))?;
    name::all_differ(constants.iter().map(|it| (it.ident, it.name.as_str())))?;

    if let Some(span) = is_final.filter(|_| constants.iter().all(|it| it.body.is_none())) {
        let message = "an enum without bodies is final: leave it out";
        return Err(Error::new(span, message));
    }
    let is_final = is_final.map(|_| quote!(.finalized()));
    let with_text = constants.iter().find(|it| it.shown.is_some());
    if let (Some(_), Some(constant)) = (&shown_as_unknown, with_text) {
        let message = "the enum says that its texts are unknown";
        return Err(Error::new(constant.ident.span(), message));
    }
    let idents: Vec<_> = constants.iter().map(|it| it.ident).collect();
    let names: Vec<_> = constants.iter().map(|it| &it.name).collect();
    let shown = with_text.map(|_| {
        let texts = constants
            .iter()
            .map(|it| it.shown.as_ref().unwrap_or(&it.name));
        quote!(.shown_as([#(#texts),*]))
    });
    let jackson = constants.iter().filter_map(|it| {
        let (name, written) = (&it.name, it.jackson.as_ref()?);
        Some(quote!(.jackson_name(#name, #written)))
    });
    let bodies = constants.iter().filter_map(|it| {
        let name = &it.name;
        Some(match it.body.as_ref()? {
            Some(class) => quote!(.with_body(#name, #class)),
            None => quote!(.with_bodies([#name])),
        })
    });
    Ok(Bodies {
        java_type: quote!(#java::JavaType::new(#class)),
        describe: quote! {
            schema.add(#java::Class::enumeration(#class, [#(#names),*]) #(#bodies)* #is_final #shown_as_unknown #shown
                #jackson_unknown #(#jackson)*);
        },
        view: quote! {
            static CLASS: #java::Name = #java::Name::new(#class);
            let name = match self {
                #(Self::#idents => {
                    static NAME: #java::Name = #java::Name::new(#names);
                    &NAME
                })*
            };
            to(&#java::View::Enum(&CLASS, name));
        },
        from_source: quote! {
            let constant = source.into_value()?.into_constant(#class)?;
            match constant.as_str() {
                #(#names => ::core::result::Result::Ok(Self::#idents),)*
                unknown => ::core::result::Result::Err(
                    #java::Mismatch::no_constant(#class, unknown, [#(#names),*]),
                ),
            }
        },
        more: TokenStream::new(),
    })
}

/// Says that nobody knows what `toString()` returns.
fn shown_as_unknown(attributes: &mut Attributes) -> Result<Option<TokenStream>> {
    match attributes.text("shown")? {
        None => Ok(None),
        Some(text) if text.value() == "unknown" => Ok(Some(quote!(.shown_as_unknown()))),
        Some(text) => {
            let message = "of an enum it is \"unknown\"; each constant can have a text of its own";
            Err(Error::new(text.span(), message))
        }
    }
}

impl<'a> Constant<'a> {
    fn read(variant: &'a Variant) -> Result<Self> {
        if !variant.fields.is_empty() {
            let message = "a constant holds nothing: for an enum of several sub classes write \
                           `super_class` in place of `class`";
            return Err(Error::new_spanned(&variant.fields, message));
        }
        let mut attributes = Attributes::read(&variant.attrs)?;
        let name = name::given(&mut attributes, name::constant(&variant.ident))?;
        let body = attributes.flag_or_text("body")?;
        let shown = attributes.text("shown")?;
        let jackson = attributes.text("jackson")?;
        attributes.finish("a constant", "`name`, `body`, `shown`, `jackson`")?;
        Ok(Self {
            ident: &variant.ident,
            name,
            body: body.map(|class| class.map(|it| it.value())),
            shown: shown.map(|it| it.value()),
            jackson: jackson.map(|it| it.value()),
        })
    }
}
