//! New files that only their owner can read: payloads may be private.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};

/// Creates the file at this path, which must not exist, for writing.
pub(crate) fn create(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists => Failure::Io {
            what: format!("{} exists already", path.display()),
            source: io::Error::new(source.kind(), "name another file"),
        },
        _ => Failure::write(path, source),
    })
}

/// A new file that is removed when this is dropped, unless somebody [keeps](Self::keep) it. One that a
/// failure or Ctrl-C left without elements would be in the way of the next run.
pub(crate) struct Provisional {
    path: PathBuf,
    is_kept: bool,
}

impl Provisional {
    /// The file at this path, which this run has created.
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            is_kept: false,
        }
    }

    pub(crate) fn keep(&mut self) {
        self.is_kept = true;
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Provisional {
    fn drop(&mut self) {
        if !self.is_kept {
            // If that fails, what ended the run is the thing to tell.
            let _ = fs::remove_file(&self.path);
        }
    }
}
