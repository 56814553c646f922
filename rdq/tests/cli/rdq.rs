//! Runs the program.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use redisson_delayed_queue::codec::StringCodec;
use redisson_delayed_queue::{Client, DelayedQueue};
use serde_json::Value;
use testbed::{Program, variables_of_rdq};

/// A queue whose elements nobody moves.
pub(crate) async fn queue(url: &str, name: &str) -> DelayedQueue<String> {
    let client = Client::builder().transfer(false);
    let client = client.connect(url).await.unwrap();
    client.delayed_queue(name, StringCodec).unwrap()
}

/// What a run printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program, for the server at this URL, with these arguments. It reads no profile file of the
/// user's, and nobody answers its questions.
pub(crate) fn command(url: &str, args: &[&str]) -> Command {
    let mut command = without_server(args);
    // So its advice names no server.
    command.env("RDQ_SERVER", url);
    command
}

/// The same, for the server that the arguments name.
pub(crate) fn without_server(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rdq"));
    command.args(args);
    command.env("XDG_CONFIG_HOME", "/nonexistent");
    for variable in variables_of_rdq() {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null());
    command
}

/// Runs the program to its end.
pub(crate) fn run(url: &str, args: &[&str]) -> Run {
    Run::of(Program::run(&mut command(url, args)))
}

/// Lets a shell run a command of Redis as the doctor has printed it, which must succeed.
pub(crate) fn shell(advised: &str) {
    assert!(advised.starts_with("redis-cli -"), "{advised}");
    let run = Run::of(Program::run(Command::new("sh").args(["-c", advised])));
    // That program ends well even if Redis refuses the command.
    let is_done = run.stdout == "OK\n" || run.stdout.trim_end().parse::<u64>().is_ok();
    assert!(is_done, "{advised}: {run:?}");
}

/// Runs the program with this text on stdin.
pub(crate) fn fed(url: &str, args: &[&str], text: &str) -> Run {
    let mut rdq = command(url, args);
    rdq.stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut rdq = Program::start(&mut rdq);
    let mut stdin = rdq.stdin.take().unwrap();
    stdin.write_all(text.as_bytes()).unwrap();
    drop(stdin);
    Run::of(rdq.output())
}

/// Runs the program, which must succeed, and returns what it printed on stdout.
pub(crate) fn done(url: &str, args: &[&str]) -> String {
    let run = run(url, args);
    assert_eq!(run.code, 0, "{args:?}: {run:?}");
    run.stdout
}

/// Runs the program with `--json`, which must succeed, and returns each line of stdout.
pub(crate) fn json(url: &str, args: &[&str]) -> Vec<Value> {
    let args = [args, &["--json"]].concat();
    let read = |line: &str| serde_json::from_str(line).expect("a line is JSON");
    done(url, &args).lines().map(read).collect()
}

impl Run {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("rdq prints UTF-8");
        Self {
            code: output.status.code().expect("rdq ended by itself"),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}
