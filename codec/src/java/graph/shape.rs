use super::{DEEPEST, Graph, Instance, Item, Node, NodeId, Texts};
use crate::java::{Array, JavaValue, Malformed, Name, Text};

/// Makes values of the objects of a graph.
#[derive(Debug)]
pub(super) struct Shaper<'a> {
    graph: &'a Graph,
    /// The objects that the value under way is part of.
    open: Vec<NodeId>,
    /// Where the innermost of them begins.
    offset: usize,
    left: usize,
}

/// How many bytes of memory a value with its name may take for each byte of the payload.
pub(super) const LARGEST: usize = size_of::<(Name, JavaValue)>() + size_of::<JavaValue>();

impl<'a> Shaper<'a> {
    pub(super) fn new(graph: &'a Graph, left: usize) -> Self {
        Self {
            graph,
            open: Vec::new(),
            offset: 0,
            left,
        }
    }

    /// The rest of the allowance.
    pub(super) fn left(&self) -> usize {
        self.left
    }

    /// An error about the object under way.
    pub(super) fn malformed(&self, reason: &'static str) -> Malformed {
        Malformed {
            reason,
            offset: self.offset,
        }
    }

    pub(super) fn texts(&self) -> Texts {
        self.graph.texts
    }

    pub(super) fn node(&self, id: NodeId) -> &'a Node {
        self.graph.get(id)
    }

    pub(super) fn value(&mut self, item: &Item) -> Result<JavaValue, Malformed> {
        self.spend(size_of::<JavaValue>())?;
        let id = match item {
            Item::Null => return Ok(JavaValue::Null),
            Item::Scalar(value) => return Ok(value.clone()),
            Item::Block(_) => return Err(self.malformed("bytes stand where an object should")),
            Item::Node(id) => *id,
        };
        let graph = self.graph;
        match graph.get(id) {
            Node::Open => Err(self.malformed("an object contains itself")),
            Node::Ready(value) => {
                self.spend(weight(value))?;
                Ok(value.clone())
            }
            Node::Array { class, items } => self.within(id, |it| {
                let items = it.values(items)?;
                let class = class.clone();
                Ok(JavaValue::Array(Array { class, items }))
            }),
            Node::Class(class) => {
                self.spend(class.name.len())?;
                Ok(JavaValue::Text(Text::class_object(class.name.to_string())))
            }
            Node::Constant { class, name } => match graph.get(*name) {
                Node::Ready(JavaValue::String(name)) => {
                    self.spend(name.len())?;
                    let class = class.name.clone();
                    Ok(JavaValue::constant(class, name.clone()))
                }
                _ => Err(self.malformed("the constant of an enum has no name")),
            },
            Node::Instance(instance) => {
                let outer = std::mem::replace(&mut self.offset, instance.offset);
                let value = self.within(id, |it| it.object(instance, id))?;
                self.offset = outer;
                Ok(value)
            }
        }
    }

    pub(super) fn values<'i>(
        &mut self,
        items: impl IntoIterator<Item = &'i Item>,
    ) -> Result<Vec<JavaValue>, Malformed> {
        let items = items.into_iter();
        // Objects that are repeated could ask for much, one inside the other.
        let mut values = Vec::with_capacity(items.size_hint().0.min(64));
        for item in items {
            values.push(self.value(item)?);
        }
        Ok(values)
    }

    fn within(
        &mut self,
        id: NodeId,
        make: impl FnOnce(&mut Self) -> Result<JavaValue, Malformed>,
    ) -> Result<JavaValue, Malformed> {
        if self.open.contains(&id) {
            return Err(self.malformed("an object contains itself"));
        }
        if self.open.len() >= DEEPEST {
            return Err(self.malformed("objects are nested too deep"));
        }
        self.open.push(id);
        let value = make(self)?;
        self.open.pop();
        Ok(value)
    }

    fn object(&mut self, instance: &Instance, id: NodeId) -> Result<JavaValue, Malformed> {
        // All of them may have to be looked at.
        let fields: usize = instance.parts.iter().map(|part| part.fields.len()).sum();
        self.spend((instance.class.depth + fields) * size_of::<Name>())?;
        if let Some(value) = self.known(instance)? {
            return Ok(value);
        }
        let mut values = Vec::with_capacity(fields);
        for part in instance.parts.iter().rev() {
            for (info, item) in part.class.fields.iter().zip(&part.fields) {
                let value = match item {
                    // A throwable without a cause refers to itself as its cause.
                    Item::Node(it) if *it == id && part.class.name == THROWABLE => JavaValue::Null,
                    item => self.value(item)?,
                };
                values.push((info.name.clone(), value));
            }
        }
        Ok(JavaValue::object(instance.class.name.clone(), values))
    }

    fn spend(&mut self, bytes: usize) -> Result<(), Malformed> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.malformed("objects are repeated too often")),
        }
    }
}

/// The memory that a value takes besides itself.
fn weight(value: &JavaValue) -> usize {
    match value {
        JavaValue::String(text) | JavaValue::Text(Text { text, .. }) => text.len(),
        JavaValue::Utf16(units) => size_of_val(&units[..]),
        JavaValue::Array(array) => size_of_val(&array.items[..]),
        JavaValue::Bytes(bytes) => bytes.len(),
        _ => 0,
    }
}

const THROWABLE: &str = "java.lang.Throwable";
