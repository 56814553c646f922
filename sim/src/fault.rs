//! The error that Redis answers to a command.

use bytes::Bytes;

/// The text of an error reply, which begins with its code.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct ErrorReply(pub(crate) Bytes);

impl From<&'static str> for ErrorReply {
    fn from(text: &'static str) -> Self {
        Self(Bytes::from_static(text.as_bytes()))
    }
}

impl From<String> for ErrorReply {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

pub(crate) const WRONG_TYPE: &str =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
pub(crate) const SYNTAX: &str = "ERR syntax error";
pub(crate) const NOT_INTEGER: &str = "ERR value is not an integer or out of range";
pub(crate) const NOT_FLOAT: &str = "ERR value is not a valid float";
pub(crate) const NO_SUCH_KEY: &str = "ERR no such key";

/// A command got too few or too many arguments.
pub(crate) fn wrong_number(command: &str) -> ErrorReply {
    format!("ERR wrong number of arguments for '{command}' command").into()
}
