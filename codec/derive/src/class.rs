//! Structs that stand for Java classes and records.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Fields, LitStr, Result};

use crate::attribute::{Attributes, collect};
use crate::expansion::Bodies;
use crate::field::{Field, Role};
use crate::{fitting, generic, name};

pub(crate) fn bodies(
    input: &DeriveInput,
    fields: &Fields,
    mut attributes: Attributes,
    java: &TokenStream,
) -> Result<Bodies> {
    let class = named(input, &mut attributes)?;
    let is_record = attributes.flag("record")?.is_some();
    let is_final = attributes.flag("final")?;
    if let Some(span) = is_final.filter(|_| is_record) {
        return Err(Error::new(span, "every record is final: leave it out"));
    }
    let is_abstract = attributes.flag("abstract")?;
    if let Some(span) = is_abstract.filter(|_| is_record || is_final.is_some()) {
        return Err(Error::new(span, "what is final is not abstract"));
    }
    let uid = uid(&mut attributes)?;
    attributes.finish(
        "a struct",
        "`class`, `record`, `final`, `abstract`, `serial_version_uid`, `transparent`, `crate`",
    )?;

    let parameters: Vec<String> = input
        .generics
        .type_params()
        .map(|it| it.ident.to_string())
        .collect();
    let fields = fields.iter().filter_map(|field| {
        let ident = field.ident.as_ref()?;
        Some(Field::read(field, ident, &parameters))
    });
    let fields: Vec<Field<'_>> = collect(fields)?;
    let own = fields.iter().filter_map(|it| Some((it.ident, it.own()?)));
    name::all_differ(own.map(|(ident, own)| (ident, own.name.as_str())))?;
    let base = base(&fields, is_record)?;

    Ok(Bodies {
        java_type: java_type(input, &class, java),
        describe: {
            let kind = if is_record {
                quote!(record)
            } else if is_abstract.is_some() {
                quote!(abstract_class)
            } else {
                quote!(object)
            };
            let mut described = quote!(#java::Class::#kind(#class));
            if is_final.is_some() {
                described.extend(quote!(.finalized()));
            }
            described.extend(uid);
            if !parameters.is_empty() {
                described.extend(quote!(.parameters([#(#parameters),*])));
            }
            if let Some(Field { ty, .. }) = base {
                described.extend(quote!(.extends(<#ty as #java::JavaObject>::java_type())));
            }
            for field in &fields {
                if let Some(own) = field.own() {
                    let (name, declared) = (&own.name, own.declared(field.ty, java));
                    described.extend(quote!(.field(#name, #declared)));
                }
            }
            let used = fields.iter().filter(|it| !matches!(it.role, Role::Skipped));
            let used: Vec<_> = used.map(|it| it.ty).collect();
            describe(input, &class, described, &used, java)
        },
        to_java: {
            let values = fields.iter().filter_map(|field| {
                let own = field.own()?;
                let (name, value) = (&own.name, own.value(field, java));
                Some(quote!((#name, #value)))
            });
            let object = quote!(#java::JavaValue::object::<&'static str>(#class, [#(#values),*]));
            match base {
                Some(Field { ident, ty, .. }) => {
                    quote!(#object.extending(<#ty as #java::JavaObject>::to_java(&self.#ident)))
                }
                None => object,
            }
        },
        from_java: from_java(&class, &fields, java),
    })
}

/// The class that the attributes name.
pub(crate) fn named(input: &DeriveInput, attributes: &mut Attributes) -> Result<String> {
    let Some(text) = attributes.text("class")? else {
        let message = "say which class it stands for: #[java(class = \"com.example.OrderEvent\")]";
        return Err(Error::new(input.ident.span(), message));
    };
    concrete(&text)
}

/// A call that gives the class its `serialVersionUID`, if it has one.
pub(crate) fn uid(attributes: &mut Attributes) -> Result<Option<TokenStream>> {
    let uid = attributes.number("serial_version_uid")?;
    Ok(uid.map(|it| quote!(.serial_version_uid(#it))))
}

fn concrete(text: &LitStr) -> Result<String> {
    let class = name::class(text)?;
    match fitting::implementation(&class) {
        Some(_) => {
            let message = format!("{class} is no class of values");
            Err(Error::new(text.span(), message))
        }
        None => Ok(class),
    }
}

/// An expression for the Java type. `Box<T>` has the Java type of `T` as its argument.
pub(crate) fn java_type(input: &DeriveInput, class: &str, java: &TokenStream) -> TokenStream {
    let parameters: Vec<_> = input.generics.type_params().map(|it| &it.ident).collect();
    if parameters.is_empty() {
        return quote!(#java::JavaType::new(#class));
    }
    quote! {
        #java::JavaType::new(#class)
            .with_arguments([#(<#parameters as #java::JavaObject>::java_type()),*])
    }
}

/// The body of `describe`. It adds the class, then the types of its fields, unless the schema has
/// the class already. That ends the recursion when classes refer to each other.
pub(crate) fn describe(
    input: &DeriveInput,
    class: &str,
    described: TokenStream,
    used: &[&syn::Type],
    java: &TokenStream,
) -> TokenStream {
    let parameters = input.generics.type_params().map(|it| &it.ident);
    let described = generic::declaration(input, java, described);
    quote! {
        if !schema.contains(#class) {
            schema.add(#described);
            #(<#used as #java::JavaObject>::describe(schema);)*
        }
        #(<#parameters as #java::JavaObject>::describe(schema);)*
    }
}

fn base<'a>(fields: &'a [Field<'a>], is_record: bool) -> Result<Option<&'a Field<'a>>> {
    let mut bases = fields.iter().filter(|it| it.is_base());
    let base = bases.next();
    if let Some(second) = bases.next() {
        let message = "a class extends one class: this is the second `extends`";
        return Err(Error::new(second.ident.span(), message));
    }
    if let Some(base) = base.filter(|_| is_record) {
        return Err(Error::new(base.ident.span(), "a record extends no class"));
    }
    Ok(base)
}

fn from_java(class: &str, fields: &[Field<'_>], java: &TokenStream) -> TokenStream {
    let own: Vec<&String> = fields
        .iter()
        .filter_map(|it| Some(&it.own()?.name))
        .collect();
    let split = fields.iter().find(|it| it.is_base()).map(|base| {
        let ty = base.ty;
        quote! {
            let base = object.base(
                <#ty as #java::JavaObject>::java_type().name().clone(),
                &[#(#own),*],
            );
        }
    });
    let fields = fields.iter().map(|field| {
        let Field { ident, ty, role } = field;
        match role {
            Role::Base => quote!(#ident: <#ty as #java::JavaObject>::from_java(base)?),
            Role::Own(own) => {
                let taken = own.taken(ty, java);
                quote!(#ident: #taken)
            }
            Role::Skipped => quote!(#ident: ::core::default::Default::default()),
        }
    });
    let object = if own.is_empty() && split.is_none() {
        quote!(value.into_object(#class)?;)
    } else {
        quote!(let mut object = value.into_object(#class)?;)
    };
    quote! {
        #object
        #split
        ::core::result::Result::Ok(Self { #(#fields),* })
    }
}
