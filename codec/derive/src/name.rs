use syn::ext::IdentExt;
use syn::{Error, Ident, LitStr, Result};

use crate::attribute::Attributes;

/// The Java name of a field: `order_id` is `orderId`.
pub(crate) fn field(ident: &Ident) -> String {
    let ident = ident.unraw().to_string();
    let mut name = String::new();
    let mut raise = false;
    for letter in ident.chars() {
        match letter {
            '_' if name.chars().any(|it| it != '_') => raise = true,
            letter if raise => {
                name.extend(letter.to_uppercase());
                raise = false;
            }
            letter => name.push(letter),
        }
    }
    name
}

/// The Java name of a constant: `NotYetPaid` is `NOT_YET_PAID`.
pub(crate) fn constant(ident: &Ident) -> String {
    let letters: Vec<char> = ident.unraw().to_string().chars().collect();
    let mut name = String::new();
    for (i, letter) in letters.iter().enumerate() {
        let before = i.checked_sub(1).map(|it| letters[it]);
        let after = letters.get(i + 1);
        let starts = letter.is_uppercase()
            && before.is_some_and(|it| it != '_')
            && (before.is_some_and(|it| !it.is_uppercase())
                || after.is_some_and(|it| it.is_lowercase()));
        if starts {
            name.push('_');
        }
        name.extend(letter.to_uppercase());
    }
    name
}

/// The name in `#[java(name = "...")]`, or else `default`.
pub(crate) fn given(attributes: &mut Attributes, default: String) -> Result<String> {
    let Some(given) = attributes.text("name")? else {
        return Ok(default);
    };
    let name = given.value();
    if !is_identifier(&name) {
        let message = format!("{name:?} is no Java identifier");
        return Err(Error::new(given.span(), message));
    }
    Ok(name)
}

/// Refuses the second of two equal names.
pub(crate) fn all_differ<'a>(names: impl Iterator<Item = (&'a Ident, &'a str)>) -> Result<()> {
    let mut seen: Vec<(&Ident, &str)> = Vec::new();
    for (ident, name) in names {
        if let Some((first, _)) = seen.iter().find(|(_, it)| *it == name) {
            let message = format!("`{first}` has the Java name `{name}` already");
            return Err(Error::new(ident.span(), message));
        }
        seen.push((ident, name));
    }
    Ok(())
}

/// True if Java accepts it as the name of a field, a constant, or a class without its package.
pub(crate) fn is_identifier(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|it: char| it.is_numeric())
        && name
            .chars()
            .all(|it| it.is_alphanumeric() || it == '_' || it == '$')
}

/// The text of `class = "..."`, which must be the name of one class.
pub(crate) fn class(text: &LitStr) -> Result<String> {
    let name = text.value();
    let message = if name.contains('<') {
        "leave the type arguments out: they follow from the type parameters".to_owned()
    } else if !name.split('.').all(is_identifier) {
        format!(
            "{name:?} is no class name, as Class.getName() gives it: \
             com.example.OrderEvent, com.example.Outer$Inner"
        )
    } else {
        return Ok(name);
    };
    Err(Error::new(text.span(), message))
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    #[test]
    fn names_follow_the_conventions_of_java() {
        for (rust, java) in [
            ("order_id", "orderId"),
            ("id", "id"),
            ("is_active", "isActive"),
            ("address_2_line", "address2Line"),
            ("_under", "_under"),
            ("__two_words_", "__twoWords"),
            ("имя_заказа", "имяЗаказа"),
        ] {
            assert_eq!(field(&Ident::new(rust, Span::call_site())), java);
        }
        assert_eq!(field(&Ident::new_raw("type", Span::call_site())), "type");
        for (rust, java) in [
            ("Paid", "PAID"),
            ("NotYetPaid", "NOT_YET_PAID"),
            ("PaidV2", "PAID_V2"),
            ("HTTPError", "HTTP_ERROR"),
            ("A", "A"),
            ("X_Y", "X_Y"),
        ] {
            assert_eq!(constant(&Ident::new(rust, Span::call_site())), java);
        }
    }
}
