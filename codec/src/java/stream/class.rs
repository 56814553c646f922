use std::sync::Arc;

use super::{Content, Handle, tag};
use crate::java::graph::{ClassInfo, FieldInfo};
use crate::java::{Malformed, Name};

impl Content<'_> {
    /// Reads the description of a class, or the reference to an earlier one.
    pub(super) fn class(&mut self) -> Result<Option<Arc<ClassInfo>>, Malformed> {
        let mut described = Vec::new();
        // From the class up, because a class is complete only with its super class.
        let mut super_class = loop {
            let offset = self.from.offset();
            match self.from.u8()? {
                tag::NULL => break None,
                tag::REFERENCE => match self.handle()? {
                    Handle::Class(class) => break Some(class),
                    _ => return Err(not_a_class(offset)),
                },
                tag::CLASS_DESCRIPTION => described.push(self.description()?),
                tag::PROXY => {
                    return Err(Malformed {
                        reason: "dynamic proxies cannot be read",
                        offset,
                    });
                }
                _ => return Err(not_a_class(offset)),
            }
        };
        while let Some(Description {
            name,
            flags,
            fields,
            handle,
        }) = described.pop()
        {
            let class = ClassInfo::new(name, flags, fields, super_class);
            let class =
                class.ok_or_else(|| self.from.malformed("a class has too many ancestors"))?;
            let class = Arc::new(class);
            self.handles[handle] = Handle::Class(Arc::clone(&class));
            super_class = Some(class);
        }
        Ok(super_class)
    }

    fn description(&mut self) -> Result<Description, Malformed> {
        let name = Name::from(self.from.name()?);
        // The serialVersionUID: Java compares it with its own class.
        self.from.i64()?;
        let handle = self.handles.len();
        self.handles.push(Handle::OpenClass);
        let flags = self.from.u8()?;
        let mut fields = Vec::new();
        for _ in 0..self.from.u16()? {
            let letter = self.from.u8()?;
            let name = Name::from(self.from.name()?);
            match letter {
                // The type of the field, a string.
                b'L' | b'[' => _ = self.item()?,
                b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => {}
                _ => {
                    return Err(self
                        .from
                        .malformed("a field has a type that is none of Java's"));
                }
            }
            fields.push(FieldInfo { name, letter });
        }
        // A class loader may have added data.
        self.data()?;
        Ok(Description {
            name,
            flags,
            fields,
            handle,
        })
    }
}

/// A class whose super class has not been read yet.
struct Description {
    name: Name,
    flags: u8,
    fields: Vec<FieldInfo>,
    /// Its place among the handles.
    handle: usize,
}

fn not_a_class(offset: usize) -> Malformed {
    Malformed {
        reason: "something else stands where a class should",
        offset,
    }
}
