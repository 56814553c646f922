//! The program `rdq`, run on queues that real Redisson filled.

use std::{
    env,
    path::PathBuf,
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

use testbed::variables_of_rdq;

/// What a run of `rdq` printed, and how it ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Operated {
    /// The exit code.
    pub code: i32,
    /// The lines of JSON on stdout.
    pub rows: Vec<serde_json::Value>,
    /// Its text on stderr.
    pub said: String,
}

/// Runs `rdq --json` with these arguments on the Redis at `url`. `peer` is the peer program of this
/// package, beside which `rdq` is built.
///
/// # Panics
///
/// If it cannot be built, or prints something else than JSON.
pub fn operate(peer: &str, url: &str, args: &[&str]) -> Operated {
    let output = run(peer, url, &[&["--json"], args].concat());
    let row = |line: &str| serde_json::from_str(line).expect("rdq --json prints JSON");
    Operated {
        code: output.status.code().expect("rdq ends by itself"),
        rows: text(output.stdout).lines().map(row).collect(),
        said: text(output.stderr),
    }
}

/// Runs `rdq` as [`operate`] does, and returns what people see on stdout.
///
/// # Panics
///
/// If it cannot be built, or fails.
pub fn show(peer: &str, url: &str, args: &[&str]) -> String {
    let output = run(peer, url, args);
    assert!(output.status.success(), "{args:?}: {output:?}");
    text(output.stdout)
}

fn run(peer: &str, url: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program(peer));
    command.args(["--server", url]).args(args);
    command.env("XDG_CONFIG_HOME", "/nonexistent");
    for variable in variables_of_rdq() {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null()).output().expect("rdq runs")
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("rdq prints UTF-8")
}

/// The program, built once. `RDQ` names one that is built already.
fn program(peer: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let build = || {
        if let Some(program) = env::var_os("RDQ") {
            return program.into();
        }
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["build", "--quiet", "--package", "rdq", "--locked"]);
        if peer.contains("/release/") {
            command.arg("--release");
        }
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        let built = command.status().expect("cargo runs");
        assert!(built.success(), "{command:?}: {built}");
        PathBuf::from(peer).with_file_name("rdq")
    };
    BUILT.get_or_init(build).clone()
}
