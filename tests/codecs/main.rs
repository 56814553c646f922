//! Codecs against payloads that real Redisson wrote, see `interop/vectors/README.md`.

mod canonical;
#[cfg(all(feature = "lz4", feature = "snappy", feature = "zstd"))]
mod frames;
mod plain;
mod sniffed;
mod vectors;
