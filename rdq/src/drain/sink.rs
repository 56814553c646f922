//! Where the lines of drained elements go.

use std::fs::File;
use std::io::{self, IsTerminal, Seek, SeekFrom, Stdout, Write};
use std::path::Path;

use crate::failure::{Failure, Result};
use crate::private_file::{self, Provisional};
use crate::screen::stdout;

/// A file, or stdout, which may be a file as well.
pub(crate) enum Sink {
    File(Provisional, File),
    Stdout(Stdout, Option<File>),
}

impl Sink {
    /// Refuses a place that could lose lines, unless the user names it: `-` stands for stdout,
    /// whatever reads it. Writes nothing.
    pub(crate) fn check(path: Option<&Path>) -> Result {
        match path {
            None if stdout::file().is_none() => Err(Failure::usage(
                "stdout is no file, and elements whose lines nobody reads would be lost: say \
                 --output FILE, or --output - to write to stdout all the same",
            )),
            Some(path) if is_stdout(path) && stdout::is_nowhere() => Err(Failure::usage(
                "stdout is closed, or /dev/null: all elements would be lost",
            )),
            _ => Ok(()),
        }
    }

    /// A new file at this path, or stdout.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        match path {
            Some(path) if !is_stdout(path) => {
                let file = private_file::create(path)?;
                Ok(Self::File(Provisional::new(path), file))
            }
            _ => Ok(Self::Stdout(io::stdout(), stdout::file())),
        }
    }

    /// True if the lines go to stdout.
    pub(crate) fn is_stdout(&self) -> bool {
        matches!(self, Self::Stdout(..))
    }

    /// True if a person sees the lines come.
    pub(super) fn is_terminal(&self) -> bool {
        self.is_stdout() && io::stdout().is_terminal()
    }

    /// Writes lines, and returns when the system has them; for a file, when the disk has them.
    pub(super) fn write(&mut self, lines: &[String]) -> Result {
        let mut text = lines.join("\n");
        text.push('\n');
        match self {
            Self::File(name, file) => {
                let end = file.stream_position();
                let end = end.map_err(|source| Failure::write(name.path(), source))?;
                let written = file
                    .write_all(text.as_bytes())
                    .and_then(|()| file.sync_data());
                written.map_err(|source| {
                    // Their elements stay in the queue, so the lines must not stay in the file. If
                    // that fails, too, the first failure is the one to tell.
                    let _ = file.set_len(end);
                    Failure::write(name.path(), source)
                })?;
                name.keep();
                Ok(())
            }
            Self::Stdout(stdout, file) => {
                let end = file.as_ref().and_then(|it| Some(it.metadata().ok()?.len()));
                let mut stdout = stdout.lock();
                let written = stdout
                    .write_all(text.as_bytes())
                    .and_then(|()| stdout.flush())
                    .and_then(|()| file.as_ref().map_or(Ok(()), File::sync_data));
                written.map_err(|source| {
                    // As above. The file may have had other lines before.
                    if let (Some(file), Some(end)) = (file, end) {
                        let _ = file.set_len(end);
                    }
                    Failure::stdout(source)
                })
            }
        }
    }

    /// Keeps the file also if nothing is in it.
    pub(super) fn keep(&mut self) {
        if let Self::File(name, _) = self {
            name.keep();
        }
    }

    /// Makes some of the lines that were written last empty; false if they cannot be taken back.
    pub(super) fn blank(&mut self, lines: &[String], wrong: &[bool]) -> Result<bool> {
        let Self::File(name, file) = self else {
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
        blank().map_err(|source| Failure::write(name.path(), source))?;
        Ok(true)
    }
}

/// True for the name that stands for stdout.
fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}
