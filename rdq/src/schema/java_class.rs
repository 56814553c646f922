//! Reads class files.

use cafebabe::attributes::{AttributeData, AttributeInfo, InnerClassEntry, RecordComponentEntry};
use cafebabe::constant_pool::LiteralConstant;
use cafebabe::{ClassAccessFlags, ClassFile, FieldAccessFlags, FieldInfo, ParseOptions};

use super::annotations::Annotations;
use super::constants::Body;
use super::java_type::JavaType;
use super::serialized::Serialized;
use super::signature::{self, Parameter};
use super::{constants, serialized, traps, uid};

/// What a class file says that codecs must know.
#[derive(Clone, Debug)]
pub(crate) struct JavaClass {
    /// As `Class.getName()` gives it.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) is_abstract: bool,
    pub(crate) is_final: bool,
    /// An anonymous class, or one that is declared in a method or made by the compiler.
    pub(crate) is_local: bool,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) super_class: Option<JavaType>,
    pub(crate) interfaces: Vec<JavaType>,
    /// In the order of their declaration, without static, transient and synthetic ones.
    pub(crate) fields: Vec<JavaField>,
    /// The sub classes that a sealed class permits.
    pub(crate) permitted: Vec<String>,
    pub(crate) declared_uid: Option<i64>,
    /// The `serialVersionUID` if the class declares none.
    pub(crate) computed_uid: i64,
    pub(crate) serialized: Serialized,
    /// True if it has a `toString()` of its own.
    pub(crate) shows_itself: bool,
    /// The annotations of Jackson.
    pub(crate) annotations: Annotations,
    /// Why codecs may treat it in another way than its fields say.
    pub(crate) traps: Vec<String>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    Object,
    Record,
    Enum {
        constants: Vec<String>,
        /// The constants that have a class of their own.
        bodies: Vec<Body>,
    },
    Interface,
}

/// A field, or a component of a record.
#[derive(Clone, Debug)]
pub(crate) struct JavaField {
    pub(crate) name: String,
    pub(crate) declared: JavaType,
}

/// Why a class file cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("not a class file: {0}")]
    Format(String),
    #[error("{0} has a signature that cannot be read")]
    Signature(String),
}

impl JavaClass {
    /// Reads the bytes of a class file.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, Unreadable> {
        let file = open(bytes, false)?;
        let is_enum = file.access_flags.contains(ClassAccessFlags::ENUM);
        let has_bodies = is_enum && !file.access_flags.contains(ClassAccessFlags::FINAL);
        // Only code says which constants have bodies, and what is serialized.
        if has_bodies || file.methods.iter().any(|it| it.name == "writeObject") {
            return Self::of(&open(bytes, true)?);
        }
        Self::of(&file)
    }

    fn of(file: &ClassFile<'_>) -> Result<Self, Unreadable> {
        let name = file.this_class.replace('/', ".");
        let broken = || Unreadable::Signature(name.clone());
        let signature = match signature_of(&file.attributes) {
            Some(text) => signature::class(text).ok_or_else(broken)?,
            None => signature::ClassSignature::default(),
        };
        let raw = file
            .super_class
            .as_ref()
            .map(|it| JavaType::new(it.replace('/', ".")));
        let raw_interfaces = file.interfaces.iter();
        let raw_interfaces = raw_interfaces.map(|it| JavaType::new(it.replace('/', ".")));
        let mut supers = signature.supers.into_iter();
        let super_class = supers.next().or(raw);
        let mut interfaces: Vec<JavaType> = supers.collect();
        if interfaces.is_empty() {
            interfaces = raw_interfaces.collect();
        }
        let inner = inner_class(file);
        let modifiers = match inner {
            Some(inner) => inner.access_flags.bits(),
            None => file.access_flags.bits(),
        };
        let has = |flag: ClassAccessFlags| modifiers & flag.bits() != 0;
        let traps = traps::of(file);
        let kind = if file.access_flags.contains(ClassAccessFlags::INTERFACE) {
            Kind::Interface
        } else if super_class
            .as_ref()
            .is_some_and(|it| it.name == "java.lang.Enum")
        {
            let constants = constants::of(file);
            Kind::Enum {
                constants: constants.names,
                bodies: constants.bodies,
            }
        } else if components(file).is_some() {
            Kind::Record
        } else {
            Kind::Object
        };
        let known: Vec<&str> = signature
            .parameters
            .iter()
            .map(|it| it.name.as_str())
            .collect();
        let mut fields = Vec::new();
        for (field, declared, attributes) in declared(file) {
            let text = signature_of(attributes).map_or(declared, str::to_owned);
            let declared = signature::field(&text).ok_or_else(broken)?;
            // A type parameter of a class or method around this class. Codecs know nothing of it.
            let own = |name: &str| match known.contains(&name) {
                true => JavaType::variable(name),
                false => JavaType::object(),
            };
            fields.push(JavaField {
                name: field,
                declared: declared.bind(&own),
            });
        }
        Ok(Self {
            is_abstract: kind == Kind::Interface || has(ClassAccessFlags::ABSTRACT),
            is_final: has(ClassAccessFlags::FINAL),
            is_local: has(ClassAccessFlags::SYNTHETIC)
                || inner.is_some_and(|it| it.outer_class_info.is_none() || it.inner_name.is_none())
                || file
                    .attributes
                    .iter()
                    .any(|it| matches!(it.data, AttributeData::EnclosingMethod { .. })),
            super_class: super_class.filter(|_| kind != Kind::Interface),
            interfaces,
            permitted: permitted(file),
            declared_uid: file.fields.iter().find_map(declared_uid),
            computed_uid: uid::computed(file, modifiers),
            serialized: serialized::of(file),
            shows_itself: file.methods.iter().any(|it| {
                it.name == "toString" && it.descriptor.to_string() == "()Ljava/lang/String;"
            }),
            annotations: Annotations::of(file),
            traps,
            parameters: signature.parameters,
            name,
            kind,
            fields,
        })
    }

    /// True if values can have a sub class of this class.
    pub(crate) fn is_open(&self) -> bool {
        let is_enum = matches!(self.kind, Kind::Enum { .. });
        !(self.is_final || is_enum || self.kind == Kind::Record)
    }
}

/// The class and what it extends or implements, without the rest.
pub(crate) fn supers(bytes: &[u8]) -> Option<(String, Vec<String>)> {
    let file = open(bytes, false).ok()?;
    let supers = file.super_class.iter().chain(&file.interfaces);
    let supers = supers.map(|it| it.replace('/', "."));
    Some((file.this_class.replace('/', "."), supers.collect()))
}

fn open(bytes: &[u8], with_code: bool) -> Result<ClassFile<'_>, Unreadable> {
    let mut options = ParseOptions::default();
    options.parse_bytecode(with_code);
    let file = cafebabe::parse_class_with_options(bytes, &options);
    file.map_err(|error| Unreadable::Format(error.to_string()))
}

/// The entry of the class itself, if it is declared in another one.
fn inner_class<'f, 'a>(file: &'f ClassFile<'a>) -> Option<&'f InnerClassEntry<'a>> {
    let inner = file.attributes.iter().find_map(|it| match &it.data {
        AttributeData::InnerClasses(inner) => Some(inner),
        _ => None,
    });
    inner?
        .iter()
        .find(|it| *it.inner_class_info == *file.this_class)
}

fn components<'f, 'a>(file: &'f ClassFile<'a>) -> Option<&'f [RecordComponentEntry<'a>]> {
    file.attributes.iter().find_map(|it| match &it.data {
        AttributeData::Record(components) => Some(components.as_slice()),
        _ => None,
    })
}

type DeclaredField<'f, 'a> = (String, String, &'f [AttributeInfo<'a>]);

/// The fields of values: names, descriptors, and attributes.
fn declared<'f, 'a>(file: &'f ClassFile<'a>) -> Vec<DeclaredField<'f, 'a>> {
    if let Some(components) = components(file) {
        let components = components.iter();
        return components
            .map(|it| {
                (
                    it.name.to_string(),
                    it.descriptor.to_string(),
                    &it.attributes[..],
                )
            })
            .collect();
    }
    let left_out =
        FieldAccessFlags::STATIC | FieldAccessFlags::TRANSIENT | FieldAccessFlags::SYNTHETIC;
    let fields = file.fields.iter();
    fields
        .filter(|it| !it.access_flags.intersects(left_out))
        .map(|it| {
            (
                it.name.to_string(),
                it.descriptor.to_string(),
                &it.attributes[..],
            )
        })
        .collect()
}

fn signature_of<'f>(attributes: &'f [AttributeInfo<'_>]) -> Option<&'f str> {
    attributes.iter().find_map(|it| match &it.data {
        AttributeData::Signature(text) => Some(&**text),
        _ => None,
    })
}

fn permitted(file: &ClassFile<'_>) -> Vec<String> {
    let permitted = file.attributes.iter().find_map(|it| match &it.data {
        AttributeData::PermittedSubclasses(classes) => Some(classes),
        _ => None,
    });
    let permitted = permitted.into_iter().flatten();
    permitted.map(|it| it.replace('/', ".")).collect()
}

/// The constant of a field `static final long serialVersionUID`.
fn declared_uid(field: &FieldInfo<'_>) -> Option<i64> {
    let constant = FieldAccessFlags::STATIC | FieldAccessFlags::FINAL;
    if field.name != "serialVersionUID" || !field.access_flags.contains(constant) {
        return None;
    }
    field.attributes.iter().find_map(|it| match it.data {
        AttributeData::ConstantValue(LiteralConstant::Long(uid)) => Some(uid),
        AttributeData::ConstantValue(LiteralConstant::Integer(uid)) => Some(uid.into()),
        _ => None,
    })
}
