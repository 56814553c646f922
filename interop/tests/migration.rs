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
    for (heading, class, _) in TABLES {
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
    for (heading, _, handles) in TABLES {
        for row in rows(&guide, heading) {
            let named = spans(row.rust);
            let missing: Vec<_> = named
                .iter()
                .filter(|span| !exists(&calls, handles, span))
                .collect();
            assert!(missing.is_empty(), "{heading}: {}: {missing:?}", row.java);
            assert!(
                !named.is_empty() || !row.difference.is_empty(),
                "{heading}: {} has neither a call nor a reason",
                row.java
            );
        }
    }
}

/// More than a screen of methods on one handle is more than a newcomer reads.
#[test]
fn a_delayed_queue_has_no_more_than_35_methods() {
    let calls = public_calls().into_iter();
    let own: Vec<_> = calls
        .filter(|(handle, _)| handle == "DelayedQueue")
        .collect();
    assert!((20..=35).contains(&own.len()), "{}: {own:?}", own.len());
}

/// True if a span such as `pending().len()` calls methods that there are, beginning with one of
/// `handles`.
fn exists(calls: &BTreeSet<(String, String)>, handles: &[&str], span: &str) -> bool {
    let has =
        |handle: &str, call: &str| calls.contains(&(handle.to_owned(), name(call).to_owned()));
    match span.split_once("().") {
        Some((view, call)) => {
            let mut views = VIEWS.iter().filter(|(name, _)| *name == view);
            views.any(|(view, of)| has("DelayedQueue", view) && has(of, call))
        }
        None => handles.iter().any(|handle| has(handle, span)),
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

/// The code spans of `cell`.
fn spans(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The words at the beginning of the code spans of `cell`.
fn names(cell: &str) -> BTreeSet<String> {
    spans(cell)
        .into_iter()
        .map(name)
        .map(str::to_owned)
        .collect()
}

/// The word at the beginning of `call`.
fn name(call: &str) -> &str {
    let end = call.find(|it: char| !it.is_alphanumeric() && it != '_');
    &call[..end.unwrap_or(call.len())]
}

/// The public methods of the crate: each a type and a name.
fn public_calls() -> BTreeSet<(String, String)> {
    let mut files = vec![root().join("src")];
    let mut calls = BTreeSet::new();
    while let Some(path) = files.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("the sources are here");
            files.extend(entries.map(|it| it.expect("an entry").path()));
        } else {
            let text = fs::read_to_string(&path).expect("a source is text");
            calls.extend(methods(&text));
        }
    }
    calls
}

/// The public methods that a source has in the `impl` blocks of types.
fn methods(source: &str) -> Vec<(String, String)> {
    let mut of = "";
    let mut methods = Vec::new();
    for line in source.lines() {
        if let Some(header) = line.strip_prefix("impl") {
            // Past the parameters, which hold no `> `.
            let header = header.split_once("> ").map_or(header, |(_, rest)| rest);
            of = name(header.trim_start());
        }
        let call = ["pub fn ", "pub async fn ", "pub const fn "]
            .iter()
            .find_map(|start| line.trim_start().strip_prefix(start));
        methods.extend(call.map(|call| (of.to_owned(), name(call).to_owned())));
    }
    methods
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A section with a table, the interface of Redisson 4.7.0 that it goes through, and the types whose
/// methods stand in it by their names alone.
type Table = (&'static str, &'static str, &'static [&'static str]);

const TABLES: [Table; 2] = [
    (
        "RDelayedQueue",
        "RDelayedQueue",
        &["DelayedQueue", "Client"],
    ),
    (
        "RBlockingQueue and RBlockingDeque",
        "RBlockingDeque",
        &["BlockingQueue", "Selector", "Client"],
    ),
];

/// The views of a delayed queue, and their types.
const VIEWS: [(&str, &str); 2] = [("pending", "Pending"), ("object", "QueueObject")];
