//! Objects of random Java classes: real Redisson writes them with every codec, `rdq schema`
//! describes their classes, and this crate must read what Java reads back, field by field.
//!
//! A wrong value fails, with the seed and the source of the classes. A payload that is refused is
//! counted by cause, in a table of `codec/docs/codecs.md`.
//!
//! - `CLASSES_MS=3600000 cargo test -p interop --test classes redisson_4_7_0` goes on for an hour.
//! - `SEED=17 CLASSES_MS=0 cargo test …` begins with the program of this seed, and makes no more than
//!   a few.
//! - `CLASSES_TABLE=1 cargo test …` always makes the same programs, and writes the table.

mod class;
mod program;
mod rig;
mod tally;
mod types;

use std::env;
use std::time::{Duration, Instant};

use interop::random;
use program::Limits;
use rig::{Rig, Wrong};
use tally::Tally;

#[test]
fn redisson_4_7_0_reads_objects_of_random_classes_as_rust_does() {
    if env::var_os("CLASSES_TABLE").is_some() {
        let mut tally = run("4.7.0", 0, BATCHES, None);
        // Redisson 4.0.0 was the last that had it.
        tally.add("MarshallingCodec", run("3.52.0", 0, BATCHES, None));
        return tally::write(&tally);
    }
    run("4.7.0", random::seed(), BATCHES, time());
}

/// It has the last `MarshallingCodec`.
#[test]
fn redisson_3_52_0_reads_objects_of_random_classes_as_rust_does() {
    if env::var_os("CLASSES_TABLE").is_none() {
        run("3.52.0", random::seed(), BATCHES / 3, time());
    }
}

/// Checks so many batches of programs, or one and for so long.
fn run(version: &str, seed: u64, batches: u64, time: Option<Duration>) -> Tally {
    let limits = Limits { records: true };
    let mut tally = Tally::default();
    let mut rig = Rig::start(version);
    let mut wrong: Vec<Wrong> = Vec::new();
    let (batches, time) = match time {
        None => (batches, Duration::ZERO),
        Some(time) => (1, time),
    };
    let end = Instant::now() + time;
    let mut batch = 0;
    while wrong.len() < ENOUGH && (batch < batches || Instant::now() < end) {
        let first = seed + batch * PROGRAMS;
        wrong.extend(rig.check(first..first + PROGRAMS, limits, &mut tally));
        batch += 1;
        // Java never forgets a class.
        if batch % 64 == 0 {
            rig = Rig::start(version);
        }
    }
    println!("{tally:#}");
    if let Some(shortest) = wrong.iter().min_by_key(|it| it.source.len()) {
        let all: String = wrong.iter().map(Wrong::line).collect();
        let (count, source) = (wrong.len(), &shortest.source);
        panic!("Redisson {version}: {count} payloads are read wrong:\n{all}\n{source}");
    }
    tally
}

fn time() -> Option<Duration> {
    let millis = env::var("CLASSES_MS").ok()?;
    let millis = millis.parse().expect("CLASSES_MS is a number");
    Some(Duration::from_millis(millis))
}

/// How many programs are compiled at once.
const PROGRAMS: u64 = 12;

const BATCHES: u64 = 20;

/// So many wrong values say enough.
const ENOUGH: usize = 100;
