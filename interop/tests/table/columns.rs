//! One table: the columns are versions, the rows are kinds of values.

use std::collections::BTreeMap;
use std::fmt::Write;

use interop::payload::Payload;

use crate::VERSIONS;
use crate::kind::{KINDS, Kind, kind};
use crate::outcome::Outcome;

/// Versions for which all cells are equal, and these cells.
type Column = (Vec<&'static str>, BTreeMap<Kind, String>);

/// Writes the table of one codec, and below it why some payloads do not pass.
pub(crate) fn write_table(tables: &mut String, name: &str, outcomes: &[(&Payload, Outcome)]) {
    let columns = columns(outcomes);
    let _ = write!(tables, "\n### {name}\n\n| |");
    for (versions, _) in &columns {
        let _ = match versions[..] {
            [only] => write!(tables, " {only} |"),
            [first, .., last] => write!(tables, " {first} – {last} |"),
            [] => Ok(()),
        };
    }
    let _ = writeln!(tables, "\n|---|{}", "---|".repeat(columns.len()));
    for kind in KINDS.map(|(kind, _)| kind) {
        if columns.iter().all(|(_, cells)| !cells.contains_key(kind)) {
            continue;
        }
        let _ = write!(tables, "| {kind} |");
        for (_, cells) in &columns {
            let _ = write!(tables, " {} |", cells.get(kind).map_or("", String::as_str));
        }
        tables.push('\n');
    }
    write_reasons(tables, outcomes);
}

/// The columns, the oldest version first.
fn columns(outcomes: &[(&Payload, Outcome)]) -> Vec<Column> {
    let mut columns: Vec<Column> = Vec::new();
    for version in VERSIONS {
        let mut counts: BTreeMap<Kind, [usize; 5]> = BTreeMap::new();
        for (row, outcome) in outcomes {
            if row.redisson.iter().any(|it| it == version) {
                let place = match outcome {
                    Outcome::Same => 0,
                    Outcome::Accepted => 1,
                    Outcome::ReadOnly(_) => 2,
                    Outcome::Refused(_) => 3,
                    Outcome::LostInJava => 4,
                };
                counts.entry(kind(&row.id)).or_default()[place] += 1;
            }
        }
        if counts.is_empty() {
            continue;
        }
        let cells = counts
            .into_iter()
            .map(|(kind, counts)| (kind, cell(counts)));
        let cells: BTreeMap<Kind, String> = cells.collect();
        match columns.last_mut() {
            Some((versions, same)) if *same == cells => versions.push(version),
            _ => columns.push((vec![version], cells)),
        }
    }
    columns
}

fn write_reasons(tables: &mut String, outcomes: &[(&Payload, Outcome)]) {
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (row, outcome) in outcomes {
        let reason = match outcome {
            Outcome::Same | Outcome::Accepted => continue,
            Outcome::ReadOnly(why) => format!("Read only: {}", first_line(why)),
            Outcome::Refused(why) => format!("Not read: {}", first_line(why)),
            Outcome::LostInJava => "Lost in Java".to_owned(),
        };
        let ids = reasons.entry(reason).or_default();
        if !ids.contains(&row.id.as_str()) {
            ids.push(&row.id);
        }
    }
    for (i, (reason, ids)) in reasons.iter().enumerate() {
        let gap = if i == 0 { "\n" } else { "" };
        let _ = writeln!(tables, "{gap}- {reason}: {}.", ids.join(", "));
    }
}

fn first_line(reason: &str) -> String {
    let line = reason.lines().next().unwrap_or_default();
    let end = line
        .char_indices()
        .nth(110)
        .map_or(line.len(), |(at, _)| at);
    line[..end].replace('|', "\\|")
}

fn cell([same, accepted, read, refused, lost]: [usize; 5]) -> String {
    let parts = [
        (same, "same"),
        (accepted, "accepted"),
        (read, "read only"),
        (refused, "not read"),
        (lost, "lost in Java"),
    ];
    let parts: Vec<_> = parts.into_iter().filter(|(count, _)| *count > 0).collect();
    match parts[..] {
        [(_, "same")] => "same bytes".to_owned(),
        [(_, only)] => only.to_owned(),
        _ => {
            let parts: Vec<_> = parts
                .iter()
                .map(|(count, what)| format!("{count} {what}"))
                .collect();
            parts.join(", ")
        }
    }
}
