//! New files that only their owner can read: payloads may be private.

use std::fs::{File, OpenOptions};
use std::path::Path;

use crate::failure::{Failure, Result};

/// Creates the file at this path, which must not exist, for writing.
pub(crate) fn create(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path);
    file.map_err(|source| Failure::write(path, source))
}
