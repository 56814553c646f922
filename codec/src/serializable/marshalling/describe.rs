use super::tag;
use super::writer::Writer;
use crate::java::parts::Written;
use crate::java::{Descriptor, JavaType, Name, Unwritable};

impl Writer<'_> {
    /// Describes a class, or refers to its description.
    pub(super) fn class(&mut self, class: &Name) -> Written {
        if let Some(read) = tag::of_class(class) {
            self.out.u8(read);
            return Ok(());
        }
        if self.refers_to_class(class) {
            return Ok(());
        }
        if let Some(component) = JavaType::new(class.clone()).component() {
            self.out.u8(tag::OBJECT_ARRAY_TYPE_CLASS);
            self.class(component.name())?;
            self.count_class(class);
            return Ok(());
        }
        let descriptor = Descriptor::of(class, self.schema)?;
        if descriptor.is_record {
            return Err(Unwritable {
                class: class.clone(),
                reason: "redisson cannot read a marshalled record",
            });
        }
        if descriptor.flags & Descriptor::ENUM != 0 {
            return self.enum_class(class);
        }
        if descriptor.flags & Descriptor::EXTERNALIZABLE != 0 {
            self.out.u8(tag::EXTERNALIZABLE_CLASS);
            self.text(class)?;
            self.out.i64(descriptor.uid);
            self.count_class(class);
            return Ok(());
        }
        self.describe(&descriptor)
    }

    pub(super) fn enum_class(&mut self, class: &Name) -> Written {
        if !self.refers_to_class(class) {
            self.out.u8(tag::ENUM_TYPE_CLASS);
            self.text(class)?;
            self.count_class(class);
        }
        Ok(())
    }

    fn describe(&mut self, class: &Descriptor) -> Written {
        self.out.u8(match class.flags & Descriptor::WRITES_DATA {
            0 => tag::SERIALIZABLE_CLASS,
            _ => tag::WRITE_OBJECT_CLASS,
        });
        self.string(&class.name)?;
        self.out.i64(class.uid);
        self.count_class(&class.name);
        // No class has more than 65,535 fields.
        self.out.i32(class.fields.len() as i32);
        for field in class.by_name.iter().map(|place| &class.fields[*place]) {
            self.string(&field.name)?;
            match *field.signature.as_bytes() {
                [letter] => self.out.u8(tag::of_letter(letter)),
                _ => self.out.u8(tag::OBJECT_CLASS),
            }
            // Its objects may be referred to.
            self.out.u8(0);
        }
        match &class.super_class {
            None => self.out.u8(tag::OBJECT_CLASS),
            Some(super_class) => {
                if !self.refers_to_class(&super_class.name) {
                    self.describe(super_class)?;
                }
            }
        }
        Ok(())
    }

    fn refers_to_class(&mut self, class: &Name) -> bool {
        let Some(place) = self.classes.get(class).copied() else {
            return false;
        };
        let near = tag::REPEAT_CLASS_NEAR;
        self.back(place, self.class_count, near, tag::REPEAT_CLASS_FAR);
        true
    }

    fn count_class(&mut self, class: &Name) {
        self.classes.insert(class.clone(), self.class_count);
        self.class_count += 1;
    }
}
