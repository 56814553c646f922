//! Codecs against payloads that real Redisson wrote, see `interop/vectors/README.md`.

mod canonical;
mod kryo5;
mod random;
mod vectors;
