//! The programs of `interop/node`.

use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The process that measures BullMQ.
pub(crate) fn command(url: &str) -> Command {
    let mut command = Command::new("node");
    command.arg(folder().join("bench.mjs")).arg(url);
    command
}

/// What it needs and this machine does not have.
pub(crate) fn missing() -> Option<String> {
    if version().is_none() {
        return Some("`node` is not on the PATH".to_owned());
    }
    let packages = folder().join("node_modules/bullmq");
    let hint = "its packages are missing: run `npm ci --prefix interop/node`";
    (!packages.is_dir()).then(|| hint.to_owned())
}

/// The version of Node.
pub(crate) fn version() -> Option<String> {
    let mut command = Command::new("node");
    let output = command.arg("--version").stderr(Stdio::null()).output();
    let version = String::from_utf8(output.ok()?.stdout).ok()?;
    Some(version.trim().trim_start_matches('v').to_owned())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../node")
}
