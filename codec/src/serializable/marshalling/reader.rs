use std::collections::HashMap;
use std::sync::Arc;

use smallvec::smallvec;

use super::tag;
use crate::java::graph::{Chained, ClassInfo, Graph, Instance, Item, Node, NodeId, Part, Texts};
use crate::java::{Array, Cursor, DEEPEST, JavaValue, Malformed, Name};

/// Reads the one object of a payload.
pub(super) fn read(payload: &[u8]) -> Result<JavaValue, Malformed> {
    let mut reader = Reader::new(payload);
    if reader.from.u8()? != tag::VERSION {
        return Err(Malformed {
            reason: "not version 4 of the river protocol",
            offset: 0,
        });
    }
    let item = reader.item()?;
    if reader.from.left() != 0 {
        return Err(reader.from.malformed("bytes follow the object"));
    }
    reader.graph.value(&item, payload.len())
}

pub(super) struct Reader<'a> {
    pub(super) from: Cursor<'a>,
    pub(super) graph: Graph,
    /// The objects that later ones may refer to, in their order.
    pub(super) instances: Vec<NodeId>,
    /// The classes. `None` stands for a class that has not been read to its end.
    pub(super) classes: Vec<Option<Arc<ClassInfo>>>,
    /// The strings that were names already.
    pub(super) names: HashMap<NodeId, Name>,
    /// The classes that are not described, because the protocol has bytes for them, by name and
    /// flags: objects of a class show its fields, and the class alone does not.
    pub(super) built_in: HashMap<(&'static str, u8), Arc<ClassInfo>>,
    pub(super) depth: usize,
}

impl<'a> Reader<'a> {
    fn new(payload: &'a [u8]) -> Self {
        Self {
            from: Cursor::new(payload),
            graph: Graph::new(Texts::Units),
            instances: Vec::new(),
            classes: Vec::new(),
            names: HashMap::new(),
            built_in: HashMap::new(),
            depth: 0,
        }
    }

    /// Reads an object, or the reference to one.
    pub(super) fn item(&mut self) -> Result<Item, Malformed> {
        self.enter()?;
        let item = self.tagged()?;
        self.depth -= 1;
        Ok(item)
    }

    pub(super) fn enter(&mut self) -> Result<(), Malformed> {
        if self.depth >= DEEPEST {
            return Err(self.from.malformed("objects are nested too deep"));
        }
        self.depth += 1;
        Ok(())
    }

    fn tagged(&mut self) -> Result<Item, Malformed> {
        let offset = self.from.offset();
        let read = self.from.u8()?;
        match read {
            tag::NULL => Ok(Item::Null),
            tag::REPEAT_OBJECT_FAR | tag::REPEAT_OBJECT_NEAR | tag::REPEAT_OBJECT_NEARISH => {
                let back = read.checked_sub(tag::REPEAT_OBJECT_NEAR);
                let place = self.place(self.instances.len(), back)?;
                let id = place.and_then(|it| self.instances.get(it)).copied();
                let id = id.ok_or(Malformed {
                    reason: "refers to an object that has not come yet",
                    offset,
                })?;
                Ok(Item::Node(id))
            }
            tag::NEW_OBJECT | tag::NEW_OBJECT_UNSHARED => self.object(offset),
            tag::STRING_EMPTY => Ok(Item::Scalar("".into())),
            tag::STRING_SMALL..=tag::STRING_LARGE => {
                let count = self.size(read - tag::STRING_EMPTY)?;
                let text = self.from.units(count)?;
                Ok(self.instance(Node::Ready(text)))
            }
            tag::ARRAY_EMPTY..=tag::ARRAY_LARGE => {
                let count = self.size(read - tag::ARRAY_EMPTY)?;
                self.array(count)
            }
            tag::ARRAY_EMPTY_UNSHARED..=tag::ARRAY_LARGE_UNSHARED => {
                let count = self.size(read - tag::ARRAY_EMPTY_UNSHARED)?;
                self.array(count)
            }
            tag::BYTE_OBJECT..=tag::DOUBLE_OBJECT => {
                let letter = b"BSIJCFD"[usize::from(read - tag::BYTE_OBJECT)];
                Ok(Item::Scalar(self.from.primitive(letter)?))
            }
            tag::TRUE => Ok(Item::Scalar(JavaValue::Boolean(true))),
            tag::FALSE => Ok(Item::Scalar(JavaValue::Boolean(false))),
            tag::COLLECTION_EMPTY..=tag::COLLECTION_LARGE => {
                let count = self.count(read - tag::COLLECTION_EMPTY)?;
                self.collection(count, offset)
            }
            tag::COLLECTION_EMPTY_UNSHARED..=tag::COLLECTION_LARGE_UNSHARED => {
                let count = self.count(read - tag::COLLECTION_EMPTY_UNSHARED)?;
                self.collection(count, offset)
            }
            read if tag::is_class_object(read) => {
                let class = self.class(read)?;
                Ok(Item::Node(self.graph.add(Node::Class(class))))
            }
            read => self.known(read, offset),
        }
    }

    /// The size of a string or an array.
    fn size(&mut self, width: u8) -> Result<usize, Malformed> {
        let offset = self.from.offset();
        let count = self.count(width)?;
        // An array holds eight booleans in a byte.
        match count / 8 <= self.from.left() {
            true => Ok(count),
            false => Err(too_long(offset)),
        }
    }

    /// A size of `width` bytes. No bytes mean zero. Zero in one or two bytes means the largest
    /// size.
    fn count(&mut self, width: u8) -> Result<usize, Malformed> {
        match width {
            0 => Ok(0),
            1 => Ok(match self.from.u8()? {
                0 => 0x100,
                size => size.into(),
            }),
            2 => Ok(match self.from.u16()? {
                0 => 0x1_0000,
                size => size.into(),
            }),
            _ => {
                let offset = self.from.offset();
                usize::try_from(self.from.i32()?).map_err(|_| too_long(offset))
            }
        }
    }

    /// The place of an earlier object or class: counted from the start, or back from here in one or
    /// two bytes.
    pub(super) fn place(
        &mut self,
        count: usize,
        back: Option<u8>,
    ) -> Result<Option<usize>, Malformed> {
        Ok(match back {
            None => usize::try_from(self.from.i32()?).ok(),
            Some(0) => (count + usize::from(self.from.u8()?)).checked_sub(0x100),
            Some(_) => (count + usize::from(self.from.u16()?)).checked_sub(0x1_0000),
        })
    }

    /// Adds an object that later ones may refer to.
    pub(super) fn instance(&mut self, node: Node) -> Item {
        let id = self.graph.add(node);
        self.instances.push(id);
        Item::Node(id)
    }

    fn array(&mut self, count: usize) -> Result<Item, Malformed> {
        let read = self.from.u8()?;
        let Some(letter) = tag::letter(read) else {
            let component = self.class(read)?;
            let id = self.graph.reserve();
            self.instances.push(id);
            let mut items = Vec::new();
            for _ in 0..count {
                items.push(self.item()?);
            }
            let class = self.array_of(&component.name)?;
            self.graph.set(id, Node::Array { class, items });
            return Ok(Item::Node(id));
        };
        let value = match letter {
            b'B' => JavaValue::Bytes(self.from.take(count)?.to_vec().into()),
            b'Z' => {
                let bits = self.from.take(count.div_ceil(8))?;
                let bit = |it: usize| JavaValue::Boolean(bits[it / 8] >> (it % 8) & 1 == 1);
                JavaValue::Array(Array {
                    class: "[Z".into(),
                    items: (0..count).map(bit).collect(),
                })
            }
            letter => {
                let mut items = Vec::new();
                for _ in 0..count {
                    items.push(self.from.primitive(letter)?);
                }
                let class = format!("[{}", char::from(letter)).into();
                JavaValue::Array(Array { class, items })
            }
        };
        Ok(self.instance(Node::Ready(value)))
    }

    fn object(&mut self, offset: usize) -> Result<Item, Malformed> {
        let read = self.from.u8()?;
        if read == tag::CLASS_CLASS {
            let read = self.from.u8()?;
            let class = self.class(read)?;
            return Ok(Item::Node(self.graph.add(Node::Class(class))));
        }
        let class = self.class(read)?;
        match class.flags {
            tag::ENUM_TYPE_CLASS => {
                let name = JavaValue::String(self.from.long_name()?);
                let name = self.graph.add(Node::Ready(name));
                Ok(self.instance(Node::Constant { class, name }))
            }
            tag::SERIALIZABLE_CLASS | tag::WRITE_OBJECT_CLASS => {
                let id = self.graph.reserve();
                self.instances.push(id);
                let parts = class.parts(|it| self.part(it))?;
                Ok(self.complete(id, class, parts, offset))
            }
            tag::EXTERNALIZABLE_CLASS => {
                let id = self.graph.reserve();
                self.instances.push(id);
                let part = Part {
                    class: Arc::clone(&class),
                    fields: Vec::new(),
                    data: self.data()?,
                };
                Ok(self.complete(id, class, smallvec![part], offset))
            }
            _ => Err(Malformed {
                reason: "an object is of a class that has none",
                offset,
            }),
        }
    }

    pub(super) fn complete(
        &mut self,
        id: NodeId,
        class: Arc<ClassInfo>,
        parts: Chained<Part>,
        offset: usize,
    ) -> Item {
        let instance = Instance {
            class,
            parts,
            offset,
        };
        self.graph.set(id, Node::Instance(instance));
        Item::Node(id)
    }

    fn part(&mut self, class: Arc<ClassInfo>) -> Result<Part, Malformed> {
        let mut fields = Vec::new();
        for field in &class.fields {
            fields.push(match field.letter {
                b'L' => self.item()?,
                letter => Item::Scalar(self.from.primitive(letter)?),
            });
        }
        let data = match class.flags {
            tag::WRITE_OBJECT_CLASS => self.data()?,
            _ => Vec::new(),
        };
        Ok(Part {
            class,
            fields,
            data,
        })
    }

    /// Objects and blocks up to the mark behind them.
    fn data(&mut self) -> Result<Vec<Item>, Malformed> {
        let mut data = Vec::new();
        loop {
            let length = match self.from.peek()? {
                tag::END_BLOCK_DATA => {
                    self.from.u8()?;
                    return Ok(data);
                }
                tag::START_BLOCK_SMALL => {
                    self.from.u8()?;
                    usize::from(self.from.u8()?)
                }
                tag::START_BLOCK_MEDIUM => {
                    self.from.u8()?;
                    usize::from(self.from.u16()?)
                }
                tag::START_BLOCK_LARGE => {
                    self.from.u8()?;
                    self.from.count(1)?
                }
                _ => {
                    data.push(self.item()?);
                    continue;
                }
            };
            data.push(Item::Block(self.from.take(length)?.into()));
        }
    }

    pub(super) fn unknown(&self, offset: usize) -> Malformed {
        Malformed {
            reason: "not an object of the river protocol",
            offset,
        }
    }
}

fn too_long(offset: usize) -> Malformed {
    Malformed {
        reason: "a length is more than the bytes that are left",
        offset,
    }
}
