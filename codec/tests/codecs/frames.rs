//! What real Redisson compressed.

use std::collections::BTreeMap;

use bytes::Bytes;
use redisson_codec::{
    ByteArrayCodec, Codec, Lz4Codec, Lz4CodecV2, SnappyCodec, SnappyCodecV2, StringCodec, ZstdCodec,
};

use crate::vectors::{Vector, of_codec};

/// Java's `StringCodec` inside: the text comes out, and the same bytes go in.
#[test]
fn frames_around_text_match_redisson() {
    let texts = [
        same_text("LZ4Codec(StringCodec)", Lz4Codec::new(StringCodec)),
        same_text("LZ4CodecV2(StringCodec)", Lz4CodecV2::new(StringCodec)),
        same_text("SnappyCodec(StringCodec)", SnappyCodec::new(StringCodec)),
        same_text(
            "SnappyCodecV2(StringCodec)",
            SnappyCodecV2::new(StringCodec),
        ),
        same_text("ZStdCodec(StringCodec)", ZstdCodec::new(StringCodec)),
    ];
    assert_eq!(texts, [(7, 7), (7, 6), (6, 6), (7, 7), (7, 7)]);
}

/// How many texts there are, and how many of them are written as Java did.
///
/// The one that is not has 100,000 letters, which compress.
fn same_text(name: &str, codec: impl Codec<String>) -> (usize, usize) {
    let texts: BTreeMap<_, _> = of_codec("StringCodec")
        .map(|vector| (&vector.id, &vector.payload))
        .collect();

    let (mut read, mut written) = (0, 0);
    for vector in of_codec(name) {
        let text = codec.decode(vector.payload.clone()).unwrap();
        match texts.get(&vector.id) {
            Some(expected) => assert_eq!(&text.as_bytes(), expected, "{}", vector.id),
            // Too long for a payload that is kept in full, unless it is compressed.
            None => assert_eq!((vector.id.as_str(), text.len()), ("str.100k", 100_000)),
        }
        read += 1;
        written += usize::from(codec.encode(&text).unwrap() == vector.payload);
    }
    (read, written)
}

/// Redisson's default codec inside: the payload that this codec alone writes comes out.
///
/// How many go in again as the same bytes is what the documentation of each codec rests on. The one
/// of `LZ4Codec` that does not was written by 3.17.7.
#[test]
fn frames_around_the_default_codec_match_redisson() {
    let frames = [
        same_content("LZ4Codec", Lz4Codec::new(ByteArrayCodec)),
        same_content("LZ4CodecV2", Lz4CodecV2::new(ByteArrayCodec)),
        same_content("SnappyCodec", SnappyCodec::new(ByteArrayCodec)),
        same_content("SnappyCodecV2", SnappyCodecV2::new(ByteArrayCodec)),
        same_content("ZStdCodec", ZstdCodec::new(ByteArrayCodec)),
    ];
    assert_eq!(
        frames,
        [
            (95, 80, 94),
            (48, 41, 43),
            (105, 90, 84),
            (104, 88, 104),
            (46, 41, 46),
        ]
    );
}

/// How many frames there are, for how many of them the content was captured without a frame, and
/// how many are written as Java did.
fn same_content(name: &str, codec: impl Codec<Bytes>) -> (usize, usize, usize) {
    let (mut read, mut compared, mut written) = (0, 0, 0);
    for vector in of_codec(name) {
        let content = codec.decode(vector.payload.clone()).unwrap();
        read += 1;
        if let Some(alone) = alone(vector) {
            assert_eq!(content, alone.payload, "{name} {}", vector.id);
            compared += 1;
        }
        written += usize::from(codec.encode(&content).unwrap() == vector.payload);
    }
    (read, compared, written)
}

/// The same value by the same version, not compressed.
fn alone(framed: &Vector) -> Option<&'static Vector> {
    // The default codec until 3.18.1, and since.
    let inner = if framed.is_of("3.17.7") {
        "MarshallingCodec"
    } else {
        "Kryo5Codec"
    };
    of_codec(inner).find(|vector| {
        vector.id == framed.id && framed.redisson.iter().all(|version| vector.is_of(version))
    })
}
