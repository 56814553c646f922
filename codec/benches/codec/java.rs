//! Redisson's own codec, in a JVM of its own.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::case::Case;

/// The program `interop.BenchCodec`, which ends with its standard input.
pub(crate) struct Java {
    process: Child,
    commands: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Java {
    /// Starts Redisson's codec of a case, and lets the JVM compile it. `None` if Java has none.
    pub(crate) fn start(case: &Case, warm_millis: u64) -> Option<Self> {
        let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../interop/java/target/4.7.0");
        let jars = fs::read_to_string(target.join("classpath"));
        let jars = jars.expect("`. tests/need.sh; need_redisson 4.7.0` has built the Java side");
        let mut process = Command::new("java")
            .args(["-Xmx1g", "-cp"])
            .arg(format!(
                "{}:{}",
                target.join("classes").display(),
                jars.trim()
            ))
            .args(["interop.BenchCodec", case.java.as_ref()?])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("java is installed");
        let commands = process.stdin.take().expect("it is piped");
        let replies = BufReader::new(process.stdout.take().expect("it is piped"));
        let mut java = Self {
            process,
            commands,
            replies,
        };
        java.reply();
        let hex: String = case.payload.iter().map(|it| format!("{it:02x}")).collect();
        let bytes = java.ask(&format!("value {hex}"));
        if bytes != case.payload.len() as f64 {
            eprintln!(
                "{} of {}: java writes {bytes} bytes",
                case.codec, case.value
            );
        }
        for action in ["write", "read", "write", "read"] {
            java.nanos(action, warm_millis / 4);
        }
        Some(java)
    }

    /// How many nanoseconds a call takes, at the fastest.
    pub(crate) fn nanos(&mut self, action: &str, millis: u64) -> f64 {
        self.ask(&format!("{action} {millis}"))
    }

    fn ask(&mut self, command: &str) -> f64 {
        writeln!(self.commands, "{command}").expect("java reads commands");
        let reply = self.reply();
        let number = reply.strip_prefix("ok ").and_then(|it| it.parse().ok());
        number.unwrap_or_else(|| panic!("java replied {reply}"))
    }

    fn reply(&mut self) -> String {
        let mut line = String::new();
        self.replies.read_line(&mut line).expect("java replies");
        line.trim().to_owned()
    }
}

impl Drop for Java {
    fn drop(&mut self) {
        // A process that has ended already needs no end.
        _ = self.process.kill();
        _ = self.process.wait();
    }
}
