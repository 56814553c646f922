use bytes::Bytes;
use proptest::prelude::*;

use super::*;
use crate::{ByteArrayCodec, Codec, Error};

type Named = (&'static str, Box<dyn Codec<Vec<u8>>>);

/// Writes and reads bytes with every codec of this module, each asked for at most `max_size`.
fn all(max_size: usize) -> Vec<Named> {
    vec![
        #[cfg(feature = "lz4")]
        (
            "lz4",
            Box::new(Lz4Codec::new(ByteArrayCodec).max_size(max_size)),
        ),
        #[cfg(feature = "lz4")]
        (
            "lz4 v2",
            Box::new(Lz4CodecV2::new(ByteArrayCodec).max_size(max_size)),
        ),
        #[cfg(feature = "snappy")]
        (
            "snappy",
            Box::new(SnappyCodec::new(ByteArrayCodec).max_size(max_size)),
        ),
        #[cfg(feature = "snappy")]
        (
            "snappy v2",
            Box::new(SnappyCodecV2::new(ByteArrayCodec).max_size(max_size)),
        ),
        #[cfg(feature = "zstd")]
        (
            "zstd",
            Box::new(ZstdCodec::new(ByteArrayCodec).max_size(max_size)),
        ),
    ]
}

/// Bytes that compress, in part: pieces of a random text, repeated.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = (prop::collection::vec(any::<u8>(), 0..40), 0..60_usize);
    prop::collection::vec(piece, 0..30).prop_map(|pieces| {
        pieces
            .iter()
            .flat_map(|(it, times)| it.repeat(*times))
            .collect()
    })
}

fn decode(codec: &dyn Codec<Vec<u8>>, payload: &[u8]) -> Result<Vec<u8>, Error> {
    codec.decode(Bytes::copy_from_slice(payload))
}

fn explained(error: &Error) -> String {
    error.to_string()
}

proptest! {
    /// Content comes back as it was, even if it takes several chunks of Snappy.
    #[test]
    fn content_survives(content in content()) {
        for (name, codec) in all(usize::MAX) {
            let payload = codec.encode(&content).unwrap();
            prop_assert_eq!(&codec.decode(payload).unwrap(), &content, "{}", name);
        }
    }

    /// A damaged payload gives an error or other content. It never causes a panic, and never fills
    /// the memory.
    #[test]
    fn damage_is_survived(
        content in content(),
        at in any::<prop::sample::Index>(),
        byte: u8,
        cut in any::<prop::sample::Index>(),
    ) {
        for (_, codec) in all(1 << 20) {
            let mut payload = codec.encode(&content).unwrap().to_vec();
            if payload.is_empty() {
                continue;
            }
            let at = at.index(payload.len());
            payload[at] = byte;
            let end = cut.index(payload.len());
            let _ = decode(&*codec, &payload[..end]);
            if let Ok(content) = decode(&*codec, &payload) {
                prop_assert!(content.len() <= 1 << 20);
            }
        }
    }
}

/// A valid payload whose content is too large, and a value that is too large.
#[test]
fn more_than_the_bound_is_refused_both_ways() {
    let content = vec![b'x'; 1000];
    for ((name, wide), (_, narrow)) in all(1000).into_iter().zip(all(999)) {
        let payload = wide.encode(&content).unwrap();
        assert_eq!(wide.decode(payload.clone()).unwrap(), content, "{name}");

        for (error, reason) in [
            (
                narrow.encode(&content).unwrap_err(),
                "value is too large to compress",
            ),
            (
                narrow.decode(payload).unwrap_err(),
                "decompressed payload is too large",
            ),
        ] {
            assert_eq!(
                explained(&error),
                format!("{reason}: 1000 bytes, and 999 are allowed"),
                "{name}"
            );
        }
    }
}

/// A payload is refused wherever it is cut.
#[test]
fn every_cut_is_refused() {
    let content = b"abcabcabcabcabcabc-".repeat(3000);
    for (name, codec) in all(1 << 20) {
        let payload = codec.encode(&content).unwrap();
        let cuts = (0..payload.len())
            .rev()
            .step_by(7)
            .chain(0..20.min(payload.len()));
        for cut in cuts {
            let whole_chunks = name == "snappy" && is_end_of_chunk(&payload, cut);
            assert_eq!(
                decode(&*codec, &payload[..cut]).is_ok(),
                whole_chunks,
                "{name} cut at {cut}"
            );
        }
    }
}

/// The chunks of Snappy have no end mark: a payload cut between two chunks is a shorter payload.
fn is_end_of_chunk(payload: &[u8], cut: usize) -> bool {
    let mut at = 0;
    while at < cut {
        let (length, _) = header::split_length(&payload[at..]).unwrap();
        at += 4 + length;
    }
    at == cut
}

/// The header says gigabytes, the block a few bytes: refused before memory is reserved.
#[cfg(feature = "lz4")]
#[test]
fn lying_lz4_header_is_refused() {
    let codec = Lz4Codec::new(ByteArrayCodec).max_size(usize::MAX);
    for (payload, text) in [
        (
            &b"\x7f\xff\xff\xff\x30abc"[..],
            "the frame does not hold what its header declares: 2147483647 bytes are declared, \
             3 follow",
        ),
        (
            b"\x00\x00\x00\x02\x30abc",
            "the frame does not hold what its header declares: 2 bytes are declared, 3 follow",
        ),
        (
            b"\xff\xff\xff\xff\x30abc",
            "decompressed payload is too large: 4294967295 bytes, and 2147483647 are allowed",
        ),
        (
            b"\x00\x00\x00",
            "payload is no frame: 3 bytes are too few for a length",
        ),
        (
            b"\x00\x00\x00\x05\x10a\x02\x00\x00",
            "payload is no LZ4 block behind a length: a copy starts outside of the text at byte 2",
        ),
    ] {
        let error = decode(&codec, payload).unwrap_err();
        assert_eq!(explained(&error), text);
    }
}

/// The same for the two lengths of Snappy: that of a chunk and that of its content.
#[cfg(feature = "snappy")]
#[test]
fn lying_snappy_header_is_refused() {
    let codec = SnappyCodec::new(ByteArrayCodec).max_size(usize::MAX);
    let error = decode(&codec, b"\x00\x00\x00\x09\x03\x08abc").unwrap_err();
    assert_eq!(
        explained(&error),
        "the frame does not hold what its header declares: 9 bytes are declared, 5 follow"
    );

    let codec = SnappyCodecV2::new(ByteArrayCodec).max_size(usize::MAX);
    let error = decode(&codec, b"\xff\xff\xff\xff\x07\x08abc").unwrap_err();
    assert_eq!(
        explained(&error),
        "payload is no Snappy block: the block holds less than it declares at byte 9"
    );
}

/// Blocks prove how much they can become at most, and the decoder how much they do.
#[cfg(feature = "zstd")]
#[test]
fn lying_zstd_header_is_refused() {
    let codec = ZstdCodec::new(ByteArrayCodec).max_size(usize::MAX);
    let error = decode(
        &codec,
        b"\x7f\xff\xff\xff\x28\xb5\x2f\xfd\x00\x58\x11\0\0ab",
    )
    .unwrap_err();
    assert_eq!(
        explained(&error),
        "the frame does not hold what its header declares: 2147483647 bytes are declared, \
         2 to 2 follow"
    );

    let mut payload = codec.encode(&vec![b'x'; 1000]).unwrap().to_vec();
    payload[..4].copy_from_slice(&1001_u32.to_be_bytes());
    let error = decode(&codec, &payload).unwrap_err();
    assert_eq!(
        explained(&error),
        "the frame does not hold what its header declares: 1001 bytes are declared, 1000 follow"
    );

    payload[..4].copy_from_slice(&999_u32.to_be_bytes());
    assert_eq!(
        decode(&codec, &payload).unwrap_err().reason(),
        "payload is no Zstandard frame behind a length"
    );
}

/// The error keeps the reason of the inner codec, and says that it is about other bytes.
#[cfg(feature = "lz4")]
#[test]
fn inner_refusal_is_told_apart() {
    let codec = Lz4Codec::new(crate::LongCodec);
    let error = codec
        .decode(Bytes::from_static(b"\0\0\0\x01\x10x"))
        .unwrap_err();
    assert_eq!(
        explained(&error),
        "the inner codec refuses the decompressed payload: payload is not a 64-bit integer in \
         decimal digits: invalid digit found in string"
    );
}

/// Java's decoder fails if the payload is shorter than the content, see `Lz4CodecV2`.
#[cfg(feature = "lz4")]
#[test]
fn second_lz4_codec_writes_literals_only() {
    let codec = Lz4CodecV2::new(ByteArrayCodec);
    for size in [0, 1, 14, 15, 16, 269, 270, 271, 196_608] {
        let content = vec![b'x'; size];
        let payload = codec.encode(&content).unwrap();
        assert!(
            payload.len() > 4 + size && payload.ends_with(&content),
            "{size}"
        );
        assert_eq!(decode(&codec, &payload).unwrap(), content, "{size}");
    }

    let error = codec.encode(&vec![b'x'; 196_609]).unwrap_err();
    assert_eq!(
        explained(&error),
        "value is too large for the decoder of LZ4CodecV2: 196609 bytes, and 196608 are read"
    );

    let compressed = Lz4Codec::new(ByteArrayCodec)
        .encode(&vec![b'x'; 1000])
        .unwrap();
    assert_eq!(decode(&codec, &compressed).unwrap(), vec![b'x'; 1000]);
}
