//! The texts of the scripts, made by the crate's own loader.

use std::{collections::BTreeMap, fs, path::Path};

#[allow(dead_code, reason = "the crate uses more of it")]
#[path = "../../../src/wire/script/library.rs"]
mod library;
#[allow(dead_code, reason = "the crate uses more of it")]
#[path = "../../../src/wire/script/places.rs"]
mod places;

/// A script as the crate sends it.
#[derive(Debug)]
pub(crate) struct Script {
    pub(crate) text: String,
    /// The names of its keys, in the order of KEYS.
    pub(crate) keys: Vec<String>,
}

/// The scripts that stand in front of others.
const FIRST_PARTS: &[(&str, &str)] = &[("offer", "offer_one"), ("transfer", "transfer_rest")];

/// All scripts by name.
pub(crate) fn scripts() -> BTreeMap<String, Script> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lua");
    let read = |name: &str| fs::read_to_string(directory.join(format!("{name}.lua"))).unwrap();
    let files = fs::read_dir(&directory)
        .unwrap()
        .map(|it| it.unwrap().path());
    let names = files.filter(|it| it.extension().is_some_and(|it| it == "lua"));
    let names = names.map(|it| it.file_stem().unwrap().to_str().unwrap().to_owned());
    let is_whole = |name: &String| !FIRST_PARTS.iter().any(|(_, first)| first == name);
    let script = |name: String| {
        let last = read(&name);
        let first = FIRST_PARTS.iter().find(|(whole, _)| *whole == name);
        let first = first.map(|(_, first)| read(first));
        let parts: Vec<&str> = first.iter().chain([&last]).map(|it| &**it).collect();
        let keys = places::names(&last, "KEYS").map(|it| it.name.to_owned());
        let keys = keys.collect();
        (
            name,
            Script {
                text: library::compose(&parts),
                keys,
            },
        )
    };
    names.filter(is_whole).map(script).collect()
}
