use super::Reader;
use crate::java::{Collection, Contents, JavaValue, Map, Mismatch, Name, Source, Taker, Text};
use crate::kryo5::Result;
use crate::kryo5::classes::Class;
use crate::kryo5::declared::Declared;
use crate::kryo5::form::{Container, Form};

impl<'a> Reader<'a> {
    pub(super) fn array(&mut self, class: &Class, to: &mut Taker<'_>) -> Result<()> {
        let Some(count) = self.input.length()? else {
            return to(Source::NULL);
        };
        let hand = |items: &mut dyn Contents| to(Source::Array(&class.name, items));
        if let Some(form) = Form::of_elements(&class.name) {
            // A primitive value is read by its form; the name is never used.
            let name = Name::new("primitive");
            let class = Class { name, form };
            return self.items(count, |it, to| it.leaf_to(&class, to), hand);
        }
        match self.classes.element(&class.name) {
            Some(class) => self.items(count, |it, to| it.value_or_null(&class, None, to), hand),
            None => self.items(count, |it, to| it.any(None, to), hand),
        }
    }

    pub(super) fn collection(
        &mut self,
        class: &Class,
        container: Container,
        declared: Option<&'a Declared>,
        to: &mut Taker<'_>,
    ) -> Result<()> {
        let element = declared.and_then(Declared::first);
        let below = declared.and_then(Declared::last);
        let known = self.bindings.class(element, self.classes);
        let (flag, length) = match &known {
            Some(_) if !container.has_nulls => (false, self.input.varint()?),
            _ => self.input.flagged()?,
        };
        let Some(count) = (length as usize).checked_sub(1) else {
            return to(Source::NULL);
        };
        self.check_count(class, container, count)?;
        let comparator = match container.sorts {
            true => self.tree()?,
            false => JavaValue::Null,
        };
        let mut hand =
            |items: &mut dyn Contents| to(Source::Collection(&class.name, &comparator, items));
        match known {
            _ if count == 0 => self.items(0, |_, _| Ok(()), hand),
            Some(class) => self.of_one_class(count, &class, flag, element, &mut hand),
            // The elements have one class.
            None if flag => match self.class(None)? {
                None => self.items(count, |_, to| to(Source::NULL), hand),
                Some(class) => {
                    let has_nulls = container.has_nulls && self.input.boolean()?;
                    self.of_one_class(count, &class, has_nulls, below, &mut hand)
                }
            },
            None => self.items(count, |it, to| it.any(below, to), hand),
        }
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
        declared: Option<&'a Declared>,
        hand: &mut dyn FnMut(&mut dyn Contents) -> Result<()>,
    ) -> Result<()> {
        match has_nulls {
            true => self.items(count, |it, to| it.value_or_null(class, declared, to), hand),
            false => self.items(count, |it, to| it.value(class, declared, to), hand),
        }
    }

    /// Hands `count` elements over.
    fn items(
        &mut self,
        count: usize,
        mut read: impl FnMut(&mut Self, &mut Taker<'_>) -> Result<()>,
        hand: impl FnOnce(&mut dyn Contents) -> Result<()>,
    ) -> Result<()> {
        let read = |reader: &mut Self, place, to: &mut Taker<'_>| {
            read(reader, to).map_err(|fault| fault.at_place(place))
        };
        self.contents(count, read, hand)
    }

    pub(super) fn map(
        &mut self,
        class: &Class,
        container: Container,
        declared: Option<&'a Declared>,
        to: &mut Taker<'_>,
    ) -> Result<()> {
        let Some(count) = self.input.length()? else {
            return to(Source::NULL);
        };
        self.check_count(class, container, count)?;
        let comparator = match container.sorts {
            true => self.tree()?,
            false => JavaValue::Null,
        };
        // With one argument or three, the declared type is of another kind than a map.
        let declared = declared.filter(|it| it.arguments.len() == 2);
        let (key, value) = (
            declared.and_then(Declared::first),
            declared.and_then(Declared::last),
        );
        let key_class = self.bindings.class(key, self.classes);
        let value_class = self.bindings.class(value, self.classes);
        let part =
            |reader: &mut Self, class: Option<&Class>, declared, to: &mut Taker<'_>| match class {
                Some(class) if container.has_nulls => reader.value_or_null(class, declared, to),
                Some(class) => reader.value(class, declared, to),
                None => reader.any(declared, to),
            };
        self.contents(
            count,
            |it, place, to| {
                part(it, key_class.as_deref(), key, to).map_err(|fault| fault.at_key(place))?;
                part(it, value_class.as_deref(), value, to).map_err(|fault| fault.at_place(place))
            },
            |entries| to(Source::Map(&class.name, &comparator, entries)),
        )
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
            Form::SingletonCollection => Ok(JavaValue::collection(name, [self.tree()?])),
            Form::SingletonMap => Ok(map(vec![(self.tree()?, self.tree()?)])),
            Form::EnumSet => self.enum_set(class),
            Form::KeySetView => self.key_set_view(class),
            _ => Ok(JavaValue::collection(name, [])),
        }
    }

    fn enum_set(&mut self, class: &Class) -> Result<JavaValue> {
        let start = self.input.offset();
        let of = match self.class(None)? {
            Some(Class {
                form: Form::Enum(place),
                ..
            }) => place,
            _ => return Err(Mismatch::at(start, "elements of an EnumSet are of no enum")),
        };
        let count = self.input.varint()? as usize;
        let items = self.leaves(count, |it| it.constant(of))?;
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
            let mut read = JavaValue::Null;
            self.collection(class, Container::PLAIN, None, &mut |value| {
                read = value.into_value()?;
                Ok(())
            })?;
            return Ok(read);
        }
        let map = self.tree()?;
        let value = self.tree()?;
        let entries = match map {
            JavaValue::Map(Map { class, entries, .. })
                if class == "java.util.concurrent.ConcurrentHashMap" =>
            {
                entries
            }
            _ => {
                return Err(Mismatch::at(
                    start,
                    "keys are not those of a ConcurrentHashMap",
                ));
            }
        };
        let is_set = value == JavaValue::Boolean(true) && entries.iter().all(|it| it.1 == value);
        if !is_set {
            return Err(Mismatch::at(
                start,
                "keys are of a map that holds values too",
            ));
        }
        let keys = entries.into_iter().map(|(key, _)| key);
        Ok(JavaValue::collection(class.name.clone(), keys))
    }
}
