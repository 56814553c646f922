//! Collections and maps.

use super::{Key, Parts, Piece, Sent, unwritable};
use crate::java::{Array, Entries, Items, JavaType, JavaValue, Name, Schema, Unwritable, View};

/// Takes apart the collection `value`, which has this class, these items and this comparator.
pub(super) fn collection<'v>(
    value: &View<'v>,
    class: &Name,
    items: Items<'v>,
    comparator: &'v JavaValue,
    schema: &Schema,
) -> Result<Parts<'v>, Unwritable> {
    let base = base(class, schema)?;
    let size = count(class, items.len())?;
    let sent = Sent::new(base.clone());
    let sent = match base.as_str() {
        "java.util.ArrayList" => {
            let sized = sent.field("size", size).block(size.to_be_bytes());
            sized.data(items)
        }
        "java.util.ArrayDeque"
        | "java.util.LinkedList"
        | "java.util.concurrent.CopyOnWriteArrayList" => sent.block(size.to_be_bytes()).data(items),
        "java.util.HashSet" | "java.util.LinkedHashSet" => {
            let capacity = Table::of(items.len()).capacity.to_be_bytes();
            let header = [capacity, LOAD_FACTOR.to_be_bytes(), size.to_be_bytes()];
            let sent = Sent::new("java.util.HashSet");
            sent.block(header.as_flattened()).data(items)
        }
        "java.util.PriorityQueue" => sent
            .field("size", size)
            .field("comparator", comparator)
            .block(size.saturating_add(1).max(2).to_be_bytes())
            .data(items),
        "java.util.TreeSet" => {
            let sent = sent.data(comparator);
            sent.block(size.to_be_bytes()).data(items)
        }
        "java.util.concurrent.ConcurrentLinkedDeque"
        | "java.util.concurrent.ConcurrentLinkedQueue" => sent.data(items).data(View::Null),
        "java.util.Arrays$ArrayList" => sent.field("a", array_of(items)),
        "java.util.Collections$EmptyList" | "java.util.Collections$EmptySet" => {
            return Parts::only(class, schema);
        }
        "java.util.Collections$SingletonList" | "java.util.Collections$SingletonSet" => {
            match items.first(|it| it.to_value()) {
                Some(item) if items.len() == 1 => sent.field("element", item),
                _ => return Err(unwritable(class, "it has not one element")),
            }
        }
        "java.util.ImmutableCollections$List12" => return immutable(1, size, items, schema),
        "java.util.ImmutableCollections$ListN" => {
            // `List.of` has another class for one or two, so this one is from a stream.
            let tag = if matches!(size, 1 | 2) || items.any(|it| it.is_null()) {
                4
            } else {
                1
            };
            return immutable(tag, size, items, schema);
        }
        "java.util.ImmutableCollections$Set12" | "java.util.ImmutableCollections$SetN" => {
            return immutable(2, size, items, schema);
        }
        "java.util.JumboEnumSet" | "java.util.RegularEnumSet" => {
            return enum_set(value, items, schema);
        }
        _ => return Err(unwritable(class, "it is only read")),
    };
    Parts::known(class, [sent], schema)
}

/// Takes apart the map `value`, which has this class, these entries and this comparator.
pub(super) fn map<'v>(
    value: &View<'v>,
    class: &Name,
    entries: Entries<'v>,
    comparator: &'v JavaValue,
    schema: &Schema,
) -> Result<Parts<'v>, Unwritable> {
    let base = base(class, schema)?;
    let size = count(class, entries.len())?;
    let sent = Sent::new(base.clone());
    let sent = match base.as_str() {
        "java.util.HashMap" | "java.util.LinkedHashMap" => {
            let table = Table::of(entries.len());
            let linked = Sent::new("java.util.LinkedHashMap");
            let header = [table.capacity.to_be_bytes(), size.to_be_bytes()];
            let hashed = Sent::new("java.util.HashMap")
                .field("loadFactor", View::Float(LOAD_FACTOR))
                .field("threshold", table.threshold)
                .block(header.as_flattened())
                .data(entries);
            let linked = linked.field("accessOrder", View::Boolean(false));
            return Parts::known(class, [hashed, linked], schema);
        }
        "java.util.TreeMap" => {
            let sent = sent.field("comparator", comparator);
            sent.block(size.to_be_bytes()).data(entries)
        }
        "java.util.EnumMap" => {
            let of = value.enumeration();
            let of = of.ok_or_else(|| unwritable(class, NO_ENUM))?;
            let sent = sent.field("keyType", Piece::EnumClass(of));
            sent.block(size.to_be_bytes()).data(entries)
        }
        "java.util.Collections$EmptyMap" => return Parts::only(class, schema),
        "java.util.Collections$SingletonMap" => match entries.first() {
            Some((key, value)) if entries.len() == 1 => sent.field("k", key).field("v", value),
            _ => return Err(unwritable(class, "it has not one entry")),
        },
        "java.util.ImmutableCollections$Map1" | "java.util.ImmutableCollections$MapN" => {
            let size = size.saturating_mul(2);
            return immutable(3, size, entries, schema);
        }
        _ => return Err(unwritable(class, "it is only read")),
    };
    Parts::known(class, [sent], schema)
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

/// `Arrays.asList` keeps the array that it got. This makes one of the class of the elements, if
/// they all have the same class.
fn array_of(items: Items<'_>) -> JavaValue {
    let items = items.to_values();
    let mut classes = items.iter().filter(|it| !it.is_null());
    let component = match classes.next().map(JavaValue::class_name) {
        Some(class) if classes.all(|it| it.class_name() == class) => class,
        _ => Name::new("java.lang.Object"),
    };
    JavaValue::Array(Array {
        class: JavaType::new(component).array().name().clone(),
        items,
    })
}

/// The object that stands for lists, sets and maps of `List.of` and the like, and that sends so many
/// objects.
fn immutable<'v>(
    tag: i32,
    size: i32,
    content: impl Into<Piece<'v>>,
    schema: &Schema,
) -> Result<Parts<'v>, Unwritable> {
    let class = Name::new("java.util.CollSer");
    let sent = Sent::new(class.clone()).field("tag", tag);
    let sent = sent.block(size.to_be_bytes()).data(content);
    // Java keeps one empty object of each kind.
    let key = (size == 0).then(|| Key::Number(class.clone(), tag.into()));
    Ok(Parts::known(&class, [sent], schema)?.with_key(key))
}

fn enum_set<'v>(
    set: &View<'v>,
    items: Items<'v>,
    schema: &Schema,
) -> Result<Parts<'v>, Unwritable> {
    let class = set.enumeration();
    let class = class.ok_or_else(|| unwritable(&set.class_name(), NO_ENUM))?;
    let proxy = Name::new("java.util.EnumSet$SerializationProxy");
    let sent = Sent::new(proxy.clone())
        .field("elementType", Piece::EnumClass(class))
        .field("elements", View::Array(&ENUMS, items));
    Parts::known(&proxy, [sent], schema)
}

static ENUMS: Name = Name::new("[Ljava.lang.Enum;");

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

const LOAD_FACTOR: f32 = 0.75;
const NO_ENUM: &str = "without elements, nothing says of which enum it is";
