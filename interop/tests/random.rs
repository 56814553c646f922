//! Random values, written by Rust, read by real Redisson and written again: the same bytes.

use interop::oracle::Oracle;
use interop::random::Random;
use redisson_delayed_queue::codec::{Codec, JsonJacksonCodec, Kryo5Codec};
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

fn compare(version: &str, limited: impl Fn(Random) -> Random) {
    let mut oracle = Oracle::start(version);
    let schema = Schema::from_json(SCHEMA).expect("the schema is sound");
    let seed = rand::random();

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
