use std::sync::{Arc, OnceLock};

use super::declared::{Bound, Declared};
use super::form::Form;
use crate::hash::HashMap;
use crate::java::jdk;
use crate::java::schema::kryo::Variable;
use crate::java::schema::{Layout, Layouts, Shape as LayoutShape};
use crate::java::{Class as JavaClass, InvalidSchema, JavaType, Name, Places, Schema};

/// A class, and how its values are written.
#[derive(Clone, Debug)]
pub(super) struct Class {
    pub(super) name: Name,
    pub(super) form: Form,
}

impl Class {
    /// A class that extends `Throwable`. All of these share one Java object stream.
    pub(super) fn throwable(name: Name) -> Self {
        let form = Form::Stream("java.lang.Throwable");
        Self { name, form }
    }
}

/// A class of the schema.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub(super) name: Name,
    /// How many type parameters it has.
    pub(super) parameters: usize,
    /// Its type parameters and those of the classes that it extends.
    pub(super) groups: Vec<Vec<Variable>>,
    /// In the order in which they are written.
    pub(super) fields: Vec<Field>,
    /// Where objects have these fields.
    pub(super) places: Places,
    /// The constants of an enum.
    pub(super) constants: Vec<Constant>,
}

#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) name: Name,
    pub(super) declared: Declared,
    /// The class whose values Java lets the field hold. The class tag of another means that the
    /// schema is wrong.
    pub(super) holds: Name,
    /// A class whose values were found to fit it.
    pub(super) fitting: OnceLock<Class>,
}

#[derive(Clone, Debug)]
pub(super) struct Constant {
    pub(super) name: Name,
    /// The class of the enum, or of the constant if that has a body.
    pub(super) class: Class,
}

/// All classes that can be read and written.
#[derive(Clone, Debug, Default)]
pub(super) struct Classes {
    shapes: Vec<Shape>,
    /// The classes of the schema, and those of constants with bodies.
    named: HashMap<Name, Class>,
    layouts: Arc<Layouts>,
    /// True if only registered classes are allowed, and Kryo's own.
    is_restricted: bool,
    /// The registered classes, which have numbers after Kryo's own, in the order of the numbers.
    registered: Vec<Name>,
    /// The class tags of the registered classes.
    tags: HashMap<Name, u32>,
    /// The class of a whole value that was read.
    pub(super) root: OnceLock<Class>,
}

impl Classes {
    /// The first class tag that Kryo does not use for its own classes.
    const FIRST_TAG: u32 = 11;

    pub(super) fn new(schema: &Schema) -> Result<Self, InvalidSchema> {
        let own: Schema = [
            // Java code may keep an object in a field only to lock it.
            JavaClass::object("java.lang.Object"),
            JavaClass::object("java.lang.String$CaseInsensitiveComparator"),
            JavaClass::object("java.util.Collections$ReverseComparator"),
            JavaClass::enumeration("java.util.Comparators$NaturalOrderComparator", ["INSTANCE"]),
        ]
        .into_iter()
        .collect();
        let mut classes = Self::default();
        classes.add(jdk::enums());
        classes.add(&Layouts::new(&own)?);
        let layouts = Layouts::for_kryo(schema)?;
        classes.add(&layouts);
        classes.layouts = Arc::new(layouts);
        Ok(classes)
    }

    /// Adds all classes before their fields, because fields name classes.
    fn add(&mut self, layouts: &Layouts) {
        let first = self.shapes.len();
        for layout in layouts.iter() {
            if layout.is_throwable {
                let class = Class::throwable(layout.name.clone());
                self.named.insert(layout.name.clone(), class);
            }
            if layout.is_abstract {
                continue;
            }
            let place = self.shapes.len();
            let name = layout.name.clone();
            let mut shape = Shape {
                name: name.clone(),
                parameters: layout.parameters.len(),
                groups: layout.groups.clone(),
                fields: Vec::new(),
                places: Places::default(),
                constants: Vec::new(),
            };
            let form = match &layout.shape {
                LayoutShape::Object { is_record, .. } if *is_record => Form::Record(place),
                LayoutShape::Object { .. } => Form::Object(place),
                LayoutShape::Enum {
                    constants, classes, ..
                } => {
                    for (name, class) in constants.iter().zip(classes) {
                        let class = Class {
                            name: class.clone(),
                            form: Form::Enum(place),
                        };
                        self.named.insert(class.name.clone(), class.clone());
                        shape.constants.push(Constant {
                            name: name.clone(),
                            class,
                        });
                    }
                    Form::Enum(place)
                }
                // The table has the JDK's class: it was checked before.
                LayoutShape::Container { of } => match Form::of_jdk(of.name()) {
                    Some((_, form)) => form,
                    None => continue,
                },
            };
            self.named.insert(name.clone(), Class { name, form });
            self.shapes.push(shape);
        }
        for place in first..self.shapes.len() {
            let name = self.shapes[place].name.clone();
            if let Some(layout) = layouts.get(&name) {
                self.shapes[place].fields = self.fields(layout, layouts);
            }
        }
    }

    fn fields(&self, layout: &Layout, layouts: &Layouts) -> Vec<Field> {
        let LayoutShape::Object {
            fields, is_record, ..
        } = &layout.shape
        else {
            return Vec::new();
        };
        let mut made: Vec<Field> = Vec::with_capacity(fields.len());
        for field in fields {
            let mut declared = Declared::new(&field.declared, layouts, self);
            if *is_record && matches!(declared.bound, Bound::Variable { .. }) {
                declared.bound = Bound::Open;
            }
            made.push(Field {
                name: field.name.clone(),
                declared,
                holds: field.erased.clone(),
                fitting: OnceLock::new(),
            });
        }
        made
    }

    /// Numbers classes in this order. Kryo skips those that have a number.
    pub(super) fn register(&mut self, names: impl IntoIterator<Item = Name>) {
        for name in names {
            self.is_restricted = true;
            let has_number = match Form::of_jdk(&name) {
                Some((_, form)) => form == Form::String || form.primitive_tag().is_some(),
                None => false,
            };
            if !has_number && !self.tags.contains_key(&name) {
                let place = u32::try_from(self.registered.len()).unwrap_or(u32::MAX);
                let tag = place.saturating_add(Self::FIRST_TAG);
                self.tags.insert(name.clone(), tag);
                self.registered.push(name);
            }
        }
    }

    /// True if a payload may name the class. If any are registered, Kryo refuses all others.
    pub(super) fn allows(&self, name: &Name) -> bool {
        !self.is_restricted || self.tags.contains_key(name)
    }

    /// The class tag of a class that has a number.
    pub(super) fn tag(&self, class: &Class) -> Option<u32> {
        match class.form {
            Form::String => Some(3),
            Form::Enum(_) | Form::Object(_) | Form::Collection(_) | Form::Map(_)
                if !self.is_restricted =>
            {
                None
            }
            // Kryo registers enums, not the classes of their constants.
            Form::Enum(place) => self.tags.get(&self.shapes[place].name).copied(),
            form => form
                .primitive_tag()
                .or_else(|| self.tags.get(&class.name).copied()),
        }
    }

    /// The name of the class with this tag, and the class if its values can be read.
    pub(super) fn tagged(&self, tag: u32) -> Option<(Name, Option<Class>)> {
        let (name, form) = match tag {
            2 => ("java.lang.Integer", Form::Integer),
            3 => ("java.lang.String", Form::String),
            4 => ("java.lang.Float", Form::Float),
            5 => ("java.lang.Boolean", Form::Boolean),
            6 => ("java.lang.Byte", Form::Byte),
            7 => ("java.lang.Character", Form::Character),
            8 => ("java.lang.Short", Form::Short),
            9 => ("java.lang.Long", Form::Long),
            10 => ("java.lang.Double", Form::Double),
            _ => {
                let place = tag.checked_sub(Self::FIRST_TAG)?;
                let name = self.registered.get(place as usize)?.clone();
                let class = self.find(&name);
                return Some((name, class));
            }
        };
        let name = Name::new(name);
        let class = Class {
            name: name.clone(),
            form,
        };
        Some((name, Some(class)))
    }

    /// The class of this name, if its values can be read.
    pub(super) fn find(&self, name: &str) -> Option<Class> {
        if let Some(class) = self.named.get(name) {
            return Some(class.clone());
        }
        if let Some((name, form)) = Form::of_jdk(name) {
            let name = Name::new(name);
            return Some(Class { name, form });
        }
        let class = |form| {
            let name = name.to_owned().into();
            Some(Class { name, form })
        };
        if name.starts_with('[') {
            return class(match name {
                "[B" => Form::Bytes,
                _ => JavaType::new(name.to_owned())
                    .component()
                    .map(|_| Form::Array)?,
            });
        }
        let is_throwable = |it| name.ends_with(it);
        if ["Error", "Exception", "Throwable"]
            .into_iter()
            .any(is_throwable)
        {
            return Some(Class::throwable(name.to_owned().into()));
        }
        None
    }

    /// The collection or the map of the JDK that a class extends, or the class itself.
    pub(super) fn container<'n>(&'n self, class: &'n str) -> &'n str {
        match self.layouts.get(class).map(|it| &it.shape) {
            Some(LayoutShape::Container { of }) => of.name(),
            _ => class,
        }
    }

    /// How many constants an enum has.
    pub(super) fn constants(&self, name: &str) -> Option<usize> {
        match self.find(name)?.form {
            Form::Enum(place) => Some(self.shape(place).constants.len()),
            _ => None,
        }
    }

    pub(super) fn shape(&self, place: usize) -> &Shape {
        &self.shapes[place]
    }

    /// True if Java can put an object of this class into a field of the declared class. True also if
    /// the codec does not know that interface.
    pub(super) fn fits(&self, declared: &str, class: &Class) -> bool {
        self.layouts.can_hold(declared, &class.name)
    }

    /// True if Java can put an object of this class into this field.
    pub(super) fn field_fits(&self, field: &Field, class: &Class) -> bool {
        if field.fitting.get().is_some_and(|it| it.name == class.name) {
            return true;
        }
        let fits = self.fits(&field.holds, class);
        if fits {
            // A field mostly holds values of one class. It does no harm if another was first.
            _ = field.fitting.set(class.clone());
        }
        fits
    }

    /// True if the schema says that no value has this very class.
    pub(super) fn is_abstract(&self, name: &str) -> bool {
        self.layouts.get(name).is_some_and(|it| it.is_abstract)
    }

    /// The class of all elements of an array of class `array`, if there can be only one. Kryo takes
    /// the inner class of an array of arrays for the only one.
    pub(super) fn element(&self, array: &str) -> Option<Class> {
        let component = JavaType::new(array.to_owned()).component()?;
        let name = component.name();
        let is_only = name.starts_with('[') || self.layouts.is_final(name);
        is_only.then(|| self.find(name)).flatten()
    }
}
