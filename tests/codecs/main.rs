//! Codecs against payloads that real Redisson wrote, see `interop/vectors/README.md`.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod canonical;
mod derived;
mod jackson;
mod kryo5;
#[cfg(feature = "marshalling")]
mod marshalling;
mod orders;
mod random;
#[cfg(feature = "serialization")]
mod serialization;
mod typed;
mod vectors;
