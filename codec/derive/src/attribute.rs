//! The `#[java(...)]` attributes of an item.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Ident, LitInt, LitStr, Result, Token};

/// The entries in the `#[java(...)]` of one item. Each form of struct or enum takes the entries
/// that it knows. Entries that are left at the end are mistakes.
pub(crate) struct Attributes {
    entries: Vec<Entry>,
}

struct Entry {
    name: Ident,
    value: Value,
}

enum Value {
    None,
    Number(Span, i64),
    Text(LitStr),
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
                value: Value::Text(value),
                ..
            }) => Ok(Some(value)),
            Some(Entry { name, .. }) => {
                let message = format!("`{name}` needs a text: {name} = \"...\"");
                Err(Error::new(name.span(), message))
            }
        }
    }

    /// Takes `name = 1`.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<i64>> {
        match self.take(name) {
            None => Ok(None),
            Some(Entry {
                value: Value::Number(_, value),
                ..
            }) => Ok(Some(value)),
            Some(Entry { name, .. }) => {
                let message = format!("`{name}` needs a number: {name} = 1");
                Err(Error::new(name.span(), message))
            }
        }
    }

    /// Takes `name`, and returns its place in the source.
    pub(crate) fn flag(&mut self, name: &str) -> Result<Option<Span>> {
        match self.take(name) {
            None => Ok(None),
            Some(Entry { name, value }) => {
                let span = match value {
                    Value::None => return Ok(Some(name.span())),
                    Value::Number(span, _) => span,
                    Value::Text(text) => text.span(),
                };
                let message = format!("`{name}` has no value: write it alone");
                Err(Error::new(span, message))
            }
        }
    }

    /// Takes `name` or `name = "text"`.
    pub(crate) fn flag_or_text(&mut self, name: &str) -> Result<Option<Option<LitStr>>> {
        let has_text = |it: &Entry| it.name == name && matches!(it.value, Value::Text(_));
        match self.entries.iter().any(has_text) {
            true => Ok(self.text(name)?.map(Some)),
            false => Ok(self.flag(name)?.map(|_| None)),
        }
    }

    /// The place of `name` in the source, if it is there.
    pub(crate) fn find(&self, name: &str) -> Option<Span> {
        let entry = self.entries.iter().find(|it| it.name == name);
        entry.map(|it| it.name.span())
    }

    /// Refuses the entries that nobody took. The error says that `item` has the attributes `known`.
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
        let value = match input.parse::<Option<Token![=]>>()? {
            None => Value::None,
            Some(_) if input.peek(LitStr) => Value::Text(input.parse()?),
            Some(_) => number(input)?,
        };
        Ok(Self { name, value })
    }
}

/// Reads a whole number in the syntax of Rust or Java: `-5`, `-5L`.
fn number(input: ParseStream<'_>) -> Result<Value> {
    let sign = input.parse::<Option<Token![-]>>()?.map_or("", |_| "-");
    let digits: LitInt = input.parse()?;
    let value = match digits.suffix() {
        "" | "L" | "i64" => format!("{sign}{}", digits.base10_digits()).parse().ok(),
        _ => None,
    };
    match value {
        Some(value) => Ok(Value::Number(digits.span(), value)),
        None => Err(Error::new(digits.span(), "not a number of 64 bits")),
    }
}

/// Collects all results, or else all errors in one.
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
