//! Collections and maps.

use super::{Key, Parts, Piece, Sent, unwritable};
use crate::java::{Array, Collection, JavaType, JavaValue, Map, Name, Schema, Unwritable};

pub(super) fn collection<'v>(it: &'v Collection, schema: &Schema) -> Result<Parts<'v>, Unwritable> {
    let base = base(&it.class, schema)?;
    let size = count(&it.class, it.items.len())?;
    let sent = Sent::new(base.clone());
    let sent = match base.as_str() {
        "java.util.ArrayList" => {
            let sized = sent.field("size", size).block(size.to_be_bytes());
            sized.data(&it.items)
        }
        "java.util.ArrayDeque"
        | "java.util.LinkedList"
        | "java.util.concurrent.CopyOnWriteArrayList" => {
            sent.block(size.to_be_bytes()).data(&it.items)
        }
        "java.util.HashSet" | "java.util.LinkedHashSet" => {
            let mut header = Table::of(it.items.len()).capacity.to_be_bytes().to_vec();
            header.extend(LOAD_FACTOR.to_be_bytes());
            header.extend(size.to_be_bytes());
            Sent::new("java.util.HashSet").block(header).data(&it.items)
        }
        "java.util.PriorityQueue" => sent
            .field("size", size)
            .field("comparator", &*it.comparator)
            .block(size.saturating_add(1).max(2).to_be_bytes())
            .data(&it.items),
        "java.util.TreeSet" => {
            let sent = sent.data([&*it.comparator]);
            sent.block(size.to_be_bytes()).data(&it.items)
        }
        "java.util.concurrent.ConcurrentLinkedDeque"
        | "java.util.concurrent.ConcurrentLinkedQueue" => sent.data(&it.items).data([&NULL]),
        "java.util.Arrays$ArrayList" => sent.field("a", array_of(&it.items)),
        "java.util.Collections$EmptyList" | "java.util.Collections$EmptySet" => {
            return only(&it.class, schema);
        }
        "java.util.Collections$SingletonList" | "java.util.Collections$SingletonSet" => {
            match &it.items[..] {
                [item] => sent.field("element", item),
                _ => return Err(unwritable(&it.class, "it has not one element")),
            }
        }
        "java.util.ImmutableCollections$List12" => return immutable(1, &it.items, schema),
        "java.util.ImmutableCollections$ListN" => {
            let has_null = it.items.iter().any(JavaValue::is_null);
            // `List.of` has another class for one or two, so this one is from a stream.
            let tag = if has_null || matches!(size, 1 | 2) {
                4
            } else {
                1
            };
            return immutable(tag, &it.items, schema);
        }
        "java.util.ImmutableCollections$Set12" | "java.util.ImmutableCollections$SetN" => {
            return immutable(2, &it.items, schema);
        }
        "java.util.RegularEnumSet" => return enum_set(it, schema),
        _ => return Err(unwritable(&it.class, "it is only read")),
    };
    Parts::assemble(it.class.clone(), vec![sent], schema)
}

pub(super) fn map<'v>(it: &'v Map, schema: &Schema) -> Result<Parts<'v>, Unwritable> {
    let base = base(&it.class, schema)?;
    let size = count(&it.class, it.entries.len())?;
    let entries = it.entries.iter().flat_map(|(key, value)| [key, value]);
    let sent = Sent::new(base.clone());
    let sent = match base.as_str() {
        "java.util.HashMap" | "java.util.LinkedHashMap" => {
            let table = Table::of(it.entries.len());
            let linked = Sent::new("java.util.LinkedHashMap");
            let hashed = Sent::new("java.util.HashMap")
                .field("loadFactor", JavaValue::Float(LOAD_FACTOR))
                .field("threshold", table.threshold)
                .block([table.capacity.to_be_bytes(), size.to_be_bytes()].concat())
                .data(entries);
            let linked = linked.field("accessOrder", JavaValue::Boolean(false));
            return Parts::assemble(it.class.clone(), vec![hashed, linked], schema);
        }
        "java.util.TreeMap" => {
            let sent = sent.field("comparator", &*it.comparator);
            sent.block(size.to_be_bytes()).data(entries)
        }
        "java.util.EnumMap" => {
            let class = it.enumeration();
            let class = class.ok_or_else(|| unwritable(&it.class, NO_ENUM))?;
            let sent = sent.field("keyType", Piece::EnumClass(class));
            sent.block(size.to_be_bytes()).data(entries)
        }
        "java.util.Collections$EmptyMap" => return only(&it.class, schema),
        "java.util.Collections$SingletonMap" => match &it.entries[..] {
            [(key, value)] => sent.field("k", key).field("v", value),
            _ => return Err(unwritable(&it.class, "it has not one entry")),
        },
        "java.util.ImmutableCollections$Map1" | "java.util.ImmutableCollections$MapN" => {
            return immutable(3, entries, schema);
        }
        _ => return Err(unwritable(&it.class, "it is only read")),
    };
    Parts::assemble(it.class.clone(), vec![sent], schema)
}

/// The container of the JDK that a class of the schema extends, or the class itself.
fn base(class: &Name, schema: &Schema) -> Result<Name, Unwritable> {
    let mut base = class.clone();
    while let Some(of_schema) = schema.get(&base) {
        // A value of a collection or a map has no place for them.
        if !of_schema.fields.is_empty() {
            return Err(unwritable(
                class,
                "it is a container with fields of its own",
            ));
        }
        base = match &of_schema.super_class {
            Some(super_class) => super_class.name().clone(),
            None => return Err(unwritable(class, "it is no collection and no map")),
        };
    }
    Ok(base)
}

fn count(class: &Name, length: usize) -> Result<i32, Unwritable> {
    i32::try_from(length).map_err(|_| unwritable(class, "it has too many elements"))
}

/// The only object of its class.
fn only<'v>(class: &Name, schema: &Schema) -> Result<Parts<'v>, Unwritable> {
    let mut parts = Parts::assemble(class.clone(), Vec::new(), schema)?;
    parts.key = Some(Key::Named(class.clone(), String::new()));
    Ok(parts)
}

/// `Arrays.asList` keeps the array that it got. This makes one of the class of the elements, if
/// they all have the same class.
fn array_of(items: &[JavaValue]) -> JavaValue {
    let mut classes = items.iter().filter(|it| !it.is_null());
    let component = match classes.next().map(JavaValue::class_name) {
        Some(class) if classes.all(|it| it.class_name() == class) => class,
        _ => Name::new("java.lang.Object"),
    };
    JavaValue::Array(Array {
        class: JavaType::new(component).array().name().clone(),
        items: items.to_vec(),
    })
}

/// The object that stands for lists, sets and maps of `List.of` and the like.
fn immutable<'v>(
    tag: i32,
    items: impl IntoIterator<Item = &'v JavaValue>,
    schema: &Schema,
) -> Result<Parts<'v>, Unwritable> {
    let class = Name::new("java.util.CollSer");
    let items: Vec<_> = items.into_iter().collect();
    let size = count(&class, items.len())?;
    let sent = Sent::new(class.clone()).field("tag", tag);
    let sent = sent.block(size.to_be_bytes()).data(items);
    Parts::assemble(class, vec![sent], schema)
}

fn enum_set<'v>(set: &Collection, schema: &Schema) -> Result<Parts<'v>, Unwritable> {
    let class = set.enumeration();
    let class = class.ok_or_else(|| unwritable(&set.class, NO_ENUM))?;
    let elements = JavaValue::Array(Array {
        class: "[Ljava.lang.Enum;".into(),
        items: set.items.clone(),
    });
    let sent = Sent::new("java.util.EnumSet$SerializationProxy")
        .field("elementType", Piece::EnumClass(class))
        .field("elements", elements);
    Parts::assemble(sent.class.clone(), vec![sent], schema)
}

/// The table of a `HashMap` that was made by `new HashMap()` and filled one by one.
struct Table {
    capacity: i32,
    threshold: i32,
}

impl Table {
    fn of(size: usize) -> Self {
        let mut capacity = 16;
        while capacity < 1 << 30 && size > threshold(capacity) as usize {
            capacity *= 2;
        }
        Self {
            capacity,
            // There is no table before the first entry.
            threshold: if size == 0 { 0 } else { threshold(capacity) },
        }
    }
}

fn threshold(capacity: i32) -> i32 {
    capacity / 4 * 3
}

const NULL: JavaValue = JavaValue::Null;
const LOAD_FACTOR: f32 = 0.75;
const NO_ENUM: &str = "without elements, nothing says of which enum it is";
