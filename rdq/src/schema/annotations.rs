//! The annotations of Jackson in a class file, as far as they decide how objects are written.

use std::collections::{BTreeMap, BTreeSet};

use cafebabe::attributes::{Annotation, AnnotationElementValue, AttributeData, AttributeInfo};
use cafebabe::descriptors::{FieldDescriptor, FieldType, ReturnDescriptor};
use cafebabe::{ClassFile, FieldAccessFlags, MethodInfo};

/// What the annotations in one class file say.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Annotations {
    /// Fields and constants of the class that have another name in JSON, or none.
    pub(crate) names: BTreeMap<String, Option<String>>,
    /// Properties that are renamed or ignored, and are no fields of this class.
    pub(crate) loose: BTreeSet<String>,
    /// The properties of `@JsonIgnoreProperties`.
    pub(crate) ignored: BTreeSet<String>,
    /// The properties that a constructor takes.
    pub(crate) taken: BTreeSet<String>,
    pub(crate) naming: Option<Naming>,
    /// An annotation that Jackson 2 knows and Jackson 3 does not, or the reverse.
    pub(crate) of_one_jackson: Option<&'static str>,
    /// Objects have their class even where it is final.
    pub(crate) is_tagged: bool,
    /// The annotations that no schema can follow.
    pub(crate) unknown: BTreeSet<String>,
}

/// A strategy of `@JsonNaming`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Naming {
    /// As Java spells them.
    Java,
    Snake,
}

/// What the annotations of a field, its getter and its setter say.
#[derive(Default)]
struct Property {
    names: BTreeSet<String>,
    is_named: bool,
    is_ignored: bool,
}

/// Where an annotation stands.
#[derive(Clone, Copy, Eq, PartialEq)]
enum Place {
    Class,
    /// `true` if it holds a number.
    Member(bool),
    Parameter,
}

struct Search {
    found: Annotations,
    properties: BTreeMap<String, Property>,
}

impl Annotations {
    /// True if they say nothing.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub(crate) fn of(file: &ClassFile<'_>) -> Self {
        let mut search = Search {
            found: Self::default(),
            properties: BTreeMap::new(),
        };
        for it in all(&file.attributes) {
            search.annotation(it, Place::Class, None);
        }
        let mut fields = BTreeMap::new();
        for field in &file.fields {
            let flags = field.access_flags;
            let left_out = FieldAccessFlags::STATIC | FieldAccessFlags::TRANSIENT;
            if flags.intersects(left_out) && !flags.contains(FieldAccessFlags::ENUM) {
                // Jackson writes it then, and it may hide a field of a super class.
                if all(&field.attributes).any(|it| name_of(it) == Some("JsonProperty")) {
                    let what = format!("@JsonProperty of {}, which is transient", field.name);
                    search.found.unknown.insert(what);
                }
                continue;
            }
            let name = field.name.to_string();
            for it in all(&field.attributes) {
                let place = Place::Member(is_number(&field.descriptor));
                search.annotation(it, place, Some(&name));
            }
            fields.insert(name, field.descriptor.to_string());
        }
        for method in &file.methods {
            search.method(method, &fields, file);
        }
        search.finish(&fields)
    }
}

impl Search {
    fn method(
        &mut self,
        method: &MethodInfo<'_>,
        fields: &BTreeMap<String, String>,
        file: &ClassFile<'_>,
    ) {
        let annotations: Vec<_> = all(&method.attributes).collect();
        let descriptor = method.descriptor.to_string();
        let is_record = |it: &AttributeInfo<'_>| matches!(it.data, AttributeData::Record(_));
        let is_record = file.attributes.iter().any(is_record);
        let is_named = annotations.iter().any(|it| {
            matches!(
                name_of(it),
                Some("JsonProperty" | "JsonGetter" | "JsonSetter")
            )
        });
        let property = property_of(&method.name, &descriptor, is_record)
            .or_else(|| is_named.then(|| fluent_property_of(method)).flatten());
        // Jackson takes what a getter returns.
        if let Some(property) = &property
            && annotations
                .iter()
                .any(|it| matches!(name_of(it), Some("JsonProperty" | "JsonGetter")))
            && let Some(field) = fields.get(property)
            && descriptor.starts_with("()")
            && descriptor != format!("(){field}")
        {
            self.found
                .unknown
                .insert(format!("@JsonProperty of {}()", method.name));
        }
        for it in annotations {
            self.annotation(it, Place::Member(false), property.as_deref());
        }
        for attribute in &method.attributes {
            let AttributeData::RuntimeVisibleParameterAnnotations(parameters) = &attribute.data
            else {
                continue;
            };
            for it in parameters.iter().flat_map(|it| &it.annotations) {
                if name_of(it) == Some("JsonProperty") && method.name == "<init>" {
                    self.found.taken.extend(text(it, "value"));
                }
                self.annotation(it, Place::Parameter, None);
            }
        }
    }

    /// Takes an annotation in. `property` is that of the member, if it has one.
    fn annotation(&mut self, it: &Annotation<'_>, place: Place, property: Option<&str>) {
        let Some(name) = name_of(it) else {
            return;
        };
        let is_understood = match (name, place) {
            (_, Place::Parameter) => true,
            ("JsonProperty" | "JsonGetter" | "JsonSetter", Place::Member(_)) => {
                if let Some(property) = property {
                    let property = self.properties.entry(property.to_owned()).or_default();
                    property.is_named = true;
                    property
                        .names
                        .extend(text(it, "value").filter(|it| !it.is_empty()));
                }
                constant(it, "access") != Some("READ_ONLY")
            }
            ("JsonIgnore", Place::Member(_)) => {
                if let Some(property) = property
                    && flag(it, "value") != Some(false)
                {
                    self.properties
                        .entry(property.to_owned())
                        .or_default()
                        .is_ignored = true;
                }
                true
            }
            // What is left out then is what the class itself sets, and not null or zero.
            ("JsonInclude", Place::Class) => {
                !matches!(constant(it, "value"), Some("CUSTOM" | "NON_DEFAULT"))
            }
            ("JsonIgnoreProperties", _) => {
                let names = texts(it);
                let is_plain = flag(it, "allowGetters") != Some(true)
                    && flag(it, "allowSetters") != Some(true);
                let is_understood = names.is_empty() || place == Place::Class && is_plain;
                self.found.ignored.extend(names);
                is_understood
            }
            ("JsonNaming", Place::Class) => {
                self.found.naming = naming(it);
                self.found.of_one_jackson = Some(match is_of_jackson3(it) {
                    true => "@JsonNaming of Jackson 3, which codecs of Jackson 2 ignore",
                    false => "@JsonNaming of Jackson 2, which codecs of Jackson 3 ignore",
                });
                self.found.naming.is_some()
            }
            ("JsonTypeInfo", Place::Class) => {
                self.found.is_tagged = true;
                constant(it, "use") == Some("CLASS")
                    && constant(it, "include").is_none_or(|it| it == "PROPERTY")
                    && text(it, "property").is_none_or(|it| ["", "@class"].contains(&&*it))
            }
            ("JsonFormat", _) => {
                let shape = constant(it, "shape").unwrap_or("ANY");
                it.elements.iter().all(|it| it.name == "shape") && SCALARS.contains(&shape)
            }
            ("JsonAutoDetect", Place::Class) => {
                constant(it, "fieldVisibility").is_none_or(|it| ["ANY", "DEFAULT"].contains(&it))
            }
            ("JsonSerialize" | "JsonDeserialize", _) => {
                let is_number = place == Place::Member(true);
                it.elements.iter().all(|it| match &it.value {
                    AnnotationElementValue::ClassLiteral { class_name } => {
                        it.name == "builder"
                            || it.name == "using"
                                && (class_name.starts_with(TIMES)
                                    || is_number && class_name == TO_STRING)
                    }
                    _ => false,
                })
            }
            _ => HARMLESS.contains(&name),
        };
        if !is_understood {
            self.found.unknown.insert(format!("@{name}"));
        }
    }

    fn finish(mut self, fields: &BTreeMap<String, String>) -> Annotations {
        for (property, it) in self.properties {
            if !fields.contains_key(&property) {
                if it.is_ignored || it.names.iter().any(|it| *it != property) {
                    self.found.loose.insert(property);
                }
                continue;
            }
            if it.is_ignored && it.is_named || it.names.len() > 1 {
                let which = format!("several annotations of {property}");
                self.found.unknown.insert(which);
            } else if it.is_ignored {
                self.found.names.insert(property, None);
            } else if let Some(name) = it.names.into_iter().next() {
                self.found.names.insert(property, Some(name));
            }
        }
        self.found
    }
}

impl Naming {
    /// The name of a field in JSON.
    pub(crate) fn apply(self, field: &str) -> String {
        if self == Self::Java {
            return field.to_owned();
        }
        let mut name = String::new();
        let mut was_upper = false;
        for (i, it) in field.chars().enumerate() {
            if i == 0 && it == '_' {
                continue;
            }
            if it.is_uppercase() && !was_upper && !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            was_upper = it.is_uppercase();
            name.extend(it.to_lowercase());
        }
        match name.is_empty() {
            true => field.to_owned(),
            false => name,
        }
    }
}

/// The property of an annotated method that is not named as a getter or a setter: `total` of `total()`
/// and of `total(5)`.
fn fluent_property_of(method: &MethodInfo<'_>) -> Option<String> {
    let returns = method.descriptor.return_type != ReturnDescriptor::Void;
    let is_accessor = match method.descriptor.parameters.len() {
        0 => returns,
        count => count == 1,
    };
    is_accessor.then(|| method.name.to_string())
}

/// The property of a getter or a setter: `orderId` of `getOrderId()`.
fn property_of(method: &str, descriptor: &str, is_record: bool) -> Option<String> {
    let (parameters, returned) = descriptor.strip_prefix('(')?.split_once(')')?;
    let getter = || {
        let is_boolean = matches!(returned, "Z" | "Ljava/lang/Boolean;");
        let is = || method.strip_prefix("is").filter(|_| is_boolean);
        let property = method.strip_prefix("get").or_else(is);
        property.filter(|_| parameters.is_empty() && returned != "V")
    };
    let setter = || {
        method
            .strip_prefix("set")
            .filter(|_| !parameters.is_empty())
    };
    let property = getter().or_else(setter).filter(|it| !it.is_empty());
    match property {
        Some(property) => {
            // Jackson makes all leading capitals small.
            let mut leads = true;
            let small = property.chars().map(|it| {
                leads &= it.is_uppercase();
                if leads {
                    it.to_lowercase().next().unwrap_or(it)
                } else {
                    it
                }
            });
            Some(small.collect())
        }
        None if is_record && parameters.is_empty() => Some(method.to_owned()),
        None => None,
    }
}

fn is_number(declared: &FieldDescriptor<'_>) -> bool {
    let spelled = declared.to_string();
    let boxed = spelled.strip_prefix("Ljava/lang/");
    let big = spelled.strip_prefix("Ljava/math/Big");
    matches!(spelled.as_str(), "I" | "J" | "S")
        || matches!(boxed, Some("Integer;" | "Long;" | "Short;"))
        || big.is_some()
}

fn all<'f, 'a>(attributes: &'f [AttributeInfo<'a>]) -> impl Iterator<Item = &'f Annotation<'a>> {
    let visible = attributes.iter().filter_map(|it| match &it.data {
        AttributeData::RuntimeVisibleAnnotations(annotations) => Some(annotations),
        _ => None,
    });
    visible.flatten()
}

/// The simple name of an annotation of Jackson.
fn name_of<'f>(it: &'f Annotation<'_>) -> Option<&'f str> {
    let FieldType::Object(class) = &it.type_descriptor.field_type else {
        return None;
    };
    let name: &str = class;
    LIBRARIES.iter().find_map(|it| name.strip_prefix(it))
}

fn is_of_jackson3(it: &Annotation<'_>) -> bool {
    matches!(&it.type_descriptor.field_type, FieldType::Object(name) if name.starts_with("tools/"))
}

fn value<'f, 'a>(it: &'f Annotation<'a>, name: &str) -> Option<&'f AnnotationElementValue<'a>> {
    let element = it.elements.iter().find(|it| it.name == name);
    element.map(|it| &it.value)
}

fn text(it: &Annotation<'_>, name: &str) -> Option<String> {
    match value(it, name)? {
        AnnotationElementValue::StringConstant(text) => Some(text.to_string()),
        _ => None,
    }
}

fn texts(it: &Annotation<'_>) -> Vec<String> {
    let Some(AnnotationElementValue::ArrayValue(all)) = value(it, "value") else {
        return Vec::new();
    };
    let texts = all.iter().filter_map(|it| match it {
        AnnotationElementValue::StringConstant(text) => Some(text.to_string()),
        _ => None,
    });
    texts.collect()
}

fn constant<'f>(it: &'f Annotation<'_>, name: &str) -> Option<&'f str> {
    match value(it, name)? {
        AnnotationElementValue::EnumConstant { const_name, .. } => Some(const_name),
        _ => None,
    }
}

fn flag(it: &Annotation<'_>, name: &str) -> Option<bool> {
    match value(it, name)? {
        AnnotationElementValue::BooleanConstant(it) => Some(*it != 0),
        _ => None,
    }
}

fn naming(it: &Annotation<'_>) -> Option<Naming> {
    let Some(AnnotationElementValue::ClassLiteral { class_name }) = value(it, "value") else {
        return Some(Naming::Java);
    };
    let name = class_name.trim_end_matches(';');
    match name.rsplit(['/', '$']).next()? {
        "SnakeCaseStrategy" => Some(Naming::Snake),
        "LowerCamelCaseStrategy" | "PropertyNamingStrategy" => Some(Naming::Java),
        _ => None,
    }
}

const LIBRARIES: [&str; 3] = [
    "com/fasterxml/jackson/annotation/",
    "com/fasterxml/jackson/databind/annotation/",
    "tools/jackson/databind/annotation/",
];

/// They change no name and no value, or only what stands behind other properties.
const HARMLESS: [&str; 16] = [
    "JacksonInject",
    "JsonAlias",
    "JsonClassDescription",
    "JsonCreator",
    "JsonEnumDefaultValue",
    "JsonInclude",
    "JsonManagedReference",
    "JsonPOJOBuilder",
    "JsonProperty",
    "JsonPropertyDescription",
    "JsonPropertyOrder",
    "JsonRootName",
    "JsonSetter",
    "JsonSubTypes",
    "JsonTypeName",
    "JsonView",
];

/// Forms of `@JsonFormat` that a reader takes for what they are: a number, a name, a time.
const SCALARS: [&str; 7] = [
    "ANY",
    "NATURAL",
    "NUMBER",
    "NUMBER_FLOAT",
    "NUMBER_INT",
    "SCALAR",
    "STRING",
];

/// Serializers of `java.time`, as `JavaTimeModule` registers them.
const TIMES: &str = "Lcom/fasterxml/jackson/datatype/jsr310/";

const TO_STRING: &str = "Lcom/fasterxml/jackson/databind/ser/std/ToStringSerializer;";

#[cfg(test)]
mod tests {
    use super::{Naming, property_of};

    /// Jackson 2.21 names these fields so.
    #[test]
    fn snake_case_is_that_of_jackson() {
        for (field, name) in [
            ("orderId", "order_id"),
            ("URLPath", "urlpath"),
            ("_under", "under"),
            ("a1B2", "a1_b2"),
            ("iOS", "i_os"),
            ("has_some", "has_some"),
            ("_", "_"),
        ] {
            assert_eq!(Naming::Snake.apply(field), name);
        }
    }

    #[test]
    fn getters_and_setters_have_properties() {
        for (method, descriptor, is_record, property) in [
            ("getOrderId", "()Ljava/lang/String;", false, Some("orderId")),
            (
                "setOrderId",
                "(Ljava/lang/String;)V",
                false,
                Some("orderId"),
            ),
            ("isPaid", "()Z", false, Some("paid")),
            ("isbn", "()Ljava/lang/String;", false, None),
            ("getURL", "()Ljava/lang/String;", false, Some("url")),
            ("get", "()I", false, None),
            ("getAt", "(I)I", false, None),
            ("orderId", "()I", true, Some("orderId")),
            ("orderId", "()I", false, None),
        ] {
            let found = property_of(method, descriptor, is_record);
            assert_eq!(found.as_deref(), property, "{method}");
        }
    }
}
