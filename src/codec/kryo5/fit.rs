use super::classes::{Class, Classes};
use super::form::Form;
use crate::java::JavaType;

impl Classes {
    /// Whether Java can put an object of this class into a field of the declared one. Yes for
    /// interfaces that are not known here.
    pub(super) fn fits(&self, declared: &str, class: &Class) -> bool {
        if let Some(wanted) = JavaType::new(declared.to_owned()).component() {
            return match JavaType::new(class.name.clone()).component() {
                Some(_) if declared == class.name.as_str() => true,
                Some(found) if !wanted.is_primitive() && !found.is_primitive() => self
                    .find(found.name())
                    .is_none_or(|found| self.fits(wanted.name(), &found)),
                _ => false,
            };
        }
        if let Form::Enum(place) = class.form
            && self.shape(place).name == declared
        {
            return true;
        }
        if self.lineage(&class.name).any(|it| it == declared) {
            return true;
        }
        if self.is_described(declared) {
            return false;
        }
        self.lineage(&class.name)
            .any(|it| fits(declared, it, class.form))
    }
}

/// Whether the declared class or interface of the JDK is one that the class has.
fn fits(declared: &str, class: &str, form: Form) -> bool {
    let Some(declared) = declared.strip_prefix("java.") else {
        return true;
    };
    let simple = class.rsplit(['.', '$']).next().unwrap_or(class);
    let is_list = simple.starts_with("List")
        || simple.ends_with("List")
        || matches!(simple, "Vector" | "Stack");
    let is_sorted = matches!(simple, "TreeMap" | "TreeSet")
        || ["ConcurrentSkip", "Sorted", "Navigable"]
            .into_iter()
            .any(|it| simple.contains(it));
    match declared {
        "lang.Object" => true,
        "lang.Number" => matches!(
            form,
            Form::Byte
                | Form::Short
                | Form::Integer
                | Form::Long
                | Form::Float
                | Form::Double
                | Form::BigInteger
                | Form::BigDecimal
                | Form::AtomicInteger
                | Form::AtomicLong
        ),
        "lang.CharSequence" => form == Form::String || simple.starts_with("StringBu"),
        "lang.Iterable" | "util.Collection" | "util.AbstractCollection" => is_collection(form),
        "util.List" | "util.AbstractList" => is_collection(form) && is_list,
        "util.Set" | "util.AbstractSet" => is_collection(form) && simple.contains("Set"),
        "util.Queue" | "util.AbstractQueue" => {
            is_collection(form)
                && (simple.contains("Queue") || simple.contains("Deque") || simple == "LinkedList")
        }
        "util.Deque" => is_collection(form) && (simple.contains("Deque") || simple == "LinkedList"),
        "util.SortedSet" | "util.NavigableSet" => is_collection(form) && is_sorted,
        "util.Map" | "util.AbstractMap" => is_map(form),
        "util.SortedMap" | "util.NavigableMap" => is_map(form) && is_sorted,
        "util.concurrent.ConcurrentMap" => is_map(form) && simple.starts_with("Concurrent"),
        "util.Date" => form == Form::Date,
        "util.HashMap" => simple == "LinkedHashMap",
        "util.HashSet" => simple == "LinkedHashSet",
        "util.Hashtable" => simple == "Properties",
        "util.Vector" => simple == "Stack",
        // The class itself was looked for before; no other class here extends one of the JDK.
        other => Form::of_jdk(&format!("java.{other}")).is_none(),
    }
}

fn is_collection(form: Form) -> bool {
    matches!(
        form,
        Form::Collection(_)
            | Form::EmptyCollection
            | Form::SingletonCollection
            | Form::EnumSet
            | Form::KeySetView
            | Form::CollectionWrapper
    )
}

fn is_map(form: Form) -> bool {
    matches!(
        form,
        Form::Map(_) | Form::EmptyMap | Form::SingletonMap | Form::MapWrapper
    )
}
