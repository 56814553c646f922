//! How many payloads are read, and why others are not.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use crate::program::PACKAGE;

/// What became of the payloads of each codec.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    programs: usize,
    codecs: BTreeMap<String, Counts>,
    /// By what and why.
    causes: BTreeMap<(&'static str, String), Cause>,
}

#[derive(Debug, Default)]
struct Counts {
    same: usize,
    refused_by_java: usize,
    lost_by_java: usize,
    read_only: usize,
    refused: usize,
}

#[derive(Debug, Default)]
struct Cause {
    /// How often, by codec.
    counts: BTreeMap<String, usize>,
    /// A program in which it is.
    seed: u64,
}

/// What became of one payload.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// Read as Java reads it, and written so that Java reads it again.
    Same,
    /// Java does not write the object.
    RefusedByJava,
    /// Java does not read what it wrote.
    LostByJava,
    /// Read as Java reads it, and not written, with the cause.
    ReadOnly(String),
    /// Not read, with the cause.
    Refused(String),
}

impl Tally {
    pub(crate) fn program(&mut self) {
        self.programs += 1;
    }

    /// `rdq schema` did not describe the classes.
    pub(crate) fn no_schema(&mut self, seed: u64, cause: &str) {
        self.cause("rdq schema", seed, NO_SCHEMA, cause);
    }

    pub(crate) fn count(&mut self, codec: &str, seed: u64, outcome: Outcome) {
        let counts = self.codecs.entry(codec.to_owned()).or_default();
        match outcome {
            Outcome::Same => counts.same += 1,
            Outcome::RefusedByJava => counts.refused_by_java += 1,
            Outcome::LostByJava => counts.lost_by_java += 1,
            Outcome::ReadOnly(cause) => {
                counts.read_only += 1;
                self.cause(codec, seed, "Read only", &cause);
            }
            Outcome::Refused(cause) => {
                counts.refused += 1;
                self.cause(codec, seed, "Not read", &cause);
            }
        }
    }

    /// Adds what became of the payloads of one codec in the same programs.
    pub(crate) fn add(&mut self, codec: &str, mut others: Self) {
        let counts = others.codecs.remove(codec);
        self.codecs.extend(counts.map(|it| (codec.to_owned(), it)));
        for (key, Cause { mut counts, seed }) in others.causes {
            if let Some(count) = counts.remove(codec) {
                let cause = self.causes.entry(key).or_default();
                cause.counts.insert(codec.to_owned(), count);
                cause.seed = seed;
            }
        }
    }

    fn cause(&mut self, codec: &str, seed: u64, what: &'static str, cause: &str) {
        let cause = self.causes.entry((what, normal(cause))).or_default();
        cause.seed = seed;
        *cause.counts.entry(codec.to_owned()).or_default() += 1;
    }
}

/// A cause without what differs between programs: names of classes, texts and numbers.
fn normal(cause: &str) -> String {
    let line = cause.lines().next().unwrap_or_default();
    // A part without a space is a place.
    let parts: Vec<&str> = line.split(": ").filter(|it| it.contains(' ')).collect();
    let line = parts.join(": ");
    let mut rest = line.as_str();
    let mut normal = String::new();
    while let Some(next) = rest.chars().next() {
        let is_part = |it: char| it.is_alphanumeric() || "._$".contains(it);
        let (what, length) = if rest.starts_with(PACKAGE) {
            ("CLASS", rest.find(|it| !is_part(it)).unwrap_or(rest.len()))
        } else if next == '"' {
            let end = rest[1..].find('"').map_or(rest.len(), |it| it + 2);
            ("TEXT", end)
        } else if next.is_ascii_digit() {
            let end = |it: char| !it.is_ascii_alphanumeric();
            ("N", rest.find(end).unwrap_or(rest.len()))
        } else {
            ("", next.len_utf8())
        };
        normal.push_str(if what.is_empty() {
            &rest[..length]
        } else {
            what
        });
        rest = &rest[length..];
    }
    normal.truncate(
        normal
            .char_indices()
            .nth(140)
            .map_or(normal.len(), |(at, _)| at),
    );
    normal.replace('|', "\\|")
}

/// As the docs show it; in the alternate form, with a seed for each cause.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let described = self
            .causes
            .iter()
            .filter(|((what, _), _)| *what == NO_SCHEMA);
        let refused: usize = described.flat_map(|(_, it)| it.counts.values()).sum();
        let described = self.programs - refused;
        writeln!(
            f,
            "`rdq schema` described the classes of {described} programs of {}.\n",
            self.programs
        )?;
        writeln!(
            f,
            "| | read and written | read only | not read | lost in Java | not written by Java |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|")?;
        for (codec, it) in &self.codecs {
            let Counts {
                same,
                read_only,
                refused,
                lost_by_java,
                refused_by_java,
            } = it;
            let counts = [same, read_only, refused, lost_by_java, refused_by_java];
            let counts = counts.map(|it| format!(" {it} |")).concat();
            writeln!(f, "| {codec} |{counts}")?;
        }
        writeln!(f)?;
        for ((what, cause), Cause { counts, seed }) in &self.causes {
            let counts: Vec<String> = counts
                .iter()
                .map(|(codec, it)| format!("{codec} {it}"))
                .collect();
            write!(f, "- {what}: `{cause}`: {}.", counts.join(", "))?;
            match f.alternate() {
                true => writeln!(f, " SEED={seed}")?,
                false => writeln!(f)?,
            }
        }
        Ok(())
    }
}

const NO_SCHEMA: &str = "Not described";

/// Writes the table into the docs.
pub(crate) fn write(tally: &Tally) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../codec/docs/codecs.md");
    let text = fs::read_to_string(&docs).expect("the docs are here");
    let (before, rest) = text.split_once(MARK).expect("the docs have a place for it");
    let (_, after) = rest.split_once(END).expect("the place has an end");
    let new = format!("{before}{MARK}\n\n{tally}\n{END}{after}");
    fs::write(&docs, new).expect("the docs can be written");
}

const MARK: &str =
    "<!-- `CLASSES_TABLE=1 cargo test -p interop --test classes redisson_4_7_0` writes it. -->";
const END: &str = "<!-- end -->";
