//! What the doctor finds.

use std::fmt;

use serde::{Serialize, Serializer};

use super::advice::Advice;

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

/// A kind of findings: what there is to say about it wherever it is found.
#[derive(Debug, Serialize)]
pub(crate) struct Kind {
    #[serde(rename = "check")]
    pub(crate) name: &'static str,
    /// The worst that it can be.
    pub(crate) severity: Severity,
    /// What proves it.
    pub(crate) proof: &'static str,
    /// Why it happens, and what it does.
    pub(crate) why: &'static str,
    /// Issues of Redisson about it.
    pub(crate) issues: &'static [&'static str],
}

/// Something that is wrong, or good to know.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Finding {
    #[serde(rename = "check", serialize_with = "name")]
    pub(crate) kind: &'static Kind,
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
    pub(crate) why: &'static str,
    pub(crate) issues: &'static [&'static str],
    #[serde(flatten)]
    pub(crate) advice: Advice,
}

impl Kind {
    /// A finding of this kind.
    pub(crate) fn finding(
        &'static self,
        severity: Severity,
        count: u64,
        what: impl Into<String>,
        advice: impl Into<Advice>,
    ) -> Finding {
        Finding {
            kind: self,
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

    /// A finding of this kind that is as bad as it can be.
    pub(crate) fn worst(
        &'static self,
        count: u64,
        what: impl Into<String>,
        advice: impl Into<Advice>,
    ) -> Finding {
        self.finding(self.severity, count, what, advice)
    }
}

fn name<S: Serializer>(kind: &&'static Kind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name)
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
