//! Codecs against payloads that real Redisson wrote, see `interop/vectors/README.md`.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod canonical;
mod derived;
mod empty_enums;
#[cfg(all(feature = "lz4", feature = "snappy", feature = "zstd"))]
mod frames;
mod jackson;
mod kryo5;
mod nested;
mod orders;
mod plain;
mod random;
#[cfg(any(feature = "marshalling", feature = "serialization"))]
mod serializable;
mod sniffed;
mod typed;
mod typed_json;
mod vectors;
