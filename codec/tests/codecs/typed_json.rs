//! `TypedJsonJacksonCodec` against the other codecs of Redisson that write JSON without classes.

use bytes::Bytes;
use redisson_codec::{Codec, TypedJsonJacksonCodec};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::vectors::of_codec;

#[path = "../vectors/classes.rs"]
#[allow(dead_code, reason = "shared with another test, which needs the rest")]
mod classes;
#[path = "../vectors/ordered.rs"]
mod ordered;

/// The rows of a codec that are written in another way than they were read.
fn differing(codec: &str) -> (usize, Vec<&'static str>) {
    let json = TypedJsonJacksonCodec::<ordered::Json>::new();
    let mut same = 0;
    let mut differing = Vec::new();
    for vector in of_codec(codec) {
        match again(&json, &vector.payload) {
            Ok(payload) if payload == vector.payload => same += 1,
            _ => differing.push(vector.id.as_str()),
        }
    }
    (same, differing)
}

fn again<T>(codec: &impl Codec<T>, payload: &Bytes) -> Result<Bytes, String> {
    let value = codec
        .decode(payload.clone())
        .map_err(|error| error.to_string())?;
    codec.encode(&value).map_err(|error| error.to_string())
}

/// A double has no zeros at its end, and `Json` no integer of more than 64 bits.
#[test]
fn jackson_codec_writes_the_same_text() {
    let beyond_doubles = ["decimal.123.4500", "list.mixed"];
    assert_eq!(differing("JacksonCodec"), (44, beyond_doubles.to_vec()));
    let (same, differing) = differing("Jackson3Codec");
    // Jackson 3 does not escape an emoji.
    assert_eq!(
        differing,
        ["str.emoji", "decimal.123.4500", "bigint.2^70", "list.mixed"]
    );
    assert_eq!(same, 48);
}

/// The default mapper of Jackson 3: properties that are null are there.
#[test]
fn typed_json_jackson3_codec_writes_nulls() {
    let (same, differing) = differing("TypedJsonJackson3Codec");
    assert_eq!(
        differing,
        [
            "str.utf8",
            "str.emoji",
            "decimal.123.4500",
            "bigint.2^70",
            "list.mixed",
            "pojo.order",
            "pojo.order.nulls",
            "pojo.address",
            "record",
            "pojo.simple.immutable",
        ]
    );
    assert_eq!(same, 43);
}

/// Values pass whichever of them wrote, though not every text is the same.
#[test]
fn objects_of_all_of_them_are_read() {
    fn read<T: Serialize + DeserializeOwned + 'static>(id: &str) {
        let codec = TypedJsonJacksonCodec::<T>::new();
        let mut texts = Vec::new();
        for name in [
            "TypedJsonJacksonCodec",
            "JacksonCodec",
            "Jackson3Codec",
            "TypedJsonJackson3Codec",
        ] {
            let vector = of_codec(name).find(|it| it.id == id && it.payload != "{}");
            texts.extend(vector.map(|it| again(&codec, &it.payload).unwrap()));
        }
        assert!(texts.len() > 1, "{id}");
        assert!(texts.iter().all(|it| *it == texts[0]), "{id} {texts:?}");
    }

    read::<classes::SimpleOrder>("pojo.simple");
    read::<classes::SimpleOrder>("pojo.simple.immutable");
    read::<classes::OrderRecord>("record");
    read::<classes::Address>("pojo.address");
}
