//! `docs/coming-from-redisson.md` names every method of Redisson, and only calls that exist.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use interop::oracle::Oracle;

#[test]
fn every_method_of_redisson_stands_beside_a_call_or_a_reason() {
    let guide = guide();
    let mut redisson = Oracle::start("4.7.0");
    for (heading, class) in TABLES {
        let named: BTreeSet<String> = rows(&guide, heading)
            .flat_map(|row| names(row.java))
            .collect();
        let class = format!("org.redisson.api.{class}");
        let methods = redisson.methods(&class).expect("Redisson has the class");
        let missing: Vec<_> = methods.iter().filter(|it| !named.contains(*it)).collect();
        assert!(missing.is_empty(), "{heading}: {missing:?}");
        let foreign: Vec<_> = named.iter().filter(|it| !methods.contains(it)).collect();
        assert!(foreign.is_empty(), "{heading}: {foreign:?}");
    }
}

#[test]
fn every_call_that_the_guide_names_exists() {
    let guide = guide();
    let calls = public_calls();
    for (heading, _) in TABLES {
        for row in rows(&guide, heading) {
            let named = names(row.rust);
            let missing: Vec<_> = named.iter().filter(|it| !calls.contains(*it)).collect();
            assert!(missing.is_empty(), "{heading}: {}: {missing:?}", row.java);
            assert!(
                !named.is_empty() || !row.difference.is_empty(),
                "{heading}: {} has neither a call nor a reason",
                row.java
            );
        }
    }
}

/// One line of a table.
struct Row<'a> {
    java: &'a str,
    rust: &'a str,
    difference: &'a str,
}

fn guide() -> String {
    fs::read_to_string(root().join("docs/coming-from-redisson.md")).expect("the guide is here")
}

/// The rows of the table under `heading`.
fn rows<'a>(guide: &'a str, heading: &str) -> impl Iterator<Item = Row<'a>> {
    let (_, section) = guide
        .split_once(&format!("\n## {heading}\n"))
        .unwrap_or_else(|| panic!("the guide has a section {heading}"));
    let section = section.split("\n## ").next().unwrap_or(section);
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|line| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let ["", java, rust, difference, ""] = cells[..] else {
            panic!("not three cells: {line}");
        };
        Row {
            java,
            rust,
            difference,
        }
    })
}

/// What is called in `cell`: the words at the beginning of its code spans.
fn names(cell: &str) -> BTreeSet<String> {
    let spans = cell.split('`').skip(1).step_by(2);
    spans
        .map(|span| {
            let end = span.find(|it: char| !it.is_alphanumeric() && it != '_');
            span[..end.unwrap_or(span.len())].to_owned()
        })
        .collect()
}

/// The names of all public functions of the crate.
fn public_calls() -> BTreeSet<String> {
    let mut files = vec![root().join("src")];
    let mut calls = BTreeSet::new();
    while let Some(path) = files.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("the sources are here");
            files.extend(entries.map(|it| it.expect("an entry").path()));
        } else {
            let text = fs::read_to_string(&path).expect("a source is text");
            for line in text.lines().map(str::trim_start) {
                let call = ["pub fn ", "pub async fn ", "pub const fn "]
                    .iter()
                    .find_map(|start| line.strip_prefix(start));
                calls.extend(
                    call.and_then(|it| it.split(['(', '<']).next())
                        .map(str::to_owned),
                );
            }
        }
    }
    calls
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The sections with tables, and the interface of Redisson 4.7.0 that each goes through.
const TABLES: [(&str, &str); 2] = [
    ("RDelayedQueue", "RDelayedQueue"),
    ("RBlockingQueue and RBlockingDeque", "RBlockingDeque"),
];
