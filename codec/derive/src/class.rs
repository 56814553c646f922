//! Structs that stand for Java classes and records.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Fields, LitStr, Result};

use crate::attribute::{Attributes, collect};
use crate::declared::Declared;
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
    let parameters: Vec<String> = input
        .generics
        .type_params()
        .map(|it| it.ident.to_string())
        .collect();
    let interfaces = match attributes.text("implements")? {
        Some(text) => Declared::read_all(&text, &parameters)?,
        None => Vec::new(),
    };
    let serialized = serialized(&mut attributes)?;
    let jackson = jackson_unknown(&mut attributes)?;
    attributes.finish(
        "a struct",
        "`class`, `record`, `final`, `abstract`, `implements`, `serial_version_uid`, \
         `serialized`, `jackson`, `transparent`, `crate`",
    )?;

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
            for interface in &interfaces {
                let interface = interface.tokens(java);
                described.extend(quote!(.implements(#interface)));
            }
            described.extend(serialized);
            described.extend(jackson);
            for field in &fields {
                if let Some(own) = field.own() {
                    let (name, declared) = (&own.name, own.declared(field.ty, java));
                    described.extend(quote!(.field(#name, #declared)));
                    described.extend(own.jackson.clone());
                }
            }
            let used = fields.iter().filter(|it| !matches!(it.role, Role::Skipped));
            let used: Vec<_> = used.map(|it| it.ty).collect();
            describe(input, &class, described, &used, java)
        },
        view: quote! {
            static CLASS: #java::Name = #java::Name::new(#class);
            to(&#java::View::Object(&CLASS, self));
        },
        from_source: quote! {
            <Self as #java::Gather>::gather(
                source.into_object(#class)?,
                <Self as #java::Gather>::names(),
                0,
                &mut |_, _| ::core::result::Result::Ok(()),
            )
        },
        more: {
            let mut more = fields_impl(input, &fields, base, java);
            more.extend(gather_impl(input, &fields, base, java));
            more
        },
    })
}

/// Shows the fields one by one, those of the super class last.
fn fields_impl(
    input: &DeriveInput,
    fields: &[Field<'_>],
    base: Option<&Field<'_>>,
    java: &TokenStream,
) -> TokenStream {
    let own = fields.iter().filter_map(|it| Some((it, it.own()?)));
    let names: Vec<_> = own.clone().map(|(_, own)| &own.name).collect();
    let count = names.len();
    let views = own.map(|(field, own)| own.view(field, java));
    let places: Vec<_> = (0..count).collect();
    let (len, name, field) = match base {
        Some(Field { ident, ty, .. }) => (
            quote!(#count + <#ty as #java::Fields>::len(&self.#ident)),
            quote!(<#ty as #java::Fields>::name(&self.#ident, place - #count)),
            quote!(<#ty as #java::Fields>::field(&self.#ident, place - #count, to)),
        ),
        None => (quote!(#count), quote!(""), quote!({})),
    };
    let ident = &input.ident;
    let generics = generic::bounded(&input.generics, java);
    let (parameters, arguments, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters #java::Fields for #ident #arguments #bounds {
            fn len(&self) -> usize {
                #len
            }

            fn name(&self, place: usize) -> &str {
                match place {
                    #(#places => #names,)*
                    _ => #name,
                }
            }

            fn field(&self, place: usize, to: &mut dyn FnMut(&#java::View<'_>)) {
                match place {
                    #(#places => #views,)*
                    _ => #field,
                }
            }

            fn names(&self) -> ::core::option::Option<&'static [&'static str]> {
                ::core::option::Option::Some(<Self as #java::Gather>::names())
            }
        }
    }
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

/// What the code of the class writes for Java's own serialization.
pub(crate) fn serialized(attributes: &mut Attributes) -> Result<Option<TokenStream>> {
    let Some(text) = attributes.text("serialized")? else {
        return Ok(None);
    };
    match text.value().as_str() {
        "more" => Ok(Some(quote!(.serialized_with_more()))),
        "own" => Ok(Some(quote!(.serialized_its_own_way()))),
        _ => Err(Error::new(text.span(), "it is \"more\" or \"own\"")),
    }
}

/// A call that says that annotations decide what Jackson writes.
pub(crate) fn jackson_unknown(attributes: &mut Attributes) -> Result<Option<TokenStream>> {
    match attributes.text("jackson")? {
        None => Ok(None),
        Some(text) if text.value() == "unknown" => Ok(Some(quote!(.jackson_unknown()))),
        Some(text) => {
            let message = "of a class it is \"unknown\"; its fields or constants can have names";
            Err(Error::new(text.span(), message))
        }
    }
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

/// Reads the fields one by one, in whatever order they come.
fn gather_impl(
    input: &DeriveInput,
    fields: &[Field<'_>],
    base: Option<&Field<'_>>,
    java: &TokenStream,
) -> TokenStream {
    let own: Vec<_> = fields
        .iter()
        .filter_map(|it| Some((it, it.own()?)))
        .collect();
    let names: Vec<_> = own.iter().map(|(_, own)| &own.name).collect();
    // The generated code reads the fields into these variables.
    let slots: Vec<_> = (0..own.len())
        .map(|it| quote::format_ident!("field{it}"))
        .collect();
    let mut unused = slots.iter();
    let types: Vec<_> = own.iter().map(|(it, _)| it.ty).collect();
    let reads = own.iter().map(|(it, own)| own.reading(it.ty, java));
    let reads: Vec<_> = reads.collect();
    let (count, places) = (own.len(), 0..own.len());
    let (all, rest) = match base {
        Some(Field { ty, .. }) => (
            quote! {
                static NAMES: ::std::sync::OnceLock<::std::vec::Vec<&str>> =
                    ::std::sync::OnceLock::new();
                NAMES.get_or_init(|| {
                    [&[#(#names),*][..], <#ty as #java::Gather>::names()].concat()
                })
            },
            quote! {
                let base = <#ty as #java::Gather>::gather(
                    fields,
                    names,
                    first + #count,
                    &mut take,
                )?;
            },
        ),
        None => (
            quote!(&[#(#names),*]),
            quote!(fields.each(
                ::core::option::Option::Some(names),
                &mut |place, _, source| take(place, source),
            )?;),
        ),
    };
    let values = fields.iter().map(|field| {
        let ident = field.ident;
        match &field.role {
            Role::Base => quote!(#ident: base),
            Role::Skipped => quote!(#ident: ::core::default::Default::default()),
            Role::Own(own) => {
                let (slot, name) = (unused.next(), &own.name);
                let read = own.reading(field.ty, java);
                quote! {
                    #ident: match #slot {
                        ::core::option::Option::Some(value) => value,
                        ::core::option::Option::None => {
                            let source = #java::Source::NULL;
                            #read.map_err(|error| error.within(#name))?
                        }
                    }
                }
            }
        }
    });
    let ident = &input.ident;
    let generics = generic::bounded(&input.generics, java);
    let (parameters, arguments, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #parameters #java::Gather for #ident #arguments #bounds {
            fn names() -> &'static [&'static str] {
                #all
            }

            fn gather(
                fields: &mut dyn #java::FieldsSource,
                names: &'static [&'static str],
                first: usize,
                others: &mut dyn FnMut(
                    usize,
                    #java::Source<'_>,
                ) -> ::core::result::Result<(), #java::Mismatch>,
            ) -> ::core::result::Result<Self, #java::Mismatch> {
                #(let mut #slots: ::core::option::Option<#types> = ::core::option::Option::None;)*
                let mut take = |place: usize, source: #java::Source<'_>| {
                    match place.wrapping_sub(first) {
                        #(#places => {
                            #slots = ::core::option::Option::Some(#reads?);
                            ::core::result::Result::Ok(())
                        })*
                        _ => others(place, source),
                    }
                };
                #rest
                ::core::result::Result::Ok(Self { #(#values),* })
            }
        }
    }
}
