//! How often the first guess is right. The right one must be among them always.

use std::collections::BTreeMap;

use redisson_codec::{Likely, sniff};

use crate::vectors::of_codec;

/// Prints what is taken for what, for whoever changes `sniff`: run with `--nocapture`.
#[test]
fn guesses_match_redisson() {
    for (codec, right, payloads, expected) in RATES {
        let mut taken_for: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        let (mut seen, mut first) = (0, 0);
        for vector in of_codec(codec) {
            let guesses = sniff(&vector.payload);
            assert!(guesses.contains(right), "{codec} {}", vector.id);
            seen += 1;
            first += usize::from(guesses[0] == *right);
            let guess = format!("{:?}", guesses[0]);
            taken_for.entry(guess).or_default().push(&vector.id);
        }

        println!("{codec}: {first} of {seen}");
        for (guess, ids) in taken_for {
            println!("    {guess:22} {:4} {}", ids.len(), ids.join(" "));
        }
        assert_eq!((seen, first), (*payloads, *expected), "{codec}");
    }
}

/// What the documentation of `sniff` sums up: payloads of a codec, and for how many of them the
/// first guess is right.
const RATES: &[(&str, Likely, usize, usize)] = &[
    ("ByteArrayCodec", Likely::ByteArrayCodec, 1, 1),
    ("CborJacksonCodec", Likely::CborJacksonCodec, 51, 41),
    ("DoubleCodec", Likely::DoubleCodec, 2, 2),
    ("IntegerCodec", Likely::LongCodec, 6, 6),
    ("IonJacksonCodec", Likely::IonJacksonCodec, 49, 31),
    ("Jackson3Codec", Likely::TypedJsonJacksonCodec, 52, 21),
    ("JacksonCodec", Likely::TypedJsonJacksonCodec, 46, 19),
    ("JsonJackson3Codec", Likely::JsonJacksonCodec, 245, 179),
    ("JsonJacksonCodec", Likely::JsonJacksonCodec, 230, 175),
    (
        "JsonJacksonCodec(JavaTimeModule)",
        Likely::JsonJacksonCodec,
        251,
        180,
    ),
    ("Kryo5Codec", Likely::Kryo5Codec, 264, 264),
    ("Kryo5Codec(allowed)", Likely::Kryo5Codec, 37, 37),
    ("Kryo5Codec(references)", Likely::Kryo5Codec, 244, 244),
    ("LZ4Codec", Likely::Lz4Codec, 95, 95),
    ("LZ4Codec(StringCodec)", Likely::Lz4Codec, 7, 7),
    ("LZ4CodecV2", Likely::Lz4Codec, 48, 48),
    ("LZ4CodecV2(StringCodec)", Likely::Lz4Codec, 7, 7),
    ("LongCodec", Likely::LongCodec, 10, 10),
    ("MarshallingCodec", Likely::MarshallingCodec, 226, 226),
    ("MsgPackJacksonCodec", Likely::MsgPackJacksonCodec, 45, 41),
    ("SerializationCodec", Likely::SerializationCodec, 228, 228),
    ("SmileJacksonCodec", Likely::SmileJacksonCodec, 47, 47),
    ("SnappyCodec", Likely::SnappyCodec, 105, 105),
    ("SnappyCodec(StringCodec)", Likely::SnappyCodec, 6, 6),
    ("SnappyCodecV2", Likely::SnappyCodecV2, 104, 104),
    ("SnappyCodecV2(StringCodec)", Likely::SnappyCodecV2, 7, 7),
    ("StringCodec", Likely::StringCodec, 42, 24),
    (
        "TypedJsonJackson3Codec",
        Likely::TypedJsonJacksonCodec,
        53,
        21,
    ),
    (
        "TypedJsonJacksonCodec",
        Likely::TypedJsonJacksonCodec,
        223,
        110,
    ),
    ("ZStdCodec", Likely::ZstdCodec, 46, 46),
    ("ZStdCodec(StringCodec)", Likely::ZstdCodec, 7, 7),
];
