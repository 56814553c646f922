//! Which classes of values a field of a declared type can hold in Java.

use super::schema::Layouts;
use super::r#type::component;
use super::{JavaType, Name};

mod table;

impl Layouts {
    /// True if Java can put an object of this class into a place of the declared type.
    ///
    /// Yes if it cannot be told: which interfaces a class of the schema has is not known, nor is
    /// anything of an interface that neither the schema nor the JDK's collections have.
    pub(crate) fn can_hold(&self, declared: &str, class: &str) -> bool {
        if declared == class || declared == "java.lang.Object" {
            return true;
        }
        if let Some(wanted) = component(declared) {
            return component(class).is_some_and(|found| {
                let is_primitive = |name: &Name| JavaType::new(name.clone()).is_primitive();
                !is_primitive(&wanted) && !is_primitive(&found) && self.can_hold(&wanted, &found)
            });
        }
        let is_above = |it: &str| it == declared || is_above(declared, it);
        match self.get(class) {
            Some(layout) if layout.name == declared => return true,
            Some(layout) if layout.ancestors.iter().any(|it| is_above(it.name())) => return true,
            _ if is_above(class) => return true,
            _ => {}
        }
        self.may_be_interface(declared) && may_be_above(declared, class)
    }

    /// True if this may be an interface of which nothing is known.
    fn may_be_interface(&self, name: &str) -> bool {
        self.get(name).is_none_or(|it| it.is_open) && !table::knows(name)
    }

    /// True if a place of the declared type can hold some collection, or some map, of a class that
    /// is not known.
    pub(crate) fn can_hold_unknown(&self, declared: &str, is_map: bool) -> bool {
        let root = if is_map {
            "java.util.Map"
        } else {
            "java.util.Collection"
        };
        self.can_hold(declared, root)
            || self.can_hold(root, declared)
            || component(declared).is_none() && self.may_be_interface(declared)
    }

    /// True if the super classes and the interfaces of this class are known.
    pub(crate) fn knows(&self, class: &str) -> bool {
        self.get(class).is_some() || table::knows(class)
    }
}

/// True if a class or an interface of the JDK is above the other, as far as it is known.
pub(crate) fn is_above(above: &str, class: &str) -> bool {
    table::supers(class).contains(&above)
}

/// False if this class cannot extend the other, of which nothing is known: no class of the JDK
/// extends one of a user, and all that is above texts and boxed numbers is known.
fn may_be_above(declared: &str, class: &str) -> bool {
    let is_of_jdk = |it: &str| it.starts_with("java.") || it.starts_with("javax.");
    let is_plain = matches!(
        class,
        "java.lang.Boolean"
            | "java.lang.Byte"
            | "java.lang.Character"
            | "java.lang.Double"
            | "java.lang.Float"
            | "java.lang.Integer"
            | "java.lang.Long"
            | "java.lang.Short"
            | "java.lang.String"
    );
    let is_above_plain = matches!(
        declared,
        "java.io.Serializable"
            | "java.lang.Comparable"
            | "java.lang.constant.Constable"
            | "java.lang.constant.ConstantDesc"
    );
    match is_of_jdk(declared) {
        true => !is_plain || is_above_plain,
        false => !is_of_jdk(class),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::java::Schema;

    #[test]
    fn places_hold_what_java_lets_them_hold() {
        let schema = Schema::from_json(
            r#"{
            "x.Base": {"fields": {}}, "x.Sub": {"extends": "x.Base"}, "x.Other": {"fields": {}},
            "x.Face": {"abstract": true}, "x.Event": {"abstract": true},
            "x.Paid": {"extends": "x.Event"},
            "x.Tags": {"extends": "java.util.ArrayList<java.lang.String>"},
            "x.Priority": {"enum": ["LOW", "HIGH"], "bodies": ["HIGH"]}
        }"#,
        )
        .unwrap();
        let layouts = Layouts::new(&schema).unwrap();
        for (declared, class) in [
            ("java.lang.Object", "[I"),
            ("java.lang.Number", "java.math.BigDecimal"),
            ("java.lang.CharSequence", "java.lang.StringBuilder"),
            ("java.lang.Iterable", "java.util.TreeSet"),
            (
                "java.util.Collection",
                "java.util.ImmutableCollections$ListN",
            ),
            ("java.util.List", "x.Tags"),
            (
                "java.util.List",
                "java.util.Collections$UnmodifiableRandomAccessList",
            ),
            ("java.util.Queue", "java.util.LinkedList"),
            ("java.util.Vector", "java.util.Stack"),
            ("java.util.Map", "java.util.Properties"),
            ("java.util.HashMap", "java.util.LinkedHashMap"),
            (
                "java.util.SortedMap",
                "java.util.concurrent.ConcurrentSkipListMap",
            ),
            ("java.util.EnumSet", "java.util.RegularEnumSet"),
            ("java.util.Date", "java.sql.Timestamp"),
            ("x.Base", "x.Sub"),
            ("x.Priority", "x.Priority$1"),
            ("[Lx.Base;", "[Lx.Sub;"),
            ("[[Lx.Base;", "[[Lx.Sub;"),
            ("[Ljava.lang.Object;", "[[I"),
            ("x.Event", "x.Paid"),
            // Not known.
            ("x.Face", "x.Sub"),
            ("x.Face", "y.Unknown"),
            ("x.Interface", "x.Sub"),
            ("java.io.Serializable", "x.Sub"),
            ("java.lang.Comparable", "java.lang.Long"),
        ] {
            assert!(layouts.can_hold(declared, class), "{declared}, {class}");
        }
        for (declared, class) in [
            ("x.Interface", "java.lang.String"),
            ("java.time.chrono.Era", "java.lang.Integer"),
            ("java.lang.Character$UnicodeScript", "java.lang.String"),
            ("java.lang.Number", "java.lang.String"),
            ("java.lang.Long", "java.lang.Integer"),
            ("java.util.List", "java.util.TreeSet"),
            ("java.util.List", "[I"),
            ("java.util.Map", "java.util.ArrayList"),
            ("java.util.Set", "x.Tags"),
            ("java.util.Deque", "java.util.PriorityQueue"),
            ("java.util.LinkedHashMap", "java.util.HashMap"),
            ("java.util.concurrent.ConcurrentMap", "java.util.HashMap"),
            ("java.util.Date", "java.time.Instant"),
            ("java.math.BigDecimal", "java.lang.Double"),
            ("x.Sub", "x.Base"),
            ("x.Base", "x.Other"),
            ("x.Base", "y.Unknown"),
            ("x.Event", "x.Sub"),
            ("x.Priority", "java.lang.String"),
            ("[Lx.Sub;", "[Lx.Base;"),
            ("[J", "[I"),
            ("[J", "[Ljava.lang.Long;"),
            ("[Ljava.lang.Object;", "[I"),
            ("[Lx.Base;", "x.Base"),
        ] {
            assert!(!layouts.can_hold(declared, class), "{declared}, {class}");
        }
    }

    #[test]
    fn unknown_collections_and_maps_are_taken_by_their_kind() {
        let layouts = Layouts::default();
        for (declared, collection, map) in [
            ("java.lang.Object", true, true),
            ("java.lang.Iterable", true, false),
            ("java.util.List", true, false),
            ("java.util.SortedMap", false, true),
            ("java.util.Date", false, false),
            ("y.Interface", true, true),
        ] {
            assert_eq!(layouts.can_hold_unknown(declared, false), collection);
            assert_eq!(layouts.can_hold_unknown(declared, true), map);
        }
    }
}
