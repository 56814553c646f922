//! Random values, written by Rust, read by real Redisson and written again: the same bytes.

use bytes::Bytes;
use interop::oracle::Oracle;
use interop::random::{self, Random};
use redisson_delayed_queue::codec::{
    Codec, JsonJacksonCodec, Kryo5Codec, MarshallingCodec, SerializationCodec,
};
use redisson_delayed_queue::java::{JavaValue, Schema};

const SCHEMA: &str = include_str!("../vectors/schema.json");
const COUNT: usize = 400;

#[test]
fn redisson_3_23_4_writes_random_values_as_rust_does() {
    // Its Jackson cannot read records.
    compare("3.23.4", |random| {
        random.without_records().with_untagged_uuids()
    });
}

#[test]
fn redisson_3_52_0_writes_random_values_as_rust_does() {
    compare("3.52.0", Random::with_untagged_uuids);
}

#[test]
fn redisson_4_7_0_writes_random_values_as_rust_does() {
    compare("4.7.0", |random| random);
}

#[test]
fn redisson_3_17_7_writes_random_values_as_rust_does_with_older_codecs() {
    compare_older("3.17.7", true);
}

#[test]
fn redisson_3_52_0_writes_random_values_as_rust_does_with_older_codecs() {
    compare_older("3.52.0", true);
}

#[test]
fn redisson_4_7_0_writes_random_values_as_rust_does_with_older_codecs() {
    compare_older("4.7.0", false);
}

fn compare_older(version: &str, has_marshalling: bool) {
    let mut oracle = Oracle::start(version);
    let schema = Schema::from_json(SCHEMA).expect("the schema is sound");
    let seed = random::seed();

    let codec = SerializationCodec::<JavaValue>::with_schema(schema.clone());
    let codec = codec.expect("the schema is sound");
    let random = Random::for_serialization(SCHEMA, seed);
    assert_kept(&mut oracle, "SerializationCodec", &codec, random, seed);

    if has_marshalling {
        let codec = MarshallingCodec::<JavaValue>::with_schema(schema);
        let codec = codec.expect("the schema is sound");
        // JBoss Marshalling reads no records.
        let random = Random::for_serialization(SCHEMA, seed).without_records();
        assert_kept(&mut oracle, "MarshallingCodec", &codec, random, seed);
    }
}

fn compare(version: &str, limited: impl Fn(Random) -> Random) {
    let mut oracle = Oracle::start(version);
    let schema = Schema::from_json(SCHEMA).expect("the schema is sound");
    let seed = random::seed();

    let kryo5 = Kryo5Codec::<JavaValue>::with_schema(schema.clone()).expect("the schema is sound");
    let random = Random::new(SCHEMA, seed);
    assert_rewritten(&mut oracle, "Kryo5Codec", &kryo5, random, seed);

    let random = limited(Random::for_json(SCHEMA, seed));
    let json = JsonJacksonCodec::with_schema(schema).expect("the schema is sound");
    let json: JsonJacksonCodec = json.tagged_uuids(random.tags_uuids());
    assert_rewritten(&mut oracle, "JsonJacksonCodec", &json, random, seed);
}

fn assert_rewritten(
    oracle: &mut Oracle,
    name: &str,
    codec: &impl Codec<JavaValue>,
    mut random: Random,
    seed: u64,
) {
    let values: Vec<JavaValue> = (0..COUNT).map(|_| random.root()).collect();
    let payloads: Vec<_> = values
        .iter()
        .map(|value| {
            codec
                .encode(value)
                .unwrap_or_else(|error| panic!("{name}, seed {seed}: {error:?} on {value:?}"))
        })
        .collect();
    let decoded = oracle.decode_all(payloads.iter().map(|payload| (name, payload)));
    for ((value, payload), decoded) in values.iter().zip(&payloads).zip(decoded) {
        let place = || format!("{name}, seed {seed}, {value:.300?}");
        let decoded = decoded.unwrap_or_else(|error| panic!("{error}: {}", place()));
        assert_eq!(
            String::from_utf8_lossy(&decoded.reencoded),
            String::from_utf8_lossy(payload),
            "{}",
            place()
        );
        assert!(decoded.reencoded == *payload, "{}", place());
        let read = codec.decode(payload.clone());
        let read = read.unwrap_or_else(|error| panic!("{error:?}: {}", place()));
        assert_eq!(
            codec.encode(&read).ok().as_ref(),
            Some(payload),
            "{}",
            place()
        );
    }
}

/// As above, but by value: Java gives a map or a set that it has read a table of another size than
/// one that was filled, and writes that size.
fn assert_kept(
    oracle: &mut Oracle,
    name: &str,
    codec: &impl Codec<JavaValue>,
    mut random: Random,
    seed: u64,
) {
    let values: Vec<JavaValue> = (0..COUNT).map(|_| random.root()).collect();
    let payloads = values.iter().map(|value| {
        let payload = codec.encode(value);
        payload.unwrap_or_else(|error| panic!("{name}, seed {seed}: {error:?} on {value:?}"))
    });
    let payloads: Vec<_> = payloads.collect();
    let decoded = oracle.decode_all(payloads.iter().map(|payload| (name, payload)));
    let mut same = 0;
    for ((value, payload), decoded) in values.iter().zip(&payloads).zip(decoded) {
        let place = || format!("{name}, seed {seed}, {value:.300?}");
        let decoded = decoded.unwrap_or_else(|error| panic!("{error}: {}", place()));
        let read = |payload: &[u8]| {
            let read = codec.decode(Bytes::copy_from_slice(payload));
            // As text, in which what is not a number equals itself.
            format!(
                "{:?}",
                read.unwrap_or_else(|error| panic!("{error:?}: {}", place()))
            )
        };
        assert!(read(&decoded.reencoded) == read(payload), "{}", place());
        same += usize::from(decoded.reencoded == *payload);
    }
    assert!(same > COUNT / 2, "{name}, seed {seed}: {same} of {COUNT}");
}
