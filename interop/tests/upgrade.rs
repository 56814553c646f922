//! The commands about several revisions, with this revision in the place of both.

use std::process::Command;

/// Runs a program of this package, and asserts that it went well.
fn run(program: &str, arguments: &[&str]) {
    let ended = Command::new(program).args(arguments).output();
    let ended = ended.unwrap_or_else(|error| panic!("cannot run {program}: {error}"));
    let said = String::from_utf8_lossy(&ended.stdout);
    let complained = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}\n{complained}");
}

/// What `tests/upgrade.sh` finds between two revisions must not be there within one.
#[test]
fn processes_of_one_revision_agree_in_every_call() {
    let caller = env!("CARGO_BIN_EXE_caller");
    let upgrade = env!("CARGO_BIN_EXE_upgrade");
    run(
        upgrade,
        &["--old", caller, "--new", caller, "--seconds", "5"],
    );
}

/// Keeps `tests/kills.sh` alive; so few kills say nothing about how often an element comes twice.
#[test]
fn kills_are_counted_at_any_distance() {
    let caller = env!("CARGO_BIN_EXE_caller");
    let kills = env!("CARGO_BIN_EXE_kills");
    run(
        kills,
        &[
            "--caller", caller, "--kills", "2", "--rate", "500", "--rtt", "2.3",
        ],
    );
}
