//! Payloads as people read and write them.
//!
//! A value is shown as JSON: as `JsonJacksonCodec` writes it, with the classes of Java, whatever
//! codec wrote the payload. `rdq` reads the same text back, so what `ls` prints can be offered.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use redisson_delayed_queue::codec::{
    self, CATALOG, CatalogEntry, Codec, JsonJacksonCodec, Likely, StringCodec, Values,
};
use redisson_delayed_queue::java::{JavaValue, Schema};
use serde_json::value::RawValue;

use crate::failure::{Failure, Result};

pub(crate) mod digest;
mod indent;
mod json;
mod shown;

pub(crate) use indent::indented;
use json::Json;
pub(crate) use shown::Shown;

/// The codec of a queue.
pub(crate) struct Payloads {
    /// `None` guesses for each payload.
    codec: Option<Form>,
    schema: Schema,
    text: JsonJacksonCodec<JavaValue>,
    /// The codecs that guesses have needed so far.
    guesses: Mutex<HashMap<Likely, Option<Arc<Form>>>>,
}

/// How a payload is read.
enum Form {
    /// A codec that compresses, and how the bytes inside are read.
    Frame(Box<dyn Codec<Bytes>>, Box<Form>),
    /// JSON without classes: the payload is the text.
    Json,
    /// Java strings. Nobody need write the quotes of JSON.
    Text,
    Java(Box<dyn Codec<JavaValue>>),
}

impl Payloads {
    /// The codec of this name, with the classes of a schema file. Without a name, `auto`.
    ///
    /// A frame may name what is in it: `lz4:string`. Otherwise it is `kryo5`.
    pub(crate) fn new(codec: Option<&str>, schema: Option<&Path>) -> Result<Self> {
        let schema = schema.map_or_else(|| Ok(Schema::new()), read_schema)?;
        Self::with_schema(codec, schema)
    }

    /// As [`new`](Self::new), with the classes of a schema file that was read already.
    pub(crate) fn with_schema(codec: Option<&str>, schema: Schema) -> Result<Self> {
        let text = JsonJacksonCodec::with_schema(schema.clone()).map_err(wrong_schema)?;
        let codec = match codec.unwrap_or("auto") {
            "auto" => None,
            name => Some(Form::new(name, &schema)?),
        };
        Ok(Self {
            codec,
            schema,
            text,
            guesses: Mutex::default(),
        })
    }

    /// The value of a payload as JSON.
    pub(crate) fn show(&self, payload: &Bytes) -> Result<Box<RawValue>, codec::Error> {
        match &self.codec {
            Some(form) => self.show_as(form, payload),
            None => self.guess(payload),
        }
    }

    /// The payload of a value that is written as [`show`](Self::show) shows it.
    pub(crate) fn read(&self, text: &str) -> Result<Bytes> {
        let codec = |source| Failure::Codec {
            what: format!("cannot write the value {text}"),
            source,
        };
        match &self.codec {
            None => {
                let names = names().join(", ");
                Err(Failure::usage(format!(
                    "name the codec: --codec, one of {names}"
                )))
            }
            Some(form) => self.read_as(form, text).map_err(codec),
        }
    }

    /// Reads the payload with each codec that may have written it, the likeliest first.
    fn guess(&self, payload: &Bytes) -> Result<Box<RawValue>, codec::Error> {
        let mut first = None;
        for likely in codec::sniff(payload) {
            let Some(form) = self.form_of(likely) else {
                continue;
            };
            let shown = match &*form {
                // What is in a frame is guessed in its turn.
                Form::Frame(frame, _) => {
                    let content = codec::decode_caught(&**frame, payload.clone());
                    content.and_then(|it| self.guess(&it))
                }
                form => self.show_as(form, payload),
            };
            match shown {
                Ok(shown) => return Ok(shown),
                Err(error) => _ = first.get_or_insert(error),
            }
        }
        Err(first.unwrap_or_else(|| codec::Error::new("no codec reads the payload")))
    }

    /// How this codec reads payloads. Each codec is made once: there may be a million payloads.
    fn form_of(&self, likely: Likely) -> Option<Arc<Form>> {
        let mut made = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let form = made.entry(likely).or_insert_with(|| {
            let form = Form::new(name_of(likely)?, &self.schema);
            form.ok().map(Arc::new)
        });
        form.clone()
    }

    fn show_as(&self, form: &Form, payload: &Bytes) -> Result<Box<RawValue>, codec::Error> {
        match form {
            Form::Frame(frame, content) => self.show_as(content, &frame.decode(payload.clone())?),
            Form::Json => Json::parse(payload),
            Form::Text => Json::quote(&StringCodec.decode(payload.clone())?),
            Form::Java(java) => {
                let value = codec::decode_caught(&**java, payload.clone())?;
                Json::parse(&self.text.encode(&value)?)
            }
        }
    }

    fn read_as(&self, form: &Form, text: &str) -> Result<Bytes, codec::Error> {
        match form {
            Form::Frame(frame, content) => frame.encode(&self.read_as(content, text)?),
            Form::Json => Ok(Json::parse(text.as_bytes())?.get().to_owned().into()),
            Form::Text => StringCodec.encode(&Json::unquote(text)?),
            Form::Java(java) => java.encode(&self.text.decode(text.to_owned().into())?),
        }
    }
}

impl Form {
    /// The form that the codec of this name writes.
    fn new(name: &str, schema: &Schema) -> Result<Self> {
        let (outer, content) = name.split_once(':').unwrap_or((name, "kryo5"));
        if let Some(frame) = frame(outer) {
            let content = Self::new(content, schema)?;
            return Ok(Self::Frame(frame, Box::new(content)));
        }
        match entry(name).map(|it| it.values) {
            Some(Values::Java(make)) => make(schema.clone()).map(Self::Java).map_err(wrong_schema),
            Some(Values::Json) => Ok(Self::Json),
            Some(Values::Text) => Ok(Self::Text),
            _ => {
                let names = names().join(", ");
                Err(Failure::usage(format!(
                    "no codec {name}: one of auto, {names}"
                )))
            }
        }
    }
}

/// The codecs that `--codec` can name, besides `auto`. A message of Protobuf needs a Rust type.
fn names() -> Vec<&'static str> {
    let named = CATALOG
        .iter()
        .filter(|it| !matches!(it.values, Values::Message));
    let mut names: Vec<_> = named.map(|it| it.short).collect();
    names.sort_unstable();
    names
}

fn entry(name: &str) -> Option<&'static CatalogEntry> {
    CATALOG.iter().find(|it| it.short == name)
}

/// The codec of this name that compresses what another one writes.
pub(crate) fn frame(name: &str) -> Option<Box<dyn Codec<Bytes>>> {
    match entry(name)?.values {
        Values::Frame(make) => Some(make()),
        _ => None,
    }
}

/// The name that `--codec` has for a codec. It has none for those that nobody wrote in Rust.
pub(crate) fn name_of(likely: Likely) -> Option<&'static str> {
    likely.entry().map(|it| it.short)
}

/// Reads a schema file.
pub(crate) fn read_schema(path: &Path) -> Result<Schema> {
    let text = fs::read_to_string(path).map_err(|source| Failure::read(path, source))?;
    let named = |error| Failure::usage(format!("{}: {error}", path.display()));
    Schema::from_json(&text).map_err(named)
}

fn wrong_schema(error: redisson_delayed_queue::java::InvalidSchema) -> Failure {
    Failure::usage(format!("the schema file: {error}"))
}

#[cfg(test)]
mod tests;
