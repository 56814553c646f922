use super::Reader;
use super::objects::primitive;
use crate::java::{Array, Collection, JavaValue, Map, Text};
use crate::kryo5::classes::Class;
use crate::kryo5::declared::Within;
use crate::kryo5::fault::{Fault, Result};
use crate::kryo5::form::{Container, Element, Form};

impl<'a> Reader<'a> {
    pub(super) fn array(&mut self, class: &Class, element: Element) -> Result<JavaValue> {
        let Some(count) = self.input.length()? else {
            return Ok(JavaValue::Null);
        };
        let of_primitives = |form| move |reader: &mut Self| reader.content(&primitive(form), None);
        let items = match element {
            Element::Boolean => self.elements(count, of_primitives(Form::Boolean)),
            Element::Character => self.elements(count, of_primitives(Form::Character)),
            Element::Short => self.elements(count, of_primitives(Form::Short)),
            Element::Integer => self.elements(count, of_primitives(Form::Integer)),
            Element::Long => self.elements(count, of_primitives(Form::Long)),
            Element::Float => self.elements(count, of_primitives(Form::Float)),
            Element::Double => self.elements(count, of_primitives(Form::Double)),
            Element::String | Element::Other => match self.classes.element(&class.name) {
                Some(class) => self.elements(count, |it| it.value_or_null(&class, None)),
                None => self.elements(count, |it| it.any(None)),
            },
        }?;
        Ok(JavaValue::Array(Array {
            class: class.name.clone(),
            items,
        }))
    }

    pub(super) fn collection(
        &mut self,
        class: &Class,
        container: Container,
        within: Option<Within<'a>>,
    ) -> Result<JavaValue> {
        let element = within.and_then(Within::first);
        let below = within.and_then(Within::last);
        let known = self.bindings.class(element, self.classes);
        let (flag, length) = match &known {
            Some(_) if !container.has_nulls => (false, self.input.varint()?),
            _ => self.input.flagged()?,
        };
        let Some(count) = (length as usize).checked_sub(1) else {
            return Ok(JavaValue::Null);
        };
        self.check_count(class, container, count)?;
        let comparator = match container.sorts {
            true => self.any(None)?,
            false => JavaValue::Null,
        };
        let items = match known {
            _ if count == 0 => Vec::new(),
            Some(class) => self.of_one_class(count, &class, flag, element)?,
            // The elements have one class.
            None if flag => match self.class()? {
                None => {
                    self.charge(count)?;
                    vec![JavaValue::Null; count]
                }
                Some(class) => {
                    let has_nulls = container.has_nulls && self.input.boolean()?;
                    self.of_one_class(count, &class, has_nulls, below)?
                }
            },
            None => self.elements(count, |it| it.any(below))?,
        };
        Ok(JavaValue::Collection(Collection {
            class: class.name.clone(),
            comparator: Box::new(comparator),
            items,
        }))
    }

    fn check_count(&self, class: &Class, container: Container, count: usize) -> Result<()> {
        match container.is_empty && count > 0 {
            true => Err(self.input.fault(format!("a {} holds nothing", class.name))),
            false => Ok(()),
        }
    }

    fn of_one_class(
        &mut self,
        count: usize,
        class: &Class,
        has_nulls: bool,
        within: Option<Within<'a>>,
    ) -> Result<Vec<JavaValue>> {
        if has_nulls {
            return self.elements(count, |it| it.value_or_null(class, within));
        }
        self.elements(count, |it| it.value(class, within))
    }

    pub(super) fn map(
        &mut self,
        class: &Class,
        container: Container,
        within: Option<Within<'a>>,
    ) -> Result<JavaValue> {
        let Some(count) = self.input.length()? else {
            return Ok(JavaValue::Null);
        };
        self.check_count(class, container, count)?;
        let comparator = match container.sorts {
            true => self.any(None)?,
            false => JavaValue::Null,
        };
        // With one argument or three, the declared type is of another kind than a map.
        let within = within.filter(|it| it.declared.arguments.len() == 2);
        let (key, value) = (
            within.and_then(Within::first),
            within.and_then(Within::last),
        );
        let key_class = self.bindings.class(key, self.classes);
        let value_class = self.bindings.class(value, self.classes);
        let part = |reader: &mut Self, class: &Option<Class>, within| match class {
            Some(class) if container.has_nulls => reader.value_or_null(class, within),
            Some(class) => reader.value(class, within),
            None => reader.any(within),
        };
        let entries = self.elements(count, |it| {
            Ok((part(it, &key_class, key)?, part(it, &value_class, value)?))
        })?;
        Ok(JavaValue::Map(Map {
            class: class.name.clone(),
            comparator: Box::new(comparator),
            entries,
        }))
    }

    /// Containers with a serializer of their own.
    pub(super) fn special_container(&mut self, class: &Class) -> Result<JavaValue> {
        let name = class.name.clone();
        let map = |entries| {
            JavaValue::Map(Map {
                class: class.name.clone(),
                comparator: Box::default(),
                entries,
            })
        };
        match class.form {
            Form::EmptyMap => Ok(map(Vec::new())),
            Form::SingletonCollection => Ok(JavaValue::collection(name, [self.any(None)?])),
            Form::SingletonMap => Ok(map(vec![(self.any(None)?, self.any(None)?)])),
            Form::EnumSet => self.enum_set(class),
            Form::KeySetView => self.key_set_view(class),
            _ => Ok(JavaValue::collection(name, [])),
        }
    }

    fn enum_set(&mut self, class: &Class) -> Result<JavaValue> {
        let start = self.input.offset();
        let of = match self.class()? {
            Some(Class {
                form: Form::Enum(place),
                ..
            }) => place,
            _ => return Err(Fault::at(start, "elements of an EnumSet are of no enum")),
        };
        let count = self.input.varint()? as usize;
        let items = self.elements(count, |it| it.constant(of))?;
        // Only an empty set does not say of which enum it is.
        let of = self.classes.shape(of).name.to_string();
        let comparator = match items.is_empty() {
            true => JavaValue::Text(Text::class_object(of)),
            false => JavaValue::Null,
        };
        Ok(JavaValue::Collection(Collection {
            class: class.name.clone(),
            comparator: Box::new(comparator),
            items,
        }))
    }

    /// The keys of a map with one value for all of them. Before Redisson 4.7.0 this was written as
    /// a collection, which Redisson could not read back. Its first byte has the top bit set.
    fn key_set_view(&mut self, class: &Class) -> Result<JavaValue> {
        let start = self.input.offset();
        if self.input.rest().first().is_some_and(|it| it & 0x80 != 0) {
            return self.collection(class, Container::PLAIN, None);
        }
        let map = self.any(None)?;
        let value = self.any(None)?;
        let entries = match map {
            JavaValue::Map(Map { class, entries, .. })
                if class == "java.util.concurrent.ConcurrentHashMap" =>
            {
                entries
            }
            _ => {
                return Err(Fault::at(
                    start,
                    "keys are not those of a ConcurrentHashMap",
                ));
            }
        };
        let is_set = value == JavaValue::Boolean(true) && entries.iter().all(|it| it.1 == value);
        if !is_set {
            return Err(Fault::at(start, "keys are of a map that holds values too"));
        }
        let keys = entries.into_iter().map(|(key, _)| key);
        Ok(JavaValue::collection(class.name.clone(), keys))
    }
}
