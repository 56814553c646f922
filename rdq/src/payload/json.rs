//! JSON as it was written, to the byte.

use redisson_delayed_queue::codec::Error;
use serde_json::value::RawValue;

pub(super) struct Json;

impl Json {
    /// Checks that the text is JSON.
    pub(super) fn parse(text: &[u8]) -> Result<Box<RawValue>, Error> {
        serde_json::from_slice(text).map_err(|error| Error::with_source("not JSON", error))
    }

    /// A text as JSON.
    pub(super) fn quote(text: &str) -> Result<Box<RawValue>, Error> {
        let wrong = |error| Error::with_source("no JSON has this text", error);
        serde_json::value::to_raw_value(text).map_err(wrong)
    }

    /// The text that stands in JSON, or a text that is written without quotes.
    pub(super) fn unquote(text: &str) -> Result<String, Error> {
        match text.starts_with('"') {
            true => serde_json::from_str(text).map_err(|it| Error::with_source("not JSON", it)),
            false => Ok(text.to_owned()),
        }
    }
}
