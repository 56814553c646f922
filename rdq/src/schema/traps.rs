//! What a class file shows of code that decides how values are written. No schema can say it.

use std::collections::BTreeSet;

use cafebabe::attributes::{AttributeData, AttributeInfo};
use cafebabe::descriptors::FieldType;
use cafebabe::{ClassFile, FieldAccessFlags};

/// Reasons to check payloads of the class with care.
pub(crate) fn of(file: &ClassFile<'_>) -> Vec<String> {
    let mut traps = Vec::new();
    let methods: Vec<&str> = OWN_CODE
        .into_iter()
        .filter(|name| file.methods.iter().any(|it| it.name == *name))
        .collect();
    if !methods.is_empty() {
        traps.push(format!(
            "has {}: SerializationCodec and MarshallingCodec write what this code writes",
            methods.join(", ")
        ));
    }
    if file
        .fields
        .iter()
        .any(|it| it.name == "serialPersistentFields")
    {
        let reason = "has serialPersistentFields: SerializationCodec writes those fields";
        traps.push(reason.to_owned());
    }
    let is_uid = |it: &&cafebabe::FieldInfo<'_>| it.name == "serialVersionUID";
    if let Some(uid) = file.fields.iter().find(is_uid) {
        let is_constant =
            |it: &AttributeInfo<'_>| matches!(it.data, AttributeData::ConstantValue(_));
        if !uid.attributes.iter().any(is_constant) {
            let reason = "computes its serialVersionUID: run it, and write the number as uid";
            traps.push(reason.to_owned());
        }
    }
    for interface in &file.interfaces {
        if let Some((_, codec)) = OWN_FORM.iter().find(|(name, _)| *name == &**interface) {
            traps.push(format!(
                "implements {interface}: {codec} what its code writes"
            ));
        }
    }
    if file.fields.iter().any(|it| {
        it.access_flags.contains(FieldAccessFlags::SYNTHETIC) && it.name.starts_with("this$")
    }) {
        let reason = "is an inner class that is not static: SerializationCodec writes the object \
                      around it too, and Jackson cannot read it";
        traps.push(reason.to_owned());
    }
    let annotations = annotations(file);
    if !annotations.is_empty() {
        let all: Vec<_> = annotations.into_iter().collect();
        traps.push(format!(
            "is annotated with {}: fields or serializers may differ",
            all.join(", ")
        ));
    }
    traps
}

/// The annotations of Kryo on the class and its members.
fn annotations(file: &ClassFile<'_>) -> BTreeSet<String> {
    let fields = file.fields.iter().flat_map(|it| &it.attributes);
    let methods = file.methods.iter().flat_map(|it| &it.attributes);
    let all = file.attributes.iter().chain(fields).chain(methods);
    let annotations = all.filter_map(|it| match &it.data {
        AttributeData::RuntimeVisibleAnnotations(annotations) => Some(annotations),
        _ => None,
    });
    let names = annotations
        .flatten()
        .filter_map(|it| match &it.type_descriptor.field_type {
            FieldType::Object(name) => Some(name.to_string()),
            _ => None,
        });
    let names = names.filter(|name| LIBRARIES.iter().any(|it| name.starts_with(it)));
    names
        .map(|it| {
            format!(
                "@{}",
                it.rsplit('/').next().unwrap_or(&it).replace('$', ".")
            )
        })
        .collect()
}

const OWN_CODE: [&str; 6] = [
    "readExternal",
    "readObject",
    "readResolve",
    "writeExternal",
    "writeObject",
    "writeReplace",
];

const OWN_FORM: [(&str, &str); 4] = [
    (
        "com/esotericsoftware/kryo/KryoSerializable",
        "Kryo5Codec writes",
    ),
    (
        "com/esotericsoftware/kryo/kryo5/KryoSerializable",
        "Kryo5Codec writes",
    ),
    (
        "com/fasterxml/jackson/databind/JsonSerializable",
        "the codecs of Jackson write",
    ),
    (
        "java/io/Externalizable",
        "SerializationCodec and MarshallingCodec write",
    ),
];

const LIBRARIES: [&str; 1] = ["com/esotericsoftware/kryo/"];
