//! The length in front of a compressed block, as Java's `writeInt` writes it.

use std::fmt::Display;

use crate::Error;

/// Appends a length, which [`Bound`](super::codec::Bound) keeps below 2 GiB.
pub(super) fn push_length(out: &mut Vec<u8>, length: usize) {
    out.extend((length as u32).to_be_bytes());
}

/// Splits the four bytes of a length from the rest.
pub(super) fn split_length(payload: &[u8]) -> Result<(usize, &[u8]), Error> {
    let (length, rest) = payload.split_first_chunk().ok_or_else(|| {
        Error::with_source(
            "payload is no frame",
            format!("{} bytes are too few for a length", payload.len()),
        )
    })?;
    Ok((u32::from_be_bytes(*length) as usize, rest))
}

/// The error for a header that declares another length than the block has.
pub(super) fn wrong_length(declared: usize, holds: impl Display) -> Error {
    Error::with_source(
        "the frame does not hold what its header declares",
        format!("{declared} bytes are declared, {holds} follow"),
    )
}
