//! The struct or the enum of one class.

use std::collections::BTreeSet;

use super::names;
use super::types::Types;
use crate::schema::constants::Body;
use crate::schema::jackson::Jackson;
use crate::schema::java_class::{JavaClass, JavaField, Kind};
use crate::schema::java_type::{Argument, JavaType};

/// Writes one class.
pub(super) struct Item<'a> {
    class: &'a JavaClass,
    types: &'a Types<'a>,
    notes: &'a mut Vec<String>,
}

impl<'a> Item<'a> {
    pub(super) fn new(
        class: &'a JavaClass,
        types: &'a Types<'a>,
        notes: &'a mut Vec<String>,
    ) -> Self {
        Self {
            class,
            types,
            notes,
        }
    }

    /// The source text. `None` if no value has the class, and no other class needs its fields.
    pub(super) fn write(mut self) -> Option<String> {
        let class = self.class;
        if self.types.closure.is_opaque(&class.name) {
            return None;
        }
        match &class.kind {
            Kind::Interface => None,
            Kind::Enum { constants, bodies } => self.constants(constants, bodies),
            Kind::Object | Kind::Record => match self.types.closure.container_above(class) {
                Some(above) => Some(self.container(above)),
                None => Some(self.object()),
            },
        }
    }

    fn constants(&self, constants: &[String], bodies: &[Body]) -> Option<String> {
        if constants.is_empty() {
            return None;
        }
        let mut taken = BTreeSet::new();
        let is_shown = self.types.closure.shown.contains(&self.class.name);
        let shown = is_shown.then(|| "shown = \"unknown\"".to_owned());
        let is_final = self.class.is_final && !bodies.is_empty();
        let is_final = is_final.then(|| "final".to_owned());
        let derived = "Clone, Copy, Debug, Eq, Hash, JavaObject, PartialEq";
        let mut words: Vec<String> = is_final.into_iter().chain(shown).collect();
        words.extend(self.unknown_to_jackson());
        let mut text = self.head(derived, &words);
        text += &format!(
            "pub enum {} {{\n",
            self.types.names.of_class(&self.class.name)
        );
        for constant in constants {
            let (variant, rename) = names::constant(constant, &mut taken);
            let rename = rename.map(|it| format!("name = \"{it}\""));
            let body = bodies.iter().find(|it| it.constant == *constant);
            let body = body.map(|it| match it.is_named {
                true => format!("body = \"{}\"", it.class),
                false => "body".to_owned(),
            });
            let words = rename.into_iter().chain(body).chain(self.jackson(constant));
            text += &attribute("    ", words);
            text += &format!("    {variant},\n");
        }
        Some(text + "}\n")
    }

    fn object(&mut self) -> String {
        let class = self.class;
        let word = match class.kind {
            Kind::Record => Some("record"),
            _ if class.is_abstract => Some("abstract"),
            _ if class.is_final => Some("final"),
            _ => None,
        };
        let mut words: Vec<String> = word.into_iter().map(str::to_owned).collect();
        let closure = self.types.closure;
        if let Some(interfaces) = closure.interfaces.get(&class.name) {
            let interfaces: Vec<String> = interfaces.iter().map(JavaType::to_string).collect();
            words.push(format!("implements = \"{}\"", interfaces.join(", ")));
        }
        words.extend(self.serialized());
        words.extend(self.unknown_to_jackson());
        let mut taken = BTreeSet::new();
        let mut body = String::new();
        let super_class = class.super_class.as_ref();
        let extended = ["java.lang.Object", "java.lang.Record"];
        if let Some(above) = super_class.filter(|it| !extended.contains(&it.name.as_str())) {
            let base = ["base", "super_class"];
            let is_field = |it: &&str| class.fields.iter().any(|field| field.name == **it);
            let base = base
                .iter()
                .find(|it| !is_field(it))
                .unwrap_or(&"base_class");
            taken.insert((*base).to_owned());
            self.check(above, "its super class");
            let rust = self.types.base(above).text;
            body += &format!("    #[java(extends)]\n    pub {base}: {rust},\n");
        }
        for field in &class.fields {
            self.check(&field.declared, &field.name);
            body += &self.field(field, &mut taken);
        }
        body += &self.unused_parameters();
        let parameters = self.parameters();
        let head = self.head("Clone, Debug, JavaObject, PartialEq", &words);
        let name = self.types.names.of_class(&class.name);
        match body.is_empty() {
            true => format!("{head}pub struct {name}{parameters};\n"),
            false => format!("{head}pub struct {name}{parameters} {{\n{body}}}\n"),
        }
    }

    fn serialized(&self) -> Option<String> {
        let serialized = self.types.closure.serialized(self.class)?;
        Some(format!("serialized = \"{serialized}\""))
    }

    /// What Jackson calls a field or a constant.
    fn jackson(&self, member: &str) -> Option<String> {
        let Jackson::Names(names) = self.types.closure.jackson.get(&self.class.name)? else {
            return None;
        };
        let (_, written) = names.iter().find(|it| it.0 == member)?;
        Some(match written {
            Some(written) => format!("jackson = {written:?}"),
            None => "jackson_ignores".to_owned(),
        })
    }

    fn unknown_to_jackson(&self) -> Option<String> {
        let jackson = self.types.closure.jackson.get(&self.class.name)?;
        let is_unknown = matches!(jackson, Jackson::Unknown(_));
        is_unknown.then(|| "jackson = \"unknown\"".to_owned())
    }

    fn field(&self, field: &JavaField, taken: &mut BTreeSet<String>) -> String {
        let (name, rename) = names::field(&field.name, taken);
        let (rust, declared) = self.types.field(&field.declared, &self.class.name);
        let rename = rename.map(|it| format!("name = \"{it}\""));
        let declared = declared.map(|it| format!("type = \"{it}\""));
        let words = rename.into_iter().chain(declared);
        let attribute = attribute("    ", words.chain(self.jackson(&field.name)));
        format!("{attribute}    pub {name}: {rust},\n")
    }

    /// Says where the derive cannot tell Kryo what Java declares.
    fn check(&mut self, declared: &JavaType, place: &str) {
        if declared.has_telling_wildcard() {
            self.notes.push(format!(
                "{}: {place} is declared with a wildcard that the struct cannot say: use the schema \
                 file if the codec is Kryo5Codec",
                self.class.name
            ));
        }
    }

    /// Rust refuses a type parameter that no field names.
    fn unused_parameters(&self) -> String {
        let names = |declared: &JavaType, parameter: &str| mentions(declared, parameter);
        let fields = self.class.fields.iter().map(|it| &it.declared);
        let types: Vec<&JavaType> = fields.chain(&self.class.super_class).collect();
        let parameters = self.class.parameters.iter().map(|it| it.name.as_str());
        let unused = parameters.filter(|it| !types.iter().any(|declared| names(declared, it)));
        let unused: Vec<&str> = unused.collect();
        match unused[..] {
            [] => String::new(),
            [one] => format!("    #[java(skip)]\n    pub unused: PhantomData<{one}>,\n"),
            _ => format!(
                "    #[java(skip)]\n    pub unused: PhantomData<({})>,\n",
                unused.join(", ")
            ),
        }
    }

    /// A class that extends a collection or a map. `above` is the one that extends that of the JDK.
    fn container(&mut self, above: &JavaClass) -> String {
        let class = self.class;
        let Some(extended) = above
            .super_class
            .as_ref()
            .filter(|_| above.name == class.name)
        else {
            self.notes.push(format!(
                "{}: extends a collection by way of {}: use the schema file",
                class.name, above.name
            ));
            return self.object();
        };
        self.check(extended, "its super class");
        let plain = extended.without_wildcards();
        let mut words = vec![format!("extends = \"{plain}\"")];
        if class.is_final {
            words.insert(0, "final".to_owned());
        }
        words.extend(self.serialized());
        let head = self.head("Clone, Debug, JavaObject, PartialEq", &words);
        let name = self.types.names.of_class(&class.name);
        let rust = self.types.container(&plain);
        format!(
            "{head}pub struct {name}{}(pub {rust});\n",
            self.parameters()
        )
    }

    fn parameters(&self) -> String {
        let names: Vec<&str> = self
            .class
            .parameters
            .iter()
            .map(|it| it.name.as_str())
            .collect();
        match names[..] {
            [] => String::new(),
            _ => format!("<{}>", names.join(", ")),
        }
    }

    /// The attributes of the struct or the enum, with these words behind the usual ones.
    fn head(&self, derived: &str, words: &[String]) -> String {
        let name = &self.class.name;
        let uid = self.types.closure.uid(self.class);
        let uid = uid.map(|it| format!("serial_version_uid = {it}"));
        let usual = [format!("class = \"{name}\"")].into_iter().chain(uid);
        let java = attribute("", usual.chain(words.iter().cloned()));
        format!("/// `{name}`\n#[derive({derived})]\n{java}")
    }
}

/// `#[java(…)]` as rustfmt lays it out.
fn attribute(indent: &str, words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = words.collect();
    let line = words.join(", ");
    match words.len() {
        0 => String::new(),
        2.. if line.chars().count() > 70 => {
            let words = words.join(&format!(",\n{indent}    "));
            format!("{indent}#[java(\n{indent}    {words}\n{indent})]\n")
        }
        _ => format!("{indent}#[java({line})]\n"),
    }
}

/// True if the type names this type parameter.
fn mentions(declared: &JavaType, parameter: &str) -> bool {
    let arguments = declared.arguments.iter().filter_map(Argument::bound);
    let mut arguments = arguments.map(|it| mentions(it, parameter));
    declared.is_variable && declared.name == parameter || arguments.any(|it| it)
}
