//! The file that can take a repair back.
//!
//! Lines of JSON: a [`Header`], then for each step its [changes](Entry::Change), which are on the disk
//! before Redis has them, and the [outcomes](Entry::Outcome) after it. A step without outcomes may or
//! may not have run. An undo appends [what it has taken back](Entry::Undone).

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::fix::Fix;
use super::origin::Origin;
use crate::failure::{Failure, Result};
use crate::private_file;
use crate::queue::amend::{Change, Outcome};

/// The first line: what the file is about.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Header {
    /// The version of the file's form.
    rdq_repair: u32,
    pub(crate) queue: String,
    #[serde(flatten)]
    pub(crate) origin: Origin,
    /// When the repair began, by the clock of Redis, in Unix ms.
    pub(crate) at_ms: u64,
}

impl Header {
    /// The first line of a new file.
    pub(crate) fn new(queue: &str, origin: Origin, at_ms: u64) -> Self {
        Self {
            rdq_repair: FORM,
            queue: queue.to_owned(),
            origin,
            at_ms,
        }
    }
}

/// Any other line.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Entry {
    Change {
        number: u64,
        fix: Fix,
        #[serde(flatten)]
        change: Change,
    },
    /// What became of the changes with these numbers.
    Outcome { done: Vec<u64>, left: Vec<u64> },
    /// The changes with these numbers were taken back.
    Undone { numbers: Vec<u64> },
}

/// What a file says.
#[derive(Debug)]
pub(crate) struct Recorded {
    pub(crate) header: Header,
    /// The changes that are to be taken back: each was made, or may have been.
    pub(crate) changes: Vec<Numbered>,
    /// How many were taken back already.
    pub(crate) undone: usize,
}

/// A change with its number in the file.
pub(crate) type Numbered = (u64, Fix, Change);

/// A file that is being written.
pub(crate) struct Backup {
    path: PathBuf,
    file: File,
    next: u64,
}

impl Backup {
    /// Creates a file that does not exist yet.
    pub(crate) fn create(path: PathBuf, header: &Header) -> Result<Self> {
        let mut backup = Self {
            file: private_file::create(&path)?,
            path,
            next: 1,
        };
        backup.write(&[header])?;
        Ok(backup)
    }

    /// Opens a file to which an undo appends.
    pub(crate) fn append(path: PathBuf) -> Result<Self> {
        let file = OpenOptions::new().append(true).open(&path);
        let file = file.map_err(|source| Failure::write(&path, source))?;
        let mut backup = Self {
            path,
            file,
            next: 0,
        };
        // Ends the line in which a killed repair may have stopped.
        backup.write_text(b"\n")?;
        Ok(backup)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes changes down before they are made, and waits for the disk. Returns their numbers.
    pub(crate) fn before(&mut self, changes: &[&(Fix, Change)]) -> Result<Vec<u64>> {
        let numbers: Vec<u64> = (self.next..).take(changes.len()).collect();
        self.next += changes.len() as u64;
        let entries: Vec<Entry> = numbers
            .iter()
            .zip(changes)
            .map(|(number, (fix, change))| Entry::Change {
                number: *number,
                fix: *fix,
                change: change.clone(),
            })
            .collect();
        self.write(&entries)?;
        self.file
            .sync_all()
            .map_err(|source| Failure::write(&self.path, source))?;
        Ok(numbers)
    }

    /// Writes down what became of changes.
    pub(crate) fn after(&mut self, numbers: &[u64], outcomes: &[Outcome]) -> Result {
        let of = |is_done: bool| {
            let each = numbers.iter().zip(outcomes);
            let such = each.filter(|(_, it)| (**it == Outcome::Done) == is_done);
            such.map(|(number, _)| *number).collect()
        };
        self.write(&[Entry::Outcome {
            done: of(true),
            left: of(false),
        }])
    }

    /// Writes down which changes were taken back.
    pub(crate) fn undone(&mut self, numbers: Vec<u64>) -> Result {
        self.write(&[Entry::Undone { numbers }])
    }

    fn write(&mut self, lines: &[impl Serialize]) -> Result {
        let mut text = Vec::new();
        for line in lines {
            // Names, numbers and texts: JSON knows them all.
            serde_json::to_writer(&mut text, line)
                .map_err(|it| Failure::write(&self.path, it.into()))?;
            text.push(b'\n');
        }
        self.write_text(&text)
    }

    fn write_text(&mut self, text: &[u8]) -> Result {
        self.file
            .write_all(text)
            .map_err(|source| Failure::write(&self.path, source))
    }
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Recorded> {
    let file = File::open(path).map_err(|source| Failure::read(path, source))?;
    let mut lines = BufReader::new(file).lines();
    let odd = |number: usize, reason: serde_json::Error| {
        Failure::usage(format!("{}: line {number}: {reason}", path.display()))
    };
    let first = lines.next().transpose();
    let first = first.map_err(|source| Failure::read(path, source))?;
    let header: Header = serde_json::from_str(&first.unwrap_or_default())
        .map_err(|_| Failure::usage(format!("{} is no file of rdq repair", path.display())))?;
    if header.rdq_repair != FORM {
        let reason = format!("{} was written by another version of rdq", path.display());
        return Err(Failure::usage(reason));
    }
    let (mut changes, mut not_made, mut undone) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for (number, line) in (2..).zip(lines) {
        let line = line.map_err(|source| Failure::read(path, source))?;
        match serde_json::from_str(&line) {
            Ok(Entry::Change {
                number,
                fix,
                change,
            }) => changes.push((number, fix, change)),
            Ok(Entry::Outcome { left, .. }) => not_made.extend(left),
            Ok(Entry::Undone { numbers }) => undone.extend(numbers),
            // The program was killed in the middle of a line, before it changed anything.
            Err(error) if error.is_eof() => {}
            Err(error) => return Err(odd(number, error)),
        }
    }
    changes.retain(|(number, ..)| !not_made.contains(number) && !undone.contains(number));
    Ok(Recorded {
        header,
        changes,
        undone: undone.len(),
    })
}

/// The form of the files that this version writes.
const FORM: u32 = 1;
