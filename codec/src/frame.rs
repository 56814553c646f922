//! Codecs that compress what another codec writes.

#[cfg(feature = "lz4")]
mod lz4;
#[cfg(feature = "lz4")]
mod lz4_v2;
#[cfg(feature = "snappy")]
mod snappy;
#[cfg(feature = "snappy")]
mod snappy_v2;
#[cfg(feature = "zstd")]
mod zstd;

#[cfg(feature = "lz4")]
pub use self::lz4::Lz4Codec;
#[cfg(feature = "lz4")]
pub use self::lz4_v2::Lz4CodecV2;
#[cfg(feature = "snappy")]
pub use self::snappy::SnappyCodec;
#[cfg(feature = "snappy")]
pub use self::snappy_v2::SnappyCodecV2;
#[cfg(feature = "zstd")]
pub use self::zstd::ZstdCodec;

use ::bytes::Bytes;

use super::{Codec, Error};

/// The codec inside of a frame, and the most bytes that it is given or may write.
#[derive(Clone, Copy, Debug)]
struct Inner<C> {
    codec: C,
    max_size: usize,
}

impl<C> Inner<C> {
    const fn new(codec: C) -> Self {
        Self {
            codec,
            max_size: DEFAULT_MAX_SIZE,
        }
    }

    fn write<T>(&self, value: &T) -> Result<Bytes, Error>
    where
        C: Codec<T>,
    {
        let content = self.codec.encode(value)?;
        self.check(content.len())?;
        Ok(content)
    }

    fn read<T>(&self, content: Vec<u8>) -> Result<T, Error>
    where
        C: Codec<T>,
    {
        self.codec.decode(content.into()).map_err(|error| {
            Error::with_source("the inner codec refuses the decompressed payload", error)
        })
    }

    /// Refuses content of `size` bytes if that is too much.
    fn check(&self, size: usize) -> Result<(), Error> {
        if size <= self.max_size {
            return Ok(());
        }
        Err(Error::with_source(
            "decompressed payload is too large",
            format!("{size} bytes, and {} are allowed", self.max_size),
        ))
    }
}

/// Appends the length of `content` as Java's `writeInt` does.
fn push_length(out: &mut Vec<u8>, length: usize) {
    // Inner has checked that no content is longer than an int can say.
    out.extend((length as u32).to_be_bytes());
}

/// Splits the four bytes of a length from what follows.
fn split_length(payload: &[u8]) -> Result<(usize, &[u8]), Error> {
    let (length, rest) = payload.split_first_chunk().ok_or_else(|| {
        Error::with_source(
            "payload is no frame",
            format!("{} bytes are too few for a length", payload.len()),
        )
    })?;
    Ok((u32::from_be_bytes(*length) as usize, rest))
}

/// A header that says another length than the block behind it.
fn lying_header(declared: usize, holds: impl std::fmt::Display) -> Error {
    Error::with_source(
        "the frame does not hold what its header declares",
        format!("{declared} bytes are declared, {holds} follow"),
    )
}

/// 64 MiB: far above what belongs into Redis, far below what a process has.
const DEFAULT_MAX_SIZE: usize = 64 << 20;

/// Java has no longer arrays.
const LARGEST_MAX_SIZE: usize = i32::MAX as usize;

#[cfg(test)]
mod tests;
