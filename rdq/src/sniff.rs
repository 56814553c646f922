//! Names the codec of a payload that nobody documented.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use bytes::Bytes;
use redisson_delayed_queue::codec;
use redisson_delayed_queue::java::Schema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::failure::Result;
use crate::payload::{self, Payloads};

/// Tries codecs on payloads.
pub(crate) struct Nose {
    schema: Schema,
    /// Each codec that was tried, made once.
    tried: BTreeMap<String, Payloads>,
}

/// What there is to say about one payload.
#[derive(Debug, Serialize)]
pub(crate) struct Scent {
    pub(crate) bytes: usize,
    /// The name for `--codec` of the codec that has probably written the payload.
    pub(crate) codec: String,
    /// The value, if that codec reads the payload.
    pub(crate) value: Option<Box<RawValue>>,
    /// All that may have written the payload, the likeliest first.
    pub(crate) attempts: Vec<Attempt>,
}

/// One codec that may have written a payload.
#[derive(Debug, Serialize)]
pub(crate) struct Attempt {
    pub(crate) codec: String,
    /// Why this codec does not read the payload.
    pub(crate) error: Option<String>,
    #[serde(skip)]
    value: Option<Box<RawValue>>,
    /// True if no schema would help: the frame cannot be unpacked, or the bytes are not of this codec.
    #[serde(skip)]
    is_out: bool,
}

/// How often one frame may contain another. Nobody compresses more often.
const DEEPEST: usize = 3;

impl Nose {
    /// Tries codecs with the classes of `schema`.
    pub(crate) fn new(schema: Schema) -> Self {
        let tried = BTreeMap::new();
        Self { schema, tried }
    }

    /// Tries all codecs that may have written the payload.
    ///
    /// # Errors
    ///
    /// - `Usage` if the classes of the schema contradict each other.
    pub(crate) fn sniff(&mut self, payload: &Bytes) -> Result<Scent> {
        let mut attempts = Vec::new();
        self.attempt("", payload, DEEPEST, &mut attempts)?;
        let best = best(&attempts);
        Ok(Scent {
            bytes: payload.len(),
            codec: attempts[best].codec.clone(),
            value: attempts[best].value.take(),
            attempts,
        })
    }

    /// Adds an attempt for each guess. `around` names the frames that were unpacked already.
    fn attempt(
        &mut self,
        around: &str,
        payload: &Bytes,
        depth: usize,
        attempts: &mut Vec<Attempt>,
    ) -> Result {
        for likely in codec::sniff(payload) {
            let Some(name) = payload::name_of(likely) else {
                attempts.push(Attempt {
                    codec: format!("{around}{likely:?}"),
                    error: Some("this codec is not written in Rust".to_owned()),
                    value: None,
                    is_out: true,
                });
                continue;
            };
            let codec = format!("{around}{name}");
            if let Some(frame) = payload::frame(name).filter(|_| depth > 0) {
                match codec::decode_caught(&*frame, payload.clone()) {
                    Ok(content) => {
                        self.attempt(&format!("{codec}:"), &content, depth - 1, attempts)?;
                    }
                    Err(error) => attempts.push(Attempt {
                        codec,
                        error: Some(error.to_string()),
                        value: None,
                        is_out: true,
                    }),
                }
                continue;
            }
            let payloads = match self.tried.entry(name.to_owned()) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    new.insert(Payloads::with_schema(Some(name), self.schema.clone())?)
                }
            };
            let shown = payloads.show(payload);
            let error = shown.as_ref().err().map(ToString::to_string);
            attempts.push(Attempt {
                codec,
                error,
                value: shown.ok(),
                is_out: false,
            });
        }
        Ok(())
    }
}

/// The attempt to believe: the likeliest one, unless only a less likely one reads the payload. A codec
/// that fails for want of a class must not give way to one that reads almost anything.
fn best(attempts: &[Attempt]) -> usize {
    let reads_anything = |attempt: &Attempt| {
        let innermost = attempt.codec.rsplit(':').next();
        innermost.is_some_and(|it| ["bytes", "json", "string"].contains(&it))
    };
    let reads = |attempt: &Attempt| attempt.error.is_none();
    let likeliest = attempts.iter().position(|it| !it.is_out).unwrap_or(0);
    if reads(&attempts[likeliest]) {
        return likeliest;
    }
    let other = attempts
        .iter()
        .position(|it| reads(it) && !reads_anything(it));
    other.unwrap_or(likeliest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sniffed(codec: &str, json: &str) -> Scent {
        let payloads = Payloads::new(Some(codec), None).unwrap();
        let payload = payloads.read(json).unwrap();
        Nose::new(Schema::new()).sniff(&payload).unwrap()
    }

    #[test]
    fn the_likeliest_codec_that_reads_a_payload_is_named() {
        for (codec, json) in [
            ("kryo5", r#"["java.util.ArrayList",["a",1]]"#),
            ("marshalling", r#""order-17""#),
            ("serialization", r#"["java.util.ArrayList",["a",1]]"#),
            ("smile", r#"["java.util.ArrayList",["a",1]]"#),
            ("string", r#""order 17""#),
            ("long", r#"["java.lang.Long",17]"#),
            ("json", r#"{"id":17}"#),
            ("lz4:kryo5", r#"["java.util.ArrayList",["a",1]]"#),
            ("zstd:json", r#"{"id":17}"#),
            ("snappy:serialization", r#""order-17""#),
            ("lz4:zstd:kryo5", r#"["java.util.ArrayList",["a",1]]"#),
        ] {
            let scent = sniffed(codec, json);
            assert_eq!(scent.codec, codec, "{scent:?}");
            assert_eq!(scent.value.unwrap().get(), json, "{codec}");
        }
    }

    #[test]
    fn a_codec_that_lacks_a_class_is_named_although_others_read_the_payload() {
        let typed = Bytes::from_static(br#"{"@class":"com.example.Order","id":1}"#);
        let scent = Nose::new(Schema::new()).sniff(&typed).unwrap();
        assert_eq!(scent.codec, "json-jackson", "{scent:?}");
        // Kryo 5: the name of a class, and the values of its fields.
        let payload = b"\x01\x00com.example.Orde\xf2\x81x";
        let scent = Nose::new(Schema::new()).sniff(&Bytes::from_static(payload));
        let scent = scent.unwrap();
        assert_eq!(scent.codec, "kryo5", "{scent:?}");
        assert!(scent.value.is_none());
        let error = scent.attempts[0].error.as_deref().unwrap();
        assert!(error.contains("com.example.Order"), "{error}");
        assert!(scent.attempts.last().unwrap().error.is_none());
    }
}
