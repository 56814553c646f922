//! The tables of `codec/docs/codecs.md` say which payloads pass between this crate and Redisson, for
//! each codec, version and kind of value. This test finds that out and writes the tables. It takes
//! payloads that Redisson wrote, and asks real Redisson to read what this crate writes.

use std::{fs, path::Path};

use interop::codecs::{Setting, codecs};
use interop::oracle::Oracle;
use interop::payload::Payload;
use redisson_delayed_queue::java::Schema;

use crate::columns::write_table;
use crate::outcome::{Outcome, outcome};

mod columns;
mod kind;
mod outcome;

#[test]
fn docs_say_what_passes() {
    let mut oracles: Vec<(&str, Oracle)> = ASKED
        .map(|version| (version, Oracle::start(version)))
        .into_iter()
        .collect();
    let mut rows = Payload::all();
    // Other rows are from runs with other options of the JVM, which make the bytes of Java 8.
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
            .map(|row| (row, outcome(row, &*codec(&setting(row)), &mut oracles)))
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
        panic!(
            "codec/docs/codecs.md was out of date; the test has just rewritten it, look at what changed"
        );
    }
}

/// What a codec is made with depends on what Redisson had when it wrote the payload.
fn setting(row: &Payload) -> Setting {
    let schema = Schema::from_json(include_str!("../../vectors/schema.json"));
    Setting {
        schema: schema.expect("the schema is one"),
        // In the newest version that wrote the payload.
        tags_uuids: row.redisson.last().is_some_and(|it| it == "4.7.0"),
        marshals: row.redisson == ["3.17.7"],
    }
}

/// The versions that have a column.
const VERSIONS: [&str; 10] = [
    "3.17.7", "3.21.0", "3.21.1", "3.23.4", "3.27.2", "3.37.0", "3.45.1", "3.52.0", "4.0.0",
    "4.7.0",
];

/// The versions that are asked to read a payload for which this crate writes other bytes.
const ASKED: [&str; 5] = ["3.17.7", "3.21.1", "3.23.4", "3.52.0", "4.7.0"];

const MARK: &str = "<!-- From here on: `cargo test -p interop --test table` writes it. -->";
