//! Codecs against payloads that real Redisson wrote, see `interop/vectors/README.md`.

mod canonical;
#[cfg(feature = "marshalling")]
mod marshalling;
#[cfg(feature = "serialization")]
mod serialization;
mod vectors;
