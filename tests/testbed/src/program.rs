//! A program that a test runs.

use std::{
    env,
    ops::{Deref, DerefMut},
    process::{Child, Command, Output, Stdio},
    sync::mpsc::{RecvTimeoutError, Sender, channel},
    thread,
};

use crate::{signal::signal, wait::PATIENCE};

/// A program that a test started. It ends with this, also when the test panics: what it leaves behind
/// would keep the terminal of the tests.
///
/// It is killed after several times [`PATIENCE`], so that a test that waits for it fails and does not hang.
#[derive(Debug)]
pub struct Program {
    /// Only missing when its output is taken.
    child: Option<Child>,
    /// Tells that nobody needs to wait for its end.
    _watched: Sender<()>,
}

impl Program {
    /// Starts what this command says.
    ///
    /// # Panics
    ///
    /// If that cannot be run.
    pub fn start(command: &mut Command) -> Self {
        let child = command.spawn();
        let child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let id = child.id();
        let (watched, ended) = channel();
        thread::spawn(move || {
            if ended.recv_timeout(4 * PATIENCE) == Err(RecvTimeoutError::Timeout) {
                eprintln!("the program {id} does not end: it is killed");
                let _ = signal("KILL", id.into());
            }
        });
        Self {
            child: Some(child),
            _watched: watched,
        }
    }

    /// Runs what this command says to its end, and returns what it wrote.
    ///
    /// # Panics
    ///
    /// As [`start`](Self::start) and [`output`](Self::output) do.
    pub fn run(command: &mut Command) -> Output {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
        Self::start(command.stderr(Stdio::piped())).output()
    }

    /// Waits for its end, and returns what it wrote to the pipes that it was given.
    ///
    /// # Panics
    ///
    /// If a pipe cannot be read.
    pub fn output(mut self) -> Output {
        let child = self.child.take().expect("only this takes it");
        child.wait_with_output().expect("the pipes can be read")
    }
}

/// The variables of this process that configure `rdq`. A test that runs it removes them: they are
/// settings of whoever runs the tests.
pub fn variables_of_rdq() -> impl Iterator<Item = String> {
    let names = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    names.filter(|it| it.starts_with("RDQ_"))
}

impl Deref for Program {
    type Target = Child;

    fn deref(&self) -> &Child {
        self.child.as_ref().expect("it is there until its end")
    }
}

impl DerefMut for Program {
    fn deref_mut(&mut self) -> &mut Child {
        self.child.as_mut().expect("it is there until its end")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
