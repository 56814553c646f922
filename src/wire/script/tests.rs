//! The headers of the scripts say what the scripts do.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The names and the texts of the files in `directory` of the crate whose names end so.
fn files(directory: &str, ending: &str) -> BTreeMap<String, String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let paths = fs::read_dir(directory)
        .unwrap()
        .map(|it| it.unwrap().path());
    paths
        .filter_map(|path| {
            let name = path.file_name()?.to_str()?.strip_suffix(ending)?.to_owned();
            Some((name, fs::read_to_string(path).unwrap()))
        })
        .collect()
}

/// The scripts, and the preludes that several of them share.
fn scripts_and_preludes() -> (BTreeMap<String, String>, BTreeMap<String, String>) {
    let all = files("lua", ".lua").into_iter();
    all.partition(|(name, _)| !name.starts_with("prelude"))
}

fn scripts() -> BTreeMap<String, String> {
    scripts_and_preludes().0
}

/// The files of `lua/` that `script!` puts together, as the code names them.
fn compiled_in() -> BTreeSet<String> {
    let mut names = BTreeSet::from(["prelude".to_owned()]);
    let mut modules = files("src/wire/script", ".rs");
    modules.remove("tests");
    for code in modules.values() {
        for call in code.split("= script!(").skip(1) {
            let call = call.split(')').next().unwrap();
            let mut words = call.split('"').skip(1).step_by(2);
            let scripts = 1 + usize::from(call.trim_start().starts_with("first"));
            names.extend(words.by_ref().take(scripts).map(str::to_owned));
            names.extend(words.map(|part| format!("prelude_{part}")));
        }
    }
    names
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

/// The header of a file, which ends at its first line that is no comment, and the rest.
fn split(file: &str) -> (&str, &str) {
    let lines = file
        .split_inclusive('\n')
        .take_while(|it| it.starts_with("--"));
    file.split_at(lines.map(str::len).sum())
}

/// Otherwise what follows would check what is never sent, or leave out what is.
#[test]
fn every_file_is_a_script_or_a_part_of_one() {
    let (scripts, preludes) = scripts_and_preludes();
    let there: BTreeSet<String> = scripts.into_keys().chain(preludes.into_keys()).collect();
    assert_eq!(there, compiled_in());
}

/// Places of keys and arguments differ from script to script.
#[test]
fn every_prelude_says_its_name_and_knows_no_places() {
    for (name, prelude) in scripts_and_preludes().1 {
        let (header, _) = split(&prelude);
        assert!(
            header.starts_with(&format!("-- {name}: ")),
            "lua/{name}.lua"
        );
        assert!(indices(&prelude).is_empty(), "lua/{name}.lua");
    }
}

/// An argument that the header forgot, or one that nothing reads any more, would mislead the next
/// reader.
#[test]
fn every_key_and_argument_is_declared_and_used() {
    for (name, script) in scripts() {
        let (header, body) = split(&script);
        assert_eq!(indices(header), indices(body), "lua/{name}.lua");
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
    for (name, file) in files("lua", ".lua") {
        let (_, body) = split(&file);
        assert!(!body.contains("redisson_"), "lua/{name}.lua");
        assert!(!body.contains("rdq1_"), "lua/{name}.lua");
    }
}
