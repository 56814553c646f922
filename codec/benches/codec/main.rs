//! Measures how long each codec takes to write and to read a value, beside Redisson's own codecs and
//! `serde_json`.
//!
//! `cargo bench --all-features --bench codec` prints a table. Behind `--`:
//!
//! - `CODEC...` measures only these.
//! - `--java` measures Redisson's codecs in the same run, and `--write` puts the table into
//!   `docs/performance.md`. Before, `. tests/need.sh; need_redisson 4.7.0` builds the Java side.
//! - `--repeat write Kryo5Codec order 100000` does only this, for a profiler.

use std::env;

use case::{Case, cases};
use java::Java;

mod case;
mod cost;
mod document;
mod java;
mod value;

fn main() {
    let words: Vec<String> = env::args().skip(1).filter(|it| it != "--bench").collect();
    if let [repeat, action, codec, value, times] = &words[..]
        && repeat == "--repeat"
    {
        let cases = cases();
        let mut cases = cases.iter();
        let case = cases.find(|it| it.codec == codec && it.value == value);
        let times = times.parse().expect("the number of calls is a number");
        case.expect("there is such a case").repeat(action, times);
        return;
    }
    let has = |option: &str| words.iter().any(|it| it == option);
    let codecs: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|it| !it.starts_with("--"))
        .collect();
    let mut rows = vec![HEADING.to_owned(), RULE.to_owned()];
    rows.iter().for_each(|it| println!("{it}"));
    for case in cases() {
        if codecs.is_empty() || codecs.contains(&case.codec) {
            rows.push(row(&case, has("--java")));
            println!("{}", rows[rows.len() - 1]);
        }
    }
    if has("--write") {
        document::write(&rows.join("\n"));
    }
}

/// Measures in turns, and takes the fastest turn of each side.
fn row(case: &Case, with_java: bool) -> String {
    let mut java = with_java.then(|| Java::start(case, WARM_MILLIS)).flatten();
    let mut columns = format!(
        "| {} | {} | {} |",
        case.codec,
        case.value,
        case.payload.len()
    );
    for action in ["write", "read"] {
        let (mut ours, mut theirs) = (f64::MAX, f64::MAX);
        let mut allocations = 0;
        for _ in 0..TURNS {
            let cost = case.measure(action, TURN_MILLIS);
            ours = ours.min(cost.nanos);
            allocations = cost.allocations;
            if let Some(java) = &mut java {
                theirs = theirs.min(java.nanos(action, TURN_MILLIS));
            }
        }
        let java = match java {
            Some(_) => format!("{theirs:.0} | {:.2}", ours / theirs),
            None => "- | -".to_owned(),
        };
        columns += &format!(" {ours:.0} | {java} | {allocations} |");
    }
    columns
}

const HEADING: &str = "| Codec | Value | Bytes | Write, ns | Java | Ours / Java's | Allocations \
                       | Read, ns | Java | Ours / Java's | Allocations |";
const RULE: &str = "|---|---|---|---|---|---|---|---|---|---|---|";
const WARM_MILLIS: u64 = 4_000;
const TURNS: usize = 5;
const TURN_MILLIS: u64 = 100;
