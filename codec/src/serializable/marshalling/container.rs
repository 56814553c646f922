//! Collections and maps that have a byte in the protocol.

use super::tag;
use super::writer::Writer;
use crate::java::parts::Written;
use crate::java::{Entries, Items, Name, Unwritable, View};

impl Writer<'_> {
    /// Writes the collection `value`, whose byte is `read`.
    pub(super) fn collection(&mut self, read: u8, value: &View<'_>, items: Items<'_>) -> Written {
        match read {
            tag::EMPTY_LIST | tag::EMPTY_SET => return self.byte(read),
            tag::SINGLETON_LIST | tag::SINGLETON_SET => {
                if items.len() != 1 {
                    return Err(Unwritable::of(value, "it has not one element"));
                }
                self.out.u8(read);
            }
            read => {
                self.sized(tag::COLLECTION_EMPTY, items.len(), &value.class_name())?;
                self.out.u8(read);
                if read == tag::ENUM_SET_PROXY {
                    self.enum_of(value)?;
                }
            }
        }
        self.instance(None);
        self.all(items)
    }

    pub(super) fn singleton_map(&mut self, class: &Name, entries: Entries<'_>) -> Written {
        if entries.len() != 1 {
            return Err(Unwritable {
                class: class.clone(),
                reason: "it has not one entry",
            });
        }
        self.out.u8(tag::SINGLETON_MAP);
        self.instance(None);
        self.entries(entries)
    }

    pub(super) fn map(&mut self, value: &View<'_>, entries: Entries<'_>) -> Written {
        let class = value.class_name();
        self.sized(tag::COLLECTION_EMPTY, entries.len(), &class)?;
        self.instance(None);
        if class == "java.util.EnumMap" {
            self.out.u8(tag::ENUM_MAP);
            self.enum_of(value)?;
        } else {
            self.out.u8(tag::IDENTITY_HASH_MAP);
        }
        self.entries(entries)
    }

    /// Writes the enum of a set or a map.
    fn enum_of(&mut self, value: &View<'_>) -> Written {
        match value.enumeration() {
            Some(class) => self.enum_class(&class),
            None => Err(Unwritable::of(
                value,
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
        "java.util.JumboEnumSet" | "java.util.RegularEnumSet" => tag::ENUM_SET_PROXY,
        "java.util.Stack" => tag::STACK,
        "java.util.Vector" => tag::VECTOR,
        _ => return None,
    })
}
