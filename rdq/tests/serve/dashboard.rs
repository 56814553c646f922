//! A running `rdq serve`.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;
use testbed::{Directory, Program, variables_of_rdq};

/// A token that may write.
pub(crate) const WRITE: &str = "write-write-write-write-write";

/// The program, until it is dropped.
pub(crate) struct Dashboard {
    pub(crate) child: Program,
    /// Ends in `/`.
    pub(crate) url: String,
    /// Has the file of the write token.
    _files: Option<Directory>,
}

impl Dashboard {
    /// Serves the Redis at this URL on a free port of this machine, with these arguments.
    pub(crate) fn start(redis: &str, args: &[&str]) -> Self {
        Self::start_at("127.0.0.1:0", redis, args)
    }

    /// As [`start`](Self::start), at this address.
    pub(crate) fn start_at(listen: &str, redis: &str, args: &[&str]) -> Self {
        Self::run(command(listen, redis, args))
    }

    /// Runs this command, which serves.
    pub(crate) fn run(mut command: Command) -> Self {
        let mut child = Program::start(command.stdout(Stdio::piped()));
        let stdout = child.stdout.take().expect("stdout is a pipe");
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        read.expect("rdq says where it listens");
        let said: Value = serde_json::from_str(&line).expect("a line of JSON");
        let url = said["url"].as_str().expect("a URL").to_owned();
        Self {
            child,
            url,
            _files: None,
        }
    }

    /// As [`start`](Self::start), with a write token: [`WRITE`].
    pub(crate) fn with_writers(redis: &str) -> Self {
        let files = Directory::new();
        let file = files.file("write-token");
        std::fs::write(&file, format!("{WRITE}\n")).expect("a file can be written");
        let mut dashboard = Self::start(redis, &["--write-token-file", &file]);
        dashboard._files = Some(files);
        dashboard
    }
}

/// The program with these arguments, without settings of the user's.
pub(crate) fn command(listen: &str, redis: &str, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rdq"));
    command.args(["--json", "--server", redis, "serve"]);
    command.args(["--listen", listen]).args(args);
    command.env("XDG_CONFIG_HOME", "/nonexistent");
    for variable in variables_of_rdq() {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null()).stderr(Stdio::null());
    command
}
