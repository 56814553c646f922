//! JSON as it was written, to the byte.

use redisson_delayed_queue::codec::Error;
use serde_json::value::RawValue;

pub(super) struct Json;

impl Json {
    /// Checks that the text is JSON.
    pub(super) fn parse(text: &[u8]) -> Result<Box<RawValue>, Error> {
        serde_json::from_slice(text).map_err(|error| Error::with_source("not JSON", error))
    }
}
