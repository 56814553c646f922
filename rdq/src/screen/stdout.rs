//! Where stdout leads.

use std::fs::File;
#[cfg(unix)]
use std::{fs, io, os::fd::AsFd, os::unix::fs::FileTypeExt, os::unix::fs::MetadataExt};

/// Stdout as a file on a disk, for `sync_data`; `None` if it is a pipe, a terminal or a device.
#[cfg(unix)]
pub(crate) fn file() -> Option<File> {
    let file = handle().ok()?;
    file.metadata().is_ok_and(|it| it.is_file()).then_some(file)
}

/// True if what is written is lost. If stdout is closed, Rust's runtime has opened `/dev/null` in its
/// place, so that nobody can tell the two apart.
#[cfg(unix)]
pub(crate) fn is_nowhere() -> bool {
    let Ok(metadata) = handle().and_then(|it| it.metadata()) else {
        return true;
    };
    let null = fs::metadata("/dev/null");
    let is_null = null.is_ok_and(|null| null.rdev() == metadata.rdev());
    metadata.file_type().is_char_device() && is_null
}

#[cfg(unix)]
fn handle() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// Nobody looks.
#[cfg(not(unix))]
pub(crate) fn file() -> Option<File> {
    None
}

/// Nobody looks.
#[cfg(not(unix))]
pub(crate) fn is_nowhere() -> bool {
    false
}
