use crate::java::JavaValue;

/// True if the comparator may take null: one of a user may, and those of the JDK throw.
fn compares_nulls(comparator: &JavaValue) -> bool {
    !comparator.is_null() && !comparator.class_name().starts_with("java.")
}

/// True if a collection of this class takes null. If not, Kryo writes null all the same, and Java
/// throws when it reads the value.
pub(super) fn elements_may_be_null(class: &str, comparator: &JavaValue) -> bool {
    match class {
        "java.util.TreeSet" => compares_nulls(comparator),
        "java.util.ArrayDeque"
        | "java.util.PriorityQueue"
        | "java.util.concurrent.ConcurrentLinkedDeque"
        | "java.util.concurrent.ConcurrentLinkedQueue"
        | "java.util.concurrent.ConcurrentSkipListSet"
        | "java.util.concurrent.LinkedBlockingDeque"
        | "java.util.concurrent.LinkedBlockingQueue"
        | "java.util.concurrent.LinkedTransferQueue"
        | "java.util.concurrent.PriorityBlockingQueue" => false,
        _ => true,
    }
}

/// True if a map of this class takes null as a key.
pub(super) fn keys_may_be_null(class: &str, comparator: &JavaValue) -> bool {
    match class {
        "java.util.TreeMap" => compares_nulls(comparator),
        _ => values_may_be_null(class),
    }
}

/// True if a map of this class takes null as a value.
pub(super) fn values_may_be_null(class: &str) -> bool {
    !matches!(
        class,
        "java.util.Hashtable"
            | "java.util.Properties"
            | "java.util.concurrent.ConcurrentHashMap"
            | "java.util.concurrent.ConcurrentSkipListMap"
            | "java.util.ImmutableCollections$Map1"
            | "java.util.ImmutableCollections$MapN"
    )
}
