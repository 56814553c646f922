//! The program `rdq`, run on queues that real Redisson filled.

use std::{
    env,
    path::PathBuf,
    process::{Command, Stdio},
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
    let mut command = Command::new(program(peer));
    command.args(["--json", "--server", url]).args(args);
    command.env("XDG_CONFIG_HOME", "/nonexistent");
    for variable in variables_of_rdq() {
        command.env_remove(variable);
    }
    let output = command.stdin(Stdio::null()).output().expect("rdq runs");
    let text = |bytes| String::from_utf8(bytes).expect("rdq prints UTF-8");
    let row = |line: &str| serde_json::from_str(line).expect("rdq --json prints JSON");
    Operated {
        code: output.status.code().expect("rdq ends by itself"),
        rows: text(output.stdout).lines().map(row).collect(),
        said: text(output.stderr),
    }
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
