use std::sync::Arc;

use super::{Content, Handle, tag};
use crate::java::graph::{ClassInfo, DEEPEST, Instance, Item, Node, Part};
use crate::java::{Array, JavaValue, Malformed};

impl Content<'_> {
    pub(super) fn header(&mut self) -> Result<(), Malformed> {
        let start = self.from.offset();
        match self.from.take(4)? {
            header if header == tag::HEADER => Ok(()),
            _ => Err(Malformed {
                reason: "not a stream of java objects",
                offset: start,
            }),
        }
    }

    /// Reads an object, or the reference to one.
    pub(super) fn item(&mut self) -> Result<Item, Malformed> {
        if self.depth >= DEEPEST {
            return Err(self.from.malformed("objects are nested too deep"));
        }
        self.depth += 1;
        let item = self.tagged()?;
        self.depth -= 1;
        Ok(item)
    }

    fn tagged(&mut self) -> Result<Item, Malformed> {
        let offset = self.from.offset();
        match self.from.u8()? {
            tag::NULL => Ok(Item::Null),
            tag::REFERENCE => match self.handle()? {
                Handle::Node(id) => Ok(Item::Node(id)),
                _ => Err(Malformed {
                    reason: "a class stands where an object should",
                    offset,
                }),
            },
            tag::STRING => {
                let text = self.from.utf()?;
                Ok(self.number(Node::Ready(text)))
            }
            tag::LONG_STRING => {
                let length = usize::try_from(self.from.i64()?).unwrap_or(usize::MAX);
                let text = self.from.text(length)?;
                Ok(self.number(Node::Ready(text)))
            }
            tag::OBJECT => self.object(offset),
            tag::ARRAY => self.array(),
            tag::ENUM => self.constant(),
            tag::CLASS => {
                let class = self.described()?;
                Ok(self.number(Node::Class(class)))
            }
            tag::BLOCK => {
                let length = usize::from(self.from.u8()?);
                Ok(Item::Block(self.from.take(length)?.into()))
            }
            tag::LONG_BLOCK => {
                let length = self.from.count(1)?;
                Ok(Item::Block(self.from.take(length)?.into()))
            }
            read => Err(Malformed {
                reason: match read {
                    tag::EXCEPTION => "java failed while it wrote this",
                    tag::PROXY => "dynamic proxies cannot be read",
                    _ => "not an object of a java stream",
                },
                offset,
            }),
        }
    }

    /// The class of an object, which is not null.
    fn described(&mut self) -> Result<Arc<ClassInfo>, Malformed> {
        let offset = self.from.offset();
        self.class()?.ok_or(Malformed {
            reason: "an object has no class",
            offset,
        })
    }

    fn object(&mut self, offset: usize) -> Result<Item, Malformed> {
        let class = self.described()?;
        let id = self.graph.reserve();
        self.handles.push(Handle::Node(id));
        let parts = class.parts(|it| self.part(it))?;
        let instance = Instance {
            class,
            parts,
            offset,
        };
        self.graph.set(id, Node::Instance(instance));
        Ok(Item::Node(id))
    }

    fn part(&mut self, class: Arc<ClassInfo>) -> Result<Part, Malformed> {
        let mut fields = Vec::with_capacity(class.fields.len().min(16));
        let mut data = Vec::new();
        if class.flags & tag::SERIALIZABLE != 0 {
            for field in &class.fields {
                fields.push(self.field(field.letter)?);
            }
            if class.flags & tag::WRITES_DATA != 0 {
                data = self.data()?;
            }
        } else if class.flags & tag::EXTERNALIZABLE != 0 {
            if class.flags & tag::BLOCK_DATA == 0 {
                let reason = "an object is written in a way that only its class knows";
                return Err(self.from.malformed(reason));
            }
            data = self.data()?;
        }
        Ok(Part {
            class,
            fields,
            data,
        })
    }

    fn field(&mut self, letter: u8) -> Result<Item, Malformed> {
        match letter {
            b'L' | b'[' => self.item(),
            letter => Ok(Item::Scalar(self.from.primitive(letter)?)),
        }
    }

    /// Objects and blocks up to the mark behind them.
    pub(super) fn data(&mut self) -> Result<Vec<Item>, Malformed> {
        let mut data = Vec::new();
        while self.from.peek()? != tag::END {
            data.push(self.item()?);
        }
        self.from.u8()?;
        Ok(data)
    }

    fn array(&mut self) -> Result<Item, Malformed> {
        let class = self.described()?;
        let id = self.graph.reserve();
        self.handles.push(Handle::Node(id));
        let node = match class.name.as_bytes() {
            b"[B" => {
                let length = self.from.count(1)?;
                Node::Ready(JavaValue::Bytes(self.from.take(length)?.to_vec().into()))
            }
            [b'[', b'L' | b'[', ..] => {
                let length = self.from.count(1)?;
                let mut items = Vec::new();
                for _ in 0..length {
                    items.push(self.item()?);
                }
                let class = class.name.clone();
                Node::Array { class, items }
            }
            [b'[', letter] => {
                let length = self.from.count(1)?;
                let mut items = Vec::new();
                for _ in 0..length {
                    items.push(self.from.primitive(*letter)?);
                }
                let class = class.name.clone();
                Node::Ready(JavaValue::Array(Array { class, items }))
            }
            _ => return Err(self.from.malformed("an array is of a class that is none")),
        };
        self.graph.set(id, node);
        Ok(Item::Node(id))
    }

    fn constant(&mut self) -> Result<Item, Malformed> {
        let class = self.described()?;
        let id = self.graph.reserve();
        self.handles.push(Handle::Node(id));
        let offset = self.from.offset();
        let Item::Node(name) = self.item()? else {
            return Err(Malformed {
                reason: "the constant of an enum has no name",
                offset,
            });
        };
        self.graph.set(id, Node::Constant { class, name });
        Ok(Item::Node(id))
    }

    /// Adds an object that has the next number.
    fn number(&mut self, node: Node) -> Item {
        let id = self.graph.add(node);
        self.handles.push(Handle::Node(id));
        Item::Node(id)
    }

    pub(super) fn handle(&mut self) -> Result<Handle, Malformed> {
        let offset = self.from.offset();
        let number = self.from.i32()?.wrapping_sub(tag::FIRST_HANDLE);
        let place = usize::try_from(number).ok();
        let handle = place.and_then(|it| self.handles.get(it)).cloned();
        handle.ok_or(Malformed {
            reason: "refers to an object that has not come yet",
            offset,
        })
    }
}
