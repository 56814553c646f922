//! Collections and other objects of the JDK that the protocol has bytes for. They become what Java's
//! own serialization would have sent for them.

use std::sync::Arc;

use crate::java::graph::{Item, Node, NodeId, Part};
use crate::java::{JavaValue, Malformed, Name};

use super::reader::Reader;
use super::tag;

impl Reader<'_> {
    pub(super) fn collection(&mut self, count: usize, offset: usize) -> Result<Item, Malformed> {
        let read = self.from.u8()?;
        let id = self.graph.reserve();
        if read != tag::ENUM_SET_PROXY {
            self.instances.push(id);
        }
        let size = i32::try_from(count).unwrap_or(i32::MAX);
        // The class, the class that sends the elements, and where in its header the size stands.
        let (class, base, place) = match read {
            tag::ARRAY_LIST => ("java.util.ArrayList", "java.util.ArrayList", 0),
            tag::LINKED_LIST => ("java.util.LinkedList", "java.util.LinkedList", 0),
            tag::ARRAY_DEQUE => ("java.util.ArrayDeque", "java.util.ArrayDeque", 0),
            tag::VECTOR => ("java.util.Vector", "java.util.Vector", 0),
            tag::STACK => ("java.util.Stack", "java.util.Vector", 0),
            tag::HASH_SET => ("java.util.HashSet", "java.util.HashSet", 8),
            tag::LINKED_HASH_SET => ("java.util.LinkedHashSet", "java.util.HashSet", 8),
            tag::TREE_SET => ("java.util.TreeSet", "java.util.TreeSet", 0),
            tag::ENUM_SET_PROXY => ("java.util.EnumSet$SerializationProxy", "", 0),
            tag::IDENTITY_HASH_MAP => ("java.util.IdentityHashMap", "java.util.IdentityHashMap", 0),
            tag::HASH_MAP => ("java.util.HashMap", "java.util.HashMap", 4),
            tag::HASHTABLE => ("java.util.Hashtable", "java.util.Hashtable", 4),
            tag::LINKED_HASH_MAP => ("java.util.LinkedHashMap", "java.util.HashMap", 4),
            tag::TREE_MAP => ("java.util.TreeMap", "java.util.TreeMap", 0),
            tag::ENUM_MAP => ("java.util.EnumMap", "java.util.EnumMap", 0),
            tag::COPIES => ("java.util.Collections$CopiesList", "", 0),
            _ => return Err(self.unknown(offset)),
        };
        let comparator = match read {
            tag::TREE_SET | tag::TREE_MAP => Some(self.item()?),
            tag::ENUM_SET_PROXY | tag::ENUM_MAP => {
                let read = self.from.u8()?;
                self.class(read)?;
                None
            }
            _ => None,
        };
        if read == tag::ENUM_SET_PROXY {
            self.instances.push(id);
        }
        if read == tag::COPIES {
            let fields = vec![
                ("n", b'I', Item::Scalar(JavaValue::Integer(size))),
                ("element", b'L', self.item()?),
            ];
            return self.synthetic(id, class, base, fields, Vec::new(), offset);
        }
        let each = if tag::MAPS.contains(&read) { 2 } else { 1 };
        let mut items = Vec::new();
        for _ in 0..count {
            for _ in 0..each {
                items.push(self.item()?);
            }
        }
        let mut header = vec![0; place];
        header.extend(size.to_be_bytes());
        let mut data = vec![Item::Block(header)];
        let mut fields = Vec::new();
        match read {
            tag::ARRAY_LIST => fields.push(("size", b'I', Item::Scalar(size.into()))),
            tag::VECTOR | tag::STACK | tag::ENUM_SET_PROXY => {
                let class = Name::new("[Ljava.lang.Object;");
                let items = std::mem::take(&mut items);
                let array = self.graph.add(Node::Array { class, items });
                fields.push(("elementCount", b'I', Item::Scalar(size.into())));
                fields.push(("elementData", b'L', Item::Node(array)));
                fields.push(("elements", b'L', Item::Node(array)));
                data.clear();
            }
            _ => {}
        }
        match comparator {
            Some(comparator) if read == tag::TREE_SET => data.insert(0, comparator),
            Some(comparator) => fields.push(("comparator", b'L', comparator)),
            None => {}
        }
        data.append(&mut items);
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
        Ok(self.complete(id, class, vec![part], offset))
    }
}

const UNMODIFIABLE: &str = "java.util.Collections$UnmodifiableCollection";
