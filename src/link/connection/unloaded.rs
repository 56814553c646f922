//! Scripts for a server that does not know `SCRIPT LOAD`: `EVAL` brings them along.

use std::collections::HashMap;
use std::sync::Mutex;

use redis::{Arg, Cmd, RedisError, Script, Value};

use crate::sync::lock;

/// The scripts that the server of a connection did not load, by their hashes.
///
/// A script is noted when the driver wants to load it, because the server answered `NOSCRIPT`. The
/// first `EVAL` makes the server keep it, so only that one call is sent twice.
#[derive(Debug, Default)]
pub(super) struct Unloaded(Mutex<HashMap<String, Vec<u8>>>);

impl Unloaded {
    /// If this command would have loaded a script, notes the script and returns what the server
    /// would have answered.
    pub(super) fn note(&self, command: &Cmd, refusal: &RedisError) -> Option<Value> {
        // A missing right has another code. It stays an error, which names the right.
        if refusal.code() != Some("ERR") {
            return None;
        }
        let mut words = words(command);
        if (words.next(), words.next()) != (Some(b"SCRIPT"), Some(b"LOAD")) {
            return None;
        }
        let text = words.next()?;
        let script = Script::new(std::str::from_utf8(text).ok()?);
        let hash = script.get_hash().to_owned();
        lock(&self.0).insert(hash.clone(), text.to_vec());
        Some(Value::BulkString(hash.into_bytes()))
    }

    /// The same call with the text of its script, if that was noted.
    pub(super) fn call_with_text(&self, command: &Cmd) -> Option<Cmd> {
        let mut words = words(command);
        if words.next() != Some(b"EVALSHA") {
            return None;
        }
        let hash = std::str::from_utf8(words.next()?).ok()?;
        let mut call = redis::cmd("EVAL");
        call.arg(lock(&self.0).get(hash)?);
        words.for_each(|it| {
            call.arg(it);
        });
        Some(call)
    }
}

/// The words of a command that is not repeated with a cursor.
fn words(command: &Cmd) -> impl Iterator<Item = &[u8]> {
    command.args_iter().filter_map(|it| match it {
        Arg::Simple(word) => Some(word),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use redis::{ErrorKind, ServerErrorKind};

    use super::*;

    #[test]
    fn only_a_script_that_the_server_does_not_know_how_to_load_is_brought_along() {
        let text = "return {KEYS[1], ARGV[1]}";
        let hash = Script::new(text).get_hash().to_owned();
        let mut load = redis::cmd("SCRIPT");
        load.arg("LOAD").arg(text);
        let mut call = redis::cmd("EVALSHA");
        call.arg(&hash).arg(1).arg("key").arg(b"\0\r\n");
        let unknown = RedisError::from((
            ErrorKind::Server(ServerErrorKind::ResponseError),
            "An error was signalled by the server",
        ));
        let denied = RedisError::from((
            ErrorKind::Server(ServerErrorKind::NoPerm),
            "An error was signalled by the server",
        ));

        let unloaded = Unloaded::default();
        assert_eq!(unloaded.note(&load, &denied), None);
        assert_eq!(unloaded.note(&call, &unknown), None);
        assert!(unloaded.call_with_text(&call).is_none());
        let answer = unloaded.note(&load, &unknown);
        assert_eq!(answer, Some(Value::BulkString(hash.into_bytes())));
        let with_text = unloaded.call_with_text(&call).expect("it was noted");
        let mut expected = redis::cmd("EVAL");
        expected.arg(text).arg(1).arg("key").arg(b"\0\r\n");
        assert_eq!(
            with_text.get_packed_command(),
            expected.get_packed_command()
        );
        assert!(unloaded.call_with_text(&redis::cmd("TIME")).is_none());
    }
}
