//! `codec/docs/codecs.md` says for each codec, version and kind of value what passes. This test
//! finds that out, from what Redisson wrote and by asking real Redisson, and writes it there.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::{fs, path::Path};

use bytes::Bytes;
use interop::oracle::Oracle;
use interop::payload::Payload;
use redisson_delayed_queue::codec::{
    ByteArrayCodec, CborJacksonCodec, Codec, DoubleCodec, IntegerCodec, JsonJackson3Codec,
    JsonJacksonCodec, Kryo5Codec, LongCodec, Lz4Codec, Lz4CodecV2, MarshallingCodec,
    MsgPackJacksonCodec, SerializationCodec, SmileJacksonCodec, SnappyCodec, SnappyCodecV2,
    StringCodec, TypedJsonJacksonCodec, ZstdCodec,
};
use redisson_delayed_queue::java::{JavaValue, Schema};

#[test]
fn docs_say_what_passes() {
    let mut oracles: Vec<(&str, Oracle)> = ASKED
        .map(|version| (version, Oracle::start(version)))
        .into_iter()
        .collect();
    let mut rows = Payload::all();
    // Some are of runs with other options of the JVM, which make the bytes of Java 8.
    rows.retain(|row| {
        row.redisson
            .iter()
            .any(|it| VERSIONS.contains(&it.as_str()))
    });
    let mut tables = String::new();
    for (name, codec) in codecs() {
        let outcomes: Vec<(&Payload, Outcome)> = rows
            .iter()
            .filter(|row| row.codec_kind() == name)
            .map(|row| (row, outcome(row, &*codec(row), &mut oracles)))
            .collect();
        assert!(!outcomes.is_empty(), "nothing was written by {name}");
        write_table(&mut tables, name, &outcomes);
    }

    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../codec/docs/codecs.md");
    let text = fs::read_to_string(&docs).expect("the docs are here");
    let (before, _) = text
        .split_once(MARK)
        .expect("the docs have a place for the tables");
    let new = format!("{before}{MARK}\n{tables}");
    if new != text {
        fs::write(&docs, new).expect("the docs can be written");
        panic!("codec/docs/codecs.md was out of date; it is not any more, look at what changed");
    }
}

/// What became of one payload.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// Read, and written with the same bytes.
    Same,
    /// Read, and written with other bytes that Java reads as it reads its own.
    Accepted,
    /// Read, and not written, or not so that Java could read it; why.
    ReadOnly(String),
    /// Not read; why.
    Refused(String),
    /// As either of these, of a payload that Java itself reads as another value or not at all.
    LostInJava,
}

fn outcome(row: &Payload, codec: &dyn AnyCodec, oracles: &mut [(&str, Oracle)]) -> Outcome {
    match rewritten(row, codec, oracles) {
        Outcome::ReadOnly(_) | Outcome::Refused(_) if !row.comes_back() => Outcome::LostInJava,
        outcome => outcome,
    }
}

fn rewritten(row: &Payload, codec: &dyn AnyCodec, oracles: &mut [(&str, Oracle)]) -> Outcome {
    let payload = Bytes::from(row.bytes());
    let written = match codec.rewrite(payload.clone()) {
        Err(error) => return Outcome::Refused(error),
        Ok(Err(error)) => return Outcome::ReadOnly(error),
        Ok(Ok(written)) if written == payload => return Outcome::Same,
        Ok(Ok(written)) => written,
    };
    let mut asked = 0;
    for (version, oracle) in oracles {
        if !row.redisson.iter().any(|it| it == version) {
            continue;
        }
        asked += 1;
        let own = oracle.decode(&row.codec(), &payload);
        let ours = oracle.decode(&row.codec(), &written);
        let is_same = match (&own, &ours) {
            (Ok(own), Ok(ours)) => own.class == ours.class && own.is(&ours.canonical),
            // Java cannot read its own, but this one it can.
            (Err(_), Ok(ours)) => ours.is(row.canonical()),
            _ => false,
        };
        if !is_same {
            let why = ours.err().unwrap_or("another value in Java".to_owned());
            return Outcome::ReadOnly(why);
        }
    }
    if asked == 0 {
        return Outcome::ReadOnly("written with other bytes".to_owned());
    }
    Outcome::Accepted
}

/// A codec of values of any type.
trait AnyCodec {
    /// Reads a payload and writes what it read.
    fn rewrite(&self, payload: Bytes) -> Result<Result<Bytes, String>, String>;
}

struct Of<T, C>(C, std::marker::PhantomData<T>);

impl<T, C: Codec<T>> AnyCodec for Of<T, C> {
    fn rewrite(&self, payload: Bytes) -> Result<Result<Bytes, String>, String> {
        let value = self.0.decode(payload).map_err(|error| chain(&error))?;
        Ok(self.0.encode(&value).map_err(|error| chain(&error)))
    }
}

fn of<T: 'static, C: Codec<T>>(codec: C) -> Box<dyn AnyCodec> {
    Box::new(Of(codec, std::marker::PhantomData))
}

/// The innermost reason, which is the most exact one.
fn chain(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}

type MakeCodec = Box<dyn Fn(&Payload) -> Box<dyn AnyCodec>>;

fn codecs() -> Vec<(&'static str, MakeCodec)> {
    fn schema() -> Schema {
        Schema::from_json(include_str!("../vectors/schema.json")).expect("the schema is one")
    }
    fn kryo5() -> Kryo5Codec {
        Kryo5Codec::with_schema(schema()).expect("the schema is sound")
    }
    fn json() -> JsonJacksonCodec {
        JsonJacksonCodec::with_schema(schema()).expect("the schema is sound")
    }
    fn marshalling() -> MarshallingCodec {
        MarshallingCodec::with_schema(schema()).expect("the schema is sound")
    }
    /// Whether the newest version that wrote the payload tags UUIDs.
    fn tags_uuids(row: &Payload) -> bool {
        row.redisson.last().is_some_and(|it| it == "4.7.0")
    }
    /// Around the codec that is the default of the version.
    macro_rules! around {
        ($codec:expr) => {
            |row| match row.redisson[0].as_str() {
                "3.17.7" if row.redisson.len() == 1 => of($codec(marshalling())),
                _ => of($codec(kryo5())),
            }
        };
    }
    vec![
        ("StringCodec", Box::new(|_| of(StringCodec))),
        ("LongCodec", Box::new(|_| of(LongCodec))),
        ("IntegerCodec", Box::new(|_| of(IntegerCodec))),
        ("DoubleCodec", Box::new(|_| of(DoubleCodec))),
        (
            "ByteArrayCodec",
            Box::new(|_| of::<Bytes, _>(ByteArrayCodec)),
        ),
        ("Kryo5Codec", Box::new(|_| of(kryo5()))),
        (
            "Kryo5Codec(references)",
            Box::new(|_| of(kryo5().references(true))),
        ),
        (
            "JsonJacksonCodec",
            Box::new(|row| of(json().tagged_uuids(tags_uuids(row)).bare_roots(true))),
        ),
        (
            "JsonJacksonCodec(JavaTimeModule)",
            Box::new(|row| {
                let json = json().tagged_uuids(tags_uuids(row)).bare_roots(true);
                of(json.java_time(true))
            }),
        ),
        (
            "JsonJackson3Codec",
            Box::new(|_| {
                let json = JsonJackson3Codec::<JavaValue>::with_schema(schema());
                of(json.expect("the schema is sound").bare_roots(true))
            }),
        ),
        (
            "CborJacksonCodec",
            Box::new(|row| {
                let cbor = CborJacksonCodec::<JavaValue>::with_schema(schema());
                let cbor = cbor.expect("the schema is sound").bare_roots(true);
                of(cbor.tagged_uuids(tags_uuids(row)))
            }),
        ),
        (
            "MsgPackJacksonCodec",
            Box::new(|row| {
                let pack = MsgPackJacksonCodec::<JavaValue>::with_schema(schema());
                let pack = pack.expect("the schema is sound").bare_roots(true);
                of(pack.tagged_uuids(tags_uuids(row)))
            }),
        ),
        (
            "SmileJacksonCodec",
            Box::new(|row| {
                let smile = SmileJacksonCodec::<JavaValue>::with_schema(schema());
                let smile = smile.expect("the schema is sound").bare_roots(true);
                of(smile.tagged_uuids(tags_uuids(row)))
            }),
        ),
        (
            "TypedJsonJacksonCodec",
            Box::new(|_| of(TypedJsonJacksonCodec::<serde_json::Value>::new())),
        ),
        (
            "JacksonCodec",
            Box::new(|_| of(TypedJsonJacksonCodec::<serde_json::Value>::new())),
        ),
        (
            "Jackson3Codec",
            Box::new(|_| of(TypedJsonJacksonCodec::<serde_json::Value>::new())),
        ),
        ("LZ4Codec", Box::new(around!(Lz4Codec::new))),
        ("LZ4CodecV2", Box::new(around!(Lz4CodecV2::new))),
        ("SnappyCodec", Box::new(around!(SnappyCodec::new))),
        ("SnappyCodecV2", Box::new(around!(SnappyCodecV2::new))),
        ("ZStdCodec", Box::new(around!(ZstdCodec::new))),
        ("MarshallingCodec", Box::new(|_| of(marshalling()))),
        (
            "SerializationCodec",
            Box::new(|_| {
                let codec = SerializationCodec::<JavaValue>::with_schema(schema());
                of(codec.expect("the schema is sound"))
            }),
        ),
    ]
}

fn write_table(tables: &mut String, name: &str, outcomes: &[(&Payload, Outcome)]) {
    // What stands in the column of each version, and the versions in order.
    let mut columns: Vec<(Vec<&str>, BTreeMap<Kind, String>)> = Vec::new();
    for version in VERSIONS {
        let mut counts: BTreeMap<Kind, [usize; 5]> = BTreeMap::new();
        for (row, outcome) in outcomes {
            if row.redisson.iter().any(|it| it == version) {
                let place = match outcome {
                    Outcome::Same => 0,
                    Outcome::Accepted => 1,
                    Outcome::ReadOnly(_) => 2,
                    Outcome::Refused(_) => 3,
                    Outcome::LostInJava => 4,
                };
                counts.entry(kind(&row.id)).or_default()[place] += 1;
            }
        }
        if counts.is_empty() {
            continue;
        }
        let cells = counts
            .into_iter()
            .map(|(kind, counts)| (kind, cell(counts)));
        let cells: BTreeMap<Kind, String> = cells.collect();
        match columns.last_mut() {
            Some((versions, same)) if *same == cells => versions.push(version),
            _ => columns.push((vec![version], cells)),
        }
    }

    let _ = write!(tables, "\n### {name}\n\n| |");
    for (versions, _) in &columns {
        let _ = match versions[..] {
            [only] => write!(tables, " {only} |"),
            [first, .., last] => write!(tables, " {first} – {last} |"),
            [] => Ok(()),
        };
    }
    let _ = writeln!(tables, "\n|---|{}", "---|".repeat(columns.len()));
    for kind in KINDS.map(|(kind, _)| kind) {
        if columns.iter().all(|(_, cells)| !cells.contains_key(kind)) {
            continue;
        }
        let _ = write!(tables, "| {kind} |");
        for (_, cells) in &columns {
            let _ = write!(tables, " {} |", cells.get(kind).map_or("", String::as_str));
        }
        tables.push('\n');
    }

    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (row, outcome) in outcomes {
        let reason = match outcome {
            Outcome::Same | Outcome::Accepted => continue,
            Outcome::ReadOnly(why) => format!("Read only: {}", first_line(why)),
            Outcome::Refused(why) => format!("Not read: {}", first_line(why)),
            Outcome::LostInJava => "Lost in Java".to_owned(),
        };
        let ids = reasons.entry(reason).or_default();
        if !ids.contains(&row.id.as_str()) {
            ids.push(&row.id);
        }
    }
    for (i, (reason, ids)) in reasons.iter().enumerate() {
        let gap = if i == 0 { "\n" } else { "" };
        let _ = writeln!(tables, "{gap}- {reason}: {}.", ids.join(", "));
    }
}

fn first_line(reason: &str) -> String {
    let line = reason.lines().next().unwrap_or_default();
    let end = line
        .char_indices()
        .nth(110)
        .map_or(line.len(), |(at, _)| at);
    line[..end].replace('|', "\\|")
}

fn cell([same, accepted, read, refused, lost]: [usize; 5]) -> String {
    let parts = [
        (same, "same"),
        (accepted, "accepted"),
        (read, "read only"),
        (refused, "not read"),
        (lost, "lost in Java"),
    ];
    let parts: Vec<_> = parts.into_iter().filter(|(count, _)| *count > 0).collect();
    match parts[..] {
        [(_, "same")] => "same bytes".to_owned(),
        [(_, only)] => only.to_owned(),
        _ => {
            let parts: Vec<_> = parts
                .iter()
                .map(|(count, what)| format!("{count} {what}"))
                .collect();
            parts.join(", ")
        }
    }
}

type Kind = &'static str;

fn kind(id: &str) -> Kind {
    let first = id.split('.').next().unwrap_or(id);
    KINDS
        .iter()
        .find(|(_, ids)| ids.contains(&first))
        .map_or(OTHERS, |(kind, _)| kind)
}

const OTHERS: Kind = "others of the JDK";

const KINDS: [(Kind, &[&str]); 9] = [
    ("texts", &["str"]),
    (
        "numbers",
        &[
            "int", "long", "byte", "short", "char", "float", "double", "bool",
        ],
    ),
    ("big numbers", &["decimal", "bigint"]),
    (
        "dates and times",
        &[
            "date",
            "sql",
            "calendar",
            "instant",
            "localdatetime",
            "localdate",
            "localtime",
            "duration",
            "period",
            "zoneddatetime",
            "offsetdatetime",
            "zoneid",
            "zoneoffset",
            "year",
            "yearmonth",
            "timezone",
        ],
    ),
    ("enums", &["enum"]),
    (
        "lists, sets, arrays",
        &["list", "deque", "pqueue", "set", "arr", "bytes"],
    ),
    ("maps", &["map", "entry"]),
    ("objects, records", &["pojo", "record"]),
    (OTHERS, &[]),
];

const VERSIONS: [&str; 10] = [
    "3.17.7", "3.21.0", "3.21.1", "3.23.4", "3.27.2", "3.37.0", "3.45.1", "3.52.0", "4.0.0",
    "4.7.0",
];

/// Which of them are asked to read what is written with other bytes.
const ASKED: [&str; 5] = ["3.17.7", "3.21.1", "3.23.4", "3.52.0", "4.7.0"];

const MARK: &str = "<!-- From here on: `cargo test -p interop --test table` writes it. -->";
