//! `docs/performance.md`.

use std::fs;
use std::path::Path;

/// Puts a table between the marks of the document.
pub(crate) fn write(table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/performance.md");
    let text = fs::read_to_string(&path).expect("the document is there");
    let (before, rest) = text.split_once(BEGIN).expect("it has a begin mark");
    let (_, after) = rest.split_once(END).expect("it has an end mark");
    fs::write(path, format!("{before}{BEGIN}\n{table}\n{END}{after}")).expect("it can be written");
}

const BEGIN: &str = "<!-- measured -->";
const END: &str = "<!-- end -->";
