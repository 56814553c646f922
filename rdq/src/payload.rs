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
    self, Codec, DoubleCodec, IntegerCodec, JsonJacksonCodec, Kryo5Codec, Likely, LongCodec,
    StringCodec,
};
use redisson_delayed_queue::codec::{
    CborJacksonCodec, Lz4Codec, Lz4CodecV2, MarshallingCodec, MsgPackJacksonCodec,
    SerializationCodec, SmileJacksonCodec, SnappyCodec, SnappyCodecV2, ZstdCodec,
};
use redisson_delayed_queue::java::{JavaValue, Schema};
use serde_json::value::RawValue;

use crate::failure::{Failure, Result};

mod indent;
mod json;
mod plain;
mod shown;

pub(crate) use indent::indented;
use json::Json;
use plain::Plain;
pub(crate) use shown::Shown;

type BoxedCodec = Box<dyn Codec<JavaValue>>;

/// The codec of a queue.
pub(crate) struct Payloads {
    /// `None` guesses for each payload.
    codec: Option<Form>,
    schema: Schema,
    text: JsonJacksonCodec<JavaValue>,
    /// The codecs that guesses have needed so far.
    guesses: Mutex<HashMap<Likely, Option<Arc<Form>>>>,
}

/// The codecs that `--codec` can name.
pub(crate) const NAMES: [&str; 19] = [
    "auto",
    "bytes",
    "cbor",
    "double",
    "integer",
    "json",
    "json-jackson",
    "kryo5",
    "long",
    "lz4",
    "lz4-v2",
    "marshalling",
    "msgpack",
    "serialization",
    "smile",
    "snappy",
    "snappy-v2",
    "string",
    "zstd",
];

/// How a payload is read.
enum Form {
    /// JSON without classes: the payload is the text.
    Json,
    Java(BoxedCodec),
}

impl Payloads {
    /// The codec of this name, with the classes of a schema file. Without a name, `auto`.
    ///
    /// A frame may name what is in it: `lz4:string`. Otherwise it is `kryo5`.
    pub(crate) fn new(codec: Option<&str>, schema: Option<&Path>) -> Result<Self> {
        let schema = schema.map_or_else(|| Ok(Schema::new()), read_schema)?;
        let text = JsonJacksonCodec::with_schema(schema.clone()).map_err(wrong_schema)?;
        let codec = match codec.unwrap_or("auto") {
            "auto" => None,
            "json" => Some(Form::Json),
            name => Some(Form::Java(java(name, &schema)?)),
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
                let reason = format!("name the codec: --codec, one of {}", NAMES[1..].join(", "));
                Err(Failure::usage(reason))
            }
            Some(Form::Json) => {
                let value = Json::parse(text.as_bytes()).map_err(codec)?;
                Ok(value.get().to_owned().into())
            }
            Some(Form::Java(java)) => {
                let value = self.text.decode(text.to_owned().into());
                value.and_then(|it| java.encode(&it)).map_err(codec)
            }
        }
    }

    /// Reads the payload with each codec that may have written it, the likeliest first.
    fn guess(&self, payload: &Bytes) -> Result<Box<RawValue>, codec::Error> {
        let mut first = None;
        for likely in codec::sniff(payload) {
            let Some(form) = self.form_of(likely) else {
                continue;
            };
            match self.show_as(&form, payload) {
                Ok(shown) => return Ok(shown),
                Err(error) => _ = first.get_or_insert(error),
            }
        }
        Err(first.unwrap_or_else(|| codec::Error::new("no codec reads the payload")))
    }

    /// How this codec reads payloads. Each codec is made once: there may be a million payloads.
    fn form_of(&self, likely: Likely) -> Option<Arc<Form>> {
        let mut made = self.guesses.lock().unwrap_or_else(PoisonError::into_inner);
        let form = made.entry(likely);
        form.or_insert_with(|| form_of(likely, &self.schema).map(Arc::new))
            .clone()
    }

    fn show_as(&self, form: &Form, payload: &Bytes) -> Result<Box<RawValue>, codec::Error> {
        match form {
            Form::Json => Json::parse(payload),
            Form::Java(java) => {
                let value = codec::decode_caught(&**java, payload.clone())?;
                Json::parse(&self.text.encode(&value)?)
            }
        }
    }
}

fn form_of(likely: Likely, schema: &Schema) -> Option<Form> {
    let name = match likely {
        Likely::ByteArrayCodec => "bytes",
        Likely::CborJacksonCodec => "cbor",
        Likely::DoubleCodec => "double",
        Likely::JsonJacksonCodec => "json-jackson",
        Likely::Kryo5Codec => "kryo5",
        Likely::LongCodec => "long",
        Likely::Lz4Codec => "lz4",
        Likely::MarshallingCodec => "marshalling",
        Likely::MsgPackJacksonCodec => "msgpack",
        Likely::SerializationCodec => "serialization",
        Likely::SmileJacksonCodec => "smile",
        Likely::SnappyCodec => "snappy",
        Likely::SnappyCodecV2 => "snappy-v2",
        Likely::StringCodec => "string",
        Likely::TypedJsonJacksonCodec => return Some(Form::Json),
        Likely::ZstdCodec => "zstd",
        _ => return None,
    };
    java(name, schema).ok().map(Form::Java)
}

/// The codec of this name, for Java values.
fn java(name: &str, schema: &Schema) -> Result<BoxedCodec> {
    let (name, content) = name.split_once(':').unwrap_or((name, "kryo5"));
    let classes = || schema.clone();
    let content = || java(content, schema);
    Ok(match name {
        "bytes" => Box::new(Plain::Bytes),
        "cbor" => Box::new(CborJacksonCodec::with_schema(classes()).map_err(wrong_schema)?),
        "double" => Box::new(Plain::Double(DoubleCodec)),
        "integer" => Box::new(Plain::Integer(IntegerCodec)),
        "json-jackson" => Box::new(JsonJacksonCodec::with_schema(classes()).map_err(wrong_schema)?),
        "kryo5" => Box::new(Kryo5Codec::with_schema(classes()).map_err(wrong_schema)?),
        "long" => Box::new(Plain::Long(LongCodec)),
        "lz4" => Box::new(Lz4Codec::new(content()?)),
        "lz4-v2" => Box::new(Lz4CodecV2::new(content()?)),
        "marshalling" => Box::new(MarshallingCodec::with_schema(classes()).map_err(wrong_schema)?),
        "msgpack" => Box::new(MsgPackJacksonCodec::with_schema(classes()).map_err(wrong_schema)?),
        "serialization" => {
            Box::new(SerializationCodec::with_schema(classes()).map_err(wrong_schema)?)
        }
        "smile" => Box::new(SmileJacksonCodec::with_schema(classes()).map_err(wrong_schema)?),
        "snappy" => Box::new(SnappyCodec::new(content()?)),
        "snappy-v2" => Box::new(SnappyCodecV2::new(content()?)),
        "string" => Box::new(Plain::String(StringCodec)),
        "zstd" => Box::new(ZstdCodec::new(content()?)),
        _ => {
            let reason = format!("no codec {name}: one of {}", NAMES.join(", "));
            return Err(Failure::usage(reason));
        }
    })
}

fn read_schema(path: &Path) -> Result<Schema> {
    let text = fs::read_to_string(path).map_err(|source| Failure::read(path, source))?;
    let named = |error| Failure::usage(format!("{}: {error}", path.display()));
    Schema::from_json(&text).map_err(named)
}

fn wrong_schema(error: redisson_delayed_queue::java::InvalidSchema) -> Failure {
    Failure::usage(format!("the schema file: {error}"))
}

#[cfg(test)]
mod tests;
