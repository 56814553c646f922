//! What the collections and maps of the JDK send.

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

/// The value of an object that is, or extends, the JDK's container `base`; nothing if `base` is
/// none.
pub(super) fn value(
    shaper: &mut Shaper<'_>,
    instance: &Instance,
    base: &str,
) -> Result<Option<JavaValue>, Malformed> {
    let class = instance.class.name.clone();
    let list = |items| Ok(Some(JavaValue::collection(class.clone(), items)));
    if let Some((_, size)) = COLLECTIONS.iter().find(|(name, _)| *name == base) {
        let items = elements(shaper, instance, base, *size, 1)?;
        let items = shaper.values(items)?;
        let comparator = comparator(shaper, instance)?;
        return Ok(Some(sorted(class, comparator, items)));
    }
    if let Some((_, size)) = MAPS.iter().find(|(name, _)| *name == base) {
        let items = elements(shaper, instance, base, *size, 2)?;
        let items = shaper.values(items)?;
        let comparator = comparator(shaper, instance)?;
        return Ok(Some(map(class, comparator, items)));
    }
    match base {
        "java.util.Arrays$ArrayList" => match shaper.field(instance, "a")? {
            JavaValue::Array(Array { items, .. }) => list(items),
            _ => Err(shaper.lacking()),
        },
        "java.util.CollSer" => immutable(shaper, instance).map(Some),
        "java.util.EnumSet$SerializationProxy" => {
            let items = shaper.items(instance.field("elements"))?;
            let items = shaper.values(items)?;
            let class = "java.util.RegularEnumSet";
            Ok(Some(JavaValue::collection(class, items)))
        }
        "java.util.TreeSet" => tree_set(shaper, instance).map(Some),
        "java.util.Vector" => {
            let count = shaper.long(instance, "elementCount")?;
            let items = shaper.items(instance.field("elementData"))?;
            let items = usize::try_from(count).ok().and_then(|it| items.get(..it));
            let items = items.ok_or_else(|| shaper.lacking())?;
            list(shaper.values(items)?)
        }
        "java.util.Collections$EmptyList" | "java.util.Collections$EmptySet" => list(Vec::new()),
        "java.util.Collections$EmptyMap" => Ok(Some(map(class, JavaValue::Null, Vec::new()))),
        "java.util.Collections$SingletonList" | "java.util.Collections$SingletonSet" => {
            let element = shaper.field(instance, "element")?;
            list(vec![element])
        }
        "java.util.Collections$SingletonMap" => {
            let entry = vec![shaper.field(instance, "k")?, shaper.field(instance, "v")?];
            Ok(Some(map(class, JavaValue::Null, entry)))
        }
        "java.util.concurrent.CopyOnWriteArraySet" => wrapper(shaper, instance, "al").map(Some),
        "java.util.concurrent.PriorityBlockingQueue" => wrapper(shaper, instance, "q").map(Some),
        "java.util.Collections$SetFromMap"
        | "java.util.concurrent.ConcurrentHashMap$CollectionView"
        | "java.util.concurrent.ConcurrentSkipListSet" => {
            let field = if base.ends_with("View") { "map" } else { "m" };
            keys(shaper, instance, field).map(Some)
        }
        "java.util.Collections$UnmodifiableCollection"
        | "java.util.Collections$SynchronizedCollection"
        | "java.util.Collections$CheckedCollection" => wrapper(shaper, instance, "c").map(Some),
        "java.util.Collections$UnmodifiableMap"
        | "java.util.Collections$SynchronizedMap"
        | "java.util.Collections$CheckedMap" => wrapper(shaper, instance, "m").map(Some),
        _ => Ok(None),
    }
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

fn comparator(shaper: &mut Shaper<'_>, instance: &Instance) -> Result<JavaValue, Malformed> {
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

/// What stands for the lists, sets and maps of `List.of` and the like.
fn immutable(shaper: &mut Shaper<'_>, instance: &Instance) -> Result<JavaValue, Malformed> {
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
fn tree_set(shaper: &mut Shaper<'_>, instance: &Instance) -> Result<JavaValue, Malformed> {
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

/// What another container holds, under the class of the wrapper around it.
fn wrapper(
    shaper: &mut Shaper<'_>,
    instance: &Instance,
    field: &str,
) -> Result<JavaValue, Malformed> {
    let mut value = shaper.field(instance, field)?;
    match &mut value {
        JavaValue::Collection(Collection { class, .. }) | JavaValue::Map(Map { class, .. }) => {
            *class = outer(&instance.class.name, class);
            Ok(value)
        }
        _ => Err(shaper.lacking()),
    }
}

/// The class that Java gives a wrapper: it sends those of lists with fast access as if they had
/// none, and looks at the list when it reads.
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
fn keys(shaper: &mut Shaper<'_>, instance: &Instance, field: &str) -> Result<JavaValue, Malformed> {
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

const COLLECTIONS: [(&str, Size); 10] = [
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
