use super::{
    Array, Collection, Date, Instant, JavaType, JavaValue, Map, Name, Temporal, Text, jdk,
};

impl JavaValue {
    /// Converts the value so that a field of type `declared` can hold it.
    ///
    /// - A list or an array becomes an array or a collection of the declared class. For an
    ///   interface it takes a usual class: a `LinkedHashSet` for `java.util.Set`, a `LinkedList`
    ///   for `java.util.Queue`, a `TreeSet` for `java.util.SortedSet`. Maps likewise.
    /// - An [`Instant`] becomes a `java.util.Date`, or a date of `java.sql`, cut to milliseconds.
    /// - An empty `EnumSet` or `EnumMap` gets the enum that the type names.
    /// - A text becomes a `java.net.URI`, `URL`, `java.util.Currency` or `StringBuilder`.
    /// - A value becomes the content of a `java.util.Optional`, and `null` an empty `Optional`.
    ///
    /// Converts elements, keys and values in the same way. Other values stay as they are.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::java::{JavaType, JavaValue};
    ///
    /// let declared: JavaType = "java.util.Map<java.lang.String, long[]>".parse()?;
    /// let counts = JavaValue::list([JavaValue::Long(1), JavaValue::Long(2)]);
    /// let JavaValue::Map(fitted) = JavaValue::map([("a".into(), counts)]).fit(&declared) else {
    ///     panic!("no map");
    /// };
    /// assert_eq!(fitted.entries[0].1.class_name(), "[J");
    /// # Ok::<(), redisson_codec::java::InvalidType>(())
    /// ```
    #[must_use]
    pub fn fit(self, declared: &JavaType) -> Self {
        if declared.name() == "java.util.Optional" {
            let content = declared.arguments().first();
            let fit = |value: Self| match content {
                Some(content) => value.fit(content),
                None => value,
            };
            return Self::Optional(match self {
                Self::Null => None,
                Self::Optional(value) => value.map(|it| Box::new(fit(*it))),
                value => Some(Box::new(fit(value))),
            });
        }
        match self {
            Self::Collection(Collection {
                class,
                comparator,
                items,
            }) => match declared.component() {
                Some(component) => array(declared, &component, items),
                None => {
                    let class = collection_class(class, declared);
                    let needs_enum = class.ends_with("EnumSet") && items.is_empty();
                    Self::Collection(Collection {
                        comparator: with_enum(comparator, needs_enum, declared),
                        class,
                        items: elements(items, declared.arguments().first()),
                    })
                }
            },
            Self::Array(Array { class, items }) => match declared.component() {
                Some(component) => array(declared, &component, items),
                None if jdk::is_collection(&class_of_containers(declared)) => {
                    Self::collection("java.util.ArrayList", items).fit(declared)
                }
                None => Self::Array(Array { class, items }),
            },
            Self::Map(Map {
                class,
                comparator,
                entries,
            }) => {
                let class = map_class(class, declared);
                let needs_enum = class == "java.util.EnumMap" && entries.is_empty();
                Self::Map(Map {
                    comparator: with_enum(comparator, needs_enum, declared),
                    class,
                    entries: match declared.arguments() {
                        [key, value] => entries
                            .into_iter()
                            .map(|(k, v)| (k.fit(key), v.fit(value)))
                            .collect(),
                        _ => entries,
                    },
                })
            }
            Self::Time(Temporal::Instant(instant)) if is_date(declared.name()) => {
                Self::Date(Date {
                    class: declared.name().clone(),
                    millis: millis(instant),
                })
            }
            Self::String(text) if is_text(declared.name()) => Self::Text(Text {
                class: declared.name().clone(),
                text,
            }),
            other => other,
        }
    }

    /// Gives a collection or a map this class. Other values stay as they are.
    ///
    /// # Examples
    ///
    /// ```
    /// use redisson_codec::java::JavaValue;
    ///
    /// let tags = JavaValue::list(["vip".into()]).held_by("java.util.LinkedList");
    /// assert_eq!(tags.class_name(), "java.util.LinkedList");
    /// ```
    #[must_use]
    pub fn held_by(mut self, class: impl Into<Name>) -> Self {
        if let Self::Collection(Collection { class: held, .. })
        | Self::Map(Map { class: held, .. }) = &mut self
        {
            *held = class.into();
        }
        self
    }
}

/// The comparator of a container of this declared type. A container of constants without one
/// `needs_enum`: the class of its first type argument.
fn with_enum(held: Box<JavaValue>, needs_enum: bool, declared: &JavaType) -> Box<JavaValue> {
    match declared.arguments().first() {
        Some(of) if needs_enum && held.is_null() => {
            Box::new(JavaValue::Text(Text::class_object(of.name().to_string())))
        }
        _ => held,
    }
}

fn array(declared: &JavaType, component: &JavaType, items: Vec<JavaValue>) -> JavaValue {
    JavaValue::Array(Array {
        class: declared.name().clone(),
        items: elements(items, Some(component)),
    })
}

fn elements(items: Vec<JavaValue>, declared: Option<&JavaType>) -> Vec<JavaValue> {
    match declared {
        Some(declared) => items.into_iter().map(|it| it.fit(declared)).collect(),
        None => items,
    }
}

/// The class that a collection of class `held` has in a field of type `declared`.
fn collection_class(held: Name, declared: &JavaType) -> Name {
    let is_list = held == "java.util.ArrayList";
    if !is_list && held != "java.util.LinkedHashSet" {
        return held;
    }
    match declared.name().as_str() {
        "java.io.Serializable"
        | "java.lang.Iterable"
        | "java.lang.Object"
        | "java.util.AbstractCollection"
        | "java.util.Collection"
        | "java.util.SequencedCollection" => held,
        _ => class_of_containers(declared),
    }
}

/// The class of most collections or maps in fields of type `declared`: the type itself, unless it
/// is an interface.
fn class_of_containers(declared: &JavaType) -> Name {
    jdk::concrete(declared.name()).map_or_else(|| declared.name().clone(), Name::new)
}

/// The class that a map of class `held` has in a field of type `declared`.
fn map_class(held: Name, declared: &JavaType) -> Name {
    if held != "java.util.LinkedHashMap" {
        return held;
    }
    match declared.name().as_str() {
        "java.io.Serializable" | "java.lang.Object" => held,
        _ => class_of_containers(declared),
    }
}

/// True if values of the class are [`Date`]s.
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

#[cfg(test)]
mod tests;
