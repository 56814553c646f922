//! A payload as it is shown, readable or not.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde::Serialize;
use serde_json::value::RawValue;

use super::Payloads;

/// A payload as it is shown: its value, or why the codec refuses it, and then the payload itself.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// The payload in Base64.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) payload: Option<String>,
    /// The size of the payload in bytes.
    pub(crate) size: usize,
}

impl Shown {
    pub(crate) fn new(payloads: &Payloads, payload: &Bytes) -> Self {
        let (value, error) = match payloads.show(payload) {
            Ok(value) => (Some(value), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Self {
            payload: error.is_some().then(|| STANDARD.encode(payload)),
            value,
            error,
            size: payload.len(),
        }
    }

    /// The same, with the payload in any case, so that it can be offered again byte for byte.
    pub(crate) fn with_payload(mut self, payload: &Bytes) -> Self {
        self.payload = Some(STANDARD.encode(payload));
        self
    }

    /// What a cell shows.
    pub(crate) fn text(&self) -> String {
        match (&self.value, &self.error) {
            (Some(value), _) => value.get().to_owned(),
            (None, error) => format!("(unreadable: {})", error.as_deref().unwrap_or_default()),
        }
    }

    /// The value in one line, or the payload in Base64 if it is unreadable.
    pub(crate) fn line(&self) -> String {
        match (&self.value, &self.payload) {
            // Within its texts, JSON has no line breaks.
            (Some(value), _) => value.get().replace(['\n', '\r'], " "),
            (None, payload) => payload.clone().unwrap_or_default(),
        }
    }

    /// True if the value, as it is shown, has this text in it.
    pub(crate) fn contains(&self, text: &str) -> bool {
        let value = self.value.as_deref().map(RawValue::get);
        value.is_some_and(|it| it.contains(text))
    }
}
