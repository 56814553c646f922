//! Callers: processes that make any call of this crate, many at a time.
//!
//! A caller may be built from another revision of this crate: the protocol, in this package's
//! `README.md`, is all that this side knows of it.

use std::{
    collections::HashMap,
    fmt,
    io::{self, BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering::Relaxed},
        mpsc,
    },
    thread,
    time::Duration,
};

use testbed::ClockOffset;

/// A running caller, killed when dropped.
#[derive(Debug)]
pub struct Caller {
    process: Mutex<Child>,
    /// `None` once no more calls may be sent.
    commands: Mutex<Option<ChildStdin>>,
    waiting: Arc<Waiting>,
    next: AtomicU64,
    /// The calls that it knows.
    names: Vec<String>,
}

/// What became of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It returned: the tokens that it answered with.
    Ok(Vec<String>),
    /// It failed, and Redis certainly did not change if it is `sure`.
    Failed {
        /// Whether Redis certainly did not change.
        sure: bool,
        /// The error and its causes.
        message: String,
    },
    /// The process ended while the call was under way.
    Died,
    /// The call was not sent: the process was about to end.
    NotSent,
}

/// The calls under way, by their numbers; nothing after the last line of the process.
#[derive(Debug)]
struct Waiting(Mutex<Option<HashMap<u64, mpsc::Sender<String>>>>);

impl Caller {
    /// Starts `program` with these options, and waits until it is connected.
    ///
    /// # Errors
    ///
    /// If it cannot be started or cannot connect; its stderr goes to ours.
    pub fn start(program: &Path, redis_url: &str, options: &[&str]) -> io::Result<Self> {
        Self::start_with_clock(program, redis_url, options, &ClockOffset::default())
    }

    /// As [`start`](Self::start), with a wrong clock.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub fn start_with_clock(
        program: &Path,
        redis_url: &str,
        options: &[&str],
        clock: &ClockOffset,
    ) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.arg(redis_url).args(options);
        clock.apply(&mut command);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let commands = process.stdin.take();
        let replies = process.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut replies = BufReader::new(replies);
        let mut greeting = String::new();
        replies.read_line(&mut greeting)?;
        let mut words = greeting.split_whitespace().map(str::to_owned);
        if words.next().as_deref() != Some("ready") {
            let problem = format!("{} greeted with {greeting:?}", program.display());
            return Err(io::Error::other(problem));
        }
        let waiting = Arc::new(Waiting(Mutex::new(Some(HashMap::new()))));
        let reader = Arc::clone(&waiting);
        thread::spawn(move || reader.read(replies));
        Ok(Self {
            process: Mutex::new(process),
            commands: Mutex::new(commands),
            waiting,
            next: AtomicU64::new(0),
            names: words.collect(),
        })
    }

    /// The calls that its revision has.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// True if its revision has this call.
    pub fn knows(&self, name: &str) -> bool {
        self.names.iter().any(|it| it == name)
    }

    /// Makes a call, and waits until it returns.
    pub fn call(&self, call: &str) -> Outcome {
        match self.begin(call) {
            Some(replies) => replies.recv().map_or(Outcome::Died, |line| outcome(&line)),
            None => Outcome::NotSent,
        }
    }

    /// Makes a call whose replies come one after the other, until the process ends.
    ///
    /// Nothing if it was not sent.
    pub fn begin(&self, call: &str) -> Option<mpsc::Receiver<String>> {
        let number = self.next.fetch_add(1, Relaxed);
        let mut commands = self.commands.lock().expect(NO_PANIC);
        let commands = commands.as_mut()?;
        let replies = self.waiting.expect(number)?;
        // If the process has ended, the reader tells the callers that wait.
        let _ = commands.write_all(format!("{number} {call}\n").as_bytes());
        Some(replies)
    }

    /// Kills it at once (SIGKILL). What it said before still arrives; later calls are not sent.
    pub fn kill(&self) {
        // A signal first: no call is refused that could have been under way.
        let mut process = self.process.lock().expect(NO_PANIC);
        let _ = process.kill();
        self.commands.lock().expect(NO_PANIC).take();
        let _ = process.wait();
    }

    /// Shuts it down in good order, within `patience`.
    ///
    /// # Errors
    ///
    /// If it does not end so.
    pub fn exit(&self, patience: Duration) -> Result<(), String> {
        let (said, all_said) = mpsc::channel();
        self.waiting.tell_end(said);
        {
            let mut commands = self.commands.lock().expect(NO_PANIC);
            if let Some(mut commands) = commands.take() {
                let _ = commands.write_all(b"exit\n");
            }
        }
        // The sender is dropped with the last line.
        if all_said.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Timeout) {
            self.kill();
            return Err(format!("a caller went on for {patience:?} after exit"));
        }
        let mut process = self.process.lock().expect(NO_PANIC);
        match process.wait() {
            Ok(status) if status.success() => Ok(()),
            ended => Err(format!("a caller ended with {ended:?}")),
        }
    }
}

impl Drop for Caller {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Waiting {
    fn expect(&self, number: u64) -> Option<mpsc::Receiver<String>> {
        let (sender, receiver) = mpsc::channel();
        self.0
            .lock()
            .expect(NO_PANIC)
            .as_mut()?
            .insert(number, sender);
        Some(receiver)
    }

    /// Drops `said` when the process has said its last.
    fn tell_end(&self, said: mpsc::Sender<String>) {
        if let Some(waiting) = self.0.lock().expect(NO_PANIC).as_mut() {
            waiting.insert(u64::MAX, said);
        }
    }

    /// Hands each line to the caller that waits for it, until the process ends.
    fn read(&self, replies: BufReader<ChildStdout>) {
        for line in replies.lines().map_while(Result::ok) {
            let (number, reply) = line.split_once(' ').unwrap_or((&line, ""));
            let Ok(number) = number.parse() else { continue };
            let mut waiting = self.0.lock().expect(NO_PANIC);
            let Some(waiting) = waiting.as_mut() else {
                return;
            };
            if reply.starts_with("took ") {
                let taken = waiting.get(&number).map(|it| it.send(reply.to_owned()));
                drop(taken);
            } else if let Some(sender) = waiting.remove(&number) {
                let _ = sender.send(reply.to_owned());
            }
        }
        self.0.lock().expect(NO_PANIC).take();
    }
}

/// As a sentence says it.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok(tokens) if tokens.is_empty() => f.write_str("nothing"),
            Self::Ok(tokens) => f.write_str(&tokens.join(" ")),
            Self::Failed { message, .. } => write!(f, "an error: {message}"),
            Self::Died => f.write_str("the end of the process"),
            Self::NotSent => f.write_str("not sent"),
        }
    }
}

fn outcome(reply: &str) -> Outcome {
    let (kind, rest) = reply.split_once(' ').unwrap_or((reply, ""));
    if kind == "ok" {
        return Outcome::Ok(rest.split_whitespace().map(str::to_owned).collect());
    }
    let (sureness, message) = rest.split_once(' ').unwrap_or((rest, ""));
    Outcome::Failed {
        sure: sureness == "sure",
        message: message.to_owned(),
    }
}

const NO_PANIC: &str = "nothing panics while this is locked";
