//! Codecs against payloads that real Redisson wrote, see `interop/vectors/README.md`.

mod canonical;
mod jackson;
mod vectors;
