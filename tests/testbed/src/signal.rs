//! Signals to processes.

use std::process::Command;

/// Sends a signal, such as `"STOP"`, to the process with this number, or to a group of processes if
/// `target` is the negative number of its leader. False if it was not delivered.
#[must_use]
pub fn signal(name: &str, target: i64) -> bool {
    // `kill` is built into every shell; as a program of its own slim images lack it.
    let status = Command::new("sh")
        .args(["-c", &format!("kill -s {name} -- {target}")])
        .status();
    status.is_ok_and(|it| it.success())
}
