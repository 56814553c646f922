//! Collections and other objects of the JDK that have a byte in the protocol. The reader turns them
//! into the parts that Java's own serialization sends.

use std::sync::Arc;

use smallvec::smallvec;

use super::reader::Reader;
use super::tag;
use crate::java::graph::{Item, Node, NodeId, Part};
use crate::java::{JavaValue, Malformed, Name};

impl Reader<'_> {
    pub(super) fn collection(&mut self, count: usize, offset: usize) -> Result<Item, Malformed> {
        let read = self.from.u8()?;
        let id = self.graph.reserve();
        if read != tag::ENUM_SET_PROXY {
            self.instances.push(id);
        }
        let (class, base) = match read {
            tag::ARRAY_LIST => ("java.util.ArrayList", ""),
            tag::LINKED_LIST => ("java.util.LinkedList", ""),
            tag::ARRAY_DEQUE => ("java.util.ArrayDeque", ""),
            tag::VECTOR => ("java.util.Vector", ""),
            tag::STACK => ("java.util.Stack", "java.util.Vector"),
            tag::ENUM_SET_PROXY => ("java.util.EnumSet$SerializationProxy", ""),
            tag::IDENTITY_HASH_MAP => ("java.util.IdentityHashMap", ""),
            tag::ENUM_MAP => ("java.util.EnumMap", ""),
            tag::COPIES => ("java.util.Collections$CopiesList", ""),
            _ => return Err(self.unknown(offset)),
        };
        let enumeration = match read {
            tag::ENUM_SET_PROXY | tag::ENUM_MAP => {
                let read = self.from.u8()?;
                Some(self.class(read)?)
            }
            _ => None,
        };
        if read == tag::ENUM_SET_PROXY {
            self.instances.push(id);
        }
        let size = i32::try_from(count).unwrap_or(i32::MAX);
        let header = size.to_be_bytes();
        let size = || Item::Scalar(JavaValue::Integer(size));
        let mut fields = Vec::new();
        if let Some(class) = enumeration {
            let class = self.graph.add(Node::Class(class));
            let field = match read {
                tag::ENUM_MAP => "keyType",
                _ => "elementType",
            };
            fields.push((field, b'L', Item::Node(class)));
        }
        let mut data = Vec::new();
        let mut items = Vec::new();
        let objects = match read {
            tag::COPIES => 1,
            tag::IDENTITY_HASH_MAP | tag::ENUM_MAP => count.saturating_mul(2),
            _ => count,
        };
        for _ in 0..objects {
            items.push(self.item()?);
        }
        match read {
            tag::COPIES => {
                fields.push(("n", b'I', size()));
                fields.extend(items.pop().map(|it| ("element", b'L', it)));
            }
            tag::VECTOR | tag::STACK | tag::ENUM_SET_PROXY => {
                let class = Name::new("[Ljava.lang.Object;");
                let array = self.graph.add(Node::Array { class, items });
                fields.push(("elementCount", b'I', size()));
                fields.push(("elementData", b'L', Item::Node(array)));
                fields.push(("elements", b'L', Item::Node(array)));
            }
            _ => {
                fields.push(("size", b'I', size()));
                data.push(Item::Block(header[..].into()));
                data.append(&mut items);
            }
        }
        self.synthetic(id, class, base, fields, data, offset)
    }

    /// Reads the rest of an object that has a byte of its own.
    pub(super) fn known(&mut self, read: u8, offset: usize) -> Result<Item, Malformed> {
        let (class, base, fields): (_, _, &[&'static str]) = match read {
            tag::SINGLETON_LIST => ("java.util.Collections$SingletonList", "", &["element"]),
            tag::SINGLETON_SET => ("java.util.Collections$SingletonSet", "", &["element"]),
            tag::SINGLETON_MAP => ("java.util.Collections$SingletonMap", "", &["k", "v"]),
            tag::EMPTY_LIST => ("java.util.Collections$EmptyList", "", &[]),
            tag::EMPTY_SET => ("java.util.Collections$EmptySet", "", &[]),
            tag::EMPTY_MAP => ("java.util.Collections$EmptyMap", "", &[]),
            tag::REVERSE_ORDER => ("java.util.Collections$ReverseComparator", "", &[]),
            tag::REVERSE_ORDER_2 => ("java.util.Collections$ReverseComparator2", "", &["cmp"]),
            tag::UNMODIFIABLE_COLLECTION => {
                ("java.util.Collections$UnmodifiableCollection", "", &["c"])
            }
            tag::UNMODIFIABLE_LIST => (
                "java.util.Collections$UnmodifiableList",
                UNMODIFIABLE,
                &["c"],
            ),
            tag::UNMODIFIABLE_SET => (
                "java.util.Collections$UnmodifiableSet",
                UNMODIFIABLE,
                &["c"],
            ),
            tag::UNMODIFIABLE_SORTED_SET => (
                "java.util.Collections$UnmodifiableSortedSet",
                UNMODIFIABLE,
                &["c"],
            ),
            tag::UNMODIFIABLE_MAP => ("java.util.Collections$UnmodifiableMap", "", &["m"]),
            tag::UNMODIFIABLE_SORTED_MAP => (
                "java.util.Collections$UnmodifiableSortedMap",
                "java.util.Collections$UnmodifiableMap",
                &["m"],
            ),
            _ => return Err(self.unknown(offset)),
        };
        let id = self.graph.reserve();
        if !fields.is_empty() {
            self.instances.push(id);
        }
        let mut values = Vec::new();
        for field in fields {
            values.push((*field, b'L', self.item()?));
        }
        self.synthetic(id, class, base, values, Vec::new(), offset)
    }

    fn synthetic(
        &mut self,
        id: NodeId,
        class: &'static str,
        base: &'static str,
        fields: Vec<(&'static str, u8, Item)>,
        data: Vec<Item>,
        offset: usize,
    ) -> Result<Item, Malformed> {
        let is_sub_class = !base.is_empty() && base != class;
        let own = if is_sub_class { base } else { class };
        let infos = fields.iter().map(|(name, letter, _)| (*name, *letter));
        let own = self.built_in(own, tag::SERIALIZABLE_CLASS, infos.collect(), None)?;
        let part = Part {
            class: Arc::clone(&own),
            fields: fields.into_iter().map(|(_, _, value)| value).collect(),
            data,
        };
        let class = match is_sub_class {
            true => self.built_in(class, tag::SERIALIZABLE_CLASS, Vec::new(), Some(own))?,
            false => own,
        };
        Ok(self.complete(id, class, smallvec![part], offset))
    }
}

const UNMODIFIABLE: &str = "java.util.Collections$UnmodifiableCollection";
