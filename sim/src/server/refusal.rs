//! What Redis looks at before it runs a command, and the errors with which it refuses one.

use bytes::Bytes;

use super::{InScript, State};
use crate::{acl::Denial, command::Command, fault::ErrorReply, session::SessionId};

const FULL: &str = "OOM command not allowed when used memory > 'maxmemory'.";
const READ_ONLY: &str = "READONLY You can't write against a read only replica.";
/// What may be asked before a connection says who it is.
const BEFORE_AUTH: &[&str] = &["auth", "hello"];
const WHILE_LOADING: &[&str] = &[
    "acl",
    "auth",
    "client",
    "hello",
    "publish",
    "role",
    "script",
    "select",
    "subscribe",
    "time",
    "unsubscribe",
];
const WHILE_LISTENING: &[&str] = &["ping", "subscribe", "unsubscribe"];

impl State {
    /// The command, if a client may run it now.
    pub(super) fn admit(
        &self,
        id: SessionId,
        words: &[Bytes],
    ) -> Result<&'static Command, ErrorReply> {
        let command = Command::find(&words[0]).ok_or_else(|| unknown(words))?;
        command.check_number(words)?;
        let session = &self.sessions[&id];
        if session.user.is_none() && !BEFORE_AUTH.contains(&command.name) {
            return Err("NOAUTH Authentication required.".into());
        }
        if session.user.is_some() && !BEFORE_AUTH.contains(&command.name) {
            match self.denial(id, command, words) {
                None => {}
                Some(Denial::Command) => {
                    let name = command.full_name(words);
                    return Err(format!(
                        "NOPERM this user has no permissions to run the '{name}' command"
                    )
                    .into());
                }
                Some(Denial::Key) => {
                    return Err("NOPERM this user has no permissions to access one of the keys used as arguments".into());
                }
                Some(Denial::Channel) => {
                    return Err("NOPERM this user has no permissions to access one of the channels used as arguments".into());
                }
            }
        }
        self.find_server(command, words)?;
        if command.needs_memory && self.condition.lacks_memory() {
            return Err(FULL.into());
        }
        if command.writes && self.condition.is_replica {
            return Err(READ_ONLY.into());
        }
        if session.only_listens() && !WHILE_LISTENING.contains(&command.name) {
            let name = command.name;
            return Err(format!(
                "ERR Can't execute '{name}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"
            )
            .into());
        }
        if self.condition.is_loading && !WHILE_LOADING.contains(&command.name) {
            return Err("LOADING Redis is loading the dataset in memory".into());
        }
        if self.condition.is_busy && !BEFORE_AUTH.contains(&command.name) {
            return Err("BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.".into());
        }
        Ok(command)
    }
}

impl InScript<'_> {
    /// The command, if the script may run it now.
    pub(super) fn admit(&self, words: &[Bytes]) -> Result<&'static Command, ErrorReply> {
        let command = Command::find(&words[0]);
        let command = command.ok_or("ERR Unknown Redis command called from script")?;
        if command.check_number(words).is_err() {
            return Err("ERR Wrong number of args calling Redis command from script".into());
        }
        if command.is_for_clients {
            return Err("ERR This Redis command is not allowed from script".into());
        }
        let why = match self.state.denial(self.id, command, words) {
            None => None,
            Some(Denial::Command) => Some("can't run this command or subcommand"),
            Some(Denial::Key) => {
                Some("can't access at least one of the keys mentioned in the command arguments")
            }
            Some(Denial::Channel) => Some("can't publish to the channel mentioned in the command"),
        };
        if let Some(why) = why {
            return Err(format!("ERR The user executing the script {why}").into());
        }
        if command.writes && self.state.condition.is_replica {
            return Err(READ_ONLY.into());
        }
        if command.needs_memory && self.is_full && !self.has_written {
            return Err(FULL.into());
        }
        Ok(command)
    }
}

fn unknown(words: &[Bytes]) -> ErrorReply {
    let name = String::from_utf8_lossy(&words[0]);
    let mut text = format!("ERR unknown command '{name}', with args beginning with: ");
    for word in &words[1..] {
        text += &format!("'{}' ", String::from_utf8_lossy(word));
    }
    text.into()
}

pub(super) fn unknown_subcommand(command: &str, sub: &[u8]) -> ErrorReply {
    let (sub, command) = (String::from_utf8_lossy(sub), command.to_uppercase());
    format!("ERR unknown subcommand '{sub}'. Try {command} HELP.").into()
}
