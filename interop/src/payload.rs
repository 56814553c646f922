//! Payloads that real Redisson wrote: the rows of `vectors/payloads.jsonl`.

use std::{fs, path::Path};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{oracle::Decoded, value};

/// A payload, what it was written from, and what Redisson reads from it.
#[derive(Debug, Deserialize)]
#[non_exhaustive]
pub struct Payload {
    /// The versions of Redisson that write exactly this payload.
    pub redisson: Vec<String>,
    codec: String,
    java_type: String,
    /// Names the value; the same for all codecs.
    pub id: String,
    value_as_json: Box<RawValue>,
    payload_hex: String,
    #[serde(default)]
    roundtrip: RoundTrip,
}

/// What Redisson reads back, one or one a group of versions.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum RoundTrip {
    One(String),
    Many(Vec<String>),
}

impl Payload {
    /// All of them.
    pub fn all() -> Vec<Self> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/payloads.jsonl");
        let file = fs::read_to_string(file).expect("the payloads are here");
        let rows = file.lines().map(|line| -> Self {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
        });
        rows.collect()
    }

    /// Those that Redisson of `version` writes.
    pub fn of(version: &str) -> Vec<Self> {
        let mut rows = Self::all();
        rows.retain(|row| row.redisson.iter().any(|it| it == version));
        rows
    }

    /// The codec as the file names it, without the class that it may be of.
    pub fn codec_kind(&self) -> &str {
        &self.codec
    }

    /// The codec's name for an [`Oracle`](crate::oracle::Oracle) or an `open`.
    pub fn codec(&self) -> String {
        let Self {
            codec, java_type, ..
        } = self;
        match codec.as_str() {
            "JacksonCodec"
            | "Jackson3Codec"
            | "TypedJsonJacksonCodec"
            | "TypedJsonJackson3Codec" => format!("{codec}({java_type})"),
            _ => codec.clone(),
        }
    }

    /// The payload.
    pub fn bytes(&self) -> Vec<u8> {
        value::decode(&format!("x{}", self.payload_hex)).expect("digits come in pairs")
    }

    /// The value as canonical JSON.
    pub fn canonical(&self) -> &str {
        self.value_as_json.get()
    }

    /// True if every version of Redisson should read back an equal value of the same class.
    pub fn comes_back(&self) -> bool {
        matches!(&self.roundtrip, RoundTrip::One(outcome) if outcome == "ok")
    }

    /// True if Redisson reads back what the row says.
    ///
    /// Compares no error with another: their classes depend on the version.
    pub fn is_read_as(&self, decoded: &Result<Decoded, String>) -> bool {
        let outcomes = match &self.roundtrip {
            RoundTrip::One(outcome) => std::slice::from_ref(outcome),
            RoundTrip::Many(outcomes) => outcomes,
        };
        outcomes.iter().any(|outcome| self.fits(outcome, decoded))
    }

    fn fits(&self, outcome: &str, decoded: &Result<Decoded, String>) -> bool {
        let mut words = outcome.splitn(3, ' ');
        let kind = words.next().unwrap_or_default();
        let class = words.next().unwrap_or_default();
        match (kind, decoded) {
            ("decode", Err(message)) => !message.contains("no such codec"),
            ("ok", Ok(decoded)) => decoded.class == self.java_type && decoded.is(self.canonical()),
            ("class", Ok(decoded)) => decoded.class == class && decoded.is(self.canonical()),
            ("value", Ok(decoded)) => {
                let json = words.next().unwrap_or_default();
                // Whoever wrote the rows cut outcomes off.
                let cut = outcome.chars().count() == LONGEST_OUTCOME;
                let is = decoded.is(json) || cut && decoded.canonical.starts_with(json);
                decoded.class == class && is
            }
            _ => false,
        }
    }
}

impl Default for RoundTrip {
    fn default() -> Self {
        Self::One("ok".to_owned())
    }
}

/// In characters.
const LONGEST_OUTCOME: usize = 110;
