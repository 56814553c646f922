use super::{Elements, Entries, Items, Pairs, View};
use crate::java::{Instant, JavaType, JavaValue, Name, Temporal, Text, jdk};

impl View<'_> {
    /// Shows `to` the value as a field of type `declared` can hold it: see [`JavaValue::fit`].
    pub fn fit(&self, declared: &JavaType, to: &mut dyn FnMut(&View<'_>)) {
        if declared.name() == "java.util.Optional" {
            let mut full = |view: &View<'_>| to(&View::Optional(Some(view)));
            let content = declared.arguments().first();
            match (self, content) {
                (Self::Null | Self::Optional(None), _) => to(&View::Optional(None)),
                (Self::Optional(Some(it)), Some(content)) => it.fit(content, &mut full),
                (Self::Optional(Some(it)), None) => full(it),
                (it, Some(content)) => it.fit(content, &mut full),
                (it, None) => full(it),
            }
            return;
        }
        if let Self::Collection(_, items, _) | Self::Array(_, items) = *self
            && let Some(component) = declared.component()
        {
            return items.fit(Some(&component), &mut |items| {
                to(&View::Array(declared.name(), items));
            });
        }
        match *self {
            Self::Array(_, items) if jdk::is_collection(&class_of_containers(declared)) => {
                let list = View::Collection(&LIST, items, &JavaValue::Null);
                list.fit(declared, to);
            }
            Self::Collection(class, items, comparator) => {
                let class = collection_class(class, declared);
                let needs_enum = jdk::is_enum_set(&class) && items.is_empty();
                with_enum(comparator, needs_enum, declared, |comparator| {
                    items.fit(declared.arguments().first(), &mut |items| {
                        to(&View::Collection(&class, items, comparator));
                    });
                });
            }
            Self::Map(class, entries, comparator) => {
                let class = map_class(class, declared);
                let needs_enum = class == "java.util.EnumMap" && entries.is_empty();
                let fit = match declared.arguments() {
                    [key, value] => Some((key, value)),
                    _ => None,
                };
                with_enum(comparator, needs_enum, declared, |comparator| {
                    entries.fit(fit, &mut |entries| {
                        to(&View::Map(&class, entries, comparator));
                    });
                });
            }
            Self::Time(Temporal::Instant(instant)) if is_date(declared.name()) => {
                to(&View::Date(declared.name(), millis(*instant)));
            }
            Self::String(text) if is_text(declared.name()) => {
                to(&View::Text(declared.name(), text));
            }
            _ => to(self),
        }
    }

    /// Shows `to` a collection or a map with this class: see [`JavaValue::held_by`].
    pub fn held_by(&self, class: &Name, to: &mut dyn FnMut(&View<'_>)) {
        match *self {
            Self::Collection(_, items, comparator) => {
                to(&View::Collection(class, items, comparator));
            }
            Self::Map(_, entries, comparator) => to(&View::Map(class, entries, comparator)),
            _ => to(self),
        }
    }
}

impl<'v> Items<'v> {
    /// Shows the elements made to fit a type, if there is one.
    fn fit(self, declared: Option<&JavaType>, to: &mut dyn FnMut(Items<'_>)) {
        match (declared, self.fit) {
            (None, _) => to(self),
            (fit, None) => to(Items { fit, ..self }),
            (fit, Some(_)) => to(Items { of: &self, fit }),
        }
    }
}

impl<'v> Entries<'v> {
    fn fit(self, declared: Option<(&JavaType, &JavaType)>, to: &mut dyn FnMut(Entries<'_>)) {
        match (declared, self.fit) {
            (None, _) => to(self),
            (fit, None) => to(Entries { fit, ..self }),
            (fit, Some(_)) => to(Entries { of: &self, fit }),
        }
    }
}

/// Elements that were made to fit a type before.
impl Elements for Items<'_> {
    fn len(&self) -> usize {
        self.of.len()
    }

    fn each(&self, to: &mut dyn FnMut(&View<'_>) -> bool) {
        _ = self.try_each(|_, item| if to(item) { Ok(()) } else { Err(()) });
    }
}

/// Entries that were made to fit two types before.
impl Pairs for Entries<'_> {
    fn len(&self) -> usize {
        self.of.len()
    }

    fn each(&self, to: &mut dyn FnMut(&View<'_>, &View<'_>) -> bool) {
        _ = self.try_each(|_, key, value| if to(key, value) { Ok(()) } else { Err(()) });
    }
}

/// The comparator of a container of this declared type. A container of constants without one
/// `needs_enum`: the class of its first type argument.
fn with_enum(held: &JavaValue, needs_enum: bool, declared: &JavaType, to: impl FnOnce(&JavaValue)) {
    match declared.arguments().first() {
        Some(of) if needs_enum && held.is_null() => {
            to(&JavaValue::Text(Text::class_object(of.name().to_string())));
        }
        _ => to(held),
    }
}

/// The class that a collection of class `held` has in a field of type `declared`.
fn collection_class(held: &Name, declared: &JavaType) -> Name {
    let is_list = *held == "java.util.ArrayList";
    if !is_list && *held != "java.util.LinkedHashSet" {
        return held.clone();
    }
    match declared.name().as_str() {
        "java.io.Serializable"
        | "java.lang.Iterable"
        | "java.lang.Object"
        | "java.util.AbstractCollection"
        | "java.util.Collection"
        | "java.util.SequencedCollection" => held.clone(),
        _ => class_of_containers(declared),
    }
}

/// The class of most collections or maps in fields of type `declared`: the type itself, unless it
/// is an interface.
fn class_of_containers(declared: &JavaType) -> Name {
    jdk::concrete(declared.name()).map_or_else(|| declared.name().clone(), Name::new)
}

/// The class that a map of class `held` has in a field of type `declared`.
fn map_class(held: &Name, declared: &JavaType) -> Name {
    if *held != "java.util.LinkedHashMap" {
        return held.clone();
    }
    match declared.name().as_str() {
        "java.io.Serializable" | "java.lang.Object" => held.clone(),
        _ => class_of_containers(declared),
    }
}

/// True if values of the class are dates.
fn is_date(class: &str) -> bool {
    [
        "java.sql.Date",
        "java.sql.Time",
        "java.sql.Timestamp",
        "java.util.Date",
    ]
    .contains(&class)
}

fn is_text(class: &str) -> bool {
    [
        "java.lang.StringBuffer",
        "java.lang.StringBuilder",
        "java.net.URI",
        "java.net.URL",
        "java.util.Currency",
    ]
    .contains(&class)
}

/// The milliseconds of an instant, rounded down like `Instant.toEpochMilli`. Beyond 292 million
/// years it is the nearest possible value.
fn millis(instant: Instant) -> i64 {
    let whole = instant.seconds.saturating_mul(1_000);
    whole.saturating_add(i64::from(instant.nanos / 1_000_000))
}

static LIST: Name = Name::new("java.util.ArrayList");
