//! Peers: processes of either language that run queue commands against one Redis.
//!
//! A peer reads one command a line and writes one reply a line, as this package's `README.md` says.
//! This is test tooling: what a test cannot go on without is a panic that shows the peer's log.

use std::{
    io::{BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use testbed::ClockOffset;

use crate::{address::Address, java};

mod commands;

/// A running peer, killed when dropped.
#[derive(Debug)]
pub struct Peer {
    /// What failure messages call it.
    name: String,
    process: Child,
    commands: ChildStdin,
    /// Lines of stdout, read by a thread so that waiting for one can end.
    replies: mpsc::Receiver<String>,
    /// Lines of stderr, read by a thread so that a full pipe never stops the peer.
    log: mpsc::Receiver<String>,
    /// The command whose reply is still to be read.
    pending: Option<String>,
    /// How long a reply may take.
    deadline: Duration,
}

/// What a peer answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the protocol has these three replies"
)]
pub enum Reply {
    /// `err`, with the message of the peer's language.
    Err(String),
    /// `nil`: nothing there.
    Nil,
    /// `ok`, with what follows it, which may be empty.
    Ok(String),
}

/// A value that a peer took from a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Taken {
    /// When the value was in the peer's hand, in microseconds since the Unix epoch.
    pub micros: u64,
    /// The value as the queue's codec writes it.
    pub value: Vec<u8>,
}

impl Taken {
    /// The value of a queue of texts.
    ///
    /// # Panics
    ///
    /// If it is no text.
    pub fn text(self) -> String {
        String::from_utf8(self.value).expect("values are text")
    }
}

impl Peer {
    /// Starts real Redisson of `version`, after building its program if that is out of date.
    pub fn java(version: &str, address: impl Into<Address>) -> Self {
        let mut command = java::command(version, "interop.Peer");
        address.into().append_to(&mut command);
        Self::spawn(format!("java {version}"), version, command)
    }

    /// As [`java`](Self::java), with a wrong clock.
    pub fn java_with_clock(
        version: &str,
        address: impl Into<Address>,
        clock: &ClockOffset,
    ) -> Self {
        let mut command = java::command(version, "interop.Peer");
        clock.apply(&mut command);
        address.into().append_to(&mut command);
        Self::spawn(format!("java {version}"), version, command)
    }

    /// As [`java`](Self::java), with a name mapper that puts `prefix` before all names.
    pub fn java_with_prefix(version: &str, address: impl Into<Address>, prefix: &str) -> Self {
        let mut command = java::command(version, "interop.Peer");
        address.into().append_to(&mut command);
        command.args(["--prefix", prefix]);
        Self::spawn(format!("java {version} of {prefix}"), version, command)
    }

    /// Starts the program behind [`Oracle`](crate::oracle::Oracle), which speaks as a peer does.
    pub(crate) fn oracle(version: &str) -> Self {
        let command = java::command(version, "interop.Oracle");
        Self::spawn(format!("oracle {version}"), version, command)
    }

    /// The same, with classes of a folder.
    pub(crate) fn oracle_with(version: &str, classes: &Path) -> Self {
        let command = java::command_with(version, classes, "interop.Oracle");
        Self::spawn(format!("oracle {version}"), version, command)
    }

    /// Starts the program of `java/` that benchmarks Redisson of `version`; it has commands of its
    /// own, see `bench/`.
    pub fn java_bench(version: &str, redis_url: &str) -> Self {
        let mut command = java::service(version, "interop.Bench");
        command.arg(redis_url);
        Self::spawn(format!("java {version}"), version, command)
    }

    /// Starts any program that speaks as a peer does and greets with `version`.
    pub fn program(version: &str, command: Command) -> Self {
        Self::spawn(version.to_owned(), version, command)
    }

    /// Starts the peer program of this crate, `program`.
    pub fn rust(program: impl AsRef<Path>, address: impl Into<Address>) -> Self {
        let mut command = Command::new(program.as_ref());
        address.into().append_to(&mut command);
        Self::spawn("rust".to_owned(), "rust", command)
    }

    /// Starts the peer program of this crate, `program`, with its clock `offset` seconds off.
    pub fn rust_with_clock(program: impl AsRef<Path>, redis_url: &str, offset: i64) -> Self {
        let mut command = Command::new("faketime");
        // Only what the clock shows is changed: timers go on as they do.
        command.args(["--exclude-monotonic", "-f", &format!("{offset:+}s")]);
        command.arg(program.as_ref()).arg(redis_url);
        Self::spawn(format!("rust {offset:+} s"), "rust", command)
    }

    /// Waits until the peer is connected, and checks that it greets with `version`.
    fn spawn(name: String, version: &str, mut command: Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = command
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
        let mut peer = Self {
            name,
            commands: process.stdin.take().expect("stdin is piped"),
            replies: lines(process.stdout.take().expect("stdout is piped")),
            log: lines(process.stderr.take().expect("stderr is piped")),
            process,
            pending: Some("start".to_owned()),
            deadline: Duration::from_secs(60),
        };
        let greeting = peer.line();
        if greeting != format!("ready {version}") {
            peer.fail(&format!("greeted with {greeting:?}"));
        }
        peer
    }

    /// The id of its process.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Sets how long to wait for a reply before the test fails. Default: 60 s.
    pub fn set_deadline(&mut self, deadline: Duration) {
        self.deadline = deadline;
    }

    /// Sends one command and waits for its reply.
    pub fn send(&mut self, line: &str) -> Reply {
        self.start(line);
        self.finish()
    }

    /// Sends one command without waiting, so that several peers can be busy at the same time.
    pub fn start(&mut self, line: &str) {
        assert_eq!(
            self.pending, None,
            "{} still has a reply to give",
            self.name
        );
        self.write(line);
    }

    /// Sends many commands at once. Replies are read on a thread of its own, so neither side has to
    /// wait for the other.
    pub fn send_all(&mut self, lines: &[String]) -> Vec<Reply> {
        if !lines.is_empty() {
            self.write(&lines.join("\n"));
        }
        let reply = |line: &String| {
            self.pending = Some(line.clone());
            self.finish()
        };
        lines.iter().map(reply).collect()
    }

    fn write(&mut self, lines: &str) {
        self.pending = Some(lines.to_owned());
        if let Err(error) = self.commands.write_all(format!("{lines}\n").as_bytes()) {
            self.fail(&format!("does not listen: {error}"));
        }
    }

    /// Waits for the reply to the command of [`start`](Self::start).
    pub fn finish(&mut self) -> Reply {
        let line = self.line();
        match line.split_once(' ').unwrap_or((&line, "")) {
            ("ok", rest) => Reply::Ok(rest.to_owned()),
            ("nil", "") => Reply::Nil,
            ("err", message) => Reply::Err(message.to_owned()),
            _ => self.fail(&format!("replied {line:?}")),
        }
    }

    /// Kills the peer at once (SIGKILL), as a crash would.
    pub fn kill(mut self) {
        self.stop();
    }

    fn line(&mut self) -> String {
        match self.replies.recv_timeout(self.deadline) {
            Ok(line) => {
                self.pending = None;
                line
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                self.fail(&format!("gave no reply within {:?}", self.deadline))
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => self.fail("ended without a reply"),
        }
    }

    fn fail(&mut self, what: &str) -> ! {
        let end = self.end();
        // Ends, because a stopped process has closed its stderr.
        let log: Vec<String> = self.log.iter().collect();
        panic!(
            "peer {} {what}\npending: {:?}\nprocess: {end}\nlog:\n{}",
            self.name,
            self.pending,
            log.join("\n")
        );
    }

    /// Stops the process; returns how it had ended if it ended by itself.
    fn end(&mut self) -> String {
        let deadline = Instant::now() + LAST_MOMENTS;
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return status.to_string(),
                Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
                _ => {
                    self.stop();
                    return "ran on and was killed".to_owned();
                }
            }
        }
    }

    /// Ignores errors, because a process that has ended already is as good as a stopped one.
    fn stop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// How long a process may need to end after it closed its pipes.
const LAST_MOMENTS: Duration = Duration::from_secs(1);

/// Reads on a thread of its own; the channel ends when the pipe does.
fn lines(pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut lines = BufReader::new(pipe).lines().map_while(Result::ok);
        lines.try_for_each(|line| sender.send(line))
    });
    receiver
}
