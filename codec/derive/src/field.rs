//! The fields of a struct that stands for a class.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Error, Ident, LitStr, Result, Type};

use crate::attribute::Attributes;
use crate::declared::Declared;
use crate::{fitting, name};

/// A field of a struct, and what it stands for in Java.
pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) ty: &'a Type,
    pub(crate) role: Role,
}

pub(crate) enum Role {
    /// The super class, with its fields.
    Base,
    /// A field of the class itself.
    Own(Own),
    /// A field that Java does not have.
    Skipped,
}

pub(crate) struct Own {
    pub(crate) name: String,
    declared: Option<Declared>,
    holds: Option<String>,
    /// A call that says what Jackson calls the field.
    pub(crate) jackson: Option<TokenStream>,
    has_default: bool,
}

impl<'a> Field<'a> {
    pub(crate) fn read(
        field: &'a syn::Field,
        ident: &'a Ident,
        parameters: &[String],
    ) -> Result<Self> {
        let mut attributes = Attributes::read(&field.attrs)?;
        let role = if attributes.flag("skip")?.is_some() {
            attributes.finish("a skipped field", "nothing but `skip`")?;
            Role::Skipped
        } else if attributes.flag("extends")?.is_some() {
            attributes.finish("the field of the super class", "nothing but `extends`")?;
            Role::Base
        } else {
            Role::Own(Own::read(&field.ty, ident, attributes, parameters)?)
        };
        Ok(Self {
            ident,
            ty: &field.ty,
            role,
        })
    }

    pub(crate) fn own(&self) -> Option<&Own> {
        match &self.role {
            Role::Own(own) => Some(own),
            _ => None,
        }
    }

    pub(crate) fn is_base(&self) -> bool {
        matches!(self.role, Role::Base)
    }
}

impl Own {
    fn read(
        ty: &Type,
        ident: &Ident,
        mut attributes: Attributes,
        parameters: &[String],
    ) -> Result<Self> {
        let name = name::given(&mut attributes, name::field(ident))?;
        let declared = match attributes.text("type")? {
            Some(text) => {
                let declared = Declared::read(&text, parameters)?;
                fitting::check(ty, &declared).map_err(|reason| Error::new(text.span(), reason))?;
                Some(declared)
            }
            None => None,
        };
        let holds = match attributes.text("holds")? {
            Some(text) => Some(held(&text, ty, declared.as_ref())?),
            None => None,
        };
        let has_default = attributes.flag("default")?.is_some();
        let jackson = match attributes.text("jackson")? {
            Some(written) => Some(quote!(.jackson_name(#name, #written))),
            None => attributes
                .flag("jackson_ignores")?
                .map(|_| quote!(.jackson_ignores(#name))),
        };
        attributes.finish(
            "a field",
            "`name`, `type`, `holds`, `default`, `jackson`, `jackson_ignores`, `skip`, `extends`",
        )?;
        Ok(Self {
            name,
            declared,
            holds,
            jackson,
            has_default,
        })
    }

    /// An expression for the declared Java type.
    pub(crate) fn declared(&self, ty: &Type, java: &TokenStream) -> TokenStream {
        match &self.declared {
            Some(declared) => declared.tokens(java),
            None => quote!(<#ty as #java::JavaObject>::java_type()),
        }
    }

    /// An expression that shows the Java value to `to`.
    pub(crate) fn view(&self, field: &Field<'_>, java: &TokenStream) -> TokenStream {
        let Field { ident, ty, .. } = field;
        let fit = |declared: &Declared, to: TokenStream| {
            let declared = declared.tokens(java);
            quote! {
                &mut |it| {
                    static DECLARED: ::std::sync::LazyLock<#java::JavaType> =
                        ::std::sync::LazyLock::new(|| #declared);
                    it.fit(&DECLARED, #to);
                }
            }
        };
        let mut to = quote!(to);
        if let Some(class) = &self.holds {
            if fitting::holds_constants(class) {
                // If the collection or map is empty, only the field's type names the enum.
                let declared = self.declared(ty, java);
                to = quote!(&mut |it| it.fit(&#declared, #to));
            }
            to = quote! {
                &mut |it| {
                    static CLASS: #java::Name = #java::Name::new(#class);
                    it.held_by(&CLASS, #to);
                }
            };
        }
        if let Some((inner, declared)) = self.nullable_optional(ty) {
            let to = fit(declared, to);
            return quote! {
                match &self.#ident {
                    ::core::option::Option::Some(it) => {
                        <#inner as #java::JavaObject>::view(it, #to)
                    }
                    ::core::option::Option::None => to(&#java::View::Null),
                }
            };
        }
        if let Some(declared) = &self.declared
            && !fitting::is_dynamic(ty)
        {
            to = fit(declared, to);
        }
        quote!(<#ty as #java::JavaObject>::view(&self.#ident, #to))
    }

    fn nullable_optional<'a>(&'a self, ty: &'a Type) -> Option<(&'a Type, &'a Declared)> {
        let declared = self.declared.as_ref()?;
        Some((fitting::nullable_optional(ty, declared)?, declared))
    }

    /// An expression that reads the value from `source`.
    pub(crate) fn reading(&self, ty: &Type, java: &TokenStream) -> TokenStream {
        if let Some((inner, _)) = self.nullable_optional(ty) {
            return quote! {
                match source {
                    #java::Source::Value(#java::JavaValue::Null) => {
                        ::core::result::Result::Ok(::core::option::Option::None)
                    }
                    source => <#inner as #java::JavaObject>::from_source(source)
                        .map(::core::option::Option::Some),
                }
            };
        }
        if self.has_default {
            return quote! {
                <::core::option::Option<#ty> as #java::JavaObject>::from_source(source)
                    .map(::core::option::Option::unwrap_or_default)
            };
        }
        quote!(<#ty as #java::JavaObject>::from_source(source))
    }
}

/// The class that `holds = "..."` names.
fn held(text: &LitStr, ty: &Type, declared: Option<&Declared>) -> Result<String> {
    let class = name::class(text)?;
    let refuse = |reason: String| Err(Error::new(text.span(), reason));
    if let Some(instead) = fitting::implementation(&class) {
        return refuse(format!(
            "{class} has no instances of its own: name the class of the value, such as {instead}"
        ));
    }
    if !fitting::is_container(ty) {
        let ty = fitting::shown(ty);
        return refuse(format!("`holds` is for collections and maps, not for {ty}"));
    }
    if let Some(declared) = declared.filter(|it| it.is_array()) {
        return refuse(format!("{declared} is an array, which no class holds"));
    }
    Ok(class)
}
