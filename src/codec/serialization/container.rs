//! Collections and maps.

use super::array::count;
use super::scalar::enum_of;
use super::writer::{Key, Writer, Written};
use crate::java::{Array, Collection, JavaType, JavaValue, Map, Name, Unwritable};

impl Writer<'_> {
    pub(super) fn collection(&mut self, it: &Collection) -> Written {
        let base = self.base(&it.class)?;
        let size = count(&it.class, it.items.len())?;
        match base.as_str() {
            "java.util.ArrayList" => {
                self.begin(&it.class, None)?;
                self.out.i32(size);
                self.sized(size, &it.items)
            }
            "java.util.ArrayDeque"
            | "java.util.LinkedList"
            | "java.util.concurrent.CopyOnWriteArrayList" => {
                self.begin(&it.class, None)?;
                self.sized(size, &it.items)
            }
            "java.util.HashSet" | "java.util.LinkedHashSet" => {
                self.begin(&it.class, None)?;
                let table = Table::of(it.items.len());
                let mut header = table.capacity.to_be_bytes().to_vec();
                header.extend(LOAD_FACTOR.to_be_bytes());
                header.extend(size.to_be_bytes());
                self.block(&header);
                self.items(&it.items)
            }
            "java.util.PriorityQueue" => {
                self.begin(&it.class, None)?;
                self.out.i32(size);
                self.value(&it.comparator)?;
                self.sized(size.saturating_add(1).max(2), &it.items)
            }
            "java.util.TreeSet" => {
                self.begin(&it.class, None)?;
                self.value(&it.comparator)?;
                self.sized(size, &it.items)
            }
            "java.util.concurrent.ConcurrentLinkedDeque"
            | "java.util.concurrent.ConcurrentLinkedQueue" => {
                self.begin(&it.class, None)?;
                for item in it.items.iter().chain([&JavaValue::Null]) {
                    self.value(item)?;
                }
                self.end();
                Ok(())
            }
            "java.util.Arrays$ArrayList" => {
                self.begin(&it.class, None)?;
                self.array_list(it)
            }
            "java.util.Collections$EmptyList" | "java.util.Collections$EmptySet" => {
                self.single(&it.class)
            }
            "java.util.Collections$SingletonList" | "java.util.Collections$SingletonSet" => {
                self.begin(&it.class, None)?;
                match &it.items[..] {
                    [item] => self.value(item),
                    _ => Err(unwritable(&it.class, "it has not one element")),
                }
            }
            "java.util.ImmutableCollections$List12" => self.immutable(1, &it.items),
            "java.util.ImmutableCollections$ListN" => {
                let from_stream = it.items.iter().any(JavaValue::is_null);
                // `List.of` has another class for one or two.
                let tag = if from_stream || matches!(size, 1 | 2) {
                    4
                } else {
                    1
                };
                self.immutable(tag, &it.items)
            }
            "java.util.ImmutableCollections$Set12" | "java.util.ImmutableCollections$SetN" => {
                self.immutable(2, &it.items)
            }
            "java.util.RegularEnumSet" => self.enum_set(it),
            _ => Err(unwritable(&it.class, "it is only read")),
        }
    }

    pub(super) fn map(&mut self, it: &Map) -> Written {
        let base = self.base(&it.class)?;
        let size = count(&it.class, it.entries.len())?;
        match base.as_str() {
            "java.util.HashMap" | "java.util.LinkedHashMap" => {
                self.begin(&it.class, None)?;
                let table = Table::of(it.entries.len());
                self.out.bytes(&LOAD_FACTOR.to_be_bytes());
                self.out.i32(table.threshold);
                self.block(&[table.capacity.to_be_bytes(), size.to_be_bytes()].concat());
                self.entries(&it.entries)?;
                if base == "java.util.LinkedHashMap" {
                    // accessOrder
                    self.out.u8(0);
                }
                Ok(())
            }
            "java.util.TreeMap" => {
                self.begin(&it.class, None)?;
                self.value(&it.comparator)?;
                self.block(&size.to_be_bytes());
                self.entries(&it.entries)
            }
            "java.util.EnumMap" => {
                let class = enum_of(&mut it.entries.iter().map(|(key, _)| key));
                let class = class.ok_or_else(|| unwritable(&it.class, NO_ENUM))?;
                self.begin(&it.class, None)?;
                self.class_of_enum(&class)?;
                self.block(&size.to_be_bytes());
                self.entries(&it.entries)
            }
            "java.util.Collections$EmptyMap" => self.single(&it.class),
            "java.util.Collections$SingletonMap" => {
                self.begin(&it.class, None)?;
                match &it.entries[..] {
                    [(key, value)] => {
                        self.value(key)?;
                        self.value(value)
                    }
                    _ => Err(unwritable(&it.class, "it has not one entry")),
                }
            }
            "java.util.ImmutableCollections$Map1" | "java.util.ImmutableCollections$MapN" => {
                let entries = it.entries.iter();
                self.immutable(3, entries.flat_map(|(key, value)| [key, value]))
            }
            _ => Err(unwritable(&it.class, "it is only read")),
        }
    }

    /// The container of the JDK that a class of the schema extends, or the class itself.
    fn base(&self, class: &Name) -> Result<Name, Unwritable> {
        let mut base = class.clone();
        while let Some(of_schema) = self.schema.get(&base) {
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

    fn sized(&mut self, header: i32, items: &[JavaValue]) -> Written {
        self.block(&header.to_be_bytes());
        self.items(items)
    }

    fn items(&mut self, items: &[JavaValue]) -> Written {
        for item in items {
            self.value(item)?;
        }
        self.end();
        Ok(())
    }

    fn entries(&mut self, entries: &[(JavaValue, JavaValue)]) -> Written {
        for (key, value) in entries {
            self.value(key)?;
            self.value(value)?;
        }
        self.end();
        Ok(())
    }

    fn single(&mut self, class: &Name) -> Written {
        let key = Key::Single(class.clone());
        match self.refers(&key) {
            true => Ok(()),
            false => self.begin(class, Some(key)),
        }
    }

    fn immutable<'v>(
        &mut self,
        tag: i32,
        items: impl IntoIterator<Item = &'v JavaValue>,
    ) -> Written {
        const STANDS_FOR_IT: &str = "java.util.CollSer";
        self.begin(STANDS_FOR_IT, None)?;
        self.out.i32(tag);
        let items: Vec<_> = items.into_iter().collect();
        self.block(&count(STANDS_FOR_IT, items.len())?.to_be_bytes());
        for item in items {
            self.value(item)?;
        }
        self.end();
        Ok(())
    }

    fn enum_set(&mut self, set: &Collection) -> Written {
        let class = enum_of(&mut set.items.iter());
        let class = class.ok_or_else(|| unwritable(&set.class, NO_ENUM))?;
        self.begin("java.util.EnumSet$SerializationProxy", None)?;
        self.class_of_enum(&class)?;
        self.array(&Array {
            class: JavaType::new("java.lang.Enum").array().name().clone(),
            items: set.items.clone(),
        })
    }

    fn class_of_enum(&mut self, class: &Name) -> Written {
        let key = Key::ClassObject(class.clone());
        if !self.refers(&key) {
            self.out.u8(CLASS);
            self.enum_class(class)?;
            self.number(Some(key));
        }
        Ok(())
    }
}

/// The table of a `HashMap` that was filled one by one.
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

fn unwritable(class: &Name, reason: &'static str) -> Unwritable {
    Unwritable {
        class: class.clone(),
        reason,
    }
}

const LOAD_FACTOR: f32 = 0.75;
const NO_ENUM: &str = "without elements, nothing says of which enum it is";
const CLASS: u8 = 0x76;
