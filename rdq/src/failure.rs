//! What ends a run, and with which exit code.

use std::error::Error as StdError;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use redisson_delayed_queue::Error;
use redisson_delayed_queue::keys::NameError;

use crate::screen::harmless;
use crate::screen::number::count_of;
use crate::screen::shell::{command_line, with_command};

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
    /// The work stopped after a part of it was done, which stays done.
    #[error("{done}")]
    Halfway {
        /// What was done.
        done: String,
        /// Why it stopped.
        source: Box<Self>,
    },
    /// `rdq doctor` found something. Redis has not changed.
    #[error(
        "findings: {critical} critical, {}",
        count_of(*warnings as u64, "warning", "warnings")
    )]
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
    #[error(
        "{}",
        count_of(
            *.0,
            "line is too many: its element was not removed, a consumer has or gets it",
            "lines are too many: their elements were not removed, a consumer has or gets them"
        )
    )]
    Surplus(u64),
    /// A file or a pipe.
    #[error("{what}")]
    Io {
        /// What was read or written.
        what: String,
        /// Why it failed.
        source: io::Error,
    },
    /// The codec cannot write a value that the caller gave. Redis has not changed.
    #[error("{what}")]
    Codec {
        /// Which payload.
        what: String,
        /// What the codec says.
        source: redisson_delayed_queue::codec::Error,
    },
    /// Redis, or the way to it. The error says whether Redis may have changed.
    #[error(transparent)]
    Queue(#[from] Error),
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

    /// The same failure after a part of the work was done.
    pub(crate) fn after(self, done: impl Into<String>) -> Self {
        Self::Halfway {
            done: done.into(),
            source: Box::new(self),
        }
    }

    /// The same failure after so much of the work was done. After nothing it stays as it is.
    pub(crate) fn after_some(self, done: u64, text: impl FnOnce(u64) -> String) -> Self {
        match done {
            0 => self,
            done => self.after(text(done)),
        }
    }

    /// This with its sources.
    pub(crate) fn text(&self) -> String {
        with_sources(self)
    }

    /// Prints this on stderr with its sources, and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        // `rdq ls | head` is no failure.
        if self.is_closed_pipe() {
            return ExitCode::SUCCESS;
        }
        let mut text = format!("rdq: {}", self.text());
        if let Some(advice) = self.advice() {
            text += &format!("\n{advice}");
        }
        // Stderr may be closed, too. The exit code tells then.
        let _ = writeln!(io::stderr(), "{}", harmless(&text));
        ExitCode::from(self.code())
    }

    /// The exit code. The codes stand in the README too.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Queue(error) if is_of_caller(error) => 2,
            Self::Halfway { source, .. } if matches!(**source, Self::Interrupted) => 130,
            Self::Halfway { .. }
            | Self::Io { .. }
            | Self::Queue(_)
            | Self::Surplus(_)
            | Self::Unfinished(_) => 1,
            Self::Codec { .. } | Self::Usage(_) => 2,
            Self::Nothing(_) => 3,
            Self::Refused => 4,
            Self::Unwell { critical: 0, .. } => 5,
            Self::Unwell { .. } => 6,
            Self::Interrupted => 130,
        }
    }

    /// True if Redis answered, and refused the command.
    pub(crate) fn is_refusal(&self) -> bool {
        match self {
            Self::Queue(Error::Denied { .. } | Error::WrongType { .. }) => true,
            // A busy server answers later.
            Self::Queue(Error::Refused { source, .. }) => source.code() != Some("BUSY"),
            _ => false,
        }
    }

    /// What the user can do about it, if Redis does not say that itself.
    fn advice(&self) -> Option<String> {
        match self {
            Self::Halfway { source, .. } => source.advice(),
            Self::Queue(error) => advice(error),
            _ => None,
        }
    }

    /// True if nobody reads stdout any more.
    pub(crate) fn is_closed_pipe(&self) -> bool {
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

/// True if the caller gave something that cannot be. Nothing was sent then, or Redis refused it as a
/// whole.
fn is_of_caller(error: &Error) -> bool {
    match error {
        Error::Element { source, .. } => is_of_caller(source),
        Error::ClientName { .. }
        | Error::DelayTooLong { .. }
        | Error::Encode { .. }
        | Error::ExpiresBeforeDue
        | Error::Name(_)
        | Error::Settings { .. }
        | Error::TooLarge { .. } => true,
        _ => false,
    }
}

fn advice(error: &Error) -> Option<String> {
    match error {
        Error::OfferedInPart { source, .. } | Error::Unfinished { source, .. } => advice(source),
        Error::WrongType {
            queue: Some(queue), ..
        } => Some(with_command(
            "Another program uses this key. This says what to do:",
            &command_line(&["doctor"], queue, &[]),
        )),
        Error::Denied { source, .. } => match source.code()? {
            "NOAUTH" => Some(format!("The server wants a login: {LOGIN}.")),
            "WRONGPASS" => Some(format!("The login is wrong: {LOGIN}.")),
            _ => Some(match missing_right(error) {
                Some(right) => {
                    format!("The Redis user lacks the right {right}: ACL SETUSER grants it.")
                }
                None => "The Redis user lacks this right: ACL SETUSER grants it.".to_owned(),
            }),
        },
        _ => None,
    }
}

/// The rule that grants what Redis refused, such as `+lrange`, if Redis named the command.
pub(crate) fn missing_right(error: &Error) -> Option<String> {
    let Error::Denied { source, .. } = error else {
        return None;
    };
    let said = source.to_string();
    let (_, rest) = said.split_once("permissions to run the '")?;
    let (command, _) = rest.split_once('\'')?;
    Some(format!("+{command}"))
}

/// What an error and its sources say.
pub(crate) fn with_sources(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let words = error.to_string();
        text += &format!(": {}", without_script(answer(&words)));
        source = error.source();
    }
    text
}

/// What Redis said to the first command of several that it refused, or these words.
fn answer(words: &str) -> &str {
    if !words.starts_with("Pipeline failure") {
        return words;
    }
    let first = words.split_once(", error: ").map_or(words, |it| it.1);
    let first = first.split_once("), (Index ").map_or(first, |it| it.0);
    let first = first.strip_suffix(")]").unwrap_or(first);
    first.strip_prefix("ResponseError: ").unwrap_or(first)
}

/// What Redis said, without the digest and the line of the script to which it happened.
fn without_script(words: &str) -> &str {
    match words.split_once(" script: ") {
        Some((said, place)) if place.contains("@user_script") => said,
        _ => words,
    }
}

/// Where a login stands.
const LOGIN: &str = "write redis://USER:PASSWORD@HOST, or name the password in the profile file \
    (password-env or password-file)";

#[cfg(test)]
mod tests {
    use super::answer;

    #[test]
    fn of_several_refusals_the_first_is_told() {
        let both = "Pipeline failures: [(Index 0, error: ResponseError: no cluster), (Index 1, error: no)]";
        assert_eq!(answer(both), "no cluster");
        assert_eq!(
            answer("Pipeline failure: [(Index 1, error: no (yet))]"),
            "no (yet)"
        );
        assert_eq!(answer("no, error: none"), "no, error: none");
    }
}
