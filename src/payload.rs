//! Values as payloads and back, with the errors of calls.

use bytes::Bytes;

use crate::codec::{self, Codec};
use crate::error::{Error, Result};

pub(crate) fn encode<T: 'static>(codec: &dyn Codec<T>, value: &T) -> Result<Bytes> {
    codec
        .encode(value)
        .map_err(|source| Error::Encode { source })
}

/// Reads `payload`, in the one place where calls do. A codec that panics there answers with an
/// error: the element may have left Redis, and its bytes must reach the caller all the same.
pub(crate) fn decode<T: 'static>(codec: &dyn Codec<T>, payload: Bytes) -> Result<T> {
    codec::decode_caught(codec, payload.clone()).map_err(|source| Error::Decode { payload, source })
}
