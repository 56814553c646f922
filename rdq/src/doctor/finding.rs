//! What a check found.

use std::fmt;

use serde::Serialize;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// Elements stand still, get lost or come twice, or will.
    Critical,
    /// Something will go wrong sooner or later, or costs more than it should.
    Warning,
    /// Good to know. Monitoring need not.
    Note,
}

/// What there is to say about a check, whatever it finds.
#[derive(Debug, Serialize)]
pub(crate) struct About {
    /// The name of the check.
    pub(crate) check: &'static str,
    /// The worst that it reports.
    pub(crate) severity: Severity,
    /// Why this happens.
    pub(crate) why: &'static str,
    /// Issues of Redisson about it.
    pub(crate) issues: &'static [&'static str],
}

/// What a check found.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Finding {
    pub(crate) check: &'static str,
    pub(crate) severity: Severity,
    /// The queue, if the finding is about one.
    pub(crate) queue: Option<String>,
    /// The server, if the finding is about one.
    pub(crate) server: Option<String>,
    /// How many of them there are; at least so many after a quick look.
    pub(crate) count: u64,
    /// What was found, in a sentence.
    pub(crate) what: String,
    pub(crate) example: Option<String>,
    /// Why it happens.
    pub(crate) why: &'static str,
    pub(crate) issues: &'static [&'static str],
    /// What to do.
    pub(crate) advice: String,
}

impl About {
    /// A finding of this check.
    pub(crate) fn finding(
        &'static self,
        severity: Severity,
        count: u64,
        what: impl Into<String>,
        advice: impl Into<String>,
    ) -> Finding {
        Finding {
            check: self.check,
            severity,
            queue: None,
            server: None,
            count,
            what: what.into(),
            example: None,
            why: self.why,
            issues: self.issues,
            advice: advice.into(),
        }
    }
}

impl Finding {
    /// The same, with one of the things that were found.
    pub(crate) fn example(mut self, example: Option<String>) -> Self {
        self.example = example;
        self
    }

    /// The same, about this queue.
    pub(crate) fn of_queue(mut self, queue: &str) -> Self {
        self.queue = Some(queue.to_owned());
        self
    }

    /// The same, about this server.
    pub(crate) fn at(mut self, server: &str) -> Self {
        self.server = Some(server.to_owned());
        self
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Critical => "critical",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}
