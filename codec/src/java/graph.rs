//! Objects as Java's serialization takes them apart, before they become values.
//!
//! Two protocols send the same parts in different bytes: the stream of `java.io` and JBoss River.
//! Their readers build a [`Graph`], and this module knows what the parts of each JDK class mean.

use std::sync::Arc;

use smallvec::SmallVec;

use super::{JavaValue, Malformed, Name};

mod collection;
mod known;
mod shape;
mod time;

/// How deep objects nest at most, which must fit the stack of a thread.
pub(crate) const DEEPEST: usize = 128;

/// All objects that one stream has sent so far.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    /// How much memory values may still take, in bytes. Each byte that is read adds to it.
    allowance: usize,
    pub(crate) texts: Texts,
}

/// The length before the text of a `writeUTF`.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) enum Texts {
    /// The number of its bytes, in two bytes.
    #[default]
    Bytes,
    /// The number of its UTF-16 units, in four bytes.
    #[cfg(feature = "marshalling")]
    Units,
}

/// The place of an object in its graph.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) struct NodeId(usize);

#[derive(Debug)]
pub(crate) enum Node {
    /// Its end has not been read yet.
    Open,
    /// A value that refers to no other object.
    Ready(JavaValue),
    Array {
        class: Name,
        items: Vec<Item>,
    },
    Instance(Instance),
    /// A class that is itself a value.
    Class(Arc<ClassInfo>),
    /// A constant of an enum, whose name is a string.
    Constant {
        class: Arc<ClassInfo>,
        name: NodeId,
    },
}

/// An object with fields.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) class: Arc<ClassInfo>,
    /// What each class of its chain sent, super classes first, without classes that sent nothing.
    pub(crate) parts: Chained<Part>,
    /// Where it begins in the bytes that held it.
    pub(crate) offset: usize,
}

/// Something of each class of an object's chain, which is mostly short.
pub(crate) type Chained<T> = SmallVec<[T; 2]>;

/// What one class of an object's chain sent.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) class: Arc<ClassInfo>,
    /// The values of the fields of the class, in the same order.
    pub(crate) fields: Vec<Item>,
    /// What its `writeObject` or `writeExternal` added.
    pub(crate) data: Vec<Item>,
}

/// A class as a stream describes it.
#[derive(Debug)]
pub(crate) struct ClassInfo {
    pub(crate) name: Name,
    pub(crate) fields: Vec<FieldInfo>,
    pub(crate) super_class: Option<Arc<ClassInfo>>,
    /// How its objects are sent. Each protocol has its own flags.
    pub(crate) flags: u8,
    /// How many classes it extends.
    pub(crate) depth: usize,
}

#[derive(Debug)]
pub(crate) struct FieldInfo {
    pub(crate) name: Name,
    /// As in names of array classes: `I`, `L`, `[`.
    pub(crate) letter: u8,
}

/// What a field or a block of data holds.
#[derive(Debug)]
pub(crate) enum Item {
    Null,
    Scalar(JavaValue),
    Node(NodeId),
    /// Bytes without a type.
    Block(SmallVec<[u8; 16]>),
}

impl Graph {
    /// How much memory back references may add, in bytes.
    const REPEATED: usize = 16 << 20;

    pub(crate) fn new(texts: Texts) -> Self {
        Self {
            nodes: Vec::new(),
            allowance: Self::REPEATED,
            texts,
        }
    }

    /// Adds an object whose end has not been read yet.
    pub(crate) fn reserve(&mut self) -> NodeId {
        self.add(Node::Open)
    }

    pub(crate) fn add(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId(self.nodes.len() - 1)
    }

    pub(crate) fn set(&mut self, id: NodeId, node: Node) {
        self.nodes[id.0] = node;
    }

    pub(crate) fn get(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// Makes a value of an item that took `length` bytes to send.
    ///
    /// # Errors
    ///
    /// - [`Malformed`] if a JDK class lacks what it always sends, if an object contains itself, or
    ///   if back references make the value too deep or much larger than what was sent.
    pub(crate) fn value(&mut self, item: &Item, length: usize) -> Result<JavaValue, Malformed> {
        self.allowance = self
            .allowance
            .saturating_add(length.saturating_mul(shape::LARGEST));
        let mut shaper = shape::Shaper::new(self, self.allowance);
        let value = shaper.value(item)?;
        self.allowance = shaper.left();
        Ok(value)
    }
}

impl ClassInfo {
    /// No real class has as many ancestors.
    const LONGEST_CHAIN: usize = 64;

    /// Makes a class, unless it has too many ancestors.
    pub(crate) fn new(
        name: Name,
        flags: u8,
        fields: Vec<FieldInfo>,
        super_class: Option<Arc<ClassInfo>>,
    ) -> Option<Self> {
        let depth = super_class.as_ref().map_or(0, |it| it.depth + 1);
        (depth <= Self::LONGEST_CHAIN).then_some(Self {
            name,
            fields,
            super_class,
            flags,
            depth,
        })
    }

    /// The class itself, the class that it extends, and so on.
    pub(crate) fn chain(self: &Arc<Self>) -> impl Iterator<Item = &Arc<ClassInfo>> {
        std::iter::successors(Some(self), |it| it.super_class.as_ref())
    }

    /// Reads the parts of an object of this class with `read`, super classes first, and leaves out
    /// those that are empty.
    pub(crate) fn parts(
        self: &Arc<Self>,
        mut read: impl FnMut(Arc<ClassInfo>) -> Result<Part, Malformed>,
    ) -> Result<Chained<Part>, Malformed> {
        let chain: Chained<_> = self.chain().cloned().collect();
        let mut parts = Chained::new();
        for class in chain.into_iter().rev() {
            let part = read(class)?;
            if !part.fields.is_empty() || !part.data.is_empty() {
                parts.push(part);
            }
        }
        Ok(parts)
    }
}

impl Instance {
    /// The value of a field. If two fields have one name, that of the sub class.
    pub(crate) fn field(&self, name: &str) -> Option<&Item> {
        self.parts.iter().rev().find_map(|part| part.field(name))
    }

    pub(crate) fn part(&self, class: &str) -> Option<&Part> {
        self.parts.iter().find(|it| it.class.name == class)
    }
}

impl Part {
    pub(crate) fn field(&self, name: &str) -> Option<&Item> {
        let place = self.class.fields.iter().position(|it| it.name == name)?;
        self.fields.get(place)
    }
}
