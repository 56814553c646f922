//! The advice about a finding: words and commands.

use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::screen::shell::own_line;

/// Words and commands, in their order. Words come first.
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

/// Begins an advice with a command that gives rights to a user, until the server restarts.
pub(super) fn grant(words: &str, command: impl Into<String>) -> Advice {
    let kept = "and keep it with ACL SAVE, or in redis.conf without an aclfile:";
    say(format!("{words}, {kept}")).run(command)
}

/// Begins an advice with a command that changes a setting, until the server restarts.
pub(super) fn set(words: &str, command: impl Into<String>) -> Advice {
    say(format!("{words}, and write it into redis.conf:")).run(command)
}

impl Advice {
    /// The same, and then these words.
    pub(super) fn say(mut self, words: impl Into<String>) -> Self {
        self.0.push(Part::Words(words.into()));
        self
    }

    /// The same, and then this command, which the words before it explain.
    pub(super) fn run(mut self, command: impl Into<String>) -> Self {
        self.0.push(Part::Command(command.into()));
        self
    }

    /// The same, and then these commands.
    pub(super) fn run_all(mut self, commands: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let commands = commands.into_iter();
        self.0.extend(commands.map(|it| Part::Command(it.into())));
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

/// Each part begins a line.
impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.0.iter().enumerate() {
            f.write_str(if i > 0 { "\n" } else { "" })?;
            match part {
                Part::Words(words) => f.write_str(words)?,
                Part::Command(command) => f.write_str(&own_line(command))?,
            }
        }
        Ok(())
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
