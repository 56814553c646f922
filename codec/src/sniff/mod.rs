mod cbor;
mod cursor;
mod kryo;
mod msgpack;
mod river;
mod text;

use self::text::Json;
use crate::frame::block::{lz4, snappy, zstd};
use crate::java::stream::tag;

/// A codec that may have written a payload, by the name of the Redisson class.
///
/// Codecs that write the same bytes share a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Likely {
    /// Bytes of no known form.
    ByteArrayCodec,
    /// CBOR, with class names or without.
    CborJacksonCodec,
    /// A decimal number with a point or an exponent.
    DoubleCodec,
    /// Ion in its text form.
    IonJacksonCodec,
    /// JSON with class names, or a lone value without one. `JsonJackson3Codec` writes the same.
    JsonJacksonCodec,
    /// Kryo 5, the default since 3.19.0.
    Kryo5Codec,
    /// Decimal digits. `IntegerCodec` writes the same.
    LongCodec,
    /// An LZ4 block behind its length. `LZ4CodecV2` writes the same.
    Lz4Codec,
    /// JBoss Marshalling, the default from 3.13.0 to 3.18.1.
    MarshallingCodec,
    /// MessagePack.
    MsgPackJacksonCodec,
    /// Java's own serialization.
    SerializationCodec,
    /// Smile, with class names or without.
    SmileJacksonCodec,
    /// Snappy in chunks, each behind its length.
    SnappyCodec,
    /// One Snappy block.
    SnappyCodecV2,
    /// Text in UTF-8.
    StringCodec,
    /// JSON without class names. `JacksonCodec`, `Jackson3Codec` and `TypedJsonJackson3Codec` write
    /// the same.
    TypedJsonJacksonCodec,
    /// A Zstandard frame behind its length.
    ZstdCodec,
}

/// Names the codecs that may have written `payload`, the best guess first.
///
/// For operators who meet data that nobody documented, and for
/// [`FallbackCodec`](crate::FallbackCodec). The result is never empty: `ByteArrayCodec` can have
/// written any payload, and comes last.
///
/// The guess rests on the form of the bytes. It needs no classes and no feature. It decompresses
/// nothing, so it does not say which codec wrote the content of a frame.
///
/// # Compatibility
///
/// How often the first guess was right, for payloads of Redisson 3.17.7 to 4.7.0 (checked:
/// `interop/vectors/payloads.jsonl` and `jackson.jsonl`):
///
/// | Payloads of | First guess |
/// |---|---|
/// | `Kryo5Codec`, `MarshallingCodec`, `SerializationCodec`, `SmileJacksonCodec` | 1046 of 1046 |
/// | `LZ4Codec`, `LZ4CodecV2`, `SnappyCodec`, `SnappyCodecV2`, `ZStdCodec` | 432 of 432 |
/// | `ByteArrayCodec`, `DoubleCodec`, `IntegerCodec`, `LongCodec` | 19 of 19 |
/// | `MsgPackJacksonCodec` | 41 of 45 |
/// | `CborJacksonCodec` | 41 of 51 |
/// | `JsonJacksonCodec`, `JsonJackson3Codec` | 534 of 726 |
/// | `IonJacksonCodec` | 31 of 49 |
/// | `StringCodec` | 24 of 42 |
/// | `TypedJsonJacksonCodec`, `JacksonCodec` and those for Jackson 3 | 171 of 374 |
///
/// The right codec was always among the guesses. Where the first guess was wrong, several codecs
/// write the same bytes: eight can have written `5`, five `"a"`, and `JsonJacksonCodec` writes an
/// object of a final class without its name. So sniff several payloads of one kind. `sniff` does
/// not know Avro, Fory, FST, Kryo 4 and Protobuf, and takes them for bytes or for another codec.
///
/// # Examples
///
/// ```
/// use redisson_codec::{Likely, sniff};
///
/// assert_eq!(sniff(b"\xac\xed\x00\x05t\x00\x01a")[0], Likely::SerializationCodec);
/// assert_eq!(sniff(b"\x03wake u\xf0")[0], Likely::Kryo5Codec);
/// assert_eq!(sniff(br#"{"@class":"com.example.Order"}"#)[0], Likely::JsonJacksonCodec);
/// assert_eq!(sniff(b"42")[..2], [Likely::LongCodec, Likely::JsonJacksonCodec]);
/// ```
#[must_use]
pub fn sniff(payload: &[u8]) -> Vec<Likely> {
    let text = str::from_utf8(payload).ok();
    let printable = text.filter(|text| text::is_printable(text));

    let mut guesses = Vec::new();
    by_structure(payload, &mut guesses);
    match printable {
        Some(text) => {
            by_text(text, &mut guesses);
            by_grammar(payload, &mut guesses);
        }
        None => {
            by_grammar(payload, &mut guesses);
            if kryo::may_be_registered(payload) {
                guesses.push(Likely::Kryo5Codec);
            }
            guesses.extend(text.map(|_| Likely::StringCodec));
        }
    }
    guesses.push(Likely::ByteArrayCodec);
    guesses
}

/// Forms that other payloads have by accident rarely or never.
fn by_structure(payload: &[u8], guesses: &mut Vec<Likely>) {
    let forms = [
        (
            Likely::SerializationCodec,
            payload.starts_with(&tag::HEADER),
        ),
        (Likely::SmileJacksonCodec, payload.starts_with(SMILE)),
        (Likely::ZstdCodec, is_zstd(payload)),
        (Likely::MarshallingCodec, river::matches(payload)),
        (Likely::Kryo5Codec, kryo::matches(payload)),
        (Likely::Lz4Codec, is_lz4(payload)),
        (Likely::SnappyCodec, is_snappy_chunks(payload)),
        (Likely::SnappyCodecV2, snappy::length(payload).is_ok()),
    ];
    guesses.extend(forms.iter().filter(|form| form.1).map(|form| form.0));
}

/// Forms that are text, stricter ones first.
fn by_text(text: &str, guesses: &mut Vec<Likely>) {
    if text::is_whole_number(text) {
        guesses.push(Likely::LongCodec);
    } else if text::is_decimal(text) {
        guesses.push(Likely::DoubleCodec);
    }
    match text::json(text) {
        Some(Json::Typed) => {
            guesses.extend([Likely::JsonJacksonCodec, Likely::TypedJsonJacksonCodec]);
        }
        // Neither JSON codec writes the name of a final class, and a list of texts is also Ion.
        Some(Json::Untyped) => guesses.extend([
            Likely::TypedJsonJacksonCodec,
            Likely::JsonJacksonCodec,
            Likely::IonJacksonCodec,
        ]),
        Some(Json::Scalar) => guesses.extend([
            Likely::JsonJacksonCodec,
            Likely::TypedJsonJacksonCodec,
            Likely::IonJacksonCodec,
        ]),
        None if text::is_ion(text) => guesses.push(Likely::IonJacksonCodec),
        None => {}
    }
    guesses.push(Likely::StringCodec);
}

/// Forms that can also be found in short payloads of other codecs.
fn by_grammar(payload: &[u8], guesses: &mut Vec<Likely>) {
    if cbor::matches(payload) {
        guesses.push(Likely::CborJacksonCodec);
    }
    if msgpack::matches(payload) {
        guesses.push(Likely::MsgPackJacksonCodec);
    }
}

fn is_zstd(payload: &[u8]) -> bool {
    length_and_rest(payload).is_some_and(|(length, frame)| {
        zstd::length(frame).is_ok_and(|possible| possible.contains(&u64::from(length)))
    })
}

fn is_lz4(payload: &[u8]) -> bool {
    length_and_rest(payload)
        .is_some_and(|(length, block)| lz4::length(block) == Ok(length as usize))
}

fn is_snappy_chunks(mut payload: &[u8]) -> bool {
    while let Some((length, rest)) = length_and_rest(payload) {
        match rest.split_at_checked(length as usize) {
            Some((block, rest)) if snappy::length(block).is_ok() => payload = rest,
            _ => return false,
        }
        if payload.is_empty() {
            return true;
        }
    }
    false
}

fn length_and_rest(payload: &[u8]) -> Option<(u32, &[u8])> {
    let (length, rest) = payload.split_first_chunk()?;
    Some((u32::from_be_bytes(*length), rest))
}

const SMILE: &[u8] = b":)\n";

#[cfg(test)]
mod tests;
