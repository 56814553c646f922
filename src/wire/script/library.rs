//! The library of the scripts: small files. Each script names those that it uses.

use super::places::place;

/// Lists the files of `lua/lib/` by name.
macro_rules! library {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../lua/lib/", $name, ".lua")))),*]
    };
}

/// The files of `lua/lib/`: their names and texts.
pub(super) const FILES: &[(&str, &str)] = library!(
    "bury" "check" "clock" "delivery" "ends" "front" "groups" "head" "keyed" "leave" "member" "notes"
    "occurrences" "ordering" "pace" "places" "quarantine" "rank" "return" "score" "settled" "steady" "tidy"
    "walk"
);

/// Joins the parts of a script. Each part comes after the files of the library that it uses. The last
/// one says the places of the keys.
pub(super) fn compose(parts: &[&str]) -> String {
    let mut files = Vec::new();
    for part in parts {
        add(part, &mut files);
    }
    place(&files)
}

/// Adds the files that this one uses, and then the file itself.
fn add<'a>(file: &'a str, files: &mut Vec<&'a str>) {
    if files.contains(&file) {
        return;
    }
    for name in uses(file) {
        let used = FILES.iter().find(|(known, _)| *known == name);
        let (_, used) = used.unwrap_or_else(|| panic!("no file of lua/lib is called {name}"));
        add(used, files);
    }
    files.push(file);
}

/// The names in the line `-- uses: …` of a file's header.
pub(super) fn uses(file: &str) -> impl Iterator<Item = &str> {
    let mut header = file.lines().take_while(|line| line.starts_with("--"));
    let names = header.find_map(|line| line.strip_prefix("-- uses: "));
    names.into_iter().flat_map(|names| names.split(", "))
}
