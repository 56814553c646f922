//! The classes that a codec must know, and how it lays out their values.

use std::collections::BTreeMap;

use super::class::{Kind, Shown};
use super::{Class, Field, JavaObject, JavaType, Name, Places, compare, jdk};
use crate::hash::HashMap;

mod check;
pub(crate) mod jackson;
mod json;
pub(crate) mod kryo;
#[cfg(any(feature = "marshalling", feature = "serialization"))]
mod serialized;
mod wildcards;

/// The Java classes that a codec must know, except those of the JDK.
///
/// The derive of [`JavaObject`](super::JavaObject) makes one from Rust types. You can also write
/// one in Rust, from [`Class`]es, or in a JSON file:
///
/// ```
/// use redisson_codec::java::Schema;
///
/// let schema = Schema::from_json(r#"{
///     "com.example.Order": {
///         "extends": "com.example.Event",
///         "fields": {"id": "java.lang.String", "lines": "java.util.List<com.example.Line>"}
///     },
///     "com.example.Event": {"uid": 1, "fields": {"at": "java.time.Instant"}},
///     "com.example.Payment": {"abstract": true},
///     "com.example.NotFound": {"throwable": true},
///     "com.example.Line": {"record": {"article": "java.lang.String", "count": "int"}},
///     "com.example.Status": {"enum": ["NEW", "PAID"]},
///     "com.example.Color": {"enum": ["RED", "BLUE"], "shown": ["red", "blue"]},
///     "com.example.Secret": {"uid": 1, "serialized": "own", "fields": {"code": "int"}},
///     "com.example.Priority": {"enum": ["LOW", "HIGH"], "bodies": ["LOW", "HIGH"]},
///     "com.example.Kind": {"enum": ["MAIL"], "bodies": {"MAIL": "com.example.Kind$MAIL"}},
///     "com.example.Code": {"enum": ["NEW", "OLD"], "jackson": {"NEW": "n", "OLD": "o"}},
///     "com.example.User": {"fields": {"userId": "long", "cache": "java.lang.String"},
///         "jackson": {"userId": "user_id", "cache": null}},
///     "com.example.Shape": {"abstract": true, "jackson": "unknown"},
///     "com.example.Money": {"final": true, "fields": {"cents": "long"}},
///     "com.example.Box": {"parameters": ["T"], "fields": {"value": "T"}},
///     "com.example.Swapped": {"parameters": ["B", "A"], "implements": ["com.example.Pair<A, B>"],
///         "fields": {"a": "A", "b": "B"}},
///     "com.example.Parcel": {"parameters": ["T extends com.example.Order"], "fields": {"value": "T"}},
///     "com.example.StringBox": {"extends": "com.example.Box<java.lang.String>"},
///     "com.example.Tags": {"extends": "java.util.ArrayList<java.lang.String>"}
/// }"#)?;
/// # Ok::<(), redisson_codec::java::InvalidSchema>(())
/// ```
///
/// Kotlin marks an enum that is declared inside of a class as final, even if its constants have bodies.
/// Then the enum is `"final": true`.
///
/// Describe every class that a field names, except classes of `java` and `javax`: payloads depend
/// on whether the class is final, a record or an enum. For an abstract class or an interface,
/// `abstract` alone is enough. If a class with type parameters implements an interface that has
/// type arguments, name the interface: Jackson's codecs do not read values whose type it tells.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Schema {
    classes: BTreeMap<Name, Class>,
    #[cfg(any(feature = "marshalling", feature = "serialization"))]
    pub(crate) descriptors: super::descriptor::Known,
}

/// The classes of a schema contradict each other, a class is missing, or a text is not a schema.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSchema {
    /// No Java class can be what a description says.
    #[error("class {class}: {reason}")]
    Contradiction {
        /// The name of the class.
        class: Name,
        /// Which rule of Java the description breaks.
        reason: String,
    },
    /// A class extends itself, or its chain of super classes is too long.
    #[error("class {class} extends itself, or too long a chain of classes")]
    Endless {
        /// The name of the class.
        class: Name,
    },
    /// A field has a type that cannot exist.
    #[error("{class}.{field}: {reason}")]
    FieldType {
        /// The name of the class.
        class: Name,
        /// The name of the field.
        field: Name,
        /// What is wrong with the type.
        reason: String,
    },
    /// The text is not JSON of the expected form.
    #[error("schema is not the expected json")]
    Json(#[source] serde_json::Error),
    /// The type of a field or of a super class cannot be read.
    #[error("class {class}")]
    Type {
        /// The name of the class.
        class: Name,
        /// What is wrong with the type.
        source: super::InvalidType,
    },
    /// A class extends a class that neither the schema nor the JDK has.
    #[error("class {class} extends {super_class}, which is not known")]
    UnknownSuper {
        /// The name of the class.
        class: Name,
        /// The name of the class that it extends.
        super_class: Name,
    },
    /// A field names a class that neither the schema nor the JDK has.
    #[error(
        "{class}.{field}: class {name} is not in the schema; \
         if it is abstract or an interface, say {{\"abstract\": true}}"
    )]
    UnknownType {
        /// The name of the class.
        class: Name,
        /// The name of the field.
        field: Name,
        /// The name of the class that is missing.
        name: Name,
    },
}

impl Schema {
    /// Makes a schema without classes. Classes of the JDK need no description.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The classes that `T` describes, and the classes of `more`. The latter replace classes of the
    /// same name.
    pub(crate) fn of<T: JavaObject>(more: Schema) -> Self {
        let mut schema = Self::new();
        T::describe(&mut schema);
        schema.merge(more);
        schema
    }

    /// Returns the schema if its classes do not contradict each other.
    #[cfg(any(feature = "marshalling", feature = "serialization"))]
    pub(crate) fn checked(self) -> Result<Self, InvalidSchema> {
        Layouts::new(&self)?;
        Ok(self)
    }

    /// Adds a class. It replaces a class of the same name.
    pub fn add(&mut self, class: Class) -> &mut Self {
        self.classes.insert(class.name.clone(), class);
        self.forget();
        self
    }

    /// Forgets what was found out about its classes.
    fn forget(&mut self) {
        #[cfg(any(feature = "marshalling", feature = "serialization"))]
        {
            self.descriptors = Default::default();
        }
    }

    /// True if the schema describes a class of this name, with more than the fact that it is
    /// abstract.
    #[must_use]
    pub fn contains(&self, class: &str) -> bool {
        self.classes.get(class).is_some_and(|class| {
            let is_bare = class.fields.is_empty()
                && class.parameters.is_empty()
                && class.super_class.is_none();
            !(class.is_abstract && is_bare)
        })
    }

    /// The class of this name.
    #[cfg(any(feature = "marshalling", feature = "serialization"))]
    pub(crate) fn get(&self, class: &str) -> Option<&Class> {
        self.classes.get(class)
    }

    /// True if a class of the schema extends the one of this name.
    fn is_extended(&self, name: &Name) -> bool {
        let mut supers = self
            .classes
            .values()
            .filter_map(|it| it.super_class.as_ref());
        supers.any(|it| it.name() == name)
    }

    /// Adds the classes of another schema. They replace classes of the same names.
    pub fn merge(&mut self, other: Schema) -> &mut Self {
        self.classes.extend(other.classes);
        self.forget();
        self
    }
}

impl FromIterator<Class> for Schema {
    fn from_iter<I: IntoIterator<Item = Class>>(classes: I) -> Self {
        let mut schema = Self::new();
        for class in classes {
            schema.add(class);
        }
        schema
    }
}

/// A schema made ready for a codec: super classes merged in, fields in order.
#[derive(Debug)]
pub(crate) struct Layouts {
    /// The type of places that can hold any value.
    pub(crate) object: JavaType,
    layouts: HashMap<Name, Layout>,
    /// From the class of a constant with a body to its enum.
    bodies: HashMap<Name, Name>,
}

/// How values of one class are laid out.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) name: Name,
    pub(crate) is_final: bool,
    pub(crate) is_abstract: bool,
    pub(crate) is_throwable: bool,
    /// Whether any class may extend or implement this one. True if it can be an interface: it is
    /// abstract, and no class of the schema extends it.
    pub(crate) is_open: bool,
    /// What Jackson calls the fields or the constants.
    pub(crate) names: jackson::Names,
    pub(crate) parameters: Vec<Name>,
    /// The type that each of the `parameters` extends.
    pub(crate) bounds: Vec<JavaType>,
    /// The classes that it extends and the interfaces that are known, the nearest first, in terms of
    /// its own type parameters.
    pub(crate) ancestors: Vec<JavaType>,
    /// For Kryo: the type parameters that each argument of a declared type binds.
    pub(crate) groups: Vec<Vec<kryo::Variable>>,
    pub(crate) shape: Shape,
}

#[derive(Debug)]
pub(crate) enum Shape {
    Object {
        is_record: bool,
        /// The fields of the class and of its super classes, ordered by name as Java orders
        /// strings. Of two fields with the same name, the field of the sub class comes first.
        fields: Vec<Field>,
        /// Indexes into `fields` in the order of declaration, super classes first.
        declared: Vec<usize>,
        /// Indexes into `fields`, without fields that a field of a sub class hides.
        shown: Vec<usize>,
        /// Where objects have these fields.
        places: Places,
    },
    Enum {
        constants: Vec<Name>,
        /// The name of each constant's class. It is the enum, or `Enum$1` for the first constant
        /// with a body, `Enum$2` for the second.
        classes: Vec<Name>,
        shown: Shown,
    },
    /// A class that extends a collection or a map of the JDK, with the types that it binds.
    Container { of: JavaType },
}

impl Default for Layouts {
    fn default() -> Self {
        Self {
            object: JavaType::object(),
            layouts: HashMap::default(),
            bodies: HashMap::default(),
        }
    }
}

impl Layouts {
    /// The most ancestors of a class. Real classes have fewer.
    const LONGEST_CHAIN: usize = 64;

    pub(crate) fn new(schema: &Schema) -> Result<Self, InvalidSchema> {
        Self::with_binding(schema, Binding::Full)
    }

    /// Lays the classes out for Kryo, which binds the type parameters of super classes in a way of
    /// its own.
    pub(crate) fn for_kryo(schema: &Schema) -> Result<Self, InvalidSchema> {
        Self::with_binding(schema, Binding::Kryo)
    }

    fn with_binding(schema: &Schema, binding: Binding) -> Result<Self, InvalidSchema> {
        schema.check()?;
        let mut layouts = Self::default();
        for class in schema.classes.values() {
            // The fields of such a class in Kotlin's library would tell nothing.
            if jdk::is_container(&class.name) || is_body(schema, class)? {
                continue;
            }
            let layout = layout(schema, class, binding)?;
            if let Shape::Enum { classes, .. } = &layout.shape {
                let bodies = classes.iter().filter(|it| **it != class.name);
                let bodies = bodies.map(|it| (it.clone(), class.name.clone()));
                layouts.bodies.extend(bodies);
            }
            layouts.layouts.insert(class.name.clone(), layout);
        }
        schema.check_complete()?;
        Ok(layouts)
    }

    /// The layout of a class. The class of a constant with a body has the layout of its enum.
    pub(crate) fn get(&self, class: &str) -> Option<&Layout> {
        if let Some(layout) = self.layouts.get(class) {
            return Some(layout);
        }
        match self.bodies.get(class) {
            Some(of) => self.layouts.get(of),
            None if class.starts_with("java.") => jdk::enums().layouts.get(class),
            None => None,
        }
    }

    /// The layouts of the classes of the schema.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Layout> {
        self.layouts.values()
    }

    /// True if a value declared with this class, or as an array of it, always has this class.
    pub(crate) fn is_final(&self, class: &str) -> bool {
        if let Some(component) = super::r#type::component(class) {
            return self.is_final(&component);
        }
        match self.get(class) {
            Some(layout) => layout.is_final,
            None => jdk::is_final(class),
        }
    }
}

/// How the type parameters in the fields of super classes are resolved.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Binding {
    /// As Java declares them.
    Full,
    /// As [`kryo`] describes.
    Kryo,
}

fn layout(schema: &Schema, class: &Class, binding: Binding) -> Result<Layout, InvalidSchema> {
    let shape = match &class.kind {
        Kind::Enum {
            constants, shown, ..
        } => Shape::Enum {
            shown: shown.clone(),
            classes: classes_of_constants(schema, class),
            constants: constants.clone(),
        },
        Kind::Object | Kind::Record => object(schema, class, binding)?,
    };
    Ok(Layout {
        name: class.name.clone(),
        is_final: class.is_final,
        is_abstract: class.is_abstract,
        is_throwable: class.is_throwable,
        is_open: class.is_abstract && !schema.is_extended(&class.name),
        names: jackson::names(schema, class, &shape),
        bounds: class
            .parameters
            .iter()
            .map(|it| class.bound_of(it))
            .collect(),
        parameters: class.parameters.clone(),
        ancestors: ancestors(schema, class),
        groups: match binding {
            Binding::Full => Vec::new(),
            Binding::Kryo => kryo::groups(schema, class),
        },
        shape,
    })
}

/// The class of each constant of an enum.
fn classes_of_constants(schema: &Schema, class: &Class) -> Vec<Name> {
    let Kind::Enum {
        constants,
        with_bodies,
        ..
    } = &class.kind
    else {
        return Vec::new();
    };
    let mut bodies = 0;
    let classes = constants.iter().map(|constant| {
        let Some((_, named)) = with_bodies.iter().find(|it| it.0 == *constant) else {
            return class.name.clone();
        };
        bodies += 1;
        if let Some(named) = named {
            return named.clone();
        }
        // A schema may describe the class that Kotlin made.
        let own = schema
            .classes
            .get(format!("{}${constant}", class.name).as_str());
        let extends = |it: &&Class| {
            it.super_class
                .as_ref()
                .is_some_and(|it| *it.name() == class.name)
        };
        match own.filter(extends) {
            Some(own) => own.name.clone(),
            None => format!("{}${bodies}", class.name).into(),
        }
    });
    classes.collect()
}

/// True if it is the class of a constant with a body. Its enum says all about it.
fn is_body(schema: &Schema, class: &Class) -> Result<bool, InvalidSchema> {
    let parent = class
        .super_class
        .as_ref()
        .and_then(|it| schema.classes.get(it.name()));
    match parent {
        Some(parent) if matches!(parent.kind, Kind::Enum { .. }) => {
            if classes_of_constants(schema, parent).contains(&class.name) {
                return Ok(true);
            }
            Err(InvalidSchema::Contradiction {
                class: class.name.clone(),
                reason: format!(
                    "only a constant with a body extends the enum {}: name it in its bodies",
                    parent.name
                ),
            })
        }
        _ => Ok(false),
    }
}

/// The super classes and interfaces, the nearest first, in terms of the type parameters of `class`.
fn ancestors(schema: &Schema, class: &Class) -> Vec<JavaType> {
    let direct = |it: &Class| -> Vec<JavaType> {
        it.super_class
            .iter()
            .chain(&it.interfaces)
            .cloned()
            .collect()
    };
    let mut ancestors: Vec<JavaType> = direct(class);
    let mut next = 0;
    while let Some(here) = ancestors.get(next).cloned()
        && next < Layouts::LONGEST_CHAIN
    {
        next += 1;
        let Some(current) = schema.classes.get(here.name()) else {
            continue;
        };
        for above in direct(current) {
            let above = above.bind(&|name| {
                let at = current.parameters.iter().position(|it| *it == *name)?;
                let argument = here.arguments().get(at).cloned();
                Some(argument.unwrap_or_else(|| current.bound_of(name)))
            });
            if !ancestors.iter().any(|it| it.name() == above.name()) {
                ancestors.push(above);
            }
        }
    }
    ancestors
}

fn object(schema: &Schema, class: &Class, binding: Binding) -> Result<Shape, InvalidSchema> {
    // The fields of `class`, then of each class above, in terms of the type parameters of `class`.
    let mut chain = vec![class.fields.clone()];
    let mut current = class;
    let mut bound: HashMap<Name, JavaType> = HashMap::default();
    while let Some(super_type) = &current.super_class {
        let super_type = super_type.bind(&|name| bound.get(name).cloned());
        if jdk::is_container(super_type.name()) {
            return Ok(Shape::Container { of: super_type });
        }
        if super_type.name() == "java.lang.Object" {
            break;
        }
        let Some(parent) = schema.classes.get(super_type.name()) else {
            return Err(InvalidSchema::UnknownSuper {
                class: current.name.clone(),
                super_class: super_type.name().clone(),
            });
        };
        bound = parent
            .parameters
            .iter()
            .enumerate()
            .map(|(i, parameter)| {
                let argument = super_type.arguments().get(i).cloned();
                let bound = || parent.bound_of(parameter);
                (parameter.clone(), argument.unwrap_or_else(bound))
            })
            .collect();
        chain.push(
            parent
                .fields
                .iter()
                .map(|field| Field {
                    name: field.name.clone(),
                    declared: field.declared.bind(&|name| bound.get(name).cloned()),
                    erased: field.erased.clone(),
                })
                .collect(),
        );
        if chain.len() > Layouts::LONGEST_CHAIN {
            return Err(InvalidSchema::Endless {
                class: class.name.clone(),
            });
        }
        current = parent;
    }
    if binding == Binding::Kryo {
        chain = kryo::fields(schema, class);
    }
    // Each field with the distance to the class that declares it, and its index there.
    let mut fields: Vec<(usize, usize, Field)> = chain
        .into_iter()
        .enumerate()
        .flat_map(|(up, fields)| {
            let numbered = fields.into_iter().enumerate();
            numbered.map(move |(place, field)| (up, place, field))
        })
        .collect();
    fields.sort_by(|(_, _, a), (_, _, b)| compare(&a.name, &b.name));
    let mut declared: Vec<usize> = (0..fields.len()).collect();
    declared.sort_by_key(|it| (std::cmp::Reverse(fields[*it].0), fields[*it].1));
    let fields: Vec<Field> = fields.into_iter().map(|(_, _, field)| field).collect();
    let is_first = |it: &usize| *it == 0 || fields[*it - 1].name != fields[*it].name;
    Ok(Shape::Object {
        is_record: class.kind == Kind::Record,
        shown: (0..fields.len()).filter(is_first).collect(),
        fields,
        declared,
        places: Places::default(),
    })
}

#[cfg(test)]
mod tests;
