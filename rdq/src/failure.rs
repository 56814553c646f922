//! What ends a run, and with which exit code.

use std::error::Error as StdError;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use redisson_delayed_queue::keys::NameError;

/// Why a run did not do what it was asked for.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The arguments, the profile file or a schema file: the caller's fault. Redis has not changed.
    #[error("{0}")]
    Usage(String),
    /// Nobody confirmed. Redis has not changed.
    #[error("not confirmed: nothing was changed (say --yes)")]
    Refused,
    /// There is no such element, or none came in time. Redis has not changed.
    #[error("{0}")]
    Nothing(String),
    /// Some of the work is left. What was done stays done, and doing it again is safe.
    #[error("{0}")]
    Unfinished(String),
    /// `rdq doctor` found something. Redis has not changed.
    #[error("findings: {critical} critical, {warnings} warnings")]
    Unwell {
        /// How many findings are critical.
        critical: usize,
        /// How many are warnings.
        warnings: usize,
    },
    /// The user pressed Ctrl-C. What was printed before is done, and perhaps the step after it.
    #[error("interrupted: what was printed is done, and perhaps the step after it")]
    Interrupted,
    /// Elements were written, and went to a consumer before they could be removed.
    #[error("{0} lines are too many: their elements were not removed, a consumer has or gets them")]
    Surplus(u64),
    /// A file or a pipe.
    #[error("{what}")]
    Io {
        /// What was read or written.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
    /// A payload and the codec do not fit. Redis has not changed.
    #[error("{what}")]
    Codec {
        /// Which payload.
        what: String,
        /// What the codec says.
        source: redisson_delayed_queue::codec::Error,
    },
    /// Redis, or the way to it. The error says whether Redis may have changed.
    #[error(transparent)]
    Queue(#[from] redisson_delayed_queue::Error),
}

/// The outcome of a verb.
pub(crate) type Result<T = (), E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// The arguments are wrong.
    pub(crate) fn usage(reason: impl Into<String>) -> Self {
        Self::Usage(reason.into())
    }

    /// A file could not be read.
    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        let what = format!("cannot read {}", path.display());
        Self::Io { what, source }
    }

    /// A file could not be written.
    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        let what = format!("cannot write {}", path.display());
        Self::Io { what, source }
    }

    /// Stdout could not be written.
    pub(crate) fn stdout(source: io::Error) -> Self {
        let what = "cannot write to stdout".to_owned();
        Self::Io { what, source }
    }

    /// Prints this on stderr with its sources, and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        // `rdq ls | head` is no failure.
        if self.is_closed_pipe() {
            return ExitCode::SUCCESS;
        }
        let mut text = format!("rdq: {self}");
        let mut source = self.source();
        while let Some(error) = source {
            text += &format!(": {error}");
            source = error.source();
        }
        eprintln!("{text}");
        ExitCode::from(self.code())
    }

    /// The exit code. The codes stand in the README too.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Codec { .. }
            | Self::Io { .. }
            | Self::Queue(_)
            | Self::Surplus(_)
            | Self::Unfinished(_) => 1,
            Self::Usage(_) => 2,
            Self::Nothing(_) => 3,
            Self::Refused => 4,
            Self::Unwell { critical: 0, .. } => 5,
            Self::Unwell { .. } => 6,
            Self::Interrupted => 130,
        }
    }

    /// True if Redis refused the command.
    pub(crate) fn is_refusal(&self) -> bool {
        use redisson_delayed_queue::Error::{Denied, Refused};
        matches!(self, Self::Queue(Denied { .. } | Refused { .. }))
    }

    fn is_closed_pipe(&self) -> bool {
        let Self::Io { source, .. } = self else {
            return false;
        };
        source.kind() == io::ErrorKind::BrokenPipe
    }
}

impl From<NameError> for Failure {
    fn from(error: NameError) -> Self {
        Self::Queue(error.into())
    }
}
