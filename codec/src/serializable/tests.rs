//! What both codecs do alike.

use super::*;
use crate::java::{Class, Constant, JavaObject, JavaType, JavaValue, Mismatch, Schema};
use crate::{Codec, Error};

type Codecs<T> = Vec<Box<dyn Codec<T>>>;

fn codecs<T: JavaObject + 'static>() -> Codecs<T> {
    vec![
        #[cfg(feature = "serialization")]
        Box::new(SerializationCodec::<T>::new()),
        #[cfg(feature = "marshalling")]
        Box::new(MarshallingCodec::<T>::new()),
    ]
}

fn source(error: &Error) -> String {
    error.cause().unwrap().to_string()
}

/// A type whose class extends itself, which no class can.
#[derive(Debug)]
struct Endless;

fn endless() -> Class {
    Class::object("A").extends(JavaType::new("A"))
}

impl JavaObject for Endless {
    fn java_type() -> JavaType {
        JavaType::new("A")
    }

    fn describe(schema: &mut Schema) {
        schema.add(endless());
    }

    fn to_java(&self) -> JavaValue {
        JavaValue::Null
    }

    fn from_java(_: JavaValue) -> Result<Self, Mismatch> {
        Ok(Self)
    }
}

#[test]
fn contradictory_classes_of_a_type_are_reported_by_each_call() {
    for codec in codecs::<Endless>() {
        let written = codec.encode(&Endless).unwrap_err();
        let read = codec.decode("any payload".into()).unwrap_err();
        for error in [written, read] {
            assert_eq!(error.reason(), "classes of the type contradict each other");
        }
    }
}

#[test]
fn contradictory_classes_of_a_schema_make_no_codec() {
    let schema = || Schema::from_iter([endless()]);
    #[cfg(feature = "serialization")]
    assert!(SerializationCodec::<JavaValue>::with_schema(schema()).is_err());
    #[cfg(feature = "marshalling")]
    assert!(MarshallingCodec::<JavaValue>::with_schema(schema()).is_err());
}

#[test]
fn too_deep_values_are_refused() {
    let deep =
        |levels: usize| (0..levels).fold(JavaValue::Null, |inner, _| JavaValue::list([inner]));
    for codec in codecs::<JavaValue>() {
        let payload = codec.encode(&deep(100)).unwrap();
        assert_eq!(codec.decode(payload).unwrap(), deep(100));
        assert_eq!(
            source(&codec.encode(&deep(129)).unwrap_err()),
            "java.util.ArrayList: values are nested too deep"
        );
    }
}

#[test]
fn null_as_a_whole_is_refused() {
    for codec in codecs::<JavaValue>() {
        let error = codec.encode(&JavaValue::Null).unwrap_err();
        assert_eq!(error.reason(), "null has no payload");
    }
}

/// The payload does not say it, and the schema does.
#[test]
fn class_of_an_enum_set_depends_on_the_size_of_its_enum() {
    for (size, class) in [
        (64, "java.util.RegularEnumSet"),
        (65, "java.util.JumboEnumSet"),
    ] {
        let names: Vec<String> = (0..size).map(|it| format!("C{it}")).collect();
        let schema = Schema::from_iter([Class::enumeration("x.Large", names)]);
        let constant = JavaValue::Enum(Constant {
            class: "x.Large".into(),
            name: "C9".into(),
        });
        let value = JavaValue::list([JavaValue::collection(class, [constant])]);
        #[cfg(feature = "serialization")]
        let codec = SerializationCodec::with_schema(schema.clone()).unwrap();
        #[cfg(feature = "serialization")]
        assert_eq!(codec.decode(codec.encode(&value).unwrap()).unwrap(), value);
        #[cfg(feature = "marshalling")]
        let codec = MarshallingCodec::with_schema(schema).unwrap();
        #[cfg(feature = "marshalling")]
        assert_eq!(codec.decode(codec.encode(&value).unwrap()).unwrap(), value);
    }
}
