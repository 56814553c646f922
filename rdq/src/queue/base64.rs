//! Bytes in the JSON lines of files, as Base64: for `#[serde(with = …)]`.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use bytes::Bytes;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serializer};

/// The standard alphabet, as for payloads and members.
pub(in crate::queue) mod standard {
    use super::*;

    pub(in crate::queue) fn serialize<S: Serializer>(
        bytes: &Bytes,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        write(&BASE64_STANDARD, bytes, to)
    }

    pub(in crate::queue) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Bytes, D::Error> {
        read(&BASE64_STANDARD, from)
    }
}

/// The alphabet for URLs, without padding, as for tickets.
pub(in crate::queue) mod url {
    use super::*;

    pub(in crate::queue) fn serialize<S: Serializer>(
        bytes: &Bytes,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        write(&BASE64_URL_SAFE_NO_PAD, bytes, to)
    }

    pub(in crate::queue) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Bytes, D::Error> {
        read(&BASE64_URL_SAFE_NO_PAD, from)
    }
}

fn write<S: Serializer>(alphabet: &impl Engine, bytes: &Bytes, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&alphabet.encode(bytes))
}

fn read<'de, D: Deserializer<'de>>(alphabet: &impl Engine, from: D) -> Result<Bytes, D::Error> {
    let text = String::deserialize(from)?;
    let bytes = alphabet.decode(text).map_err(D::Error::custom)?;
    Ok(bytes.into())
}
