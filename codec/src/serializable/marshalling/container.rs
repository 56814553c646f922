//! Collections and maps that have a byte in the protocol.

use super::tag;
use super::writer::{Writer, Written};
use crate::java::{Collection, JavaValue, Map, Name, Unwritable};

impl Writer<'_> {
    pub(super) fn collection(&mut self, read: u8, it: &Collection) -> Written {
        let value = JavaValue::collection(it.class.clone(), []);
        match read {
            tag::EMPTY_LIST | tag::EMPTY_SET => return self.byte(read),
            tag::SINGLETON_LIST | tag::SINGLETON_SET => {
                if it.items.len() != 1 {
                    return Err(Unwritable::of(&value, "it has not one element"));
                }
                self.out.u8(read);
            }
            read => {
                self.sized(tag::COLLECTION_EMPTY, it.items.len(), &value)?;
                self.out.u8(read);
                if read == tag::ENUM_SET_PROXY {
                    self.enum_of(&value, it.enumeration())?;
                }
            }
        }
        self.instance(None);
        self.all(&it.items)
    }

    pub(super) fn singleton_map(&mut self, it: &Map) -> Written {
        let [(key, value)] = &it.entries[..] else {
            let reason = "it has not one entry";
            return Err(Unwritable::of(&JavaValue::Map(it.clone()), reason));
        };
        self.out.u8(tag::SINGLETON_MAP);
        self.instance(None);
        self.value(key)?;
        self.value(value)
    }

    pub(super) fn map(&mut self, it: &Map) -> Written {
        let value = JavaValue::Map(Map {
            entries: Vec::new(),
            ..it.clone()
        });
        self.sized(tag::COLLECTION_EMPTY, it.entries.len(), &value)?;
        self.instance(None);
        if it.class == "java.util.EnumMap" {
            self.out.u8(tag::ENUM_MAP);
            self.enum_of(&value, it.enumeration())?;
        } else {
            self.out.u8(tag::IDENTITY_HASH_MAP);
        }
        for (key, value) in &it.entries {
            self.value(key)?;
            self.value(value)?;
        }
        Ok(())
    }

    /// Writes the enum of a set or a map.
    fn enum_of(&mut self, of: &JavaValue, enumeration: Option<Name>) -> Written {
        match enumeration {
            Some(class) => self.enum_class(&class),
            None => Err(Unwritable::of(
                of,
                "without elements, nothing says of which enum it is",
            )),
        }
    }
}

/// The byte of a collection that has one.
pub(super) fn collection_tag(class: &str) -> Option<u8> {
    Some(match class {
        "java.util.ArrayDeque" => tag::ARRAY_DEQUE,
        "java.util.ArrayList" => tag::ARRAY_LIST,
        "java.util.Collections$EmptyList" => tag::EMPTY_LIST,
        "java.util.Collections$EmptySet" => tag::EMPTY_SET,
        "java.util.Collections$SingletonList" => tag::SINGLETON_LIST,
        "java.util.Collections$SingletonSet" => tag::SINGLETON_SET,
        "java.util.LinkedList" => tag::LINKED_LIST,
        "java.util.RegularEnumSet" => tag::ENUM_SET_PROXY,
        "java.util.Stack" => tag::STACK,
        "java.util.Vector" => tag::VECTOR,
        _ => return None,
    })
}
