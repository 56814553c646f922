use super::writer::{Writer, Written};
use crate::java::{Array, Collection, JavaType, JavaValue, Name, Unwritable};

impl Writer<'_> {
    pub(super) fn byte_array(&mut self, bytes: &[u8]) -> Written {
        self.begin_array("[B", bytes.len())?;
        self.out.bytes(bytes);
        Ok(())
    }

    pub(super) fn array(&mut self, array: &Array) -> Written {
        let component = JavaType::new(array.class.clone()).component();
        let component = component.ok_or_else(|| Unwritable {
            class: array.class.clone(),
            reason: "it is not the class of an array",
        })?;
        self.begin_array(&array.class, array.items.len())?;
        for item in &array.items {
            match component.is_primitive() {
                true => self.primitive(array.class.as_bytes()[1], item)?,
                false => self.value(item)?,
            }
        }
        Ok(())
    }

    /// `Arrays.asList` keeps the array that it was given, here one of the class of its elements if
    /// they have but one.
    pub(super) fn array_list(&mut self, list: &Collection) -> Written {
        let mut classes = list.items.iter().filter(|it| !it.is_null());
        let component = match classes.next().map(JavaValue::class_name) {
            Some(class) if classes.all(|it| it.class_name() == class) => class,
            _ => Name::new("java.lang.Object"),
        };
        self.array(&Array {
            class: JavaType::new(component).array().name().clone(),
            items: list.items.clone(),
        })
    }

    fn begin_array(&mut self, class: &str, length: usize) -> Written {
        self.out.u8(ARRAY);
        self.class(class)?;
        self.number(None);
        self.out.i32(count(class, length)?);
        Ok(())
    }
}

pub(super) fn count(class: &str, length: usize) -> Result<i32, Unwritable> {
    i32::try_from(length).map_err(|_| Unwritable {
        class: class.to_owned().into(),
        reason: "it has too many elements",
    })
}

const ARRAY: u8 = 0x75;
