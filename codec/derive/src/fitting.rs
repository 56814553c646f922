//! Which Java types a Rust type can be declared as, judged by the name of the Rust type.

use quote::ToTokens;
use syn::{GenericArgument, PathArguments, Type};

use crate::declared::{Declared, PRIMITIVES};

/// The kind of Java value that a Rust type has, judged by its name.
enum Kind<'a> {
    Scalar(&'static str),
    Text,
    Bytes,
    List(&'a Type),
    Map(&'a Type, &'a Type),
    Option(&'a Type),
    Boxed(&'a Type),
    Other,
}

/// Refuses a declared type that no value of `ty` can have. The error says what to write instead.
pub(crate) fn check(ty: &Type, declared: &Declared) -> Result<(), String> {
    let refuse = |java: &str| Err(format!("{} is {java}, not {declared}", shown(ty)));
    match kind(ty) {
        Kind::Scalar(primitive) => {
            let boxed = PRIMITIVES.iter().find(|(name, _)| *name == primitive);
            let boxed = boxed.map_or("java.lang.Object", |(_, boxed)| boxed);
            let is_number = !["boolean", "char"].contains(&primitive);
            let fits = !declared.is_array()
                && (declared.name == primitive
                    || declared.name == boxed
                    || is_number && declared.name == "java.lang.Number"
                    || is_any(declared));
            if !fits {
                return refuse(&format!("{primitive} or {boxed}"));
            }
        }
        Kind::Text => {
            let is_text = TEXTS.contains(&declared.name.as_str()) || is_any(declared);
            if declared.is_array() || !is_text {
                return refuse("java.lang.String");
            }
        }
        Kind::Bytes => {
            let is_bytes = declared.name == "byte" && declared.dimensions == 1;
            if !is_bytes && (declared.is_array() || declared.name != "java.lang.Object") {
                return refuse("byte[]");
            }
        }
        Kind::List(element) if declared.is_array() => {
            let component = declared.component();
            if matches!(kind(element), Kind::Scalar("byte")) && component.is_primitive() {
                return Err("byte[] is Vec<u8> or Bytes".to_owned());
            }
            check(element, &component)?;
        }
        Kind::List(element) => {
            if is_scalar(declared) || is_map(declared) {
                return refuse("a collection or an array");
            }
            if let [argument] = &declared.arguments[..] {
                check(element, argument)?;
            }
        }
        Kind::Map(key, value) => {
            if declared.is_array() || is_scalar(declared) || is_collection(declared) {
                return refuse("a map");
            }
            if let [first, second] = &declared.arguments[..] {
                check(key, first)?;
                check(value, second)?;
            }
        }
        Kind::Option(inner) => {
            if declared.is_primitive() {
                let boxed = PRIMITIVES.iter().find(|(name, _)| *name == declared.name);
                let boxed = boxed.map_or("", |(_, boxed)| boxed);
                let name = &declared.name;
                return Err(format!(
                    "{name} cannot be null: write {boxed}, or no Option"
                ));
            }
            match &declared.arguments[..] {
                [argument] if is_optional(declared) => match kind(inner) {
                    Kind::Option(content) => check(content, argument)?,
                    _ => check(inner, argument)?,
                },
                _ => check(inner, declared)?,
            }
        }
        Kind::Boxed(inner) => check(inner, declared)?,
        Kind::Other => {}
    }
    Ok(())
}

/// The inner option of an `Option<Option<T>>` that is declared as `java.util.Optional`. The outer
/// option is `None` for `null`.
pub(crate) fn nullable_optional<'a>(ty: &'a Type, declared: &Declared) -> Option<&'a Type> {
    match kind(ty) {
        Kind::Option(inner) if is_optional(declared) && matches!(kind(inner), Kind::Option(_)) => {
            Some(inner)
        }
        _ => None,
    }
}

fn is_optional(declared: &Declared) -> bool {
    declared.name == "java.util.Optional" && !declared.is_array()
}

/// True if the type is `JavaValue`, whose values already have their class.
pub(crate) fn is_dynamic(ty: &Type) -> bool {
    last_segment(ty).is_some_and(|it| it.ident == "JavaValue")
}

/// True if values of the type can be collections or maps.
pub(crate) fn is_container(ty: &Type) -> bool {
    match kind(ty) {
        Kind::Scalar(_) | Kind::Text | Kind::Bytes => false,
        Kind::Option(inner) | Kind::Boxed(inner) => is_container(inner),
        Kind::List(_) | Kind::Map(..) | Kind::Other => true,
    }
}

/// The type as users write it.
pub(crate) fn shown(ty: &Type) -> String {
    ty.to_token_stream().to_string().replace(' ', "")
}

/// A class to write in place of an interface or an abstract class of the JDK.
pub(crate) fn implementation(class: &str) -> Option<&'static str> {
    COLLECTIONS
        .iter()
        .chain(&MAPS)
        .find(|(name, _)| *name == class)
        .map(|(_, class)| *class)
}

/// True for the classes of the JDK that hold constants of one enum.
pub(crate) fn holds_constants(class: &str) -> bool {
    [
        "java.util.EnumMap",
        "java.util.JumboEnumSet",
        "java.util.RegularEnumSet",
    ]
    .contains(&class)
}

/// True if any object fits the declared type.
fn is_any(declared: &Declared) -> bool {
    [
        "java.lang.Object",
        "java.lang.Comparable",
        "java.io.Serializable",
    ]
    .contains(&declared.name.as_str())
}

/// True if it is a type of the JDK that is neither a collection nor a map.
fn is_scalar(declared: &Declared) -> bool {
    let name = declared.name.as_str();
    declared.is_primitive()
        || PRIMITIVES.iter().any(|(_, boxed)| *boxed == name)
        || TEXTS.contains(&name)
        || ["java.math.", "java.time."]
            .iter()
            .any(|it| name.starts_with(it))
        || ["java.util.Date", "java.util.UUID", "java.lang.Number"].contains(&name)
}

fn is_collection(declared: &Declared) -> bool {
    COLLECTIONS.iter().any(|(name, _)| *name == declared.name)
}

fn is_map(declared: &Declared) -> bool {
    MAPS.iter().any(|(name, _)| *name == declared.name)
}

fn kind(ty: &Type) -> Kind<'_> {
    let Some(segment) = last_segment(ty) else {
        return Kind::Other;
    };
    let arguments: Vec<&Type> = match &segment.arguments {
        PathArguments::AngleBracketed(it) => it.args.iter().filter_map(type_of).collect(),
        _ => Vec::new(),
    };
    let name = segment.ident.to_string();
    match (name.as_str(), &arguments[..]) {
        ("bool", []) => Kind::Scalar("boolean"),
        ("i8", []) => Kind::Scalar("byte"),
        ("i16", []) => Kind::Scalar("short"),
        ("u16", []) => Kind::Scalar("char"),
        ("i32", []) => Kind::Scalar("int"),
        ("i64", []) => Kind::Scalar("long"),
        ("f32", []) => Kind::Scalar("float"),
        ("f64", []) => Kind::Scalar("double"),
        ("String", []) => Kind::Text,
        ("Bytes", []) => Kind::Bytes,
        ("Vec", [Type::Tuple(pair)]) if pair.elems.len() == 2 => {
            Kind::Map(&pair.elems[0], &pair.elems[1])
        }
        ("Vec", [element]) => match last_segment(element) {
            Some(segment) if segment.ident == "u8" => Kind::Bytes,
            _ => Kind::List(element),
        },
        ("HashSet", [element, ..]) | ("BTreeSet", [element]) => Kind::List(element),
        ("HashMap", [key, value, ..]) | ("BTreeMap", [key, value]) => Kind::Map(key, value),
        ("Option", [inner]) => Kind::Option(inner),
        ("Box", [Type::Slice(slice)]) => Kind::List(&slice.elem),
        ("Box", [inner]) => Kind::Boxed(inner),
        _ => Kind::Other,
    }
}

fn last_segment(ty: &Type) -> Option<&syn::PathSegment> {
    match ty {
        Type::Path(it) => it.path.segments.last(),
        Type::Group(it) => last_segment(&it.elem),
        Type::Paren(it) => last_segment(&it.elem),
        _ => None,
    }
}

fn type_of(argument: &GenericArgument) -> Option<&Type> {
    match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}

/// The Java types that a Rust string can be declared as.
const TEXTS: [&str; 7] = [
    "java.lang.CharSequence",
    "java.lang.String",
    "java.lang.StringBuffer",
    "java.lang.StringBuilder",
    "java.net.URI",
    "java.net.URL",
    "java.util.Currency",
];

/// Interfaces and abstract classes of collections, each with a class that implements it.
const COLLECTIONS: [(&str, &str); 15] = [
    ("java.lang.Iterable", "java.util.ArrayList"),
    ("java.util.AbstractCollection", "java.util.ArrayList"),
    ("java.util.AbstractList", "java.util.ArrayList"),
    ("java.util.AbstractSet", "java.util.LinkedHashSet"),
    ("java.util.Collection", "java.util.ArrayList"),
    ("java.util.Deque", "java.util.ArrayDeque"),
    ("java.util.EnumSet", "java.util.RegularEnumSet"),
    ("java.util.List", "java.util.ArrayList"),
    ("java.util.NavigableSet", "java.util.TreeSet"),
    ("java.util.Queue", "java.util.LinkedList"),
    ("java.util.SequencedCollection", "java.util.ArrayList"),
    ("java.util.Set", "java.util.LinkedHashSet"),
    ("java.util.SortedSet", "java.util.TreeSet"),
    (
        "java.util.concurrent.BlockingQueue",
        "java.util.concurrent.LinkedBlockingQueue",
    ),
    (
        "java.util.concurrent.BlockingDeque",
        "java.util.concurrent.LinkedBlockingDeque",
    ),
];

/// Interfaces and abstract classes of maps, each with a class that implements it.
const MAPS: [(&str, &str); 6] = [
    ("java.util.AbstractMap", "java.util.LinkedHashMap"),
    ("java.util.Map", "java.util.LinkedHashMap"),
    ("java.util.NavigableMap", "java.util.TreeMap"),
    ("java.util.SequencedMap", "java.util.LinkedHashMap"),
    ("java.util.SortedMap", "java.util.TreeMap"),
    (
        "java.util.concurrent.ConcurrentMap",
        "java.util.concurrent.ConcurrentHashMap",
    ),
];
