//! The bytes of version 4 of the River protocol.

use crate::java::{JavaType, Name};

pub(super) const VERSION: u8 = 4;

pub(super) const NULL: u8 = 0x01;
pub(super) const REPEAT_OBJECT_FAR: u8 = 0x02;
pub(super) const NEW_OBJECT: u8 = 0x04;
pub(super) const NEW_OBJECT_UNSHARED: u8 = 0x05;
pub(super) const REPEAT_CLASS_FAR: u8 = 0x06;
pub(super) const PLAIN_CLASS: u8 = 0x07;
pub(super) const SERIALIZABLE_CLASS: u8 = 0x09;
pub(super) const EXTERNALIZABLE_CLASS: u8 = 0x0a;
pub(super) const ENUM_TYPE_CLASS: u8 = 0x0c;
pub(super) const OBJECT_ARRAY_TYPE_CLASS: u8 = 0x0d;
pub(super) const CLASS_CLASS: u8 = 0x15;
pub(super) const OBJECT_CLASS: u8 = 0x16;
pub(super) const START_BLOCK_SMALL: u8 = 0x32;
pub(super) const START_BLOCK_MEDIUM: u8 = 0x33;
pub(super) const START_BLOCK_LARGE: u8 = 0x34;
pub(super) const END_BLOCK_DATA: u8 = 0x35;
pub(super) const WRITE_OBJECT_CLASS: u8 = 0x38;
pub(super) const REPEAT_OBJECT_NEAR: u8 = 0x39;
pub(super) const REPEAT_OBJECT_NEARISH: u8 = 0x3a;
pub(super) const REPEAT_CLASS_NEAR: u8 = 0x3b;
pub(super) const REPEAT_CLASS_NEARISH: u8 = 0x3c;
pub(super) const STRING_EMPTY: u8 = 0x3d;
pub(super) const STRING_SMALL: u8 = 0x3e;
pub(super) const STRING_LARGE: u8 = 0x40;
pub(super) const ARRAY_EMPTY: u8 = 0x41;
pub(super) const ARRAY_LARGE: u8 = 0x44;
pub(super) const ARRAY_EMPTY_UNSHARED: u8 = 0x45;
pub(super) const ARRAY_LARGE_UNSHARED: u8 = 0x48;
pub(super) const BYTE_OBJECT: u8 = 0x49;
pub(super) const DOUBLE_OBJECT: u8 = 0x4f;
pub(super) const TRUE: u8 = 0x50;
pub(super) const FALSE: u8 = 0x51;
pub(super) const COLLECTION_EMPTY: u8 = 0x52;
pub(super) const COLLECTION_LARGE: u8 = 0x55;
pub(super) const COLLECTION_EMPTY_UNSHARED: u8 = 0x56;
pub(super) const COLLECTION_LARGE_UNSHARED: u8 = 0x59;
pub(super) const ARRAY_LIST: u8 = 0x5a;
pub(super) const LINKED_LIST: u8 = 0x5b;
pub(super) const SINGLETON_LIST: u8 = 0x5c;
pub(super) const EMPTY_LIST: u8 = 0x5d;
pub(super) const SINGLETON_SET: u8 = 0x61;
pub(super) const EMPTY_SET: u8 = 0x62;
pub(super) const IDENTITY_HASH_MAP: u8 = 0x63;
pub(super) const SINGLETON_MAP: u8 = 0x68;
pub(super) const EMPTY_MAP: u8 = 0x69;
pub(super) const ENUM_SET_PROXY: u8 = 0x6a;
pub(super) const ENUM_MAP: u8 = 0x6c;
pub(super) const COPY_ON_WRITE_ARRAY_LIST: u8 = 0x73;
pub(super) const COPY_ON_WRITE_ARRAY_SET: u8 = 0x74;
pub(super) const VECTOR: u8 = 0x75;
pub(super) const STACK: u8 = 0x76;
pub(super) const ARRAY_DEQUE: u8 = 0x78;
pub(super) const REVERSE_ORDER: u8 = 0x79;
pub(super) const REVERSE_ORDER_2: u8 = 0x7a;
pub(super) const COPIES: u8 = 0x7b;
pub(super) const UNMODIFIABLE_COLLECTION: u8 = 0x7c;
pub(super) const UNMODIFIABLE_LIST: u8 = 0x7d;
pub(super) const UNMODIFIABLE_MAP: u8 = 0x7e;
pub(super) const UNMODIFIABLE_SET: u8 = 0x7f;
pub(super) const UNMODIFIABLE_SORTED_SET: u8 = 0x80;
pub(super) const UNMODIFIABLE_SORTED_MAP: u8 = 0x81;

const FIRST_CLASS: u8 = 0x14;
const FIRST_PRIMITIVE: u8 = 0x20;
const FIRST_CONTAINER: u8 = 0x5a;

/// The letter of a primitive type, as in names of array classes.
pub(super) fn letter(read: u8) -> Option<u8> {
    let place = read.checked_sub(FIRST_PRIMITIVE)?;
    LETTERS.get(usize::from(place)).copied()
}

/// The byte of the primitive type with this letter.
pub(super) fn of_letter(letter: u8) -> u8 {
    let place = LETTERS.iter().position(|it| *it == letter);
    FIRST_PRIMITIVE + place.unwrap_or(0) as u8
}

/// The byte of a class, if Java writes one for it.
pub(super) fn of_class(name: &str) -> Option<u8> {
    if let Some(place) = NAMES.iter().position(|it| *it == name) {
        return Some(FIRST_CLASS + place as u8);
    }
    // Most classes are of users.
    if !name.starts_with("java.util.") {
        return None;
    }
    let place = CONTAINERS.iter().position(|it| *it == name)?;
    let read = FIRST_CONTAINER + place as u8;
    // Java describes these, and reads their bytes.
    (!matches!(read, 0x5e..=0x60 | 0x64..=0x67 | 0x72)).then_some(read)
}

/// The name of a class that has a byte of its own.
pub(super) fn class_name(read: u8) -> Option<&'static str> {
    let name = |first, names: &[&'static str]| {
        let place = read.checked_sub(first)?;
        names.get(usize::from(place)).copied()
    };
    name(FIRST_CLASS, &NAMES).or_else(|| name(FIRST_CONTAINER, &CONTAINERS))
}

/// True if the byte alone is the class as a value. The bytes of other classes begin an object of the
/// class, or a collection.
pub(super) fn is_class_object(read: u8) -> bool {
    matches!(
        read,
        FIRST_CLASS..=0x31
            | ARRAY_LIST
            | LINKED_LIST
            | 0x5e..=0x60
            | IDENTITY_HASH_MAP..=0x67
            | ENUM_SET_PROXY..=STACK
            | COPIES
    )
}

pub(super) fn array_of(component: &Name) -> Name {
    JavaType::new(component.clone()).array().name().clone()
}

const LETTERS: &[u8; 8] = b"ZBSIJCFD";

const NAMES: [&str; 30] = [
    "java.lang.String",
    "java.lang.Class",
    "java.lang.Object",
    "java.lang.Enum",
    "[Z",
    "[B",
    "[S",
    "[I",
    "[J",
    "[C",
    "[F",
    "[D",
    "boolean",
    "byte",
    "short",
    "int",
    "long",
    "char",
    "float",
    "double",
    "void",
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Short",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Character",
    "java.lang.Float",
    "java.lang.Double",
    "java.lang.Void",
];

/// The classes of `java.util` that have a byte, and one of JBoss.
const CONTAINERS: [&str; 41] = [
    "java.util.ArrayList",
    "java.util.LinkedList",
    "java.util.Collections$SingletonList",
    "java.util.Collections$EmptyList",
    "java.util.HashSet",
    "java.util.LinkedHashSet",
    "java.util.TreeSet",
    "java.util.Collections$SingletonSet",
    "java.util.Collections$EmptySet",
    "java.util.IdentityHashMap",
    "java.util.HashMap",
    "java.util.Hashtable",
    "java.util.LinkedHashMap",
    "java.util.TreeMap",
    "java.util.Collections$SingletonMap",
    "java.util.Collections$EmptyMap",
    "java.util.EnumSet$SerializationProxy",
    "java.util.EnumSet",
    "java.util.EnumMap",
    "java.util.AbstractCollection",
    "java.util.AbstractSet",
    "java.util.AbstractList",
    "java.util.AbstractQueue",
    "java.util.AbstractSequentialList",
    "java.util.concurrent.ConcurrentHashMap",
    "java.util.concurrent.CopyOnWriteArrayList",
    "java.util.concurrent.CopyOnWriteArraySet",
    "java.util.Vector",
    "java.util.Stack",
    "org.jboss.marshalling.Pair",
    "java.util.ArrayDeque",
    "java.util.Collections$ReverseComparator",
    "java.util.Collections$ReverseComparator2",
    "java.util.Collections$CopiesList",
    "java.util.Collections$UnmodifiableCollection",
    "java.util.Collections$UnmodifiableList",
    "java.util.Collections$UnmodifiableMap",
    "java.util.Collections$UnmodifiableSet",
    "java.util.Collections$UnmodifiableSortedSet",
    "java.util.Collections$UnmodifiableSortedMap",
    "java.util.Collections$UnmodifiableMap$UnmodifiableEntrySet",
];
