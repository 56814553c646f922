//! An element as a line of JSON, as `rdq drain` and `rdq ls` print it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use redisson_delayed_queue::Listing;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::argument::moment::Moment;
use crate::failure::{Failure, Result};
use crate::payload::Payloads;

/// What is read of such a line. The id and the ticket are not: an element that is offered again has
/// others.
#[derive(Debug, Deserialize)]
pub(crate) struct Line {
    due_ms: Option<u64>,
    expires_ms: Option<u64>,
    listed: Option<bool>,
    value: Option<Box<RawValue>>,
    payload: Option<String>,
}

impl Line {
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let wrong = |error| Failure::usage(format!("not an element as JSON: {error}"));
        serde_json::from_str(text).map_err(wrong)
    }

    /// When it is due. An element of a target queue is due now.
    pub(crate) fn due(&self) -> Moment {
        match self.due_ms {
            Some(ms) => Moment::At(UNIX_EPOCH + Duration::from_millis(ms)),
            None => Moment::FromNow(Duration::ZERO),
        }
    }

    pub(crate) fn expires_at(&self) -> Option<SystemTime> {
        let ms = self.expires_ms?;
        UNIX_EPOCH.checked_add(Duration::from_millis(ms))
    }

    pub(crate) fn listing(&self) -> Listing {
        match self.listed {
            Some(false) => Listing::Unlisted,
            _ => Listing::Listed,
        }
    }

    /// The payload as it was, or the one that the codec makes of the value.
    pub(crate) fn payload(&self, payloads: &Payloads) -> Result<Bytes> {
        match (&self.payload, &self.value) {
            (Some(payload), _) => unbase64(payload),
            (None, Some(value)) => payloads.read(value.get()),
            (None, None) => Err(Failure::usage("the element has neither payload nor value")),
        }
    }
}

/// The bytes that this Base64 stands for.
pub(crate) fn unbase64(text: &str) -> Result<Bytes> {
    let wrong = |error| Failure::usage(format!("not Base64: {error}"));
    let bytes = STANDARD.decode(text.trim()).map_err(wrong)?;
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_payload_counts_more_than_the_value() {
        let payloads = Payloads::new(Some("string"), None).unwrap();
        let payload = |text| Line::parse(text).unwrap().payload(&payloads);
        assert_eq!(payload(r#"{"value":"17"}"#).unwrap(), "17");
        assert_eq!(payload(r#"{"value":"17","payload":"MTg="}"#).unwrap(), "18");
        assert!(payload(r#"{"id":"17"}"#).is_err());
        assert!(payload(r#"{"payload":"?"}"#).is_err());
        assert!(Line::parse("[]").is_err());
    }
}
