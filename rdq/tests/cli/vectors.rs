//! Payloads that real Redisson wrote: the rows of `interop/vectors/payloads.jsonl`.

use std::path::PathBuf;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(crate) struct Vector {
    pub(crate) codec: String,
    pub(crate) id: String,
    pub(crate) java_type: String,
    pub(crate) payload_hex: String,
    /// What Java itself makes of its bytes, if that is no equal value.
    pub(crate) roundtrip: Option<Value>,
}

impl Vector {
    pub(crate) fn payload(&self) -> Bytes {
        let digits = &self.payload_hex;
        let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
        (0..digits.len()).step_by(2).map(byte).collect()
    }
}

/// A file of the folder that this package and the interop tests share.
pub(crate) fn path(file: &str) -> String {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../interop"));
    folder.join(file).to_str().unwrap().to_owned()
}

/// All payloads, except one that holds half a surrogate pair, which is no JSON for serde.
pub(crate) fn all() -> Vec<Vector> {
    let text = std::fs::read_to_string(path("vectors/payloads.jsonl")).unwrap();
    let lines = text.lines().filter(|line| !line.contains("lonesurrogate"));
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The first payload of a value that this codec wrote.
pub(crate) fn of(codec: &str, id: &str) -> Vector {
    let mut all = all().into_iter();
    let found = all.find(|it| it.codec == codec && it.id == id);
    found.unwrap_or_else(|| panic!("no {id} by {codec}"))
}
