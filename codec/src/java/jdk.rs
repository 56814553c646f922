//! What codecs must know about the classes of the JDK.

mod container;
mod enumeration;

use super::Name;

pub(crate) use self::container::{Build, Container, container, containers};
pub(crate) use self::enumeration::{constant_shown, enums};

/// True if Kryo and Jackson take the class for final. Primitive types count as final.
pub(crate) fn is_final(class: &str) -> bool {
    FINAL.binary_search(&class).is_ok() || class.starts_with("kotlin.") && is_container(class)
}

/// True if objects of the class are collections or maps.
pub(crate) fn is_container(class: &str) -> bool {
    container(class).is_some()
}

pub(crate) fn is_collection(class: &str) -> bool {
    container(class).is_some_and(|it| !it.is_map)
}

pub(crate) fn is_map(class: &str) -> bool {
    container(class).is_some_and(|it| it.is_map)
}

/// True for `EnumSet` and its sub classes. Others may have a class whose name ends alike.
pub(crate) fn is_enum_set(class: &str) -> bool {
    class.starts_with("java.util.") && class.ends_with("EnumSet")
}

/// The class of an `EnumSet` whose enum has so many constants.
pub(crate) fn enum_set(constants: usize) -> Name {
    Name::new(match constants {
        ..=64 => "java.util.RegularEnumSet",
        _ => "java.util.JumboEnumSet",
    })
}

/// The class to use for an interface or an abstract class of collections or maps. If there is a
/// choice, it is one that keeps the order.
pub(crate) fn concrete(interface: &str) -> Option<&'static str> {
    Some(match interface {
        "java.lang.Iterable"
        | "java.util.AbstractCollection"
        | "java.util.AbstractList"
        | "java.util.Collection"
        | "java.util.List"
        | "java.util.SequencedCollection" => "java.util.ArrayList",
        "java.util.AbstractSet" | "java.util.SequencedSet" | "java.util.Set" => {
            "java.util.LinkedHashSet"
        }
        "java.util.NavigableSet" | "java.util.SortedSet" => "java.util.TreeSet",
        "java.util.AbstractQueue" | "java.util.Deque" | "java.util.Queue" => "java.util.LinkedList",
        "java.util.concurrent.BlockingDeque" => "java.util.concurrent.LinkedBlockingDeque",
        "java.util.concurrent.BlockingQueue" => "java.util.concurrent.LinkedBlockingQueue",
        "java.util.AbstractMap" | "java.util.Map" | "java.util.SequencedMap" => {
            "java.util.LinkedHashMap"
        }
        "java.util.NavigableMap" | "java.util.SortedMap" => "java.util.TreeMap",
        "java.util.concurrent.ConcurrentMap" => "java.util.concurrent.ConcurrentHashMap",
        "java.util.concurrent.ConcurrentNavigableMap" => {
            "java.util.concurrent.ConcurrentSkipListMap"
        }
        _ => return None,
    })
}

/// The full name of a class that Java source can name without its package. Ignores case.
pub(crate) fn full_name(simple: &str) -> Option<&'static str> {
    let named = COMMON.iter().chain(&FINAL).copied();
    let mut known = named.chain(containers().map(|it| it.name));
    known.find(|full| {
        let name = full.rsplit_once('.').map(|(_, name)| name);
        name.is_some_and(|name| name.eq_ignore_ascii_case(simple))
    })
}

/// Classes and interfaces of many fields that are in no other table.
const COMMON: [&str; 23] = [
    "java.io.Serializable",
    "java.lang.CharSequence",
    "java.lang.Comparable",
    "java.lang.Iterable",
    "java.lang.Number",
    "java.lang.Object",
    "java.math.BigDecimal",
    "java.math.BigInteger",
    "java.time.DayOfWeek",
    "java.time.Month",
    "java.util.Collection",
    "java.util.Date",
    "java.util.Deque",
    "java.util.List",
    "java.util.Map",
    "java.util.NavigableMap",
    "java.util.NavigableSet",
    "java.util.Queue",
    "java.util.Set",
    "java.util.SortedMap",
    "java.util.SortedSet",
    "java.util.concurrent.ConcurrentMap",
    "java.util.concurrent.TimeUnit",
];

const FINAL: [&str; 46] = [
    "boolean",
    "byte",
    "char",
    "double",
    "float",
    "int",
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Character",
    "java.lang.Class",
    "java.lang.Double",
    "java.lang.Float",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Short",
    "java.lang.String",
    "java.lang.StringBuffer",
    "java.lang.StringBuilder",
    "java.net.Inet4Address",
    "java.net.Inet6Address",
    "java.net.URI",
    "java.net.URL",
    "java.time.Duration",
    "java.time.Instant",
    "java.time.LocalDate",
    "java.time.LocalDateTime",
    "java.time.LocalTime",
    "java.time.MonthDay",
    "java.time.OffsetDateTime",
    "java.time.OffsetTime",
    "java.time.Period",
    "java.time.Year",
    "java.time.YearMonth",
    "java.time.ZoneOffset",
    "java.time.ZoneRegion",
    "java.time.ZonedDateTime",
    "java.util.Currency",
    "java.util.Locale",
    "java.util.Optional",
    "java.util.OptionalDouble",
    "java.util.OptionalInt",
    "java.util.OptionalLong",
    "java.util.UUID",
    "java.util.regex.Pattern",
    "long",
    "short",
];

/// The classes of the charsets of OpenJDK 17 on Linux, which are `java.nio.charset.Charset`.
pub(crate) const CHARSETS: &[&str] = &[
    "sun.nio.cs.Big5",
    "sun.nio.cs.Big5_HKSCS",
    "sun.nio.cs.Big5_Solaris",
    "sun.nio.cs.CESU_8",
    "sun.nio.cs.EUC_CN",
    "sun.nio.cs.EUC_JP",
    "sun.nio.cs.EUC_JP_LINUX",
    "sun.nio.cs.EUC_JP_Open",
    "sun.nio.cs.EUC_KR",
    "sun.nio.cs.EUC_TW",
    "sun.nio.cs.GB18030",
    "sun.nio.cs.GBK",
    "sun.nio.cs.IBM437",
    "sun.nio.cs.IBM737",
    "sun.nio.cs.IBM775",
    "sun.nio.cs.IBM850",
    "sun.nio.cs.IBM852",
    "sun.nio.cs.IBM855",
    "sun.nio.cs.IBM857",
    "sun.nio.cs.IBM858",
    "sun.nio.cs.IBM862",
    "sun.nio.cs.IBM866",
    "sun.nio.cs.IBM874",
    "sun.nio.cs.ISO_8859_1",
    "sun.nio.cs.ISO_8859_11",
    "sun.nio.cs.ISO_8859_13",
    "sun.nio.cs.ISO_8859_15",
    "sun.nio.cs.ISO_8859_16",
    "sun.nio.cs.ISO_8859_2",
    "sun.nio.cs.ISO_8859_3",
    "sun.nio.cs.ISO_8859_4",
    "sun.nio.cs.ISO_8859_5",
    "sun.nio.cs.ISO_8859_6",
    "sun.nio.cs.ISO_8859_7",
    "sun.nio.cs.ISO_8859_8",
    "sun.nio.cs.ISO_8859_9",
    "sun.nio.cs.JIS_X_0201",
    "sun.nio.cs.JIS_X_0208",
    "sun.nio.cs.JIS_X_0212",
    "sun.nio.cs.Johab",
    "sun.nio.cs.KOI8_R",
    "sun.nio.cs.KOI8_U",
    "sun.nio.cs.MS1250",
    "sun.nio.cs.MS1251",
    "sun.nio.cs.MS1252",
    "sun.nio.cs.MS1253",
    "sun.nio.cs.MS1254",
    "sun.nio.cs.MS1257",
    "sun.nio.cs.MS932",
    "sun.nio.cs.PCK",
    "sun.nio.cs.SJIS",
    "sun.nio.cs.TIS_620",
    "sun.nio.cs.US_ASCII",
    "sun.nio.cs.UTF_16",
    "sun.nio.cs.UTF_16BE",
    "sun.nio.cs.UTF_16LE",
    "sun.nio.cs.UTF_16LE_BOM",
    "sun.nio.cs.UTF_32",
    "sun.nio.cs.UTF_32BE",
    "sun.nio.cs.UTF_32BE_BOM",
    "sun.nio.cs.UTF_32LE",
    "sun.nio.cs.UTF_32LE_BOM",
    "sun.nio.cs.UTF_8",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_can_be_searched() {
        assert!(FINAL.is_sorted());
    }
}
