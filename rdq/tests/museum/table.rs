//! The table of `docs/operating/doctor.md`: what the doctor finds, and what it advises in the museum.

use std::collections::BTreeMap;
use std::{env, fs};

use serde_json::Value;

use crate::rdq::done;
use crate::room::NAME;
use crate::rooms;
use crate::walk::Found;

/// A kind of findings, as `rdq doctor --checks --json` describes it.
pub(crate) struct Kind {
    pub(crate) name: String,
    severity: String,
    proof: String,
    issues: Vec<String>,
}

pub(crate) fn kinds() -> Vec<Kind> {
    let listed = done("redis://127.0.0.1:1", &["doctor", "--checks", "--json"]);
    let kind = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| line[name].as_str().unwrap().to_owned();
        let issues = line["issues"].as_array().unwrap().iter();
        Kind {
            name: text("check"),
            severity: text("severity"),
            proof: text("proof"),
            issues: issues.map(|it| it.as_str().unwrap().to_owned()).collect(),
        }
    };
    listed.lines().map(kind).collect()
}

/// Compares the table with what was found. With `MUSEUM_TABLE` set, writes it.
pub(crate) fn check(found: &[Found]) {
    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operating/doctor.md");
    const BEGIN: &str = "<!-- museum -->\n";
    const END: &str = "<!-- end -->\n";
    let mut commands = BTreeMap::<&str, Vec<String>>::new();
    let in_order = rooms::all().filter_map(|room| found.iter().find(|it| it.room == room.name));
    for found in in_order {
        let known = commands.entry(found.finding).or_default();
        for command in &found.commands {
            let command = general(command);
            if !known.contains(&command) {
                known.push(command);
            }
        }
    }
    let mut table = String::from(
        "| Finding | At worst | What proves it | Advised commands | Redisson |\n|---|---|---|---|---|\n",
    );
    for kind in kinds() {
        let commands = commands.remove(&*kind.name).unwrap_or_default();
        let commands: Vec<_> = commands.iter().map(|it| format!("`{it}`")).collect();
        let cells = [
            format!("`{}`", kind.name),
            kind.severity,
            kind.proof.replace('|', "\\|"),
            commands.join(", ").replace('|', "\\|"),
            kind.issues.join(" "),
        ];
        table += &format!("| {} |\n", cells.join(" | "));
    }
    let page = fs::read_to_string(PAGE).unwrap();
    let (before, rest) = page.split_once(BEGIN).expect("the page has a table");
    let (_, after) = rest.split_once(END).expect("the table ends");
    let new = format!("{before}{BEGIN}{table}{END}{after}");
    if env::var_os("MUSEUM_TABLE").is_some() {
        return fs::write(PAGE, new).unwrap();
    }
    assert_eq!(page, new, "MUSEUM_TABLE=1 writes the table of {PAGE}");
}

/// A command without the names and numbers of this run.
fn general(command: &str) -> String {
    let words = shlex::split(command).unwrap();
    let word = |word: &String| {
        let word = word.replace(&NAME.replace(' ', "?"), "QUEUE");
        let word = word.replace(NAME, "QUEUE");
        let is_address = word.contains("127.0.0.1:");
        match &*word {
            _ if is_address => format!("{}HOST:PORT", word.split("127.0.0.1").next().unwrap()),
            "127.0.0.1" => "HOST".to_owned(),
            "" => "''".to_owned(),
            "another list" => "LIST".to_owned(),
            _ if word.len() >= 32 && word.chars().all(|it| it.is_ascii_hexdigit()) => {
                "NODE".to_owned()
            }
            _ if word.len() >= 4 && word.chars().all(|it| it.is_ascii_digit()) => "N".to_owned(),
            word if word.contains(' ') => format!("'{word}'"),
            word => word.to_owned(),
        }
    };
    words.iter().map(word).collect::<Vec<_>>().join(" ")
}
