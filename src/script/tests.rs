//! The headers of the scripts say what the scripts do.

use std::collections::BTreeSet;
use std::fs;

/// The name and the text of every script; what several of them share is no script of its own.
fn scripts() -> Vec<(String, String)> {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/lua");
    let files = fs::read_dir(directory)
        .unwrap()
        .map(|it| it.unwrap().path());
    let scripts: Vec<_> = files
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .filter(|(name, _)| !name.starts_with("prelude"))
        .collect();
    assert!(scripts.len() >= 7, "the scripts are there");
    scripts
}

/// `KEYS[1]`, `ARGV[2]` and so on, as far as `text` names them.
fn indices(text: &str) -> BTreeSet<String> {
    ["KEYS[", "ARGV["]
        .into_iter()
        .flat_map(|array| {
            text.match_indices(array).filter_map(|(at, _)| {
                let end = text[at..].find(']')? + at;
                let index = &text[at + array.len()..end];
                index.parse::<u8>().ok().map(|_| text[at..=end].to_owned())
            })
        })
        .collect()
}

fn split(script: &str) -> (String, String) {
    let (header, body): (Vec<&str>, Vec<&str>) =
        script.lines().partition(|line| line.starts_with("--"));
    (header.join("\n"), body.join("\n"))
}

/// An argument that the header forgot, or one that nothing reads any more, would mislead the next
/// reader.
#[test]
fn every_key_and_argument_is_declared_and_used() {
    for (name, script) in scripts() {
        let (header, body) = split(&script);
        assert_eq!(indices(&header), indices(&body), "lua/{name}.lua");
    }
}

#[test]
fn every_header_says_name_source_reply_and_cost() {
    for (name, script) in scripts() {
        let (header, _) = split(&script);
        assert!(
            header.starts_with(&format!("-- {name}: ")),
            "lua/{name}.lua"
        );
        for part in ["-- Redisson: ", "\n-- Returns ", "\n-- Cost O("] {
            assert!(header.contains(part), "lua/{name}.lua lacks {part:?}");
        }
    }
}

/// A key that is built inside a script is invisible to a cluster and to ACL rules.
#[test]
fn no_script_spells_a_key() {
    for (name, script) in scripts() {
        let (_, body) = split(&script);
        assert!(!body.contains("redisson_"), "lua/{name}.lua");
        assert!(!body.contains("rdq1_"), "lua/{name}.lua");
    }
}
