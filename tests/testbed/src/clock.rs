//! Wrong clocks.

use std::{
    fs::{self, File},
    os::unix::fs::FileExt,
    path::PathBuf,
    process::Command,
    sync::{Arc, Mutex, PoisonError, Weak},
};

use crate::place::Directory;

/// By how many seconds the clock of a process is ahead of the machine's, or behind it if negative.
///
/// The offset never changes while the process runs. What measures how much time has passed (the
/// monotonic clock) stays right.
#[derive(Clone, Debug, Default)]
pub struct ClockOffset {
    seconds: i64,
    /// Kept as long as a process may be started with it.
    library: Option<Arc<Library>>,
}

/// A clock that stands still for a process until somebody sets it. Clones are the same clock.
///
/// What measures how much time has passed goes on, so timeouts do.
#[derive(Clone, Debug)]
pub struct HeldClock(Arc<Held>);

#[derive(Debug)]
struct Held {
    directory: Directory,
    file: File,
    library: Arc<Library>,
}

impl HeldClock {
    /// Stands at this moment, unix us.
    ///
    /// # Panics
    ///
    /// If there is no C compiler, `cc`.
    #[must_use]
    pub fn at(us: i64) -> Self {
        let directory = Directory::new();
        let file = File::create(directory.path().join(HELD)).expect("the directory is writable");
        let clock = Self(Arc::new(Held {
            directory,
            file,
            library: Library::get(),
        }));
        clock.set(us);
        clock
    }

    /// Sets it, unix us. It may go back.
    ///
    /// # Panics
    ///
    /// If the disk is full.
    pub fn set(&self, us: i64) {
        let written = self.0.file.write_all_at(&us.to_ne_bytes(), 0);
        written.expect("the clock's file is writable");
    }

    /// Lets `command` start with this clock. It has to be a program that uses libc.
    pub fn apply(&self, command: &mut Command) {
        command
            .env("LD_PRELOAD", self.0.library.file())
            .env("CLOCK_FILE", self.0.directory.path().join(HELD));
    }
}

const HELD: &str = "now";

/// A library that goes before libc, compiled from `clock.c`.
#[derive(Debug)]
struct Library(Directory);

impl ClockOffset {
    /// So many seconds ahead.
    ///
    /// # Panics
    ///
    /// If there is no C compiler, `cc`.
    #[must_use]
    pub fn ahead(seconds: i64) -> Self {
        Self {
            seconds,
            library: (seconds != 0).then(Library::get),
        }
    }

    /// Lets `command` start with this clock. It has to be a program that uses libc.
    pub fn apply(&self, command: &mut Command) {
        if let Some(library) = &self.library {
            command
                .env("LD_PRELOAD", library.file())
                .env("CLOCK_OFFSET", self.seconds.to_string());
        }
    }
}

impl Library {
    /// The one of this process.
    fn get() -> Arc<Self> {
        static COMPILED: Mutex<Weak<Library>> = Mutex::new(Weak::new());
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.upgrade().unwrap_or_else(|| {
            let library = Arc::new(Self::compile());
            *compiled = Arc::downgrade(&library);
            library
        })
    }

    fn compile() -> Self {
        let library = Self(Directory::new());
        let source = library.0.path().join("clock.c");
        fs::write(&source, include_str!("clock.c")).expect("the directory is writable");
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-fPIC", "-O1", "-o"])
            .args([library.file(), source]);
        let status = cc.status().expect("a C compiler is installed");
        assert!(status.success(), "{cc:?}");
        library
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("clock.so")
    }
}
