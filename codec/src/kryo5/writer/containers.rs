use super::Writer;
use super::nulls::{elements_may_be_null, keys_may_be_null, values_may_be_null};
use crate::java::{Entries, Items, JavaType, JavaValue, Mismatch, Name, Pairs, Text, View};
use crate::kryo5::Result;
use crate::kryo5::classes::Class;
use crate::kryo5::declared::{Bound, Declared};
use crate::kryo5::form::{Container, Form};
use crate::kryo5::output::one_more;
use crate::kryo5::reader::unknown;

/// A collection, as a [`View`] has it.
#[derive(Clone, Copy)]
pub(super) struct Collection<'v> {
    pub(super) name: &'v Name,
    pub(super) items: Items<'v>,
    pub(super) comparator: &'v JavaValue,
}

impl<'a> Writer<'a> {
    pub(super) fn array(&mut self, name: &Name, items: Items<'_>) -> Result<()> {
        self.output.length(items.len())?;
        let Some(element) = Form::of_elements(name) else {
            return self.array_of_objects(name, items);
        };
        self.each(items, |writer, item| {
            let class = writer.class_of(item)?;
            if class.form != element {
                return Err(Mismatch::because(format!(
                    "{name} cannot hold {}",
                    class.name
                )));
            }
            writer.content(item, &class, None)
        })
    }

    fn array_of_objects(&mut self, name: &Name, items: Items<'_>) -> Result<()> {
        if let Some(element) = self.classes.element(name) {
            return self.each(items, |it, item| it.value_or_null(item, &element, None));
        }
        let Some(component) = JavaType::new(name.clone()).component() else {
            return Err(Mismatch::because(format!("{name} is no array")));
        };
        self.each(items, |writer, item| {
            if !item.is_null() {
                let class = writer.class_of(item)?;
                if !writer.classes.fits(component.name(), &class) {
                    return Err(Mismatch::because(format!(
                        "{name} cannot hold {}",
                        class.name
                    )));
                }
            }
            writer.any(item, None)
        })
    }

    pub(super) fn collection(
        &mut self,
        collection: Collection<'_>,
        class: &Class,
        declared: Option<&'a Declared>,
    ) -> Result<()> {
        let items = collection.items;
        match (class.form, items.len()) {
            (Form::Collection(container), _) => {
                self.plain_collection(collection, container, declared)
            }
            (Form::EmptyCollection, 0) => Ok(()),
            (Form::SingletonCollection, 1) => items.try_each(|_, item| self.any(item, None)),
            (Form::EnumSet, _) => self.enum_set(collection),
            (Form::KeySetView, _) => self.key_set_view(collection),
            (_, length) => Err(wrong_size(&class.name, length)),
        }
    }

    fn plain_collection(
        &mut self,
        collection: Collection<'_>,
        container: Container,
        declared: Option<&'a Declared>,
    ) -> Result<()> {
        let Collection {
            name,
            items,
            comparator,
        } = collection;
        if container.is_empty && !items.is_empty() {
            return Err(wrong_size(name, items.len()));
        }
        if !container.sorts && !comparator.is_null() {
            return Err(Mismatch::because(format!("a {name} has no comparator")));
        }
        let has_null = items.any(|it| it.is_null());
        let has_place = || elements_may_be_null(self.classes.container(name), comparator);
        if has_null && !(container.has_nulls && has_place()) {
            return Err(Mismatch::because(format!("a {name} holds no null")));
        }
        let count = one_more(items.len())?;
        let element = declared.and_then(Declared::first);
        let below = declared.and_then(Declared::last);
        if items.is_empty() {
            self.output.byte(1);
            return self.comparator(comparator, container);
        }
        if let Some(class) = self.bindings.class(element, self.classes) {
            match container.has_nulls {
                true => self.output.flagged(has_null, count),
                false => self.output.varint(count),
            }
            self.comparator(comparator, container)?;
            return self.of_one_class(items, &class, has_null, element);
        }
        let only = self.only_class(items)?;
        let expected = element.filter(|_| of_jdk(name));
        self.output.flagged(!matches!(only, Only::None), count);
        self.comparator(comparator, container)?;
        match only {
            Only::None => self.each(items, |writer, item| {
                writer.check(item, expected)?;
                writer.any(item, below)
            }),
            Only::Null => {
                self.output.byte(0);
                Ok(())
            }
            Only::Class(class, first) => {
                self.check_class(&class, expected)
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
    #[inline]
    fn check(&self, value: &View<'_>, declared: Option<&'a Declared>) -> Result<()> {
        if value.is_null() || declared.is_none() {
            return Ok(());
        }
        self.check_class(&self.class_of(value)?, declared)
    }

    fn check_class(&self, class: &Class, declared: Option<&'a Declared>) -> Result<()> {
        match declared {
            Some(declared)
                if matches!(declared.bound, Bound::Open)
                    && !self.classes.fits(&declared.name, class) =>
            {
                let what = format!("expected {}, found {}", declared.name, class.name);
                Err(Mismatch::because(what))
            }
            _ => Ok(()),
        }
    }

    /// The class that all elements but nulls have.
    fn only_class(&self, items: Items<'_>) -> Result<Only> {
        let mut only = Only::Null;
        let all = items.try_each(|place, item| {
            match &only {
                _ if item.is_null() => return Ok(()),
                // The class of the one before says it without another search.
                Only::Class(class, _) if self.is_of(item, class) => return Ok(()),
                _ => {}
            }
            let class = self
                .class_of(item)
                .map_err(|fault| Some(fault.at_place(place)))?;
            match &only {
                Only::Class(first, _) if first.name != class.name => Err(None),
                Only::Class(..) => Ok(()),
                _ => {
                    only = Only::Class(class, place);
                    Ok(())
                }
            }
        });
        match all {
            Ok(()) => Ok(only),
            Err(None) => Ok(Only::None),
            Err(Some(fault)) => Err(fault),
        }
    }

    fn of_one_class(
        &mut self,
        items: Items<'_>,
        class: &Class,
        has_null: bool,
        declared: Option<&'a Declared>,
    ) -> Result<()> {
        if has_null {
            return self.each(items, |it, item| it.value_or_null(item, class, declared));
        }
        self.each(items, |it, item| it.of_class(item, class, declared))
    }

    /// A value that must be of this class.
    fn of_class(
        &mut self,
        value: &View<'_>,
        class: &Class,
        declared: Option<&'a Declared>,
    ) -> Result<()> {
        if let Some(written) = self.plain(value, class.form, false) {
            return written;
        }
        self.expect(value, class)?;
        self.value(value, class, declared)
    }

    fn comparator(&mut self, comparator: &JavaValue, container: Container) -> Result<()> {
        if !container.sorts {
            return Ok(());
        }
        self.any(&comparator.into(), None)
            .map_err(|fault| fault.within("comparator"))
    }

    pub(super) fn map(
        &mut self,
        name: &Name,
        entries: Entries<'_>,
        comparator: &JavaValue,
        class: &Class,
        declared: Option<&'a Declared>,
    ) -> Result<()> {
        let container = match (class.form, entries.len()) {
            (Form::Map(container), _) => container,
            (Form::EmptyMap, 0) => return Ok(()),
            (Form::SingletonMap, 1) => {
                return entries.try_each(|_, key, value| {
                    self.any(key, None)?;
                    self.any(value, None)
                });
            }
            (_, length) => return Err(wrong_size(&class.name, length)),
        };
        if container.is_empty && !entries.is_empty() {
            return Err(wrong_size(name, entries.len()));
        }
        self.output.length(entries.len())?;
        if !container.sorts && !comparator.is_null() {
            return Err(Mismatch::because(format!("a {name} has no comparator")));
        }
        self.comparator(comparator, container)?;
        let declared = declared.filter(|it| it.arguments.len() == 2);
        let (key, value) = (
            declared.and_then(Declared::first),
            declared.and_then(Declared::last),
        );
        let key_class = self.bindings.class(key, self.classes);
        let value_class = self.bindings.class(value, self.classes);
        let checks = of_jdk(name);
        let of_class = self.classes.container(name);
        entries.try_each(|place, first, second| {
            if first.is_null() && !keys_may_be_null(of_class, comparator)
                || second.is_null() && !values_may_be_null(of_class)
            {
                return Err(Mismatch::because(format!("a {name} holds no null")).at_place(place));
            }
            let parts = [(first, &key_class, key), (second, &value_class, value)];
            for (part, class, declared) in parts {
                self.check(part, declared.filter(|_| checks && class.is_none()))
                    .and_then(|()| self.part(part, class.as_deref(), container, declared))
                    .map_err(|fault| fault.at_place(place))?;
            }
            Ok(())
        })
    }

    /// A key or a value.
    fn part(
        &mut self,
        part: &View<'_>,
        class: Option<&Class>,
        container: Container,
        declared: Option<&'a Declared>,
    ) -> Result<()> {
        match class {
            None => self.any(part, declared),
            Some(class) if container.has_nulls => self.value_or_null(part, class, declared),
            Some(class) => self
                .of_class(part, class, declared)
                .map_err(|fault| fault.at_place(0)),
        }
    }

    fn enum_set(&mut self, set: Collection<'_>) -> Result<()> {
        // As in Java, the class of the first constant stands for the enum: of those that are in the set, or
        // of all if none is.
        let mut enumeration = match (set.items.first(|it| self.class_of(it)), set.comparator) {
            (Some(first), _) => first?,
            (None, JavaValue::Text(Text { class, text })) if class == "java.lang.Class" => {
                let class = self.classes.find(text);
                class.ok_or_else(|| Mismatch::because(unknown(text, self.classes)))?
            }
            (None, _) => {
                let what = "the comparator of an empty EnumSet must be the class of its enum";
                return Err(Mismatch::because(what));
            }
        };
        let place = match enumeration.form {
            Form::Enum(place) => place,
            _ => {
                let what = format!("{} is no enum", enumeration.name);
                return Err(Mismatch::because(what));
            }
        };
        let constants = &self.classes.shape(place).constants;
        if let Some(first) = constants.first().filter(|_| set.items.is_empty()) {
            enumeration = first.class.clone();
        }
        self.tag(&enumeration)?;
        self.output.varint(one_more(set.items.len())? - 1);
        self.each(set.items, |writer, item| {
            let class = writer.class_of(item)?;
            if class.form != Form::Enum(place) {
                let what = format!("expected {}, found {}", enumeration.name, class.name);
                return Err(Mismatch::because(what));
            }
            writer.content(item, &class, None)
        })
    }

    /// As Redisson 4.7.0 writes it. Earlier versions cannot read what they write.
    fn key_set_view(&mut self, set: Collection<'_>) -> Result<()> {
        if set.items.any(|it| it.is_null()) {
            return Err(Mismatch::because(format!("a {} holds no null", set.name)));
        }
        let keys = Keys(set.items);
        let map = View::Map(&KEYS, Entries::new(&keys), &JavaValue::Null);
        self.any(&map, None)?;
        self.any(&View::Boolean(true), None)
    }

    fn each(
        &mut self,
        items: Items<'_>,
        mut write: impl FnMut(&mut Self, &View<'_>) -> Result<()>,
    ) -> Result<()> {
        items.try_each(|place, item| write(self, item).map_err(|fault| fault.at_place(place)))
    }
}

/// What the elements of a collection have in common.
enum Only {
    /// They are all null.
    Null,
    /// The class, and the place of the first of them.
    Class(Class, usize),
    None,
}

/// The elements of a set as the keys of a map.
struct Keys<'v>(Items<'v>);

impl Pairs for Keys<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn each(&self, to: &mut dyn FnMut(&View<'_>, &View<'_>) -> bool) {
        _ = self
            .0
            .try_each(|_, key| match to(key, &View::Boolean(true)) {
                true => Ok(()),
                false => Err(()),
            });
    }
}

static KEYS: Name = Name::new("java.util.concurrent.ConcurrentHashMap");

/// True if the type arguments of a collection are the types of its elements. A class of the schema
/// may have other type arguments.
fn of_jdk(class: &str) -> bool {
    class.starts_with("java.") || class.starts_with("kotlin.")
}

fn wrong_size(class: &str, size: usize) -> Mismatch {
    Mismatch::because(format!("a {class} never has {size} elements"))
}
