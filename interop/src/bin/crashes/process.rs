//! A consumer in a process of its own, as its supervisor sees it.

use std::{
    env,
    io::{self, BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::{Arc, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::{Result, consumer::Orders, ledger::Ledger};

pub(crate) struct Process {
    /// The ledger knows it by this.
    pub(crate) number: usize,
    child: Child,
    /// The process ends in good order when this is closed.
    stdin: Option<ChildStdin>,
    reader: Option<JoinHandle<()>>,
    at_step: mpsc::Receiver<()>,
}

impl Process {
    /// Starts it. The ledger notes what it says, as the process with this number.
    pub(crate) fn start(orders: &Orders, ledger: &Arc<Ledger>, number: usize) -> Result<Self> {
        let this = env::current_exe().map_err(|error| error.to_string())?;
        let mut child = Command::new(this)
            .args(orders.words())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot start a consumer: {error}"))?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or("a consumer has no stdout")?;
        let (arrive, at_step) = mpsc::channel();
        let ledger = Arc::clone(ledger);
        let reader = thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(io::Result::ok) {
                match line.split_once(' ') {
                    Some((_, "at")) => drop(arrive.send(())),
                    Some((at, said)) => ledger.note(number, at, said),
                    None => ledger.misunderstood(&line),
                }
            }
        });
        Ok(Self {
            number,
            child,
            stdin,
            reader: Some(reader),
            at_step,
        })
    }

    /// True if it is at its step within `patience`.
    pub(crate) fn is_at_step(&self, patience: Duration) -> bool {
        self.at_step.recv_timeout(patience).is_ok()
    }

    /// Kills it (SIGKILL), and waits until the ledger has all that it said.
    pub(crate) fn kill(mut self) {
        self.end_now();
    }

    /// Sends STOP or CONT.
    pub(crate) fn signal(&self, name: &str) -> Result<()> {
        match testbed::signal(name, self.child.id().into()) {
            true => Ok(()),
            false => Err(format!("SIG{name} was not delivered")),
        }
    }

    /// Ends it in good order.
    pub(crate) fn stop(mut self) -> Result<()> {
        drop(self.stdin.take());
        let status = self.child.wait().map_err(|error| error.to_string())?;
        match status.success() {
            true => Ok(()),
            false => Err(format!("a consumer ended with {status}")),
        }
    }

    fn end_now(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(reader) = self.reader.take() {
            let _ = reader.join();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end_now();
    }
}

/// Writes a line with the time to stdout, at once: it is read even if this process is killed next.
pub(crate) fn say(line: &str) {
    let mut stdout = io::stdout().lock();
    // A supervisor that is gone kills nobody; the end of stdin tells.
    let _ = writeln!(stdout, "{} {line}", micros(SystemTime::now()));
    let _ = stdout.flush();
}

/// Since the unix epoch. All processes share one machine and its clock.
pub(crate) fn micros(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_micros() as u64
}
