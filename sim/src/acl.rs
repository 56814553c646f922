//! Users, and what each may do.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;

use crate::{command::Command, fault::ErrorReply, pattern::matches};

/// Users by name.
#[derive(Clone, Debug)]
pub(crate) struct Users(BTreeMap<Bytes, User>);

/// A user's rights.
#[derive(Clone, Debug, Default)]
pub(crate) struct User {
    is_on: bool,
    needs_no_password: bool,
    passwords: BTreeSet<Bytes>,
    /// Names of commands, and of subcommands such as `client|setname`; those with `false` are denied.
    commands: BTreeMap<Vec<u8>, bool>,
    may_run_others: bool,
    keys: Vec<Bytes>,
    channels: Vec<Bytes>,
}

/// The kind of right that a user lacks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Denial {
    Command,
    Key,
    Channel,
}

impl Users {
    /// Only the default user, who may do everything.
    pub(crate) fn new() -> Self {
        let mut user = User::default();
        for rule in ["on", "nopass", "+@all", "~*", "&*"] {
            user.apply(rule.as_bytes()).expect("the rule is known");
        }
        Self(BTreeMap::from([(Self::DEFAULT, user)]))
    }

    pub(crate) const DEFAULT: Bytes = Bytes::from_static(b"default");

    /// Who a connection is at its beginning.
    pub(crate) fn at_first(&self) -> Option<Bytes> {
        let user = self.0.get(&Self::DEFAULT);
        user.is_some_and(|it| it.is_on && it.needs_no_password)
            .then_some(Self::DEFAULT)
    }

    pub(crate) fn is_let_in(&self, name: &[u8], password: &[u8]) -> bool {
        let user = self.0.get(name).filter(|it| it.is_on);
        user.is_some_and(|it| it.needs_no_password || it.passwords.contains(password))
    }

    /// Changes a user's rights, all or nothing.
    pub(crate) fn set(&mut self, name: &Bytes, rules: &[Bytes]) -> Result<(), ErrorReply> {
        let mut user = self.0.get(name).cloned().unwrap_or_default();
        for rule in rules {
            user.apply(rule)?;
        }
        self.0.insert(name.clone(), user);
        Ok(())
    }

    pub(crate) fn remove(&mut self, name: &Bytes) -> bool {
        self.0.remove(name).is_some()
    }

    /// The right that a user lacks to run a command, if one is missing.
    pub(crate) fn denial(
        &self,
        user: &Bytes,
        command: &Command,
        words: &[Bytes],
    ) -> Option<Denial> {
        match self.0.get(user) {
            Some(user) => user.denial(command, words),
            None => Some(Denial::Command),
        }
    }
}

impl User {
    fn apply(&mut self, rule: &[u8]) -> Result<(), ErrorReply> {
        let name = |at: usize| Bytes::copy_from_slice(&rule[at..]);
        match rule {
            b"on" => self.is_on = true,
            b"off" => self.is_on = false,
            b"reset" => *self = Self::default(),
            b"nopass" => self.needs_no_password = true,
            b"resetpass" => self.passwords.clear(),
            b"resetkeys" => self.keys.clear(),
            b"resetchannels" => self.channels.clear(),
            b"+@all" | b"allcommands" | b"-@all" | b"nocommands" => {
                self.commands.clear();
                self.may_run_others = matches!(rule, b"+@all" | b"allcommands");
            }
            b"allkeys" => self.keys = vec![Bytes::from_static(b"*")],
            b"allchannels" => self.channels = vec![Bytes::from_static(b"*")],
            [b'>', ..] => {
                self.passwords.insert(name(1));
                self.needs_no_password = false;
            }
            [b'~', ..] => self.keys.push(name(1)),
            [b'&', ..] => self.channels.push(name(1)),
            [sign @ (b'+' | b'-'), command @ ..] => {
                self.commands
                    .insert(command.to_ascii_lowercase(), *sign == b'+');
            }
            _ => {
                let rule = String::from_utf8_lossy(rule);
                return Err(
                    format!("ERR Error in ACL SETUSER modifier '{rule}': Syntax error").into(),
                );
            }
        }
        Ok(())
    }

    fn denial(&self, command: &Command, words: &[Bytes]) -> Option<Denial> {
        let whole = self.commands.get(command.name.as_bytes()).copied();
        let sub = words.get(1).filter(|_| command.has_subcommands());
        let sub =
            sub.map(|sub| [command.name.as_bytes(), b"|", &sub.to_ascii_lowercase()].concat());
        let sub = sub.and_then(|it| self.commands.get(&it).copied());
        if !sub.or(whole).unwrap_or(self.may_run_others) {
            return Some(Denial::Command);
        }
        let may = |patterns: &[Bytes], text: &Bytes| patterns.iter().any(|it| matches(it, text));
        if command.keys(words).iter().any(|key| !may(&self.keys, key)) {
            return Some(Denial::Key);
        }
        if command
            .channels(words)
            .iter()
            .any(|it| !may(&self.channels, it))
        {
            return Some(Denial::Channel);
        }
        None
    }
}
