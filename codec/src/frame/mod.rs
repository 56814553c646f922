//! Codecs that compress what another codec writes.
//!
//! - `codec`: everything but the compression, including the size limit.
//! - `lz4`, `lz4_v2`, `snappy`, `snappy_v2`, `zstd`: one codec each, as a function that compresses
//!   and one that decompresses.
//! - `header`: the length in front of compressed blocks.
//! - `block`: the compressed formats themselves, compiled without any feature, because `sniff` uses
//!   it.

pub(crate) mod block;
#[cfg(any(feature = "lz4", feature = "snappy", feature = "zstd"))]
mod codec;
#[cfg(any(feature = "lz4", feature = "snappy", feature = "zstd"))]
mod header;
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

#[cfg(test)]
#[cfg(any(feature = "lz4", feature = "snappy", feature = "zstd"))]
mod tests;
