//! Values as payloads and back, with the errors of calls.

use bytes::Bytes;

use crate::codec::Codec;
use crate::error::{Error, Result};

pub(crate) fn encode<T: 'static>(codec: &dyn Codec<T>, value: &T) -> Result<Bytes> {
    codec
        .encode(value)
        .map_err(|source| Error::Encode { source })
}

pub(crate) fn decode<T: 'static>(codec: &dyn Codec<T>, payload: Bytes) -> Result<T> {
    codec
        .decode(payload.clone())
        .map_err(|source| Error::Decode { payload, source })
}
