//! New files that only their owner can read: payloads may be private.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

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

/// Removes a file that this run has created, and that holds no elements.
pub(crate) fn remove(path: &Path) {
    // If that fails, the failure that came before is the one to tell.
    let _ = fs::remove_file(path);
}
