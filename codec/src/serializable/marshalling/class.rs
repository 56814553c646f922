use std::sync::Arc;

use super::reader::Reader;
use super::tag;
use crate::java::graph::{ClassInfo, FieldInfo, Item, Node};
use crate::java::{DIMENSIONS, JavaValue, Malformed, Name, dimensions};

type Class = Result<Arc<ClassInfo>, Malformed>;

impl Reader<'_> {
    /// Reads the class that begins with this byte.
    pub(super) fn class(&mut self, read: u8) -> Class {
        self.enter()?;
        let offset = self.from.offset();
        let class = match read {
            tag::REPEAT_CLASS_FAR | tag::REPEAT_CLASS_NEAR | tag::REPEAT_CLASS_NEARISH => {
                let back = read.checked_sub(tag::REPEAT_CLASS_NEAR);
                let place = self.place(self.classes.len(), back)?;
                let class = place.and_then(|it| self.classes.get(it)).cloned().flatten();
                class.ok_or(Malformed {
                    reason: "refers to a class that has not come yet",
                    offset,
                })?
            }
            tag::SERIALIZABLE_CLASS | tag::WRITE_OBJECT_CLASS => self.serializable(read)?,
            tag::EXTERNALIZABLE_CLASS => {
                let name = self.from.long_name()?;
                // The serialVersionUID: Java compares it with its own class.
                self.from.i64()?;
                self.add(name.into(), read)?
            }
            tag::ENUM_TYPE_CLASS | tag::PLAIN_CLASS => {
                let name = self.from.long_name()?;
                self.add(name.into(), read)?
            }
            tag::OBJECT_ARRAY_TYPE_CLASS => {
                let read = self.from.u8()?;
                let component = self.class(read)?;
                let name = self.array_of(&component.name)?;
                self.add(name, tag::OBJECT_ARRAY_TYPE_CLASS)?
            }
            tag::COPY_ON_WRITE_ARRAY_LIST => {
                let name = "java.util.concurrent.CopyOnWriteArrayList";
                self.built_in(name, tag::WRITE_OBJECT_CLASS, Vec::new(), None)?
            }
            tag::COPY_ON_WRITE_ARRAY_SET => {
                let name = "java.util.concurrent.CopyOnWriteArraySet";
                let fields = vec![("al", b'L')];
                self.built_in(name, tag::SERIALIZABLE_CLASS, fields, None)?
            }
            read => match tag::class_name(read) {
                Some(name) => self.built_in(name, tag::PLAIN_CLASS, Vec::new(), None)?,
                None => {
                    return Err(Malformed {
                        reason: "not a class of the river protocol",
                        offset: offset - 1,
                    });
                }
            },
        };
        self.depth -= 1;
        Ok(class)
    }

    /// The class of an array of these.
    pub(super) fn array_of(&self, component: &Name) -> Result<Name, Malformed> {
        match dimensions(component) >= DIMENSIONS {
            true => Err(self.from.malformed("an array has more than 255 dimensions")),
            false => Ok(tag::array_of(component)),
        }
    }

    fn serializable(&mut self, read: u8) -> Class {
        let place = self.classes.len();
        self.classes.push(None);
        let name = self.name()?;
        self.from.i64()?;
        let mut fields = Vec::new();
        // A name, a type and a flag take three bytes at least.
        for _ in 0..self.from.count(3)? {
            let name = self.name()?;
            let read = self.from.u8()?;
            let letter = match tag::letter(read) {
                Some(letter) => letter,
                None => {
                    self.class(read)?;
                    b'L'
                }
            };
            // Whether nothing refers to the field's objects.
            self.from.u8()?;
            fields.push(FieldInfo { name, letter });
        }
        let super_class = self.from.u8()?;
        let super_class = self.class(super_class)?;
        let is_serializable = matches!(
            super_class.flags,
            tag::SERIALIZABLE_CLASS | tag::WRITE_OBJECT_CLASS
        );
        let class = self.make(name, read, fields, is_serializable.then_some(super_class))?;
        self.classes[place] = Some(Arc::clone(&class));
        Ok(class)
    }

    /// The name of a class or a field, which is a string like others.
    fn name(&mut self) -> Result<Name, Malformed> {
        let offset = self.from.offset();
        let Item::Node(id) = self.item()? else {
            return Err(not_a_name(offset));
        };
        if let Some(name) = self.names.get(&id) {
            return Ok(name.clone());
        }
        let Node::Ready(JavaValue::String(name)) = self.graph.get(id) else {
            return Err(not_a_name(offset));
        };
        let name = Name::from(name.clone());
        self.names.insert(id, name.clone());
        Ok(name)
    }

    /// Makes a class that later objects may refer to.
    fn add(&mut self, name: Name, flags: u8) -> Class {
        let class = self.make(name, flags, Vec::new(), None)?;
        self.classes.push(Some(Arc::clone(&class)));
        Ok(class)
    }

    /// The class of this name with these flags, made when it comes for the first time.
    pub(super) fn built_in(
        &mut self,
        name: &'static str,
        flags: u8,
        fields: Vec<(&'static str, u8)>,
        super_class: Option<Arc<ClassInfo>>,
    ) -> Class {
        if let Some(class) = self.built_in.get(&(name, flags)) {
            return Ok(Arc::clone(class));
        }
        let fields = fields.into_iter().map(|(name, letter)| FieldInfo {
            name: Name::new(name),
            letter,
        });
        let class = self.make(Name::new(name), flags, fields.collect(), super_class)?;
        self.built_in.insert((name, flags), Arc::clone(&class));
        Ok(class)
    }

    fn make(
        &self,
        name: Name,
        flags: u8,
        fields: Vec<FieldInfo>,
        super_class: Option<Arc<ClassInfo>>,
    ) -> Class {
        let class = ClassInfo::new(name, flags, fields, super_class);
        let class = class.ok_or_else(|| self.from.malformed("a class has too many ancestors"))?;
        Ok(Arc::new(class))
    }
}

fn not_a_name(offset: usize) -> Malformed {
    Malformed {
        reason: "something else stands where a name should",
        offset,
    }
}
