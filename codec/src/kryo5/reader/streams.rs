use std::collections::HashMap;
use std::sync::Arc;

use super::Reader;
use crate::java::{JavaValue, Mismatch, Serialized, Source, Taker, stream};
use crate::kryo5::Result;
use crate::kryo5::classes::Class;
use crate::kryo5::declared::Declared;
use crate::kryo5::form::{Container, Form};

/// The Java object streams of one payload: one for each of Kryo's serializers that write such
/// streams.
#[derive(Debug, Default)]
pub(super) struct Streams {
    open: HashMap<String, Stream>,
    /// With references: the objects that may be referred to, by their place. A stream cannot be read
    /// twice.
    read: HashMap<usize, Met>,
}

/// An object that a reference may ask for again.
#[derive(Clone, Debug)]
struct Met {
    value: JavaValue,
    /// Where it ends in the payload.
    end: usize,
    /// How many values it holds. A few bytes of a stream may stand for many.
    values: usize,
}

#[derive(Debug)]
struct Stream {
    reader: stream::Reader,
    identity: Arc<()>,
    objects: usize,
}

impl<'a> Reader<'a> {
    /// True if the serializer writes null itself. For a wrapper it did before Redisson 3.35.0, and
    /// does not since. The bytes that follow tell which.
    pub(super) fn writes_null(&self, class: &Class) -> bool {
        match class.form {
            Form::CollectionWrapper | Form::MapWrapper => match self.input.rest() {
                [0, ..] => false,
                [1, rest @ ..] => !self.is_stream(class, rest),
                _ => true,
            },
            form => form.takes_null(),
        }
    }

    fn is_stream(&self, class: &Class, bytes: &[u8]) -> bool {
        bytes.starts_with(&stream::tag::HEADER)
            || self.streams.open.contains_key(class.name.as_str())
    }

    /// True if an object of a class without a description is next, and stands there as one of Java's
    /// own serialization. Kryo leaves it only those of classes that extend `Throwable`.
    pub(super) fn is_throwable(&self, name: &str) -> bool {
        let mut bytes = self.input.rest();
        if self.references.is_some() {
            let Some(rest) = bytes.strip_prefix(&[1]) else {
                return false;
            };
            bytes = rest;
        }
        if !self.streams.open.contains_key("java.lang.Throwable") {
            let Some(rest) = bytes.strip_prefix(&stream::tag::HEADER) else {
                return false;
            };
            bytes = rest;
        }
        let Ok(length) = u16::try_from(name.len()) else {
            return false;
        };
        let object = [stream::tag::OBJECT, stream::tag::CLASS_DESCRIPTION];
        let bytes = bytes.strip_prefix(&object);
        let bytes = bytes.and_then(|it| it.strip_prefix(&length.to_be_bytes()));
        bytes.is_some_and(|it| it.starts_with(name.as_bytes()))
    }

    /// A collection or a map around another one.
    pub(super) fn wrapper(
        &mut self,
        class: &Class,
        declared: Option<&'a Declared>,
        to: &mut Taker<'_>,
    ) -> Result<()> {
        if self.is_stream(class, self.input.rest()) {
            return to(Source::Value(self.stream(class)?));
        }
        let container = Container::PLAIN;
        match class.form {
            Form::MapWrapper => self.map(class, container, declared, to),
            _ => self.collection(class, container, declared, to),
        }
    }

    /// One object of the stream that its class shares with similar classes.
    pub(super) fn stream(&mut self, class: &Class) -> Result<JavaValue> {
        let start = self.input.offset();
        let is_again = self
            .references
            .as_ref()
            .is_some_and(|it| it.is_reading_again());
        if is_again {
            let Some(met) = self.streams.read.get(&start) else {
                return Err(self.input.fault("object of a stream was not read before"));
            };
            let charged = self.references.as_mut().map(|it| it.charge(met.values));
            if let Some(Err(what)) = charged {
                return Err(self.input.fault(what));
            }
            self.input.seek(met.end);
            return Ok(met.value.clone());
        }
        let key = match class.form {
            Form::Stream(key) => key,
            _ => class.name.as_str(),
        };
        let bytes = self.input.rest();
        if !self.streams.open.contains_key(key) {
            if !bytes.starts_with(&stream::tag::HEADER) {
                return Err(self
                    .input
                    .fault(format!("{} is no java stream", class.name)));
            }
            let stream = Stream {
                reader: stream::Reader::new(),
                identity: Arc::default(),
                objects: 0,
            };
            self.streams.open.insert(key.to_owned(), stream);
        }
        let Some(stream) = self.streams.open.get_mut(key) else {
            return Err(self.input.fault("stream is not open"));
        };
        // Its levels take twice as much stack as the levels around it.
        let levels = self.depth / 2;
        let (mut value, length) = stream.reader.read(levels, bytes).map_err(|malformed| {
            let what = format!("{} in a java stream: {}", class.name, malformed.reason);
            Mismatch::at(start + malformed.offset, what)
        })?;
        let mut values = 0;
        value.visit(&mut |value| {
            values += 1;
            value.name_enum_set(|name| self.classes.constants(name));
            Ok(())
        })?;
        let bytes = self.input.slice(length)?;
        let identity = Arc::clone(&stream.identity);
        let value = Serialized::new(class.name.clone(), value, bytes, identity, stream.objects);
        stream.objects += 1;
        let value = JavaValue::Serialized(Box::new(value));
        if self.references.is_some() {
            let end = self.input.offset();
            let met = Met {
                value: value.clone(),
                end,
                values,
            };
            self.streams.read.insert(start, met);
        }
        Ok(value)
    }
}
