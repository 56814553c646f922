//! The classes of the values, and all classes that they need.

use std::collections::{BTreeMap, BTreeSet};

use redisson_delayed_queue::codec::Kryo5Codec;
use redisson_delayed_queue::java::{self, JavaValue, Schema};

use super::class_path::ClassPath;
use super::jackson::Jackson;
use super::java_class::{self, JavaClass, Kind};
use super::java_type::{Argument, JavaType, is_of_jdk};
use crate::failure::{Failure, Result};

/// The classes that a schema describes, with what must be known about them.
#[derive(Debug, Default)]
pub(crate) struct Closure {
    pub(crate) classes: BTreeMap<String, JavaClass>,
    /// Classes that are not on the class path, and who names them.
    pub(crate) missing: BTreeMap<String, BTreeSet<String>>,
    /// Classes that no schema can describe, and why.
    pub(crate) impossible: BTreeMap<String, String>,
    /// The impossible classes that are collections or maps. The schema lists their fields: if it
    /// listed none, Jackson's codecs would read their elements as fields.
    pub(crate) containers: BTreeSet<String>,
    /// Classes that extend `Throwable`, whose fields no schema describes.
    pub(crate) throwable: BTreeSet<String>,
    /// From a class with type parameters to the interfaces with type arguments that it implements, in
    /// terms of its parameters.
    pub(crate) interfaces: BTreeMap<String, Vec<JavaType>>,
    /// The classes whose annotations change what Jackson writes, and how.
    pub(crate) jackson: BTreeMap<String, Jackson>,
    /// The enums with a constant that overrides `toString()`.
    pub(crate) shown: BTreeSet<String>,
    /// The classes that Java's own serialization accepts.
    pub(crate) serializable: BTreeSet<String>,
    /// What to check, each in a line.
    pub(crate) notes: Vec<String>,
}

/// Looks for classes.
struct Search<'a> {
    path: &'a mut ClassPath,
    /// From a class to the classes that extend or implement it.
    below: BTreeMap<String, Vec<String>>,
    /// From a class to what it extends and implements.
    above: BTreeMap<String, Vec<String>>,
    found: Closure,
}

/// A class that must be described.
struct Need {
    class: String,
    /// Who names it.
    by: String,
    /// True if a value can be declared with it, and so can have a sub class of it.
    holds: bool,
}

impl Need {
    fn new(class: &str, by: String, holds: bool) -> Self {
        let class = class.to_owned();
        Self { class, by, holds }
    }
}

/// The classes that a class needs: its super class, and the types of its fields.
fn needs(class: &JavaClass) -> Vec<Need> {
    let mut needs = Vec::new();
    if matches!(class.kind, Kind::Enum { .. } | Kind::Interface) {
        return needs;
    }
    for (i, named) in class
        .super_class
        .iter()
        .flat_map(JavaType::classes)
        .enumerate()
    {
        // Behind the super class come its arguments.
        let by = format!("{}, which extends it", class.name);
        needs.push(Need::new(named, by, i > 0));
    }
    for parameter in &class.parameters {
        let by = || format!("{}, whose {} extends it", class.name, parameter.name);
        let named = parameter.bound.classes().into_iter();
        needs.extend(named.map(|it| Need::new(it, by(), true)));
    }
    for field in &class.fields {
        let by = || format!("{}.{}", class.name, field.name);
        let named = field.declared.classes().into_iter();
        needs.extend(named.map(|it| Need::new(it, by(), true)));
    }
    needs
}

impl Closure {
    /// True if no Rust type can stand for the class: its fields are not known.
    pub(crate) fn is_opaque(&self, class: &str) -> bool {
        self.impossible.contains_key(class) || self.throwable.contains(class)
    }

    /// The classes of `roots`, and what they need: super classes, types of fields with their
    /// arguments, and sub classes, since a field or a queue that is declared with a class holds
    /// those too.
    ///
    /// # Errors
    ///
    /// - `Io` if a class cannot be read.
    /// - `Usage` if a class file is broken.
    pub(crate) fn of(path: &mut ClassPath, roots: &BTreeSet<String>) -> Result<Self> {
        let mut search = Search::new(path)?;
        let roots = roots.iter();
        search.describe(
            roots
                .map(|it| Need::new(it, "you".to_owned(), true))
                .collect(),
        )?;
        search.finish()?;
        Ok(search.found)
    }
}

impl<'a> Search<'a> {
    fn new(path: &'a mut ClassPath) -> Result<Self> {
        let names: Vec<String> = path.names().map(str::to_owned).collect();
        let mut below: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut above = BTreeMap::new();
        for name in names {
            let Some(bytes) = path.read(&name)? else {
                continue;
            };
            // A broken class file matters only if a value needs it.
            let Some((_, supers)) = java_class::supers(&bytes) else {
                continue;
            };
            for it in &supers {
                below.entry(it.clone()).or_default().push(name.clone());
            }
            above.insert(name, supers);
        }
        Ok(Self {
            path,
            below,
            above,
            found: Closure::default(),
        })
    }

    /// Describes the classes that are waited for, and what they need.
    fn describe(&mut self, mut waiting: Vec<Need>) -> Result {
        let mut with_below = BTreeSet::new();
        while let Some(Need { class, by, holds }) = waiting.pop() {
            if is_container_of_jdk(&class) {
                continue;
            }
            if !self.found.classes.contains_key(&class) {
                let Some(bytes) = self.path.read(&class)? else {
                    if !is_of_jdk(&class) {
                        self.found.missing.entry(class).or_default().insert(by);
                    }
                    continue;
                };
                let read = JavaClass::parse(&bytes).map_err(|error| {
                    Failure::usage(format!("{class} in {}: {error}", self.path.place(&class)))
                })?;
                waiting.extend(needs(&read));
                self.found.classes.insert(class.clone(), read);
            }
            let Some(read) = self.found.classes.get(&class) else {
                continue;
            };
            if holds && read.is_open() && with_below.insert(class.clone()) {
                let below = self.below.get(&class).into_iter().flatten();
                let below = below.chain(&read.permitted);
                waiting.extend(
                    below.map(|it| Need::new(it, format!("{class}, its super class"), true)),
                );
            }
        }
        Ok(())
    }

    /// Leaves out what has no values, and says what to check.
    fn finish(&mut self) -> Result {
        let named = self.named();
        let is_enum = |it: &&JavaClass| matches!(it.kind, Kind::Enum { .. });
        let enums = self.found.classes.values().filter(is_enum);
        let enums: BTreeSet<String> = enums.map(|it| it.name.clone()).collect();
        self.found.classes.retain(|name, class| {
            // The enum says which of its constants have classes of their own.
            let super_class = class.super_class.as_ref();
            if super_class.is_some_and(|it| enums.contains(&it.name)) {
                return false;
            }
            // No value has the class of an interface, and those of a compiler have no name to
            // rely on.
            let is_needed = named.contains(name);
            is_needed || !(class.is_local || class.kind == Kind::Interface)
        });
        let classes: Vec<String> = self.found.classes.keys().cloned().collect();
        for name in &classes {
            self.check(name);
            self.implement(name)?;
            self.show(name)?;
            self.annotate(name)?;
        }
        self.spread(&classes);
        Ok(())
    }

    /// Finds out whether the constants of an enum have a `toString()` of their own.
    fn show(&mut self, name: &str) -> Result {
        let Some(class) = self.found.classes.get(name) else {
            return Ok(());
        };
        let Kind::Enum { bodies, .. } = &class.kind else {
            return Ok(());
        };
        let mut is_shown = class.shows_itself;
        for body in bodies {
            let body = self.path.read(&body.class)?;
            let body = body.and_then(|bytes| JavaClass::parse(&bytes).ok());
            is_shown |= body.is_some_and(|it| it.shows_itself);
        }
        if is_shown {
            self.found.shown.insert(name.to_owned());
            self.found.notes.push(format!(
                "{name} overrides toString(): write into the schema what it returns, as \"shown\": \
                 [\"...\"], or JsonJackson3Codec refuses its constants"
            ));
        }
        Ok(())
    }

    /// Finds out what annotations make of the names of fields and constants.
    fn annotate(&mut self, name: &str) -> Result {
        let mut chain: Vec<JavaClass> = self.found.classes.get(name).cloned().into_iter().collect();
        let mut next = 0;
        while let Some(class) = chain.get(next) {
            next += 1;
            let above = class.super_class.iter().chain(&class.interfaces);
            let above: Vec<String> = above.map(|it| it.name.clone()).collect();
            for name in above {
                if chain.iter().any(|it| it.name == name) {
                    continue;
                }
                let bytes = self.path.read(&name)?;
                chain.extend(bytes.and_then(|bytes| JavaClass::parse(&bytes).ok()));
            }
        }
        let jackson = Jackson::of(&chain);
        if let Jackson::Unknown(annotations) = &jackson {
            let all: Vec<&str> = annotations.iter().map(String::as_str).collect();
            self.found.notes.push(format!(
                "{name} has {}: no schema says what that makes of it, so the codecs of Jackson refuse its \
                 objects",
                all.join(", ")
            ));
        }
        if let Some(naming) = chain.first().and_then(|it| it.annotations.of_one_jackson) {
            self.found.notes.push(format!("{name} has {naming}"));
        }
        if !jackson.is_plain() {
            self.found.jackson.insert(name.to_owned(), jackson);
        }
        Ok(())
    }

    /// Finds the interfaces with type arguments of a class with type parameters. The super class says
    /// what it implements.
    fn implement(&mut self, name: &str) -> Result {
        let class = self.found.classes.get(name);
        let Some(class) = class.filter(|it| !it.parameters.is_empty()) else {
            return Ok(());
        };
        // Codecs know nothing of the parameters of a class or a method around this class.
        let own = |it: &str| match class.parameters.iter().any(|own| own.name == it) {
            true => JavaType::variable(it),
            false => JavaType::object(),
        };
        let mut all: Vec<JavaType> = class.interfaces.iter().map(|it| it.bind(&own)).collect();
        let mut next = 0;
        while let Some(interface) = all.get(next).cloned() {
            next += 1;
            let Some(bytes) = self.path.read(&interface.name)? else {
                continue;
            };
            let Ok(read) = JavaClass::parse(&bytes) else {
                continue;
            };
            let bound = |parameter: &str| {
                let at = read.parameters.iter().position(|it| it.name == parameter);
                let argument = at.and_then(|at| interface.arguments.get(at));
                let bound = argument.and_then(Argument::bound).cloned();
                bound.unwrap_or_else(JavaType::object)
            };
            for above in read.interfaces.iter().map(|it| it.bind(&bound)) {
                if !all.iter().any(|it| it.name == above.name) {
                    all.push(above);
                }
            }
        }
        all.retain(|it| !it.arguments.is_empty());
        if !all.is_empty() {
            self.found.interfaces.insert(name.to_owned(), all);
        }
        Ok(())
    }

    /// What extends a class that cannot be described cannot be described either.
    fn spread(&mut self, classes: &[String]) {
        loop {
            let before = self.found.impossible.len();
            for name in classes {
                let class = self.found.classes.get(name);
                let Some(super_class) = class.and_then(|it| it.super_class.as_ref()) else {
                    continue;
                };
                let above = &super_class.name;
                let reason = if self.found.missing.contains_key(above) {
                    format!("it extends {above}, which is missing")
                } else if self.found.impossible.contains_key(above) {
                    format!("it extends {above}, which cannot be described")
                } else {
                    continue;
                };
                self.found.impossible.entry(name.clone()).or_insert(reason);
                if self.found.containers.contains(above) {
                    self.found.containers.insert(name.clone());
                }
            }
            if self.found.impossible.len() == before {
                break;
            }
        }
    }

    /// The classes that a field or a super class names.
    fn named(&self) -> BTreeSet<String> {
        let mut named = BTreeSet::new();
        for class in self.found.classes.values() {
            let fields = class.fields.iter().map(|it| &it.declared);
            let types = fields.chain(&class.super_class);
            named.extend(types.flat_map(|it| it.classes()).map(str::to_owned));
        }
        named
    }

    fn check(&mut self, name: &str) {
        let Some(class) = self.found.classes.get(name) else {
            return;
        };
        let mut notes: Vec<String> = class.traps.clone();
        if let Some((first, other)) = self.path.double(name) {
            notes.push(format!("is in {first}, which counts, and in {other}"));
        }
        for parameter in &class.parameters {
            if parameter.bound.name != "java.lang.Object" {
                let (name, bound) = (&parameter.name, &parameter.bound);
                notes.push(format!(
                    "binds {name} to {bound}: a struct of Rust takes {name} for any object, so \
                     payloads of SerializationCodec can differ; a schema has the bound"
                ));
            }
        }
        let above = self.all_above(name);
        let is_container = above.iter().any(|it| holds(it));
        if above.iter().any(|it| is_throwable_of_jdk(it)) {
            self.found.throwable.insert(name.to_owned());
        } else if class.kind == Kind::Object
            && let Some(super_class) = &class.super_class
            && is_of_jdk(&super_class.name)
            && super_class.name != "java.lang.Object"
        {
            if !is_container_of_jdk(&super_class.name) {
                let reason = format!("it extends {super_class}, whose fields no codec knows");
                self.found.impossible.insert(name.to_owned(), reason);
            } else if !class.fields.is_empty() {
                notes.push(format!(
                    "extends {super_class}: codecs leave its own fields out"
                ));
            }
        }
        let is_known = is_container && above.iter().any(|it| is_container_of_jdk(it));
        if is_container && !is_known && class.kind != Kind::Interface {
            let reason = "it is a collection or a map, whose content only its own code knows";
            let impossible = self.found.impossible.entry(name.to_owned());
            impossible.or_insert_with(|| reason.to_owned());
            self.found.containers.insert(name.to_owned());
        }
        if is_serializable(&above) {
            self.found.serializable.insert(name.to_owned());
        } else if let Some(missing) = above
            .iter()
            .find(|it| !is_of_jdk(it) && !self.path.contains(it))
        {
            notes.push(format!(
                "implements {missing}, which is missing: it may be Serializable"
            ));
        }
        let notes = notes.into_iter().map(|it| format!("{name} {it}"));
        self.found.notes.extend(notes);
    }

    /// Everything that the class extends and implements, and itself.
    fn all_above(&self, name: &str) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        let mut waiting = vec![name.to_owned()];
        while let Some(name) = waiting.pop() {
            waiting.extend(self.above.get(&name).into_iter().flatten().cloned());
            if !all.insert(name) {
                waiting.retain(|it| !all.contains(it));
            }
        }
        all
    }
}

/// Of the JDK's classes, all collections and maps that codecs know are serializable.
fn is_serializable(above: &BTreeSet<String>) -> bool {
    let names = ["java.io.Externalizable", "java.io.Serializable"];
    above
        .iter()
        .any(|it| names.contains(&it.as_str()) || is_container_of_jdk(it))
}

/// The JDK names its collections and maps like this, and their interfaces.
fn holds(name: &str) -> bool {
    let ends = ["Collection", "Deque", "List", "Map", "Queue", "Set"];
    name.starts_with("java.util.") && ends.iter().any(|it| name.ends_with(it))
}

/// The JDK names its exceptions like this.
fn is_throwable_of_jdk(name: &str) -> bool {
    let ends = ["Error", "Exception", "Throwable", "ThreadDeath"];
    is_of_jdk(name) && ends.iter().any(|it| name.ends_with(it))
}

/// True if codecs know the class, of the JDK or of Kotlin's library, as a collection or a map.
pub(crate) fn is_container_of_jdk(name: &str) -> bool {
    if !["java.util.", "kotlin.collections."]
        .iter()
        .any(|it| name.starts_with(it))
    {
        return false;
    }
    let class = java::Class::object("Sub").extends(java::JavaType::new(name.to_owned()));
    let schema: Schema = [class].into_iter().collect();
    Kryo5Codec::<JavaValue>::with_schema(schema).is_ok()
}
