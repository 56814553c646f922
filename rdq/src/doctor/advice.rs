//! The advice about a finding: words and commands.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Words and commands, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Advice(Vec<Part>);

/// A part of an advice.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Words(String),
    /// As a shell reads it.
    Command(String),
}

/// Begins an advice with words.
pub(super) fn say(words: impl Into<String>) -> Advice {
    Advice::default().say(words)
}

/// Begins an advice with a command.
pub(super) fn run(command: impl Into<String>) -> Advice {
    Advice::default().run(command)
}

/// Begins an advice with a command that gives rights to a user, until the server restarts.
pub(super) fn grant(command: impl Into<String>) -> Advice {
    run(command).say(" and ACL SAVE, or the same in redis.conf without an aclfile")
}

/// Begins an advice with a command that changes a setting, until the server restarts.
pub(super) fn set(command: impl Into<String>) -> Advice {
    run(command).say(", and write it into redis.conf")
}

impl Advice {
    /// The same, and then these words.
    pub(super) fn say(mut self, words: impl Into<String>) -> Self {
        self.0.push(Part::Words(words.into()));
        self
    }

    /// The same, and then this command.
    pub(super) fn run(mut self, command: impl Into<String>) -> Self {
        self.0.push(Part::Command(command.into()));
        self
    }

    /// The same, and then these commands.
    pub(super) fn run_all(mut self, commands: impl IntoIterator<Item = impl Into<String>>) -> Self {
        for (i, command) in commands.into_iter().enumerate() {
            self = if i > 0 { self.say(", ") } else { self };
            self = self.run(command);
        }
        self
    }

    /// The same, and then all of another advice.
    pub(super) fn then(mut self, other: &Self) -> Self {
        self.0.extend_from_slice(&other.0);
        self
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.0
    }

    /// What is said beside the commands.
    pub(super) fn words(&self) -> String {
        let words = |it: &Part| match it {
            Part::Words(words) => words.clone(),
            Part::Command(_) => String::new(),
        };
        self.0.iter().map(words).collect()
    }

    pub(super) fn commands(&self) -> Vec<&str> {
        let command = |it| match it {
            &Part::Words(_) => None,
            Part::Command(command) => Some(&**command),
        };
        self.0.iter().filter_map(command).collect()
    }
}

impl From<&str> for Advice {
    fn from(words: &str) -> Self {
        say(words)
    }
}

impl From<String> for Advice {
    fn from(words: String) -> Self {
        say(words)
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) => f.write_str(words),
            Self::Command(command) => write!(f, "`{command}`"),
        }
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|it| it.fmt(f))
    }
}

/// The text, and the commands in it.
impl Serialize for Advice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_map(Some(2))?;
        fields.serialize_entry("advice", &self.to_string())?;
        fields.serialize_entry("commands", &self.commands())?;
        fields.end()
    }
}
