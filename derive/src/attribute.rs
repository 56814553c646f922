use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Ident, LitStr, Result, Token};

/// What stands in the `#[java(...)]` of one item. Each form takes what it knows; what is left at
/// the end is a mistake.
pub(crate) struct Attributes {
    entries: Vec<Entry>,
}

struct Entry {
    name: Ident,
    value: Option<LitStr>,
}

impl Attributes {
    pub(crate) fn read(attributes: &[Attribute]) -> Result<Self> {
        let mut entries: Vec<Entry> = Vec::new();
        for attribute in attributes.iter().filter(|it| it.path().is_ident("java")) {
            let parser = Punctuated::<Entry, Token![,]>::parse_terminated;
            for entry in attribute.parse_args_with(parser)? {
                if entries.iter().any(|it| it.name == entry.name) {
                    let message = format!("`{}` comes twice", entry.name);
                    return Err(Error::new(entry.name.span(), message));
                }
                entries.push(entry);
            }
        }
        Ok(Self { entries })
    }

    /// Takes `name = "text"`.
    pub(crate) fn text(&mut self, name: &str) -> Result<Option<LitStr>> {
        match self.take(name) {
            None => Ok(None),
            Some(Entry {
                value: Some(value), ..
            }) => Ok(Some(value)),
            Some(Entry { name, .. }) => {
                let message = format!("`{name}` needs a text: {name} = \"...\"");
                Err(Error::new(name.span(), message))
            }
        }
    }

    /// Takes `name`, and says where it stands.
    pub(crate) fn flag(&mut self, name: &str) -> Result<Option<Span>> {
        match self.take(name) {
            None => Ok(None),
            Some(Entry { name, value: None }) => Ok(Some(name.span())),
            Some(Entry {
                name,
                value: Some(value),
            }) => {
                let message = format!("`{name}` has no value: write it alone");
                Err(Error::new(value.span(), message))
            }
        }
    }

    /// Where `name` stands, if it does.
    pub(crate) fn find(&self, name: &str) -> Option<Span> {
        let entry = self.entries.iter().find(|it| it.name == name);
        entry.map(|it| it.name.span())
    }

    /// Refuses what nobody took; `item` has the attributes of `known`.
    pub(crate) fn finish(self, item: &str, known: &str) -> Result<()> {
        let unknown = self.entries.into_iter().map(|it| {
            let message = format!("{item} has no attribute `{}`: it has {known}", it.name);
            Error::new(it.name.span(), message)
        });
        collect(unknown.map(Err))
    }

    fn take(&mut self, name: &str) -> Option<Entry> {
        let place = self.entries.iter().position(|it| it.name == name)?;
        Some(self.entries.remove(place))
    }
}

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = input.call(Ident::parse_any)?;
        let value = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        Ok(Self { name, value })
    }
}

/// All results, or all errors as one.
pub(crate) fn collect<T, C: FromIterator<T>>(
    results: impl IntoIterator<Item = Result<T>>,
) -> Result<C> {
    let mut errors: Option<Error> = None;
    let mut found = Vec::new();
    for result in results {
        match (result, &mut errors) {
            (Ok(it), _) => found.push(it),
            (Err(error), Some(errors)) => errors.combine(error),
            (Err(error), None) => errors = Some(error),
        }
    }
    match errors {
        Some(errors) => Err(errors),
        None => Ok(found.into_iter().collect()),
    }
}
