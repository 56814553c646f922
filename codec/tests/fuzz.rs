//! Every decoder except that of `prost` under mutated payloads. It must not panic, hang, or
//! allocate more than the payload justifies; and whatever it read, its codec writes or refuses. There
//! is only one test, because it counts the allocations of the whole process.

use std::alloc::System;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use cap::Cap;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt, SeedableRng};
use redisson_codec::java::{InvalidSchema, JavaValue, Schema};
use redisson_codec::{
    CATALOG, Codec, JsonJacksonCodec, Kryo5Codec, StringCodec, TypedJsonJacksonCodec, Values, sniff,
};
use serde::Deserialize;

#[global_allocator]
static MEMORY: Cap<System> = Cap::new(System, usize::MAX);

const SCHEMA: &str = include_str!("../../interop/vectors/schema.json");
const VECTORS: &str = include_str!("../../interop/vectors/payloads.jsonl");

/// How long to test each decoder, unless `FUZZ_MS` in the environment says otherwise.
const TIME: Duration = Duration::from_millis(700);
/// How many bytes decoding one payload may allocate: a fixed number for errors and tables, and
/// [`ALLOWANCE_A_BYTE`] for each byte of the payload.
const ALLOWANCE: usize = 256 * 1024;
const ALLOWANCE_A_BYTE: usize = 2_000;
/// A sound decoder needs less than a thousandth of this for any payload here.
const TOO_LONG: Duration = Duration::from_secs(5);

struct Decoder {
    name: &'static str,
    /// The codec that wrote the payloads to start from.
    wrote: &'static str,
    decode: Box<dyn Fn(Bytes) -> Option<Again>>,
}

/// Writes what was read.
type Again = Box<dyn FnOnce()>;

fn decoder<T: 'static>(name: &'static str, wrote: &'static str, codec: impl Codec<T>) -> Decoder {
    let codec = Arc::new(codec);
    Decoder {
        name,
        wrote,
        decode: Box::new(move |payload| {
            let value = codec.decode(payload).ok()?;
            let codec = Arc::clone(&codec);
            Some(Box::new(move || drop(codec.encode(&value))))
        }),
    }
}

/// With the classes of the vectors.
fn knowing<C: Codec<JavaValue>>(
    name: &'static str,
    wrote: &'static str,
    make: impl Fn(Schema) -> Result<C, InvalidSchema>,
) -> Decoder {
    let schema = Schema::from_json(SCHEMA).expect("the schema is one");
    decoder(name, wrote, make(schema).expect("the schema is sound"))
}

fn decoders() -> Vec<Decoder> {
    let mut decoders = vec![
        decoder("StringCodec", "StringCodec", StringCodec),
        decoder(
            "TypedJsonJacksonCodec",
            "TypedJsonJacksonCodec",
            TypedJsonJacksonCodec::<serde_json::Value>::new(),
        ),
        knowing("Kryo5Codec", "Kryo5Codec(references)", |schema| {
            Ok(Kryo5Codec::with_schema(schema)?.references(true))
        }),
        decoder(
            "Kryo5Codec without a schema",
            "Kryo5Codec",
            Kryo5Codec::<JavaValue>::new(),
        ),
        knowing(
            "JsonJacksonCodec",
            "JsonJacksonCodec(JavaTimeModule)",
            |schema| Ok(JsonJacksonCodec::with_schema(schema)?.java_time(true)),
        ),
        decoder(
            "JsonJacksonCodec without a schema",
            "JsonJacksonCodec",
            JsonJacksonCodec::<JavaValue>::new(),
        ),
    ];
    for entry in CATALOG {
        if let Values::Java(make) = entry.values {
            decoders.push(knowing(entry.name, entry.redisson, make));
        }
    }
    decoders.extend(compressed());
    for entry in CATALOG {
        let is_tried = decoders.iter().any(|it| it.wrote == entry.redisson);
        let is_elsewhere = matches!(entry.values, Values::Message | Values::Off);
        assert!(is_tried || is_elsewhere, "no decoder of {}", entry.name);
    }
    for wrote in [
        "Kryo5Codec",
        "JsonJacksonCodec",
        "ZStdCodec",
        "IonJacksonCodec",
    ] {
        decoders.push(Decoder {
            name: "sniff",
            wrote,
            decode: Box::new(|payload| {
                _ = sniff(&payload);
                None
            }),
        });
    }
    decoders
}

/// Around a codec that keeps what it is given; a payload that unpacks to more than this is refused.
fn compressed() -> Vec<Decoder> {
    /// Makes the decoders of the codecs whose feature is on.
    macro_rules! frames {
        ($($feature:literal, $codec:ident, $wrote:literal;)*) => {
            vec![$(
                #[cfg(feature = $feature)]
                decoder::<Bytes>(
                    stringify!($codec),
                    $wrote,
                    redisson_codec::$codec::new(redisson_codec::ByteArrayCodec).max_size(32 * 1024),
                ),
            )*]
        };
    }

    frames! {
        "lz4", Lz4Codec, "LZ4Codec";
        "lz4", Lz4CodecV2, "LZ4CodecV2";
        "snappy", SnappyCodec, "SnappyCodec";
        "snappy", SnappyCodecV2, "SnappyCodecV2";
        "zstd", ZstdCodec, "ZStdCodec";
    }
}

#[test]
fn decoders_bear_any_bytes() {
    let time = std::env::var("FUZZ_MS").ok().and_then(|it| it.parse().ok());
    let time = time.map_or(TIME, Duration::from_millis);
    let seed = std::env::var("SEED").ok().and_then(|it| it.parse().ok());
    let seed = seed.unwrap_or_else(rand::random);
    // Past the capture of the tests: a stack that overflows ends the process without its output.
    let mut log = std::io::stderr();
    for decoder in decoders() {
        writeln!(log, "{} from seed {seed}", decoder.name).expect("stderr is open");
        let corpus = corpus(decoder.wrote);
        assert!(
            !corpus.is_empty(),
            "nothing was written by {}",
            decoder.wrote
        );
        for payload in &corpus {
            attempt(&decoder, payload, seed);
        }
        let mut rng = StdRng::seed_from_u64(seed);
        let (started, mut tried) = (Instant::now(), 0_u64);
        while started.elapsed() < time {
            attempt(&decoder, &mutant(&corpus, &mut rng), seed);
            tried += 1;
        }
        println!("{}: {tried} payloads", decoder.name);
    }
}

fn attempt(decoder: &Decoder, payload: &[u8], seed: u64) {
    let payload = Bytes::copy_from_slice(payload);
    let (started, before) = (Instant::now(), MEMORY.total_allocated());
    let outcome = catch_unwind(AssertUnwindSafe(|| (decoder.decode)(payload.clone())));
    let allocated = MEMORY.total_allocated() - before;
    let took = started.elapsed();
    let written = match outcome {
        Ok(Some(again)) => catch_unwind(AssertUnwindSafe(again)),
        other => other.map(|_| ()),
    };
    let complaint = if written.is_err() {
        "panicked".to_owned()
    } else if allocated > ALLOWANCE + payload.len() * ALLOWANCE_A_BYTE {
        format!("allocated {allocated} bytes")
    } else if took > TOO_LONG {
        format!("took {took:?}")
    } else {
        return;
    };
    let hex: String = payload.iter().map(|byte| format!("{byte:02x}")).collect();
    panic!(
        "{} {complaint} (seed {seed}) on {} bytes: {hex}",
        decoder.name,
        payload.len()
    );
}

/// A payload with some of its bytes changed, or its head with the tail of another, or noise.
fn mutant(corpus: &[Vec<u8>], rng: &mut StdRng) -> Vec<u8> {
    let mut bytes = corpus.choose(rng).cloned().unwrap_or_default();
    for _ in 0..rng.random_range(1..4) {
        let at = rng.random_range(0..=bytes.len());
        match rng.random_range(0..8) {
            0 => bytes.truncate(at),
            1 => {
                let other = corpus.choose(rng).expect("the corpus is not empty");
                bytes.truncate(at);
                bytes.extend_from_slice(&other[rng.random_range(0..=other.len())..]);
            }
            2 => bytes.insert(at, rng.random()),
            // What lengths, counts and nesting are made of.
            3 => drop(bytes.splice(at..at, vec![0xff; rng.random_range(1..10)])),
            4 => {
                let piece = bytes[at..bytes.len().min(at + 8)].to_vec();
                let times = rng.random_range(1..100);
                drop(bytes.splice(at..at, piece.repeat(times)));
            }
            5 => {
                bytes.resize(rng.random_range(0..64), 0);
                rng.fill_bytes(&mut bytes);
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << rng.random_range(0..8);
                }
            }
        }
    }
    bytes
}

#[derive(Deserialize)]
struct Row {
    codec: String,
    payload_hex: Option<String>,
}

/// What Redisson wrote with one codec, but for the longest: small payloads are tried more often.
fn corpus(codec: &str) -> Vec<Vec<u8>> {
    VECTORS
        .lines()
        .map(|line| serde_json::from_str::<Row>(line).expect("each line is a row"))
        .filter(|row| row.codec == codec)
        .filter_map(|row| row.payload_hex)
        .filter(|hex| hex.len() < 8_000)
        .map(|hex| {
            let digits = hex.as_bytes().chunks(2);
            let bytes = digits.map(|it| u8::from_str_radix(&String::from_utf8_lossy(it), 16));
            bytes.collect::<Result<_, _>>().expect("the payload is hex")
        })
        .collect()
}
