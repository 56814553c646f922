//! How the collections and maps of the JDK are sent.

use super::known::{Rule, Shaped};
use super::shape::Shaper;
use super::{Instance, Item};
use crate::java::{Array, Collection, Cursor, JavaValue, Malformed, Map, Name};

/// How a container says how many elements it has.
#[derive(Clone, Copy)]
enum Size {
    /// In its field `size`.
    Field,
    /// As an `int` at this place of the bytes before the elements.
    Header(usize),
    /// Nulls come after the last: as many as an element, or an entry, has objects.
    Nulls(usize),
}

/// How to read an object that is, or extends, this container of the JDK.
pub(super) fn rule(base: &str) -> Option<Rule> {
    if COLLECTIONS.iter().any(|(name, _)| *name == base) {
        return Some(collection);
    }
    if MAPS.iter().any(|(name, _)| *name == base) {
        return Some(hashed);
    }
    Some(match base {
        "java.util.Arrays$ArrayList" => array_list,
        "java.util.Collections$AsLIFOQueue" => |it, instance, _| wrapper(it, instance, "q"),
        "java.util.Collections$CopiesList" => copies,
        "java.util.CollSer" => |it, instance, _| immutable(it, instance),
        "java.util.EnumSet$SerializationProxy" => enum_set,
        "java.util.TreeSet" => |it, instance, _| tree_set(it, instance),
        "java.util.Vector" => vector,
        "java.util.Collections$EmptyList" | "java.util.Collections$EmptySet" => {
            |_, instance, _| Ok(list(instance, Vec::new()))
        }
        "java.util.Collections$EmptyMap" => |_, instance, _| {
            Ok(map(
                instance.class.name.clone(),
                JavaValue::Null,
                Vec::new(),
            ))
        },
        "java.util.Collections$SingletonList" | "java.util.Collections$SingletonSet" => {
            |it, instance, _| Ok(list(instance, vec![it.field(instance, "element")?]))
        }
        "java.util.Collections$SingletonMap" => singleton_map,
        "java.util.concurrent.ArrayBlockingQueue" => ring,
        "java.util.concurrent.CopyOnWriteArraySet" => |it, instance, _| wrapper(it, instance, "al"),
        "java.util.concurrent.PriorityBlockingQueue" => {
            |it, instance, _| wrapper(it, instance, "q")
        }
        "java.util.concurrent.ConcurrentHashMap$KeySetView" => {
            |it, instance, _| keys(it, instance, "map")
        }
        "java.util.concurrent.ConcurrentHashMap$ValuesView" => map_values,
        "java.util.Collections$SetFromMap" | "java.util.concurrent.ConcurrentSkipListSet" => {
            |it, instance, _| keys(it, instance, "m")
        }
        "java.util.Collections$UnmodifiableCollection"
        | "java.util.Collections$SynchronizedCollection"
        | "java.util.Collections$CheckedCollection" => |it, instance, _| wrapper(it, instance, "c"),
        "java.util.Collections$UnmodifiableMap"
        | "java.util.Collections$SynchronizedMap"
        | "java.util.Collections$CheckedMap" => |it, instance, _| wrapper(it, instance, "m"),
        _ => return None,
    })
}

fn collection(shaper: &mut Shaper<'_>, instance: &Instance, base: &str) -> Shaped {
    let size = COLLECTIONS.iter().find(|(name, _)| *name == base);
    let size = size.map_or(Size::Field, |(_, size)| *size);
    let items = elements(shaper, instance, base, size, 1)?;
    let items = shaper.values(items)?;
    let comparator = comparator(shaper, instance)?;
    Ok(sorted(instance.class.name.clone(), comparator, items))
}

fn hashed(shaper: &mut Shaper<'_>, instance: &Instance, base: &str) -> Shaped {
    let size = MAPS.iter().find(|(name, _)| *name == base);
    let size = size.map_or(Size::Field, |(_, size)| *size);
    let items = elements(shaper, instance, base, size, 2)?;
    let items = shaper.values(items)?;
    let comparator = match base {
        "java.util.EnumMap" => constants(shaper, instance, "keyType", items.is_empty())?,
        _ => comparator(shaper, instance)?,
    };
    Ok(map(instance.class.name.clone(), comparator, items))
}

fn list(instance: &Instance, items: Vec<JavaValue>) -> JavaValue {
    JavaValue::collection(instance.class.name.clone(), items)
}

fn array_list(shaper: &mut Shaper<'_>, instance: &Instance, _: &str) -> Shaped {
    match shaper.field(instance, "a")? {
        JavaValue::Array(Array { items, .. }) => Ok(list(instance, items)),
        _ => Err(shaper.lacking()),
    }
}

fn enum_set(shaper: &mut Shaper<'_>, instance: &Instance, _: &str) -> Shaped {
    let items = shaper.items(instance.field("elements"))?;
    let items = shaper.values(items)?;
    let comparator = constants(shaper, instance, "elementType", items.is_empty())?;
    let class = Name::new("java.util.RegularEnumSet");
    Ok(sorted(class, comparator, items))
}

/// The class of the constants of an empty container, in place of a comparator. Other containers
/// show their enum by their content.
fn constants(shaper: &mut Shaper<'_>, instance: &Instance, field: &str, is_empty: bool) -> Shaped {
    match is_empty {
        true => shaper.field(instance, field),
        false => Ok(JavaValue::Null),
    }
}

fn vector(shaper: &mut Shaper<'_>, instance: &Instance, _: &str) -> Shaped {
    let count = shaper.long(instance, "elementCount")?;
    let items = shaper.items(instance.field("elementData"))?;
    let items = usize::try_from(count).ok().and_then(|it| items.get(..it));
    let items = items.ok_or_else(|| shaper.lacking())?;
    Ok(list(instance, shaper.values(items)?))
}

fn singleton_map(shaper: &mut Shaper<'_>, instance: &Instance, _: &str) -> Shaped {
    let entry = vec![shaper.field(instance, "k")?, shaper.field(instance, "v")?];
    Ok(map(instance.class.name.clone(), JavaValue::Null, entry))
}

/// `Collections.nCopies` sends its element once, and how often it is there.
fn copies(shaper: &mut Shaper<'_>, instance: &Instance, _: &str) -> Shaped {
    let count = shaper.long(instance, "n")?;
    let element = instance.field("element");
    match (element, usize::try_from(count)) {
        (Some(element), Ok(count)) => {
            // Each of them is paid for, so a few bytes cannot ask for all memory.
            let items = shaper.values(std::iter::repeat_n(element, count))?;
            Ok(list(instance, items))
        }
        _ => Err(shaper.lacking()),
    }
}

/// An `ArrayBlockingQueue` sends its array, in which the elements may begin anywhere.
fn ring(shaper: &mut Shaper<'_>, instance: &Instance, _: &str) -> Shaped {
    let places = shaper.items(instance.field("items"))?;
    let place = |it: i64| usize::try_from(it).ok().filter(|it| *it <= places.len());
    let first = place(shaper.long(instance, "takeIndex")?);
    let count = place(shaper.long(instance, "count")?);
    let (Some(first), Some(count)) = (first, count) else {
        return Err(shaper.lacking());
    };
    let (behind, items) = places.split_at(first);
    let items = shaper.values(items.iter().chain(behind).take(count))?;
    Ok(list(instance, items))
}

/// The objects that a container sends after its header, each element being `each` of them.
fn elements<'i>(
    shaper: &mut Shaper<'_>,
    instance: &'i Instance,
    base: &str,
    size: Size,
    each: usize,
) -> Result<&'i [Item], Malformed> {
    let data = instance.part(base).map(|it| &it.data[..]);
    let data = data.ok_or_else(|| shaper.lacking())?;
    let (header, objects) = match data.split_first() {
        Some((Item::Block(header), objects)) => (&header[..], objects),
        _ => (&[][..], data),
    };
    let size = match size {
        Size::Field => shaper.long(instance, "size")?,
        Size::Header(place) => {
            let at = header.get(place..).unwrap_or_default();
            let size = Cursor::new(at).i32().map_err(|_| shaper.lacking())?;
            i64::from(size)
        }
        Size::Nulls(count) => {
            let length = objects.len().checked_sub(count);
            let (objects, nulls) = length
                .map(|it| objects.split_at(it))
                .ok_or_else(|| shaper.lacking())?;
            let ended = nulls.iter().all(|it| matches!(it, Item::Null));
            return match ended && objects.len().is_multiple_of(each) {
                true => Ok(objects),
                false => Err(shaper.lacking()),
            };
        }
    };
    match usize::try_from(size)
        .ok()
        .and_then(|it| it.checked_mul(each))
    {
        Some(size) if size == objects.len() => Ok(objects),
        _ => Err(shaper.malformed("the size of a container is not that of its elements")),
    }
}

fn comparator(shaper: &mut Shaper<'_>, instance: &Instance) -> Shaped {
    match instance.field("comparator") {
        Some(item) => shaper.value(item),
        None => Ok(JavaValue::Null),
    }
}

fn sorted(class: Name, comparator: JavaValue, items: Vec<JavaValue>) -> JavaValue {
    JavaValue::Collection(Collection {
        class,
        comparator: Box::new(comparator),
        items,
    })
}

/// A map of keys and values in turn.
fn map(class: Name, comparator: JavaValue, items: Vec<JavaValue>) -> JavaValue {
    let mut entries = Vec::with_capacity(items.len() / 2);
    let mut items = items.into_iter();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        entries.push((key, value));
    }
    JavaValue::Map(Map {
        class,
        comparator: Box::new(comparator),
        entries,
    })
}

/// The object that stands for lists, sets and maps of `List.of` and the like.
fn immutable(shaper: &mut Shaper<'_>, instance: &Instance) -> Shaped {
    // Higher bits are flags that Java ignores when reading.
    let tag = shaper.long(instance, "tag")? & 0xff;
    let each = if tag == 3 { 2 } else { 1 };
    let items = elements(shaper, instance, "java.util.CollSer", Size::Header(0), 1)?;
    if items.len() % each != 0 {
        return Err(shaper.lacking());
    }
    let items = shaper.values(items)?;
    let class = match (tag, items.len() / each) {
        (1, 1 | 2) => "java.util.ImmutableCollections$List12",
        (1 | 4, _) => "java.util.ImmutableCollections$ListN",
        (2, 1 | 2) => "java.util.ImmutableCollections$Set12",
        (2, _) => "java.util.ImmutableCollections$SetN",
        (3, 1) => "java.util.ImmutableCollections$Map1",
        (3, _) => "java.util.ImmutableCollections$MapN",
        _ => return Err(shaper.lacking()),
    };
    Ok(match tag {
        3 => map(class.into(), JavaValue::Null, items),
        _ => JavaValue::collection(class, items),
    })
}

/// A `TreeSet` sends its comparator as the first object, before its size.
fn tree_set(shaper: &mut Shaper<'_>, instance: &Instance) -> Shaped {
    let data = instance.part("java.util.TreeSet").map(|it| &it.data[..]);
    let Some([comparator, Item::Block(size), items @ ..]) = data else {
        return Err(shaper.lacking());
    };
    let size = Cursor::new(size).i32().ok().map(usize::try_from);
    if !matches!(size, Some(Ok(size)) if size == items.len()) {
        return Err(shaper.malformed("the size of a container is not that of its elements"));
    }
    let comparator = shaper.value(comparator)?;
    let items = shaper.values(items)?;
    Ok(sorted(instance.class.name.clone(), comparator, items))
}

/// The content of a wrapped container, with the class of the wrapper.
fn wrapper(shaper: &mut Shaper<'_>, instance: &Instance, field: &str) -> Shaped {
    let mut value = shaper.field(instance, field)?;
    match &mut value {
        JavaValue::Collection(Collection { class, .. }) | JavaValue::Map(Map { class, .. }) => {
            *class = outer(&instance.class.name, class);
            Ok(value)
        }
        _ => Err(shaper.lacking()),
    }
}

/// The class that Java gives a wrapper. Java sends wrappers of lists with fast access as plain
/// ones, and looks at the list when it reads.
fn outer(wrapper: &Name, inner: &str) -> Name {
    match wrapper.as_str() {
        "java.util.Collections$SynchronizedList" if is_random_access(inner) => {
            Name::new("java.util.Collections$SynchronizedRandomAccessList")
        }
        "java.util.Collections$UnmodifiableList" if is_random_access(inner) => {
            Name::new("java.util.Collections$UnmodifiableRandomAccessList")
        }
        _ => wrapper.clone(),
    }
}

fn is_random_access(list: &str) -> bool {
    !matches!(
        list,
        "java.util.LinkedList"
            | "java.util.Collections$UnmodifiableList"
            | "java.util.Collections$SynchronizedList"
            | "java.util.Collections$CheckedList"
    )
}

/// A set that is made of the keys of a map.
fn keys(shaper: &mut Shaper<'_>, instance: &Instance, field: &str) -> Shaped {
    match shaper.field(instance, field)? {
        JavaValue::Map(Map {
            comparator,
            entries,
            ..
        }) => {
            let keys = entries.into_iter().map(|(key, _)| key).collect();
            Ok(sorted(instance.class.name.clone(), *comparator, keys))
        }
        _ => Err(shaper.lacking()),
    }
}

/// The values of a map, as a collection.
fn map_values(shaper: &mut Shaper<'_>, instance: &Instance, _: &str) -> Shaped {
    match shaper.field(instance, "map")? {
        JavaValue::Map(Map { entries, .. }) => {
            let values = entries.into_iter().map(|(_, value)| value).collect();
            Ok(list(instance, values))
        }
        _ => Err(shaper.lacking()),
    }
}

const COLLECTIONS: [(&str, Size); 11] = [
    ("java.util.ArrayDeque", Size::Header(0)),
    ("java.util.ArrayList", Size::Field),
    ("java.util.HashSet", Size::Header(8)),
    ("java.util.LinkedList", Size::Header(0)),
    ("java.util.PriorityQueue", Size::Field),
    ("java.util.concurrent.ConcurrentLinkedDeque", Size::Nulls(1)),
    ("java.util.concurrent.ConcurrentLinkedQueue", Size::Nulls(1)),
    ("java.util.concurrent.CopyOnWriteArrayList", Size::Header(0)),
    ("java.util.concurrent.LinkedBlockingDeque", Size::Nulls(1)),
    ("java.util.concurrent.LinkedBlockingQueue", Size::Nulls(1)),
    ("java.util.concurrent.LinkedTransferQueue", Size::Nulls(1)),
];

const MAPS: [(&str, Size); 7] = [
    ("java.util.EnumMap", Size::Header(0)),
    ("java.util.HashMap", Size::Header(4)),
    ("java.util.Hashtable", Size::Header(4)),
    ("java.util.IdentityHashMap", Size::Header(0)),
    ("java.util.TreeMap", Size::Header(0)),
    ("java.util.concurrent.ConcurrentHashMap", Size::Nulls(2)),
    ("java.util.concurrent.ConcurrentSkipListMap", Size::Nulls(1)),
];
