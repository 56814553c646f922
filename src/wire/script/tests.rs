//! The headers of the scripts say what the scripts do.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::library::{FILES, compose, uses};
use super::places;
use crate::wire::keys::{Life, QueueKeys, ROWS, Travel};

/// The names and texts of the files in `directory` of the crate whose names end in `ending`.
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

fn scripts() -> BTreeMap<String, String> {
    files("lua", ".lua")
}

fn library() -> BTreeMap<String, String> {
    files("lua/lib", ".lua")
}

fn scripts_and_library() -> impl Iterator<Item = (String, String)> {
    let library = library().into_iter();
    let library = library.map(|(name, text)| (format!("lib/{name}"), text));
    scripts().into_iter().chain(library)
}

/// The scripts of this crate and those of `rdq`.
fn all_scripts() -> impl Iterator<Item = (String, String)> {
    let of_rdq = files("rdq/lua", ".lua").into_iter();
    let of_rdq = of_rdq.map(|(name, text)| (format!("../rdq/lua/{name}"), text));
    scripts().into_iter().chain(of_rdq)
}

/// The scripts that the code names, each once.
fn compiled_in() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut modules = files("src/wire/script", ".rs");
    modules.remove("tests");
    for code in modules.values() {
        for call in code.split("script!(").skip(1) {
            let call = call.split(')').next().unwrap();
            for name in call.split('"').skip(1).step_by(2) {
                assert!(names.insert(name.to_owned()), "{name} is named twice");
            }
        }
    }
    names
}

/// Every `KEYS[1]`, `ARGV[2]` and so on that `text` names.
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

/// Splits a file into its header, the comment lines at the top, and the rest.
fn split(file: &str) -> (&str, &str) {
    let lines = file
        .split_inclusive('\n')
        .take_while(|it| it.starts_with("--"));
    file.split_at(lines.map(str::len).sum())
}

/// The names in the code of a file, without comments, strings and fields.
fn names(file: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    for line in file.lines() {
        let code = line.split("--").next().unwrap();
        for code in code.split('\'').step_by(2) {
            let words = code.split(|it: char| !(it.is_alphanumeric() || "_.".contains(it)));
            names.extend(words.map(|word| word.split('.').next().unwrap()));
        }
    }
    names
}

/// What a file of the library defines for others: its functions and constants.
fn definitions(file: &str) -> BTreeSet<&str> {
    let locals = file.lines().filter_map(|line| line.strip_prefix("local "));
    locals
        .flat_map(|local| match local.strip_prefix("function ") {
            Some(function) => function.split('(').next().unwrap().split(", "),
            None => local.split(" =").next().unwrap().split(", "),
        })
        .collect()
}

/// Otherwise the tests below would check a file that is never sent, or miss one that is.
#[test]
fn every_file_is_a_script_or_a_part_of_one() {
    let there: BTreeSet<String> = scripts().into_keys().collect();
    assert_eq!(there, compiled_in());

    let library = library();
    let there: Vec<&str> = library.keys().map(String::as_str).collect();
    let compiled_in: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    assert_eq!(there, compiled_in);
    for (name, _) in FILES {
        let is_used = scripts_and_library().any(|(_, file)| uses(&file).any(|used| used == *name));
        assert!(is_used, "nothing uses lua/lib/{name}.lua");
    }
}

/// A file that is missing would fail a call, perhaps in a rare branch only. A file that nothing
/// needs would cost Redis time in each call.
#[test]
fn every_file_names_exactly_what_it_uses_of_the_library() {
    let library = library();
    let mut home = BTreeMap::new();
    for (name, file) in &library {
        for definition in definitions(file) {
            let other = home.insert(definition, name.as_str());
            assert_eq!(other, None, "{definition} is in two files");
        }
    }
    let library = scripts_and_library().filter(|(name, _)| name.starts_with("lib/"));
    for (name, file) in all_scripts().chain(library) {
        let own = name.strip_prefix("lib/");
        let found = names(&file).into_iter();
        let used: BTreeSet<&str> = found
            .filter_map(|it| home.get(it).copied())
            .filter(|it| Some(*it) != own)
            .collect();
        let named: Vec<&str> = uses(&file).collect();
        assert_eq!(named, Vec::from_iter(used), "lua/{name}.lua");
    }
}

/// What Lua and Redis define, and the words of the language itself.
const BUILT_IN: &[&str] = &[
    "ARGV", "KEYS", "and", "break", "do", "else", "elseif", "end", "false", "for", "function",
    "if", "in", "ipairs", "local", "math", "nil", "not", "or", "pairs", "pcall", "redis", "repeat",
    "return", "select", "string", "struct", "table", "then", "tonumber", "true", "type", "unpack",
    "until", "while",
];

/// The names that a line of code declares: locals, functions with their arguments, loops.
fn declared(line: &str) -> Vec<&str> {
    let code = line.split("--").next().unwrap();
    let lists = ["local ", "function", "for "]
        .into_iter()
        .filter_map(|word| {
            let (_, list) = code.split_once(word)?;
            let ends = if word == "function" { ")" } else { "=" };
            Some(list.split(ends).next().unwrap())
        });
    let is_other = |it: char| !(it.is_alphanumeric() || it == '_');
    lists.flat_map(|list| list.split(is_other)).collect()
}

/// A call of a function that is nowhere would fail when it is reached, perhaps in a rare branch only.
#[test]
fn a_script_uses_no_name_that_nothing_declares() {
    for (name, script) in all_scripts() {
        let whole = compose(&[&script]);
        let known: BTreeSet<&str> = whole.lines().flat_map(declared).collect();
        let fields = ["id", "number"];
        for used in names(&whole) {
            let is_number = used.starts_with(|it: char| it.is_ascii_digit());
            assert!(
                used.is_empty()
                    || is_number
                    || known.contains(used)
                    || BUILT_IN.contains(&used)
                    || fields.contains(&used),
                "lua/{name}.lua uses {used}"
            );
        }
    }
}

#[test]
fn a_script_stands_behind_all_that_it_uses() {
    let library = library();
    let shared: BTreeSet<&str> = library.values().flat_map(|it| definitions(it)).collect();
    for (name, script) in scripts() {
        let whole = compose(&[&script]);
        let mut seen = BTreeSet::new();
        for line in whole.lines() {
            seen.extend(definitions(line));
            let mut used = names(line).into_iter();
            let too_early = used.find(|it| shared.contains(it) && !seen.contains(it));
            assert_eq!(too_early, None, "lua/{name}.lua: {line}");
        }
    }
}

/// Places of keys and arguments differ from script to script.
#[test]
fn every_file_of_the_library_says_its_name_and_knows_no_places() {
    for (name, file) in library() {
        let (header, _) = split(&file);
        assert!(
            header.starts_with(&format!("-- {name}: ")),
            "lua/lib/{name}.lua"
        );
        assert!(indices(&file).is_empty(), "lua/lib/{name}.lua");
    }
}

/// A key or an argument that the header does not name, or that the script no longer reads, would mislead
/// the next reader.
#[test]
fn every_key_and_argument_is_declared_and_used() {
    for (name, script) in all_scripts() {
        let (header, body) = split(&script);
        let keys = indices(header).into_iter();
        let keys: BTreeSet<String> = keys.filter(|it| it.starts_with("KEYS")).collect();
        let mut used = indices(&compose(&[&script]));
        used.retain(|it| it.starts_with("KEYS"));
        assert_eq!(keys, used, "lua/{name}.lua");

        assert!(indices(body).is_empty(), "lua/{name}.lua counts arguments");
        let used = names(body);
        for argument in places::names(header, "ARGV") {
            let name_of_it = argument.name;
            assert!(used.contains(name_of_it), "lua/{name}.lua: {name_of_it}");
        }
    }
}

/// The header is where the order of KEYS and ARGV comes from. A local with the name of a key would hide
/// the key from the reader, but not from the loader.
#[test]
fn the_keys_and_arguments_of_a_script_have_names_in_order() {
    for (name, script) in all_scripts() {
        let is_first_part = ["offer_one", "transfer_rest"].contains(&&*name);
        for array in ["KEYS", "ARGV"] {
            let places = places::names(&script, array).map(|it| it.place);
            let places: Vec<usize> = places.collect();
            let in_order: Vec<usize> = (1..=places.len()).collect();
            assert!(is_first_part || places == in_order, "lua/{name}.lua");
        }
        let whole = compose(&[&script]);
        let locals = whole
            .lines()
            .filter_map(|line| line.trim_start().strip_prefix("local "));
        for local in locals {
            let declared = local.split([')', '=']).next().unwrap();
            assert!(!declared.contains("KEYS["), "lua/{name}.lua: {local}");
        }
    }
}

/// The keys of a script that have the names of others there: a set of leases, another queue.
const OTHERS: &[&str] = &["set", "source", "list", "dead", "destination", "other"];

#[test]
fn a_header_says_the_type_and_the_name_of_each_key() {
    let keys = QueueKeys::new("<name>").unwrap();
    for (script, text) in all_scripts() {
        let text = text
            .replace("<old name>", "<name>")
            .replace("<new name>", "<name>");
        let text = text.replace("<dead letters>", "<name>");
        for line in text.lines().filter(|it| it.starts_with("-- KEYS[")) {
            let words: Vec<&str> = line.split_whitespace().skip(2).collect();
            let name = words[0].trim_start_matches("to_");
            let Some((key, row)) = keys.rows().find(|(_, row)| row.name == name) else {
                assert!(OTHERS.contains(&name), "lua/{script}.lua: {name}");
                continue;
            };
            let rest = words[2..].join(" ");
            assert_eq!(words[1], row.kind, "lua/{script}.lua: {line}");
            assert!(rest.starts_with(key), "lua/{script}.lua: {line}");
        }
    }
}

fn key_names(script: &str) -> BTreeSet<String> {
    let names = places::names(script, "KEYS").map(|it| it.name.to_owned());
    names.collect()
}

/// The names of the rows that fit.
fn rows(fits: impl Fn(Life, Travel) -> bool) -> BTreeSet<String> {
    let rows = ROWS.iter().filter(|row| fits(row.life, row.travel));
    rows.map(|row| row.name.to_owned()).collect()
}

#[test]
fn scripts_about_a_whole_queue_have_the_keys_that_the_table_says() {
    let scripts = scripts();
    let expire = key_names(&scripts["expire"]);
    assert_eq!(expire, rows(|life, _| life == Life::Queue));

    let relocate = &scripts["relocate"];
    let (to, from): (BTreeSet<String>, BTreeSet<String>) = key_names(relocate)
        .into_iter()
        .partition(|it| it.starts_with("to_"));
    assert_eq!(from, rows(|_, travel| travel != Travel::Stays));
    let in_the_way = ROWS.iter().map(|row| row.name);
    let in_the_way = in_the_way.filter(|it| !["settled", "clock"].contains(it));
    let in_the_way: BTreeSet<String> = in_the_way.map(|it| format!("to_{it}")).collect();
    assert_eq!(to, in_the_way);
    let both = rows(|_, travel| travel == Travel::Both);
    let constants = format!("local OLD, COPIED = {}, {}\n", from.len(), both.len());
    assert!(relocate.contains(&constants), "{constants}");
    let copied = places::names(relocate, "KEYS").take(both.len());
    let copied: BTreeSet<String> = copied.map(|it| it.name.to_owned()).collect();
    assert_eq!(copied, both);
}

/// An argument with the name of something else would hide that from the whole script.
#[test]
fn an_argument_has_a_name_of_its_own() {
    let library = library();
    let shared: BTreeSet<&str> = library.values().flat_map(|it| definitions(it)).collect();
    for (name, script) in all_scripts() {
        let keys: BTreeSet<&str> = places::names(&script, "KEYS").map(|it| it.name).collect();
        for argument in places::names(&script, "ARGV").map(|it| it.name) {
            let is_taken = BUILT_IN.contains(&argument)
                || keys.contains(argument)
                || uses(&script).count() > 0 && shared.contains(argument);
            assert!(!is_taken, "lua/{name}.lua: {argument}");
        }
    }
}

/// The header and the code both say by a number where the arguments without names begin.
#[test]
fn what_follows_the_arguments_is_counted_from_the_first_behind_them() {
    for (name, script) in all_scripts() {
        let (header, body) = split(&script);
        let from = places::names(header, "ARGV").count() + 1;
        let line = header.lines().find(|it| it.starts_with("-- ARGV    "));
        let said = match from {
            1 => "",
            _ => &*format!("from {from} on"),
        };
        assert!(line.is_none_or(|it| it.contains(said)), "lua/{name}.lua");
        let loops = body
            .lines()
            .filter(|it| it.trim().starts_with("for ") && it.contains("#ARGV"));
        for line in loops {
            let mut words = line.split(|it: char| !it.is_ascii_alphanumeric());
            let begins = words.any(|it| it == from.to_string());
            assert!(begins, "lua/{name}.lua: {line}");
        }
    }
}

/// Both get the same arguments.
#[test]
fn a_first_part_calls_arguments_what_the_rest_of_the_script_calls_them() {
    let scripts = scripts();
    for (first, rest) in [("offer_one", "offer"), ("transfer_rest", "transfer")] {
        let rest: BTreeMap<usize, &str> = places::names(&scripts[rest], "ARGV")
            .map(|it| (it.place, it.name))
            .collect();
        for argument in places::names(&scripts[first], "ARGV") {
            let there = rest.get(&argument.place).unwrap_or(&argument.name);
            assert_eq!(*there, argument.name, "lua/{first}.lua");
        }
    }
}

/// A managed cluster refuses all others.
#[test]
fn every_command_gets_its_keys_as_places_of_keys() {
    for (name, script) in scripts() {
        let whole = compose(&[&script]);
        assert_eq!(
            testbed::Tair::objection(&whole),
            None,
            "lua/{name}.lua:\n{whole}"
        );
    }
}

/// People who grant rights to a user read them there.
#[test]
fn every_command_is_one_of_those_in_the_documentation_of_rights() {
    let rights =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/acl.md")).unwrap();
    let rights: BTreeSet<&str> = rights.split(|it: char| !it.is_ascii_alphabetic()).collect();
    for (name, script) in scripts() {
        let whole = compose(&[&script]);
        for call in whole
            .split("redis.call('")
            .chain(whole.split("redis.pcall('"))
            .skip(1)
        {
            let command = call.split('\'').next().unwrap();
            let is_command = command.bytes().all(|it| it.is_ascii_uppercase());
            assert!(
                !is_command || rights.contains(&*command.to_lowercase()),
                "lua/{name}.lua calls {command}"
            );
        }
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
    for (name, file) in scripts_and_library() {
        let (_, body) = split(&file);
        assert!(!body.contains("redisson_"), "lua/{name}.lua");
        assert!(!body.contains("rdq1_"), "lua/{name}.lua");
    }
}

/// The tokens in `lua/lib/settled.lua` and in the documentation of [`QueueKeys::settled`] are one
/// table.
///
/// [`QueueKeys::settled`]: crate::wire::keys::QueueKeys::settled
#[test]
fn the_tokens_of_the_settled_set_are_documented_as_the_scripts_write_them() {
    let library = library();
    let (header, _) = split(&library["settled"]);
    let rows = header.lines().filter_map(|line| line.strip_prefix("--   "));
    let tokens: Vec<&str> = rows
        .filter(|row| !row.starts_with(' '))
        .map(|row| row.split("  ").next().unwrap())
        .collect();

    let keys = &files("src/wire/keys", ".rs")["table"];
    let (_, table) = keys.split_once("/// | Token |").unwrap();
    let (table, _) = table.split_once("///\n").unwrap();
    let rows = table
        .lines()
        .filter_map(|row| row.trim().strip_prefix("/// | "));
    let documented: Vec<&str> = rows.map(|row| row.split(" | ").next().unwrap()).collect();
    assert_eq!(tokens, documented);
    assert!(tokens.contains(&"id call"));
}
