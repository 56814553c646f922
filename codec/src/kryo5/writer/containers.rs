use super::Writer;
use super::nulls::{elements_may_be_null, keys_may_be_null, values_may_be_null};
use crate::java::{Array, Collection, JavaType, JavaValue, Map, Text};
use crate::kryo5::classes::Class;
use crate::kryo5::declared::{Bound, Within};
use crate::kryo5::fault::{Fault, Result};
use crate::kryo5::form::{Container, Element, Form};
use crate::kryo5::output::one_more;
use crate::kryo5::reader::unknown;

impl<'a> Writer<'a> {
    pub(super) fn array(&mut self, array: &Array, class: &Class) -> Result<()> {
        self.output.length(array.items.len())?;
        let element = match class.form {
            Form::Array(Element::Boolean) => Form::Boolean,
            Form::Array(Element::Character) => Form::Character,
            Form::Array(Element::Short) => Form::Short,
            Form::Array(Element::Integer) => Form::Integer,
            Form::Array(Element::Long) => Form::Long,
            Form::Array(Element::Float) => Form::Float,
            Form::Array(Element::Double) => Form::Double,
            _ => return self.array_of_objects(array),
        };
        self.each(&array.items, |writer, item| {
            let class = writer.class_of(item)?;
            if class.form != element {
                let what = format!("{} cannot hold {}", array.class, class.name);
                return Err(Fault::new(what));
            }
            writer.content(item, &class, None)
        })
    }

    fn array_of_objects(&mut self, array: &Array) -> Result<()> {
        if let Some(element) = self.classes.element(&array.class) {
            return self.each(&array.items, |it, item| {
                it.value_or_null(item, &element, None)
            });
        }
        let Some(component) = JavaType::new(array.class.clone()).component() else {
            return Err(Fault::new(format!("{} is no array", array.class)));
        };
        self.each(&array.items, |writer, item| {
            if !item.is_null() {
                let class = writer.class_of(item)?;
                if !writer.classes.fits(component.name(), &class) {
                    let what = format!("{} cannot hold {}", array.class, class.name);
                    return Err(Fault::new(what));
                }
            }
            writer.any(item, None)
        })
    }

    pub(super) fn collection(
        &mut self,
        collection: &Collection,
        class: &Class,
        within: Option<Within<'a>>,
    ) -> Result<()> {
        let items = &collection.items;
        match (class.form, items.as_slice()) {
            (Form::Collection(container), _) => {
                self.plain_collection(collection, container, within)
            }
            (Form::EmptyCollection, []) => Ok(()),
            (Form::SingletonCollection, [item]) => self.any(item, None),
            (Form::EnumSet, _) => self.enum_set(collection),
            (Form::KeySetView, _) => self.key_set_view(collection),
            (_, items) => Err(wrong_size(&class.name, items.len())),
        }
    }

    fn plain_collection(
        &mut self,
        collection: &Collection,
        container: Container,
        within: Option<Within<'a>>,
    ) -> Result<()> {
        let items = &collection.items;
        if container.is_empty && !items.is_empty() {
            return Err(wrong_size(&collection.class, items.len()));
        }
        if !container.sorts && !collection.comparator.is_null() {
            let what = format!("a {} has no comparator", collection.class);
            return Err(Fault::new(what));
        }
        let has_null = items.iter().any(JavaValue::is_null);
        let has_comparator = !collection.comparator.is_null();
        let may_be_null = elements_may_be_null(&collection.class, has_comparator);
        if has_null && !(container.has_nulls && may_be_null) {
            return Err(Fault::new(format!("a {} holds no null", collection.class)));
        }
        let count = one_more(items.len())?;
        let element = within.and_then(Within::first);
        let below = within.and_then(Within::last);
        if items.is_empty() {
            self.output.byte(1);
            return self.comparator(&collection.comparator, container);
        }
        if let Some(class) = self.bindings.class(element, self.classes) {
            match container.has_nulls {
                true => self.output.flagged(has_null, count),
                false => self.output.varint(count),
            }
            self.comparator(&collection.comparator, container)?;
            return self.of_one_class(items, &class, has_null, element);
        }
        let only = self.only_class(items)?;
        let expected = element.filter(|_| of_jdk(&collection.class));
        self.output.flagged(!matches!(only, Only::None), count);
        self.comparator(&collection.comparator, container)?;
        match only {
            Only::None => self.each(items, |writer, item| {
                writer.check(item, expected)?;
                writer.any(item, below)
            }),
            Only::Null => {
                self.output.byte(0);
                Ok(())
            }
            Only::Class(class) => {
                let first = items.iter().position(|it| !it.is_null()).unwrap_or(0);
                self.check(&items[first], expected)
                    .map_err(|fault| fault.at_place(first))?;
                self.tag(&class)?;
                if container.has_nulls {
                    self.output.boolean(has_null);
                }
                self.of_one_class(items, &class, has_null, below)
            }
        }
    }

    /// Refuses an element that the declared type does not allow. Java would notice only when it
    /// takes the element out.
    fn check(&self, value: &JavaValue, within: Option<Within<'a>>) -> Result<()> {
        let Some(declared) = within.map(|it| it.declared) else {
            return Ok(());
        };
        if value.is_null() || !matches!(declared.bound, Bound::Open) {
            return Ok(());
        }
        let class = self.class_of(value)?;
        match self.classes.fits(&declared.name, &class) {
            true => Ok(()),
            false => {
                let what = format!("expected {}, found {}", declared.name, class.name);
                Err(Fault::new(what))
            }
        }
    }

    /// The class that all elements but nulls have.
    fn only_class(&self, items: &[JavaValue]) -> Result<Only> {
        let mut only = Only::Null;
        for (place, item) in items.iter().enumerate() {
            if item.is_null() {
                continue;
            }
            let class = self.class_of(item).map_err(|fault| fault.at_place(place))?;
            match &only {
                Only::Class(first) if first.name != class.name => return Ok(Only::None),
                Only::Class(_) => {}
                _ => only = Only::Class(class),
            }
        }
        Ok(only)
    }

    fn of_one_class(
        &mut self,
        items: &[JavaValue],
        class: &Class,
        has_null: bool,
        within: Option<Within<'a>>,
    ) -> Result<()> {
        if has_null {
            return self.each(items, |it, item| it.value_or_null(item, class, within));
        }
        self.each(items, |writer, item| {
            let found = writer.class_of(item)?;
            if found.name != class.name {
                let what = format!("expected {}, found {}", class.name, found.name);
                return Err(Fault::new(what));
            }
            writer.value(item, class, within)
        })
    }

    fn comparator(&mut self, comparator: &JavaValue, container: Container) -> Result<()> {
        if !container.sorts {
            return Ok(());
        }
        self.any(comparator, None)
            .map_err(|fault| fault.within("comparator"))
    }

    pub(super) fn map(
        &mut self,
        map: &Map,
        class: &Class,
        within: Option<Within<'a>>,
    ) -> Result<()> {
        let container = match (class.form, map.entries.as_slice()) {
            (Form::Map(container), _) => container,
            (Form::EmptyMap, []) => return Ok(()),
            (Form::SingletonMap, [(key, value)]) => {
                self.any(key, None)?;
                return self.any(value, None);
            }
            (_, entries) => return Err(wrong_size(&class.name, entries.len())),
        };
        if container.is_empty && !map.entries.is_empty() {
            return Err(wrong_size(&map.class, map.entries.len()));
        }
        self.output.length(map.entries.len())?;
        if !container.sorts && !map.comparator.is_null() {
            return Err(Fault::new(format!("a {} has no comparator", map.class)));
        }
        self.comparator(&map.comparator, container)?;
        let within = within.filter(|it| it.declared.arguments.len() == 2);
        let (key, value) = (
            within.and_then(Within::first),
            within.and_then(Within::last),
        );
        let key_class = self.bindings.class(key, self.classes);
        let value_class = self.bindings.class(value, self.classes);
        let keys_may_be_null = keys_may_be_null(&map.class, !map.comparator.is_null());
        let values_may_be_null = values_may_be_null(&map.class);
        for (place, entry) in map.entries.iter().enumerate() {
            if entry.0.is_null() && !keys_may_be_null || entry.1.is_null() && !values_may_be_null {
                let what = format!("a {} holds no null", map.class);
                return Err(Fault::new(what).at_place(place));
            }
            let parts = [(&entry.0, &key_class, key), (&entry.1, &value_class, value)];
            for (part, class, within) in parts {
                self.check(part, within.filter(|_| of_jdk(&map.class)))
                    .and_then(|()| self.part(part, class.as_ref(), container, within))
                    .map_err(|fault| fault.at_place(place))?;
            }
        }
        Ok(())
    }

    /// A key or a value.
    fn part(
        &mut self,
        part: &JavaValue,
        class: Option<&Class>,
        container: Container,
        within: Option<Within<'a>>,
    ) -> Result<()> {
        match class {
            None => self.any(part, within),
            Some(class) if container.has_nulls => self.value_or_null(part, class, within),
            Some(class) => self.of_one_class(std::slice::from_ref(part), class, false, within),
        }
    }

    fn enum_set(&mut self, set: &Collection) -> Result<()> {
        // As in Java, the class of the first constant stands for the enum.
        let enumeration = match (set.items.first(), &*set.comparator) {
            (Some(first), _) => self.class_of(first)?,
            (None, JavaValue::Text(Text { class, text })) if class == "java.lang.Class" => {
                let class = self.classes.find(text);
                class.ok_or_else(|| Fault::new(unknown(text, self.classes)))?
            }
            (None, _) => {
                let what = "the comparator of an empty EnumSet must be the class of its enum";
                return Err(Fault::new(what));
            }
        };
        let place = match enumeration.form {
            Form::Enum(place) => place,
            _ => {
                let what = format!("{} is no enum", enumeration.name);
                return Err(Fault::new(what));
            }
        };
        self.tag(&enumeration)?;
        self.output.varint(one_more(set.items.len())? - 1);
        self.each(&set.items, |writer, item| {
            let class = writer.class_of(item)?;
            if class.form != Form::Enum(place) {
                let what = format!("expected {}, found {}", enumeration.name, class.name);
                return Err(Fault::new(what));
            }
            writer.content(item, &class, None)
        })
    }

    /// As Redisson 4.7.0 writes it. Earlier versions cannot read what they write.
    fn key_set_view(&mut self, set: &Collection) -> Result<()> {
        let yes = JavaValue::Boolean(true);
        if set.items.iter().any(JavaValue::is_null) {
            return Err(Fault::new(format!("a {} holds no null", set.class)));
        }
        let entries = set.items.iter().map(|key| (key.clone(), yes.clone()));
        let map = JavaValue::Map(Map {
            class: "java.util.concurrent.ConcurrentHashMap".into(),
            comparator: Box::default(),
            entries: entries.collect(),
        });
        self.any(&map, None)?;
        self.any(&yes, None)
    }

    fn each(
        &mut self,
        items: &[JavaValue],
        mut write: impl FnMut(&mut Self, &JavaValue) -> Result<()>,
    ) -> Result<()> {
        for (place, item) in items.iter().enumerate() {
            write(self, item).map_err(|fault| fault.at_place(place))?;
        }
        Ok(())
    }
}

/// What the elements of a collection have in common.
enum Only {
    /// They are all null.
    Null,
    Class(Class),
    None,
}

/// True if the type arguments of a collection are the types of its elements. A class of the schema
/// may have other type arguments.
fn of_jdk(class: &str) -> bool {
    class.starts_with("java.") || class.starts_with("kotlin.")
}

fn wrong_size(class: &str, size: usize) -> Fault {
    Fault::new(format!("a {class} never has {size} elements"))
}
