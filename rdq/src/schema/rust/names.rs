//! Names in Rust for names in Java.

use std::collections::{BTreeMap, BTreeSet};

use heck::{ToSnakeCase, ToUpperCamelCase};

use super::choices::Choices;
use crate::schema::closure::Closure;

/// The names of all structs and enums.
pub(super) struct Names {
    classes: BTreeMap<String, String>,
    choices: BTreeMap<String, String>,
}

impl Names {
    pub(super) fn of(closure: &Closure, choices: &Choices) -> Self {
        let mut taken: BTreeSet<String> = RESERVED.iter().map(|it| (*it).to_owned()).collect();
        // A name that two classes would have is for neither.
        let mut seen = BTreeSet::new();
        let twice = closure.classes.keys().map(|it| shortest(it));
        let twice: Vec<String> = twice.filter(|it| !seen.insert(it.clone())).collect();
        taken.extend(twice);
        let mut names = Self {
            classes: BTreeMap::new(),
            choices: BTreeMap::new(),
        };
        for class in closure.classes.keys() {
            let name = free(&mut taken, spellings(class));
            names.classes.insert(class.clone(), name);
        }
        for (class, _) in choices.iter() {
            let any = |it: String| format!("Any{it}");
            let name = free(&mut taken, spellings(class).map(any));
            names.choices.insert(class.to_owned(), name);
        }
        names
    }

    /// The struct or the enum of constants of a class.
    pub(super) fn of_class(&self, class: &str) -> String {
        self.classes
            .get(class)
            .cloned()
            .unwrap_or_else(|| shortest(class))
    }

    /// The enum of the sub classes of a class.
    pub(super) fn of_choice(&self, class: &str) -> String {
        self.choices
            .get(class)
            .cloned()
            .unwrap_or_else(|| shortest(class))
    }
}

/// Takes the first name that nothing has.
fn free(taken: &mut BTreeSet<String>, spellings: impl Iterator<Item = String>) -> String {
    let mut last = String::new();
    for name in spellings {
        if taken.insert(name.clone()) {
            return name;
        }
        last = name;
    }
    let mut numbered = (2..).map(|it| format!("{last}{it}"));
    numbered.find(|it| taken.insert(it.clone())).unwrap_or(last)
}

/// Names for a class, short ones first: `Inner`, `OuterInner`, `OrdersOuterInner`.
fn spellings(class: &str) -> impl Iterator<Item = String> {
    let words: Vec<String> = class.split(['.', '$']).map(camel).collect();
    (0..words.len())
        .rev()
        .map(move |from| words[from..].concat())
}

fn shortest(class: &str) -> String {
    spellings(class).next().unwrap_or_default()
}

/// A word as types are named. Names that are so already stay as they are.
fn camel(word: &str) -> String {
    let mut letters = word.chars();
    let is_raised = letters.next().is_some_and(char::is_uppercase);
    let is_camel = is_raised
        && word.chars().all(char::is_alphanumeric)
        && (word.chars().count() == 1 || letters.any(char::is_lowercase));
    let name = if is_camel {
        word.to_owned()
    } else {
        word.to_upper_camel_case()
    };
    identifier(name)
}

/// The field of this name in Java, and that name if the derive would find another.
pub(super) fn field(java: &str, taken: &mut BTreeSet<String>) -> (String, Option<String>) {
    let name = identifier(java.to_snake_case());
    let name = free(taken, [name].into_iter());
    let rename = (java_field(name.trim_start_matches("r#")) != java).then(|| java.to_owned());
    (name, rename)
}

/// The variant for this constant, and its name in Java if the derive would find another.
pub(super) fn constant(java: &str, taken: &mut BTreeSet<String>) -> (String, Option<String>) {
    let name = identifier(java.to_upper_camel_case());
    let name = free(taken, [name].into_iter());
    let rename = (java_constant(&name) != java).then(|| java.to_owned());
    (name, rename)
}

/// Makes an identifier of a name that may be a keyword, begin with a digit or have no letter.
fn identifier(name: String) -> String {
    if UNUSABLE.contains(&name.as_str()) {
        return format!("{name}_");
    }
    if KEYWORDS.contains(&name.as_str()) {
        return format!("r#{name}");
    }
    match name.chars().next() {
        None => "unnamed".to_owned(),
        Some(first) if first.is_numeric() => format!("_{name}"),
        Some(_) => name,
    }
}

/// As the derive names the field in Java: `order_id` is `orderId`.
fn java_field(rust: &str) -> String {
    let mut name = String::new();
    let mut raise = false;
    for letter in rust.chars() {
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

/// As the derive names the constant in Java: `NotYetPaid` is `NOT_YET_PAID`.
fn java_constant(rust: &str) -> String {
    let letters: Vec<char> = rust.chars().collect();
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

/// No identifier, not even behind `r#`.
const UNUSABLE: [&str; 5] = ["Self", "_", "crate", "self", "super"];

const KEYWORDS: [&str; 49] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield", "static",
];

/// Names that the text uses for something else.
const RESERVED: [&str; 36] = [
    "BigDecimal",
    "BigInt",
    "Box",
    "Clone",
    "Copy",
    "Date",
    "Debug",
    "Default",
    "Drop",
    "Duration",
    "Eq",
    "Err",
    "Fn",
    "From",
    "Hash",
    "HashMap",
    "HashSet",
    "Instant",
    "Into",
    "Iterator",
    "JavaObject",
    "JavaValue",
    "LocalDate",
    "LocalDateTime",
    "LocalTime",
    "None",
    "OffsetDateTime",
    "Ok",
    "Option",
    "PartialEq",
    "Period",
    "PhantomData",
    "Result",
    "Some",
    "String",
    "Vec",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_and_constants_keep_their_names_in_java() {
        for (java, rust, rename) in [
            ("orderId", "order_id", false),
            ("URL", "url", true),
            ("_under", "under", true),
            ("type", "r#type", false),
            ("self", "self_", false),
            ("address2Line", "address2_line", false),
            ("имяЗаказа", "имя_заказа", false),
            ("$", "unnamed", true),
        ] {
            let renamed = rename.then(|| java.to_owned());
            let field = field(java, &mut BTreeSet::new());
            assert_eq!(field, (rust.to_owned(), renamed));
        }
        for (java, rust, rename) in [
            ("NOT_YET_PAID", "NotYetPaid", false),
            ("V2", "V2", false),
            ("PAID_2", "Paid2", true),
            ("legacyName", "LegacyName", true),
            ("SELF", "Self_", true),
            ("_1", "_1", false),
        ] {
            let renamed = rename.then(|| java.to_owned());
            let constant = constant(java, &mut BTreeSet::new());
            assert_eq!(constant, (rust.to_owned(), renamed));
        }
        let mut taken = BTreeSet::new();
        assert_eq!(field("url", &mut taken).0, "url");
        assert_eq!(
            field("URL", &mut taken),
            ("url2".to_owned(), Some("URL".to_owned()))
        );
    }

    #[test]
    fn classes_have_the_shortest_name_that_is_free() {
        let spelt: Vec<_> = spellings("com.example.Outer$Inner").collect();
        assert_eq!(spelt[..2], ["Inner", "OuterInner"]);
        assert_eq!(camel("URL"), "Url");
        assert_eq!(camel("URLHolder"), "URLHolder");
        assert_eq!(camel("order_event"), "OrderEvent");
        assert_eq!(camel("T"), "T");
    }
}
