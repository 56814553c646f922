//! Where the lines of drained elements go.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Seek, SeekFrom, Stdout, Write};
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// A file, or stdout.
pub(crate) enum Sink {
    File(PathBuf, File),
    Stdout(Stdout),
}

impl Sink {
    /// A new file at this path, or stdout.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else {
            return Ok(Self::Stdout(io::stdout()));
        };
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        match file {
            Ok(file) => Ok(Self::File(path.to_owned(), file)),
            Err(source) => Err(Failure::write(path, source)),
        }
    }

    /// True if a person sees the lines come.
    pub(super) fn is_terminal(&self) -> bool {
        matches!(self, Self::Stdout(_)) && io::stdout().is_terminal()
    }

    /// Writes lines, and returns when the system has them; for a file, when the disk has them.
    pub(super) fn write(&mut self, lines: &[String]) -> Result {
        let mut text = lines.join("\n");
        text.push('\n');
        match self {
            Self::File(path, file) => {
                let end = file.stream_position();
                let end = end.map_err(|source| Failure::write(path, source))?;
                let written = file
                    .write_all(text.as_bytes())
                    .and_then(|()| file.sync_data());
                written.map_err(|source| {
                    // Their elements stay in the queue, so the lines must not stay in the file. If
                    // that fails, too, the first failure is the one to tell.
                    let _ = file.set_len(end);
                    Failure::write(path, source)
                })
            }
            Self::Stdout(stdout) => {
                let mut stdout = stdout.lock();
                let written = stdout.write_all(text.as_bytes());
                written
                    .and_then(|()| stdout.flush())
                    .map_err(Failure::stdout)
            }
        }
    }

    /// Makes some of the lines that were written last empty; false if they cannot be taken back.
    pub(super) fn blank(&mut self, lines: &[String], wrong: &[bool]) -> Result<bool> {
        let Self::File(path, file) = self else {
            return Ok(false);
        };
        // Touches no line that stays: the program may be killed at any moment.
        let mut blank = || {
            let length: usize = lines.iter().map(|it| it.len() + 1).sum();
            let end = file.stream_position()?;
            let mut place = end.saturating_sub(length as u64);
            for (line, wrong) in lines.iter().zip(wrong) {
                if *wrong {
                    file.seek(SeekFrom::Start(place))?;
                    file.write_all(" ".repeat(line.len()).as_bytes())?;
                }
                place += line.len() as u64 + 1;
            }
            file.seek(SeekFrom::Start(end))?;
            file.sync_data()
        };
        blank().map_err(|source| Failure::write(path, source))?;
        Ok(true)
    }
}
